// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Engines lt and ca.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "gpu/configs.h"
#include "host/hang.h"
#include "hsa/memory.h"
#include "run/engine_ca.h"
#include "run/engine_lt.h"
#include "run/timed.h"
#include "run/trace/stream.h"
#include "run/wait_graph.h"
#include "thunk/engines.h"
#include "thunk/host_memory.h"
#include "thunk/topology.h"

namespace cuvette::thunk {
namespace {

using machine::Cycle;

class TimedEngine final : public Engine {
 public:
  TimedEngine(run::EngineOptions options, const machine::GpuConfig& description,
              const MemoryMap& map, uint32_t node)
      : options_(std::move(options)),
        description_(description),
        memory_(std::make_unique<ProcessMemory>(map),
                std::make_unique<SharedAddressSpace>(map, node), hsa::DeviceAllocator::Config{}) {}

  base::Status build() {
    auto target = gpu::described_target(description_);
    if (!target) return target.error();
    target_ = *target;
    std::optional<run::NotBuilt> not_built;
    auto made = options_.engine == "lt"
                    ? run::make_plain_lt_gpu(options_, description_, memory_, not_built)
                    : run::make_chosen_ca_gpu(options_, description_, memory_, not_built);
    if (!made) return made.error();
    if (not_built) return base::Error("not part of this build: " + not_built->what);
    gpu_ = std::move(*made);
    if (gpu_->sdma() == nullptr) return base::Error("the GPU does not show its SDMA engines");
    return watch();
  }

  Cycle cycle() const override { return gpu_->cycle(); }
  bool idle() const override { return gpu_->starved(); }
  void run(Cycle cycles) override { gpu_->simulate(cycles); }
  void pass(Cycle cycles) override { gpu_->pass(cycles); }
  bool broken_off() const override { return gpu_->broken_off(); }

  uint32_t bind(const command_processor::QueueBinding& queue) override { return gpu_->bind(queue); }
  void unbind(uint32_t queue, bool reset) override { gpu_->dequeue(queue, reset); }
  std::vector<command_processor::QueueReport> queues() override { return gpu_->queue_report(); }
  base::Status ring(uint32_t doorbell, uint64_t value) override {
    return gpu_->ring(doorbell, value);
  }
  void on_interrupt(OnInterrupt handler) override { gpu_->on_interrupt(std::move(handler)); }
  void watch_packets(command_processor::CommandProcessor::OnStage observer) override {
    if (trace_ == nullptr) {
      gpu_->watch_packets(observer);
      return;
    }
    gpu_->watch_packets([this, observer](Cycle now, uint32_t queue, uint64_t packet,
                                         command_processor::CommandProcessor::Stage stage) {
      trace_->packet(now, queue, packet, stage);
      observer(now, queue, packet, stage);
    });
  }
  void name_kernels(std::function<std::string(uint64_t)> name) override {
    kernel_name_ = std::move(name);
  }
  sdma::Engines& sdma() override { return *gpu_->sdma(); }
  void before_unmap() override { gpu_->before_unmap(); }
  std::vector<std::string> take_errors() override { return gpu_->take_wave_errors(); }
  std::string hang_report() override {
    host::HangReport report;
    report.queues = gpu_->queue_report();
    std::string text;
    for (auto& queue : report.queues) {
      for (const auto& p : std::exchange(queue.packets, {})) {
        text += fmt::format("queue {} packet {}: kernel object {:#x} is under way\n", queue.queue,
                            p.index, p.kernel_object);
      }
    }
    text = host::text_of(report) + text;
    for (const auto& r : gpu_->sdma()->reports()) {
      if (r.state != sdma::RingReport::State::Idle) text += sdma::text_of(r) + "\n";
    }
    for (const auto& line : gpu_->wave_report()) text += line + "\n";
    return text;
  }

