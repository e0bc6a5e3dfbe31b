// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_lt.h"

#include <systemc>
#include <tlm>

#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "run/host_module.h"
#include "run/timed.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;

/// How far a block runs ahead of the others. Large enough that switching threads costs little.
constexpr machine::Cycle kQuantumCycles = 1000;

class LtTimedGpu final : public TimedGpu {
 public:
  LtTimedGpu(const std::string& name, std::shared_ptr<const gpu::Registries> registries,
             std::unique_ptr<gpu::LtGpu> gpu)
      : registries_(std::move(registries)), gpu_(std::move(gpu)), host_((name + "_host").c_str()) {
    host_.mmio.bind(gpu_->doorbells);
    gpu_->interrupts.bind(host_);
    tlm::tlm_global_quantum::instance().set(gpu_->time_of(kQuantumCycles));
  }

  void on_interrupt(OnInterrupt handler) override { host_.handler = std::move(handler); }
  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return gpu_->bind_queue(queue);
  }
  void unbind(uint32_t queue) override { gpu_->unbind_queue(queue); }
  Status ring(uint32_t doorbell, uint64_t value) override { return host_.ring(doorbell, value); }
  void simulate(machine::Cycle cycles) override {
    const auto end = gpu_->time_of(end_after(gpu_->cycle(), cycles));
    while (!paused_ && !gpu_->idle() && sc_core::sc_time_stamp() < end && host_.simulate(end)) {
    }
    paused_ = false;
  }
  void pause() override {
    paused_ = true;
    sc_core::sc_pause();
  }
  machine::Cycle cycle() const override { return gpu_->cycle(); }
  bool starved() const override { return gpu_->idle() || !sc_core::sc_pending_activity(); }
  std::vector<std::string> wave_report() const override { return gpu_->wave_report(); }
  std::vector<std::string> take_errors() override { return gpu_->take_errors(); }
  std::vector<uint64_t> fault_addresses() const override { return gpu_->fault_addresses(); }
  void describe(EngineReport& report) const override {
    report.time = "loosely timed, measured at 0.4 to 1.3 times the cycles of engine ca";
    tell_outside(gpu_->outside(), report);
  }
  bool watch(const OnActivity& f) override {
    bool all = true;
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      const bool can = gpu_->compute_unit(i).watch(
          [f, i](const compute_unit::Activity& activity) { f(i, activity); });
      all = all && can;
    }
    return all;
  }
  void watch_dispatches(const spi::Spi::OnDispatch& f) override { gpu_->spi().on_dispatch(f); }
  std::vector<BlockCounters> block_counters() override {
    std::vector<BlockCounters> out;
    out.push_back(counters_of(gpu_->processor().counters()));
    out.push_back(counters_of(gpu_->spi().counters()));
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      out.push_back(counters_of(i, gpu_->compute_unit(i).counters(gpu_->cycle())));
    }
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      out.push_back(counters_of(i, gpu_->compute_unit(i).lds_counters()));
    }
    out.push_back(counters_of(gpu_->gds().counters()));
    return out;
  }
  Counts counts() const override {
    Counts c;
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      c.add(gpu_->compute_unit(i).counters());
    }
    return c;
  }

 private:
  std::shared_ptr<const gpu::Registries> registries_;
  std::unique_ptr<gpu::LtGpu> gpu_;
  HostModule host_;
  bool paused_ = false;
};

}  // namespace

Result<std::unique_ptr<TimedGpu>> make_lt_gpu(const std::string& name,
                                              const machine::Description& description,
                                              std::shared_ptr<const gpu::Registries> registries,
                                              hsa::DeviceMemory& memory,
                                              const gpu::LtGpu::Options& options,
                                              const AttachMemory& attach) {
  auto made =
      attach ? gpu::LtGpu::create(name.c_str(), description, *registries, memory.space(), options)
             : gpu::LtGpu::create(name.c_str(), description, *registries, memory.backing(),
                                  memory.space(), options);
  if (!made) return made.error();
  if (attach) attach((*made)->memory);
  return std::unique_ptr<TimedGpu>(
      std::make_unique<LtTimedGpu>(name, std::move(registries), std::move(*made)));
}

Result<std::unique_ptr<Engine>> make_lt_engine(const EngineOptions& options,
                                               const machine::Description& description,
                                               std::optional<NotBuilt>& not_built) {
  for (const auto& [block, name] : description.implementations) {
    if (name == "tlm") continue;
    not_built = NotBuilt{"engine lt with " + block + ": " + name};
    return std::unique_ptr<Engine>();
  }
  auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  gpu::LtGpu::Options o;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  return make_timed_engine(options, description, [&](hsa::DeviceMemory& memory) {
    return make_lt_gpu("gpu", description, registries, memory, o);
  });
}

}  // namespace cuvette::run
