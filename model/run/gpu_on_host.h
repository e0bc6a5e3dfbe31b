// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/counter_sample.h"
#include "gpu/host_interface.h"
#include "run/host_module.h"
#include "run/socket_recording.h"
#include "run/timed.h"

namespace cuvette::run {

/// GPU of one engine in a simulation with a host beside it: the part of TimedGpu that the engines
/// have in common.
template <class G>
class GpuOnHost : public TimedGpu {
 public:
  void on_interrupt(OnInterrupt handler) final { host_.handler = std::move(handler); }
  uint32_t bind(const command_processor::QueueBinding& queue) final {
    return gpu_->bind_queue(queue);
  }
  void unbind(uint32_t queue) final { gpu_->unbind_queue(queue); }
  void dequeue(uint32_t queue, bool reset) final { gpu_->dequeue(queue, reset); }
  std::vector<command_processor::QueueReport> queue_report() const final {
    return gpu_->queue_report();
  }
  base::Status ring(uint32_t doorbell, uint64_t value) final { return host_.ring(doorbell, value); }

  void simulate(machine::Cycle cycles) final {
    // Others in the simulation may pause it too.
    const auto end = gpu_->time_of(end_after(gpu_->cycle(), cycles));
    while (!paused_ && !broken_off() && !gpu_->idle() && sc_core::sc_time_stamp() < end &&
           host_.simulate(end)) {
    }
    paused_ = false;
  }
  void pause() final {
    paused_ = true;
    if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
  }
  void pass(machine::Cycle cycles) final {
    if (broken_off() || !gpu_->idle()) return;
    host_.pass(gpu_->time_of(end_after(gpu_->cycle(), cycles)));
  }
  machine::Cycle cycle() const final { return gpu_->cycle(); }
  bool starved() const final { return gpu_->idle() || !sc_core::sc_pending_activity(); }
  sdma::Engines* sdma() final { return &gpu_->sdma(); }
  void before_unmap() final { gpu_->invalidate_dmi(); }

  std::vector<std::string> wave_report() const final { return gpu_->wave_report(); }
  std::vector<std::vector<compute_unit::WaveReport>> resident_waves() const final {
    std::vector<std::vector<compute_unit::WaveReport>> units;
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      units.push_back(gpu_->compute_unit(i).waves());
    }
    return units;
  }
  void tell_residents(const compute_unit::ComputeUnit::ResidencyWatcher& tell) const final {
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      gpu_->compute_unit(i).tell_residents(gpu_->cycle(), tell);
    }
  }
  std::vector<std::string> take_errors() final { return gpu_->take_errors(); }
  std::vector<std::string> take_wave_errors() final { return gpu_->take_wave_errors(); }
  std::vector<uint64_t> fault_addresses() const final { return gpu_->fault_addresses(); }

  bool watch_packets(const command_processor::CommandProcessor::OnStage& f) final {
    return gpu_->watch_packets(f);
  }
  void watch_dispatches(const spi::Spi::OnDispatch& f) final { gpu_->spi().on_dispatch(f); }
  std::vector<BlockCounters> block_counters() final { return gpu::block_counters(*gpu_); }
  counters::Sample counter_sample(const machine::GpuConfig& description,
                                  const counters::Sample* like) final {
    return gpu::counter_sample(*gpu_, description, like);
  }
  Counts counts() const final {
    Counts c;
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) c.add(gpu_->compute_unit(i).counters());
    return c;
  }

 protected:
  /// `kept`: what has to live as long as the GPU. `recording`: of what the host does; null: none.
  GpuOnHost(const std::string& name, std::vector<std::shared_ptr<const void>> kept,
            std::unique_ptr<G> gpu, SocketRecording* recording = nullptr)
      : kept_(std::move(kept)), gpu_(std::move(gpu)), host_((name + "_host").c_str()) {
    if (recording != nullptr) {
      recording->bind("host", host_.mmio, gpu_->doorbells);
    } else {
      host_.mmio.bind(gpu_->doorbells);
    }
    gpu_->interrupts.bind(host_);
  }
  G& gpu() const { return *gpu_; }

 private:
  std::vector<std::shared_ptr<const void>> kept_;
  std::unique_ptr<G> gpu_;
  HostModule host_;
  bool paused_ = false;
};

}  // namespace cuvette::run