  void describe(run::EngineReport& report) override {
    const run::TimedGpu::Counts counts = gpu_->counts();
    run::DispatchStatistics all;
    run::tally({counts.by_row.begin(), counts.by_row.end()}, target_, all, report);
    report.instructions = all.instructions;
    report.waves = counts.waves;
    report.cycles = gpu_->cycle();
    report.fallbacks = counts.fallbacks;
    for (const auto& [row, count] : counts.fallbacks_by_row) {
      report.fallbacks_by_name[std::string(row->mnemonic)] += count;
    }
    gpu_->describe(report);
  }
  void conclude(run::EngineReport& report) override {
    if (report.failures.empty() && report.lockstep_mismatches == 0) gpu_->conclude(report);
    gpu_->write_files(report);
    if (!options_.wait_graph.empty()) write_wait_graph(report);
    if (trace_ == nullptr) return;
    if (trace_->wants_residency()) {
      gpu_->tell_residents([this](const auto& cycles) { trace_->residency(cycles); });
    }
    const size_t before = report.files.size() + report.lost_files.size();
    trace_->finish(report);
    if (report.files.size() + report.lost_files.size() == before) {
      report.files.push_back(options_.trace.path);
    }
  }
  std::vector<run::BlockCounters> block_counters() override { return gpu_->block_counters(); }

 private:
  base::Status watch() {
    if (!options_.trace.on()) return {};
    auto trace = run::TraceStream::make(options_.trace, description_, [this](uint64_t entry) {
      return kernel_name_ ? kernel_name_(entry) : std::string();
    });
    if (!trace) return trace.error();
    trace_ = std::move(*trace);
    if (!gpu_->watch([this](unsigned unit, const compute_unit::Activity& a) {
          trace_->activity(unit, a);
        })) {
      return base::Error("CUVETTE_TRACE needs compute units that tell what they issue");
    }
    trace_->attach(*gpu_);
    if (trace_->wants_residency()) {
      gpu_->watch_residency([this](const auto& cycles) { trace_->residency(cycles); });
    }
    return {};
  }

  /// Of what is under way at the end of the process.
  void write_wait_graph(run::EngineReport& report) {
    const std::string& path = options_.wait_graph;
    const auto queues = gpu_->queue_report();
    const auto waves = gpu_->resident_waves();
    const bool works =
        std::ranges::any_of(queues, [](const auto& queue) { return !queue.packets.empty(); }) ||
        std::ranges::any_of(waves, [](const auto& unit) { return !unit.empty(); });
    if (!works) {
      report.files.push_back(path + ": not written, nothing was under way at the end");
      return;
    }
    const run::WaitGraph graph =
        run::hang_graph(fmt::format("end at cycle {}", gpu_->cycle()), queues, waves);
    if (auto s = base::write_text(path, graph.text()); !s.ok()) {
      report.lost_files.push_back(s.error());
    } else {
      report.files.push_back(path + ": who waits for whom");
    }
  }

  run::EngineOptions options_;
  machine::GpuConfig description_;
  isa::Target target_ = isa::Target::Gfx908;
  hsa::DeviceMemory memory_;
  std::function<std::string(uint64_t)> kernel_name_;
  std::unique_ptr<run::TraceStream> trace_;
  std::unique_ptr<run::TimedGpu> gpu_;
};

}  // namespace

base::Result<EngineList> make_timed_engines(const Settings& settings,
                                            const machine::GpuConfig& description,
                                            const MemoryMap& map) {
  // SystemC elaborates once: all devices are there before the first of them runs.
  static std::atomic<bool> taken{false};
  if (taken.exchange(true)) {
    return base::Error("a device of engine lt or ca was made in this process before");
  }
  EngineList engines;
  for (unsigned i = 0; i < settings.devices; ++i) {
    run::EngineOptions options = settings.engine;
    if (settings.devices != 1) options.module = fmt::format("gpu_{}", i);
    options.trace.path = file_of_device(options.trace.path, i, settings.devices);
    options.wait_graph = file_of_device(options.wait_graph, i, settings.devices);
    auto engine = std::make_unique<TimedEngine>(options, description, map, kFirstDevice + i);
    if (auto s = engine->build(); !s.ok()) return s.error();
    engines.push_back(std::move(engine));
  }
  return engines;
}

}  // namespace cuvette::thunk
