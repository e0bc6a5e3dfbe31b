// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/chip.h"
#include "gpu/registries.h"
#include "run/timed.h"

namespace cuvette::testing_support {

/// The machine without SystemC: the domains of a Chip run quantum by quantum in a loop. The
/// check of what SystemC's scheduling may change, which is nothing.
class PlainGpu final : public run::TimedGpu {
 public:
  static base::Result<std::unique_ptr<run::TimedGpu>> make(const machine::GpuConfig& description,
                                                           hsa::DeviceMemory& memory,
                                                           const gpu::Chip::Options& options) {
    auto made = std::make_unique<PlainGpu>();
    auto chip = gpu::Chip::create(description, made->registries_, &memory.backing(), memory.space(),
                                  options);
    if (!chip) return chip.error();
    made->assembly_ = std::move(*chip);
    for (unsigned i = 0; i < made->assembly_->domains(); ++i) made->order_.push_back(i);
    std::mt19937 random(options.order_seed);
    if (options.order_seed != 0) {
      for (size_t i = made->order_.size(); i > 1; --i) {
        std::swap(made->order_[i - 1], made->order_[random() % i]);
      }
    }
    return std::unique_ptr<run::TimedGpu>(std::move(made));
  }

  void on_interrupt(OnInterrupt handler) override { handler_ = std::move(handler); }
  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return assembly_->bind(queue, std::max(now_, idle_since_));
  }
  void unbind(uint32_t queue) override { assembly_->unbind(queue); }
  base::Status ring(uint32_t doorbell, uint64_t value) override {
    assembly_->ring({doorbell, value}, std::max(now_, idle_since_));
    return {};
  }
  void simulate(machine::Cycle cycles) override {
    paused_ = false;
    const machine::Cycle end = now_ + cycles;
    while (!paused_) {
      const machine::Cycle due =
          pending_.empty() ? machine::kNever : std::get<0>(pending_.begin()->first);
      const machine::Cycle next = std::min(assembly_->next(), due);
      if (next == machine::kNever) {
        idle_since_ = ran_;
        return;
      }
      if (next >= end) {
        now_ = end;
        return;
      }
      const machine::Cycle stop = (next / assembly_->lookahead() + 1) * assembly_->lookahead();
      assembly_->run(order_, stop);
      ran_ = stop;
      auto& fresh = assembly_->interrupts();
      for (const auto& i : fresh) {
        pending_.emplace(std::tuple(i.time, i.what.source, i.what.queue, i.what.context), i.what);
      }
      fresh.clear();
      while (!paused_ && !pending_.empty() && std::get<0>(pending_.begin()->first) < stop) {
        now_ = std::get<0>(pending_.begin()->first);
        const auto what = pending_.begin()->second;
        pending_.erase(pending_.begin());
        if (handler_) handler_(what);
      }
    }
  }
  void pause() override { paused_ = true; }
  machine::Cycle cycle() const override { return now_; }
  bool starved() const override { return assembly_->idle(); }
  std::vector<std::string> wave_report() const override { return {}; }
  std::vector<std::string> take_errors() override {
    std::vector<std::string> lines;
    for (const auto& e : assembly_->take_wave_errors()) {
      lines.push_back(std::to_string(e.time) + " " + std::to_string(e.done.error_code) + " " +
                      assembly_->compute_unit(e.compute_unit).failure_of(e.done.id));
    }
    for (auto& line : assembly_->processor().take_reports()) lines.push_back(std::move(line));
    return lines;
  }
  Counts counts() const override {
    Counts c;
    for (unsigned i = 0; i < assembly_->compute_units(); ++i) {
      const auto counters = assembly_->compute_unit(i).counters();
      c.waves += counters.waves;
      for (const auto& row : isa::rows()) {
        if (const uint64_t n = counters.by_row[isa::index_of(row)]; n != 0) c.by_row[&row] += n;
      }
    }
    return c;
  }
  gpu::Chip& chip() { return *assembly_; }

 private:
  gpu::Registries registries_ = gpu::tlm_registries();
  std::unique_ptr<gpu::Chip> assembly_;
  std::vector<unsigned> order_;
  std::multimap<std::tuple<machine::Cycle, uint32_t, uint32_t, uint64_t>,
                command_processor::Interrupt>
      pending_;
  OnInterrupt handler_;
  machine::Cycle now_ = 0;
  machine::Cycle ran_ = 0;         ///< cycles before it are over
  machine::Cycle idle_since_ = 0;  ///< nothing can happen earlier: the last time all was over
  bool paused_ = false;
};

}  // namespace cuvette::testing_support
