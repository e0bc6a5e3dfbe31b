// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <systemc>
#include <tlm>

#include <fmt/format.h>

#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "run/engine_lt.h"
#include "run/gpu_on_host.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;

/// Quantum: cycles that a block runs ahead of the others. Large enough that switching threads costs
/// little.
constexpr machine::Cycle kQuantumCycles = 1000;

class LtTimedGpu final : public GpuOnHost<gpu::LtGpu> {
 public:
  LtTimedGpu(const std::string& name, std::shared_ptr<const gpu::Registries> registries,
             std::unique_ptr<gpu::LtGpu> made, std::unique_ptr<SocketRecording> recording)
      : GpuOnHost(name, {std::move(registries)}, std::move(made), recording.get()),
        recording_(std::move(recording)) {
    tlm::tlm_global_quantum::instance().set(gpu().time_of(kQuantumCycles));
  }

  void describe(EngineReport& report) const override {
    report.time = "loosely timed, 0.4 to 1.3 times the cycles of engine ca on kernels of the suite";
    tell_external(gpu().external_memory(), report);
  }
  bool watch(const OnActivity& f) override {
    bool all = true;
    for (unsigned i = 0; i < gpu().compute_units(); ++i) {
      const bool can = gpu().compute_unit(i).watch(
          [f, i](const compute_unit::Activity& activity) { f(i, activity); });
      all = all && can;
    }
    return all;
  }
  bool watch_residency(const compute_unit::ComputeUnit::ResidencyWatcher& f) override {
    bool all = true;
    for (unsigned i = 0; i < gpu().compute_units(); ++i) {
      all = gpu().compute_unit(i).watch_residency(f) && all;
    }
    return all;
  }
  void write_files(EngineReport& report) const override {
    if (recording_ != nullptr) recording_->finish(report);
  }

 private:
  std::unique_ptr<SocketRecording> recording_;
};

}  // namespace

Result<std::unique_ptr<TimedGpu>> make_lt_gpu(const std::string& name,
                                              const machine::GpuConfig& description,
                                              std::shared_ptr<const gpu::Registries> registries,
                                              hsa::DeviceMemory& memory,
                                              const gpu::LtGpu::Options& options,
                                              const AttachMemory& attach,
                                              std::unique_ptr<SocketRecording> recording) {
  auto made =
      attach ? gpu::LtGpu::create(name.c_str(), description, *registries, memory.space(), options)
             : gpu::LtGpu::create(name.c_str(), description, *registries, memory.backing(),
                                  memory.space(), options);
  if (!made) return made.error();
  if (attach) attach((*made)->memory);
  return std::unique_ptr<TimedGpu>(std::make_unique<LtTimedGpu>(
      name, std::move(registries), std::move(*made), std::move(recording)));
}

Result<std::unique_ptr<TimedGpu>> make_plain_lt_gpu(const EngineOptions& options,
                                                    const machine::GpuConfig& description,
                                                    hsa::DeviceMemory& memory,
                                                    std::optional<NotBuilt>& not_built) {
  for (const auto& [block, name] : description.implementations) {
    if (name == "tlm") continue;
    not_built = NotBuilt{fmt::format("engine lt with {}: {}", block, name)};
    return std::unique_ptr<TimedGpu>();
  }
  gpu::LtGpu::Options o;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  std::unique_ptr<SocketRecording> recording;
  if (!options.transactions.empty()) {
    auto made = SocketRecording::make(options, description);
    if (!made) return made.error();
    recording = std::move(*made);
    o.bind_memory = [to = recording.get()](
                        const std::string& block, tlm::tlm_base_initiator_socket_b<64>& from,
                        tlm::tlm_base_target_socket_b<64>& own) { to->bind(block, from, own); };
  }
  return make_lt_gpu(options.module, description,
                     std::make_shared<gpu::Registries>(gpu::tlm_registries()), memory, o, {},
                     std::move(recording));
}

}  // namespace cuvette::run
