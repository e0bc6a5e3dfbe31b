// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command_processor/command_processor.h"
#include "gpu/configs.h"
#include "gpu/registries.h"
#include "host/golden_spi.h"
#include "memory/serve.h"
#include "run/timed.h"

namespace cuvette::testing_support {

/// The command processor of engine ca in front of the golden machine, without registers: queues and
/// doorbells as on a TimedGpu, each dispatch as a whole in the cycle in which it arrives.
class GoldenGpu final : public run::TimedGpu {
 public:
  GoldenGpu(const machine::GpuConfig& description, hsa::DeviceMemory& memory)
      : memory_(memory),
        spi_(memory, hsa::default_machine(hsa::Processor::Gfx908), config()),
        processor_(registries_.command_processors.make(
            "tlm",
            gpu::command_processor_config(description, memory.space(), isa::Target::Gfx908))) {
    processor_->connect(spi_, port_, {&near_}, {&far_});
  }

  void on_interrupt(OnInterrupt handler) override { handler_ = std::move(handler); }
  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return processor_->bind(queue, now_ + 1);
  }
  void unbind(uint32_t queue) override { processor_->unbind(queue); }
  base::Status ring(uint32_t doorbell, uint64_t value) override {
    processor_->doorbell.push({doorbell, value}, now_ + 1);
    return {};
  }
  void simulate(machine::Cycle cycles) override {
    const machine::Cycle end = now_ + cycles;
    for (paused_ = false; !paused_ && !starved(); ++now_) {
      const auto next = std::min(processor_->next_event(), spi_.next_event());
      now_ = std::max(now_, next);
      if (now_ >= end) {
        now_ = end;
        return;
      }
      processor_->tick(now_);
      spi_.tick(now_);
      for (auto* port : {&port_, &near_, &far_}) serve(*port);
      while (processor_->queue_status.front(now_) != nullptr) processor_->queue_status.pop(now_);
      while (processor_->interrupt.front(now_) != nullptr) {
        const auto interrupt = processor_->interrupt.pop(now_);
        if (handler_) handler_(interrupt);
      }
    }
  }
  void pause() override { paused_ = true; }
  machine::Cycle cycle() const override { return now_; }
  bool starved() const override {
    return processor_->next_event() == machine::kNever && spi_.next_event() == machine::kNever;
  }
  std::vector<std::string> wave_report() const override { return {}; }
  std::vector<std::string> take_errors() override {
    auto lines = spi_.take_errors();
    for (auto& line : processor_->take_reports()) lines.push_back(std::move(line));
    return lines;
  }
  Counts counts() const override { return {}; }

 private:
  static golden::Config config() {
    golden::Config c;
    c.watchdog = 10'000'000;
    return c;
  }
  void serve(cache::Cache::Port& port) {
    while (port.request.front(now_ + 1) != nullptr) {
      port.response.push(memory::serve(memory_.backing(), port.request.pop(now_ + 1)), now_ + 2);
    }
  }

  hsa::DeviceMemory& memory_;
  gpu::Registries registries_ = gpu::tlm_registries();
  host::GoldenSpi spi_;
  std::unique_ptr<command_processor::CommandProcessor> processor_;
  cache::Cache::Port port_, near_, far_;
  OnInterrupt handler_;
  machine::Cycle now_ = 0;
  bool paused_ = false;
};

}  // namespace cuvette::testing_support
