// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_ca.h"

#include "gpu/assembly.h"
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
    const auto end = gpu_->time_of(gpu_->cycle() + cycles);
    while (!paused_ && !*stopped_ && !gpu_->idle() && sc_core::sc_time_stamp() < end)
      host_.simulate(end);
    paused_ = false;
  }
  void pause() override {
    paused_ = true;
    sc_core::sc_pause();
  }
  machine::Cycle cycle() const override { return gpu_->cycle(); }
  bool starved() const override { return gpu_->idle(); }
  std::vector<std::string> wave_report() const override { return gpu_->wave_report(); }
  std::vector<std::string> take_errors() override { return gpu_->take_errors(); }
  void describe(EngineReport& report) const override {
    if (rtl_blocks_ != nullptr) rtl_blocks_->report(report);
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
  std::shared_ptr<const gpu::Registries> registries_;
  std::shared_ptr<const RtlBlocks> rtl_blocks_;
  std::shared_ptr<const bool> stopped_;
  std::unique_ptr<gpu::Gpu> gpu_;
  HostModule host_;
  bool paused_ = false;
};

/// "BLOCK=NAME" and "BLOCK" (lockstep) of the command line into the description.
Status choose(const EngineOptions& options, machine::Description& description,
              std::optional<NotBuilt>& not_built) {
  for (const auto& choice : options.implementations) {
    const auto equals = choice.find('=');
    if (equals == std::string::npos) {
      return base::Error("--impl expects BLOCK=NAME, found '" + choice + "'");
    }
    description.implementations[choice.substr(0, equals)] = choice.substr(equals + 1);
  }
  for (const auto& text : options.lockstep) {
    const auto colon = text.find(':');
    if (colon != std::string::npos) {
      const std::string share = text.substr(colon + 1);
      const bool good = share.size() > 2 && share.compare(0, 2, "1/") == 0 &&
                        share.find_first_not_of("0123456789", 2) == std::string::npos &&
                        share[2] != '0';
      if (!good) return base::Error("--lockstep expects BLOCK or BLOCK:1/N, found '" + text + "'");
      not_built = NotBuilt{"sampled lockstep"};
    }
    description.implementations[text.substr(0, colon)] = "lockstep";
  }
  for (const auto& [block, name] : description.implementations) {
    if (auto s = gpu::check_implementation_name(block, name); !s.ok()) return s;
  }
  return {};
}

Result<std::unique_ptr<TimedGpu>> make_gpu(const std::string& name,
                                           const machine::Description& description,
                                           std::shared_ptr<const gpu::Registries> registries,
                                           std::shared_ptr<const RtlBlocks> rtl_blocks,
                                           std::shared_ptr<const bool> stopped,
                                           hsa::DeviceMemory& memory,
                                           const gpu::Gpu::Options& options) {
  auto made = gpu::Gpu::create(name.c_str(), description, *registries, memory.backing(),
                               memory.space(), options);
  if (!made) return made.error();
  return std::unique_ptr<TimedGpu>(std::make_unique<CaGpu>(
      name, std::move(registries), std::move(rtl_blocks), std::move(stopped), std::move(*made)));
}

}  // namespace

Result<std::unique_ptr<TimedGpu>> make_ca_gpu(const std::string& name,
                                              const machine::Description& description,
                                              std::shared_ptr<const gpu::Registries> registries,
                                              hsa::DeviceMemory& memory,
                                              const gpu::Gpu::Options& options) {
  return make_gpu(name, description, std::move(registries), nullptr, std::make_shared<bool>(false),
                  memory, options);
}

Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                               machine::Description description,
                                               std::optional<NotBuilt>& not_built) {
  if (auto s = choose(options, description, not_built); !s.ok()) return s.error();
  if (not_built) return std::unique_ptr<Engine>();
  auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto rtl_blocks = std::make_shared<RtlBlocks>();
  auto stopped = std::make_shared<bool>(false);
  rtl_blocks->add_to(*registries, [stopped] {  // the first difference ends the run
    *stopped = true;
    sc_core::sc_pause();
  });
  const auto missing = gpu::missing_implementations(description, *registries);
  if (!missing.empty()) {
    not_built = NotBuilt{missing.front()};
    return std::unique_ptr<Engine>();
  }
  gpu::Gpu::Options o;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  return make_timed_engine(options, description, [&](hsa::DeviceMemory& memory) {
    return make_gpu("gpu", description, registries, rtl_blocks, stopped, memory, o);
  });
}

}  // namespace cuvette::run
