// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_ca.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gpu/assembly.h"
#include "gpu/configs.h"
#include "gpu/gpu.h"
#include "gpu/registries.h"
#include "run/host_module.h"
#include "run/rtl_blocks.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;

class CaGpu final : public TimedGpu {
 public:
  /// `stopped`: set by whoever pauses the simulation for good (lockstep).
  CaGpu(const std::string& name, std::shared_ptr<const gpu::Registries> registries,
        std::shared_ptr<const RtlBlocks> rtl_blocks, std::shared_ptr<const bool> stopped,
        std::unique_ptr<gpu::Gpu> gpu)
      : registries_(std::move(registries)),
        rtl_blocks_(std::move(rtl_blocks)),
        stopped_(std::move(stopped)),
        gpu_(std::move(gpu)),
        host_((name + "_host").c_str()) {
    host_.mmio.bind(gpu_->doorbells);
    gpu_->interrupts.bind(host_);
  }

  void on_interrupt(OnInterrupt handler) override { host_.handler = std::move(handler); }
  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return gpu_->bind_queue(queue);
  }
  void unbind(uint32_t queue) override { gpu_->unbind_queue(queue); }
  Status ring(uint32_t doorbell, uint64_t value) override { return host_.ring(doorbell, value); }
  void simulate(machine::Cycle cycles) override {
    // Others in the simulation may pause it too.
    const auto end = gpu_->time_of(end_after(gpu_->cycle(), cycles));
    while (!paused_ && !*stopped_ && !gpu_->idle() && sc_core::sc_time_stamp() < end &&
           host_.simulate(end)) {
    }
    paused_ = false;
  }
  void pause() override {
    paused_ = true;
    if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
  }
  machine::Cycle cycle() const override { return gpu_->cycle(); }
  bool starved() const override { return gpu_->idle() || !sc_core::sc_pending_activity(); }
  std::vector<std::string> wave_report() const override { return gpu_->wave_report(); }
  std::vector<std::string> take_errors() override { return gpu_->take_errors(); }
  std::vector<uint64_t> fault_addresses() const override { return gpu_->fault_addresses(); }
  void settle(EngineReport& report) override {
    for (auto& line : gpu_->in_flight()) report.in_flight.push_back(std::move(line));
    if (gpu_->settle()) return;
    report.not_modelled.push_back(
        "buffers after the failure: a cache cannot tell what it has not written back");
  }
  void describe(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->report(report);
    tell_outside(gpu_->outside(), report);
  }
  void conclude(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->conclude(report);
  }
  void write_files(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->write_waves(report);
  }
  bool observe(const compute_unit::ComputeUnit::Observer& observer) override {
    gpu_->machine().observe(observer);
    return true;
  }
  bool watch(const OnActivity& f) override { return gpu_->machine().watch(f); }
  void watch_caches(const OnMiss& f) override {
    gpu_->machine().on_vector_miss(
        [f](unsigned index, machine::Cycle now, const memory::MemReq& request) {
          f("vector_l1", index, now, request);
        });
    for_caches([&f](const std::string& block, unsigned index, cache::Cache& c) {
      if (block == "vector_l1") return;
      c.on_miss([f, block, index](machine::Cycle now, const memory::MemReq& request) {
        f(block, index, now, request);
      });
    });
  }
  void watch_dispatches(const spi::Spi::OnDispatch& f) override {
    gpu_->machine().spi().on_dispatch(f);
  }
  bool watch_packets(const command_processor::CommandProcessor::OnStage& f) override {
    return gpu_->machine().processor().on_stage(f);
  }
  std::vector<BlockCounters> block_counters() override {
    auto& machine = gpu_->machine();
    std::vector<BlockCounters> out;
    out.push_back(counters_of(machine.processor().counters()));
    out.push_back(counters_of(machine.spi().counters()));
    for (unsigned i = 0; i < machine.compute_units(); ++i) {
      out.push_back(counters_of(i, machine.compute_unit(i).counters(gpu_->cycle())));
    }
    for (unsigned i = 0; i < machine.compute_units(); ++i) {
      out.push_back(counters_of(i, machine.compute_unit(i).lds_counters()));
    }
    out.push_back(counters_of(machine.gds().counters()));
    for_caches([&out](const std::string& block, unsigned index, cache::Cache& c) {
      out.push_back(counters_of(block, index, c.counters()));
    });
    out.push_back(counters_of(machine.memory().traffic()));
    return out;
  }
  Counts counts() const override {
    Counts c;
    auto& machine = gpu_->machine();
    for (unsigned i = 0; i < machine.compute_units(); ++i) {
      c.add(machine.compute_unit(i).counters());
    }
    return c;
  }

 private:
  template <typename F>
  void for_caches(F f) {
    auto& m = gpu_->machine();
    for (unsigned i = 0; i < m.compute_units(); ++i) f("vector_l1", i, m.vector_l1(i));
    for (unsigned i = 0; i < m.scalar_caches(); ++i) f("scalar_cache", i, m.scalar_cache(i));
    for (unsigned i = 0; i < m.instruction_caches(); ++i) {
      f("instruction_cache", i, m.instruction_cache(i));
    }
    for (unsigned i = 0; i < m.l2_slices(); ++i) f("l2", i, m.l2(i));
  }

  std::shared_ptr<const gpu::Registries> registries_;
  std::shared_ptr<const RtlBlocks> rtl_blocks_;
  std::shared_ptr<const bool> stopped_;
  std::unique_ptr<gpu::Gpu> gpu_;
  HostModule host_;
  bool paused_ = false;
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

