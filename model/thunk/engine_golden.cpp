// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Engine golden: kernels are executed as a whole, piece by piece where they wait for the host.
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "gpu/configs.h"
#include "host/machine.h"
#include "run/statistics.h"
#include "thunk/engines.h"
#include "thunk/host_memory.h"
#include "thunk/topology.h"

namespace cuvette::thunk {
namespace {

using machine::Cycle;

/// Instructions of a kernel between two looks at the host.
constexpr uint64_t kPiece = 1 << 16;

class GoldenEngine final : public Engine {
 public:
  base::Status build(const machine::GpuConfig& description, const MemoryMap& map, uint32_t node) {
    auto target = gpu::described_target(description);
    if (!target) return target.error();
    target_ = *target;
    host::MachineOptions options;
    options.engine = "golden";
    options.watchdog = 0;
    options.stop = &stop_;
    options.stop_after = kPiece;
    options.memory = [&map, node] {
      return host::MachineOptions::Memory{std::make_unique<ProcessMemory>(map),
                                          std::make_unique<SharedAddressSpace>(map, node)};
    };
    auto made = host::make_machine(description, options);
    if (!made) return made.error();
    machine_ = std::move(*made);
    return {};
  }

  Cycle cycle() const override { return machine_->now(); }
  bool idle() const override { return machine_->idle(); }
  void run(Cycle cycles) override {
    machine_->run_to(machine_->now() + cycles);
    if (stop_.stopped()) stop_.go_on();
  }
  void pass(Cycle cycles) override {
    if (idle()) run(cycles);
  }

  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return machine_->bind(queue);
  }
  void unbind(uint32_t queue, bool reset) override { machine_->unbind(queue, reset); }
  std::vector<command_processor::QueueReport> queues() override {
    return machine_->hang_report().queues;
  }
  base::Status ring(uint32_t doorbell, uint64_t value) override {
    return machine_->ring(doorbell, value);
  }
  void on_interrupt(OnInterrupt handler) override {
    machine_->on_interrupt([handler](Cycle, const command_processor::Interrupt& i) { handler(i); });
  }
  void watch_packets(command_processor::CommandProcessor::OnStage observer) override {
    machine_->watch_packets(std::move(observer));
  }
  sdma::Engines& sdma() override { return machine_->sdma(); }
  std::vector<std::string> take_errors() override { return machine_->take_wave_errors(); }
  std::string hang_report() override {
    std::string text = host::text_of(machine_->hang_report());
    for (const auto& r : machine_->sdma().reports()) {
      if (r.state != sdma::RingReport::State::Idle) text += sdma::text_of(r) + "\n";
    }
    return text;
  }

  void describe(run::EngineReport& report) override {
    const auto work = machine_->work();
    run::DispatchStatistics all;
    run::tally({work.by_row.begin(), work.by_row.end()}, target_, all, report);
    report.instructions = all.instructions;
    report.waves = work.waves;
  }
  void conclude(run::EngineReport&) override {}

 private:
  isa::Target target_ = isa::Target::Gfx908;
  base::StopPoint stop_;
  std::unique_ptr<host::Machine> machine_;
};

}  // namespace

base::Result<EngineList> make_golden_engines(const Settings& settings,
                                             const machine::GpuConfig& description,
                                             const MemoryMap& map) {
  EngineList engines;
  for (unsigned i = 0; i < settings.devices; ++i) {
    auto engine = std::make_unique<GoldenEngine>();
    if (auto s = engine->build(description, map, kFirstDevice + i); !s.ok()) return s.error();
    engines.push_back(std::move(engine));
  }
  return engines;
}

base::Result<EngineList> make_engines(const Settings& settings,
                                      const machine::GpuConfig& description, const MemoryMap& map) {
  return settings.engine.engine == "golden" ? make_golden_engines(settings, description, map)
                                            : make_timed_engines(settings, description, map);
}

std::string file_of_device(const std::string& path, unsigned device, unsigned devices) {
  if (path.empty() || devices == 1) return path;
  std::filesystem::path file(path);
  const std::string ending = file.extension().string();
  return file.replace_extension(fmt::format(".device{}{}", device, ending)).string();
}

}  // namespace cuvette::thunk
