// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gpu/chip.h"
#include "gpu/configs.h"
#include "gpu/gpu.h"
#include "gpu/registries.h"
#include "run/chosen_blocks.h"
#include "run/engine_ca.h"
#include "run/gpu_on_host.h"
#include "run/rtl_blocks.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;

class CaGpu final : public GpuOnHost<gpu::Gpu> {
 public:
  /// `stopped`: set by the lockstep that pauses the simulation for good.
  CaGpu(const std::string& name, std::shared_ptr<const gpu::Registries> registries,
        std::shared_ptr<const RtlBlocks> rtl_blocks, std::shared_ptr<const bool> stopped,
        std::unique_ptr<gpu::Gpu> made)
      : GpuOnHost(name, {std::move(registries), rtl_blocks}, std::move(made)),
        rtl_blocks_(std::move(rtl_blocks)),
        stopped_(std::move(stopped)) {}

  bool broken_off() const override { return *stopped_; }
  void settle(EngineReport& report) override {
    for (auto& line : gpu().in_flight()) report.in_flight.push_back(std::move(line));
    if (gpu().settle()) return;
    report.not_modelled.push_back(
        "buffers after the failure: a cache cannot tell what it has not written back");
  }
  void describe(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->report(report);
    tell_external(gpu().external_memory(), report);
  }
  void conclude(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->conclude(report);
  }
  void write_files(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->write_files(report);
  }
  bool observe(const compute_unit::ComputeUnit::Observer& observer) override {
    gpu().machine().observe(observer);
    return true;
  }
  bool watch(const OnActivity& f) override { return gpu().machine().watch(f); }
  bool watch_residency(const compute_unit::ComputeUnit::ResidencyWatcher& f) override {
    return gpu().machine().watch_residency(f);
  }
  void watch_caches(const WatchCache& watcher_of) override {
    std::map<cache::Role, std::vector<OnCacheEvent>> first_level;
    for_caches([&](cache::Role role, unsigned index, cache::Cache& c) {
      auto watcher = watcher_of(cache::name_of(role), index);
      if (role == cache::Role::L2) {
        c.watch(std::move(watcher));
      } else {
        first_level[role].push_back(std::move(watcher));
      }
    });
    gpu().machine().watch_first_level(
        [first_level](cache::Role role, unsigned index, const cache::Cache::Event& event) {
          first_level.at(role)[index](event);
        });
  }
  void watch_memory(const memory::Memory::OnRequest& f) override {
    gpu().machine().memory().on_request(f);
  }

 private:
  template <typename F>
  void for_caches(F f) {
    auto& m = gpu().machine();
    using cache::Role;
    for (unsigned i = 0; i < m.compute_units(); ++i) f(Role::VectorL1, i, m.vector_l1(i));
    for (unsigned i = 0; i < m.scalar_caches(); ++i) f(Role::Scalar, i, m.scalar_cache(i));
    for (unsigned i = 0; i < m.instruction_caches(); ++i) {
      f(Role::Instruction, i, m.instruction_cache(i));
    }
    for (unsigned i = 0; i < m.l2_slices(); ++i) f(Role::L2, i, m.l2(i));
  }

  std::shared_ptr<const RtlBlocks> rtl_blocks_;
  std::shared_ptr<const bool> stopped_;
};

/// An option that chooses per block names each block once: the last of two would win in silence.
Status check_named_once(const std::string& option, const std::vector<std::string>& choices,
                        const char* separator) {
  std::set<std::string> named;
  for (const std::string& choice : choices) {
    const std::string block = choice.substr(0, choice.find_first_of(separator));
    if (!named.insert(block).second) {
      return base::Error(
          fmt::format("{} names block {} twice, expected each block once", option, block));
    }
  }
  return {};
}

/// The blocks of which the command line says something.
std::set<std::string> asked_for(const EngineOptions& options) {
  std::set<std::string> blocks;
  for (const auto& text : options.implementations) blocks.insert(text.substr(0, text.find('=')));
  for (const auto& text : options.lockstep) blocks.insert(text.substr(0, text.find(':')));
  return blocks;
}