/// "BLOCK=NAME" and "BLOCK" (lockstep) of the command line into the description.
Status choose(const EngineOptions& options, machine::Description& description) {
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
  const bool compared = is_compared("valu") || is_compared("matrix_core") || is_compared("simd") ||
                        is_compared("vrf");
  if (!options.lockstep_instances.empty() && !compared) {
    return base::Error(
        "--lockstep-instances says where blocks in lockstep stand, expected --lockstep or a device "
        "with it");
  }
  if (!options.wave.empty() && !compared) {
    return base::Error(
        "--wave shows a block in lockstep run again alone, expected --lockstep or a device with "
        "it");
  }
  return {};
}

Result<std::unique_ptr<TimedGpu>> make_gpu(
    const std::string& name, const machine::Description& description,
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
                                              const machine::Description& description,
                                              std::shared_ptr<const gpu::Registries> registries,
                                              hsa::DeviceMemory& memory,
                                              const gpu::Gpu::Options& options,
                                              const AttachMemory& attach) {
  return make_gpu(name, description, std::move(registries), nullptr, std::make_shared<bool>(false),
                  memory, options, attach);
}

Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                               machine::Description description,
                                               std::optional<NotBuilt>& not_built) {
  if (auto s = choose(options, description); !s.ok()) return s.error();
  auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto rtl_blocks = std::make_shared<RtlBlocks>(description, options.wave);
  auto stopped = std::make_shared<bool>(false);
  const auto stop = [stopped] {  // the first difference ends the run
    *stopped = true;
    sc_core::sc_pause();
  };
  if (auto s = rtl_blocks->add_to(*registries, stop); !s.ok()) return s.error();
  const auto missing = gpu::missing_implementations(description, *registries);
  if (!missing.empty()) {
    not_built = NotBuilt{missing.front()};
    return std::unique_ptr<Engine>();
  }
  gpu::Gpu::Options o;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  o.threads = std::max(1u, options.threads);
  return make_timed_engine(options, description, [&](hsa::DeviceMemory& memory) {
    return make_gpu("gpu", description, registries, rtl_blocks, stopped, memory, o, {});
  });
}

}  // namespace cuvette::run