/// "BLOCK=NAME" and "BLOCK" (lockstep) of the command line into the description.
Status choose(const EngineOptions& options, machine::GpuConfig& description) {
  if (auto s = check_named_once("--impl", options.implementations, "="); !s.ok()) return s;
  if (auto s = check_named_once("--lockstep", options.lockstep, ":"); !s.ok()) return s;
  for (const auto& choice : options.implementations) {
    const auto equals = choice.find('=');
    if (equals == std::string::npos) {
      return base::Error("--impl expects BLOCK=NAME, found '" + choice + "'");
    }
    const std::string block = choice.substr(0, equals);
    const std::string name = choice.substr(equals + 1);
    if (auto s = gpu::check_implementation_name(block, name); !s.ok()) {
      return base::Error("--impl " + choice + ": " + s.error().what);
    }
    description.implementations[block] = name;
    description.places.erase("implementations." + block);  // it says something else
  }
  for (const auto& text : options.lockstep) {
    const auto colon = text.find(':');
    const std::string block = text.substr(0, colon);
    if (colon != std::string::npos) {
      const auto share = machine::parse_share(text.substr(colon + 1));
      if (!share) {
        return base::Error("--lockstep expects BLOCK or BLOCK:1/N, found '" + text + "'");
      }
      description.lockstep_checks[block].share = *share;
    }
    std::string& name = description.implementations[block];
    const bool device = name.rfind("dut:", 0) == 0;  // in lockstep by itself
    if (device) continue;
    name = name.find("-check") != std::string::npos ? "lockstep-check" : "lockstep";
    if (auto s = gpu::check_implementation_name(block, name); !s.ok()) {
      return base::Error("--lockstep " + text + ": " + s.error().what);
    }
  }
  const bool has_lanes = gpu::implementation(description, "simd") != "tlm";
  for (const auto& text : options.lockstep) {
    const std::string block = text.substr(0, text.find(':'));
    if (has_lanes && (block == "valu" || block == "vrf")) {
      return base::Error(
          fmt::format("--lockstep {0}: the RTL of simd has a {0} inside, which is compared with "
                      "it; expected simd or {0} alone",
                      block));
    }
  }
  if (!options.lockstep_instances.empty()) {
    if (options.lockstep_instances != "1" && options.lockstep_instances != "all") {
      return base::Error("--lockstep-instances expects 1 or all, found '" +
                         options.lockstep_instances + "'");
    }
    description.lockstep_everywhere = options.lockstep_instances == "all";
  }
  const auto is_compared = [&description](const char* block) {
    const std::string name = gpu::implementation(description, block);
    return name.rfind("lockstep", 0) == 0 || name.rfind("dut:", 0) == 0;
  };
  const bool any_compared =
      std::ranges::any_of(description.implementations,
                          [&](const auto& chosen) { return is_compared(chosen.first.c_str()); });
  if (!options.lockstep_instances.empty() && !any_compared) {
    return base::Error(
        "--lockstep-instances says where blocks in lockstep stand, expected --lockstep or a device "
        "with it");
  }
  if (options.files.any() && !any_compared) {
    return base::Error(
        fmt::format("{} of a block in lockstep, expected --lockstep or a device with it",
                    options.files.record.empty() ? "--wave shows the pins" : "--record is"));
  }
  if (options.files.has_window() && !options.files.any() && !options.trace.on()) {
    return base::Error("--window goes with --trace, --transactions, --wave or --record");
  }
  return {};
}

Result<std::unique_ptr<TimedGpu>> make_gpu(
    const std::string& name, const machine::GpuConfig& description,
    std::shared_ptr<const gpu::Registries> registries, std::shared_ptr<const RtlBlocks> rtl_blocks,
    std::shared_ptr<const bool> stopped, hsa::DeviceMemory& memory,
    const gpu::Gpu::Options& options, const AttachMemory& attach) {
  auto made =
      attach ? gpu::Gpu::create(name.c_str(), description, *registries, memory.space(), options)
             : gpu::Gpu::create(name.c_str(), description, *registries, memory.backing(),
                                memory.space(), options);
  if (!made) return made.error();
  if (attach) attach((*made)->memory);
  return std::unique_ptr<TimedGpu>(std::make_unique<CaGpu>(
      name, std::move(registries), std::move(rtl_blocks), std::move(stopped), std::move(*made)));
}

}  // namespace

Result<std::unique_ptr<TimedGpu>> make_ca_gpu(const std::string& name,
                                              const machine::GpuConfig& description,
                                              std::shared_ptr<const gpu::Registries> registries,
                                              hsa::DeviceMemory& memory,
                                              const gpu::Gpu::Options& options,
                                              const AttachMemory& attach) {
  return make_gpu(name, description, std::move(registries), nullptr, std::make_shared<bool>(false),
                  memory, options, attach);
}

Result<std::unique_ptr<TimedGpu>> ChosenBlocks::make(const EngineOptions& options,
                                                     const machine::GpuConfig& description,
                                                     hsa::DeviceMemory& memory) const {
  gpu::Gpu::Options o;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  o.threads = std::max(1u, options.threads);
  return make_gpu(options.module, description, registries, rtl_blocks, stopped, memory, o, {});
}

Result<ChosenBlocks> choose_blocks(const EngineOptions& options, machine::GpuConfig& description,
                                   std::optional<NotBuilt>& not_built) {
  if (auto s = choose(options, description); !s.ok()) return s.error();
  ChosenBlocks chosen;
  chosen.registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  chosen.stopped = std::make_shared<bool>(false);
  chosen.rtl_blocks = std::make_shared<RtlBlocks>(description, options.files, asked_for(options));
  const auto stop = [stopped = chosen.stopped] {  // the first difference ends the run
    *stopped = true;
    sc_core::sc_pause();
  };
  if (auto s = chosen.rtl_blocks->add_to(*chosen.registries, stop); !s.ok()) return s.error();
  const auto missing = gpu::missing_implementations(description, *chosen.registries);
  if (!missing.empty()) not_built = NotBuilt{missing.front()};
  return chosen;
}

Result<std::unique_ptr<TimedGpu>> make_chosen_ca_gpu(const EngineOptions& options,
                                                     machine::GpuConfig description,
                                                     hsa::DeviceMemory& memory,
                                                     std::optional<NotBuilt>& not_built) {
  auto chosen = choose_blocks(options, description, not_built);
  if (!chosen) return chosen.error();
  if (not_built) return std::unique_ptr<TimedGpu>();
  return chosen->make(options, description, memory);
}

}  // namespace cuvette::run
