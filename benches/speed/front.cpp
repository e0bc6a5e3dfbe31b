// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The front end: packets of an empty kernel, how long they take on the host (lt) and on the machine
// (ca), stage by stage.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "run/engine_ca.h"
#include "run/engine_lt.h"
#include "speed/block_rows.h"
#include "speed/child_run.h"

namespace cuvette::bench {
namespace {

using command_processor::CommandProcessor;
using Stage = CommandProcessor::Stage;
using Kind = compute_unit::Activity::Kind;
using machine::Cycle;

constexpr uint64_t kCodeOffset = 256;
constexpr uint32_t kEndProgram = 0xbf810000;  // s_endpgm

/// A machine with one queue and a kernel of one instruction.
class EmptyKernel {
 public:
  base::Status start(const std::string& engine, const std::string& config, uint32_t packets) {
    auto path = machine::find_description(config, {});
    if (!path) return path.error();
    auto description = machine::load_description(*path);
    if (!description) return description.error();
    auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
    auto made = engine == "lt" ? run::make_lt_gpu("gpu", *description, registries, memory_, {})
                               : run::make_ca_gpu("gpu", *description, registries, memory_, {});
    if (!made) return made.error();
    gpu_ = std::move(*made);
    hsa::Queue::Config of_queue;
    of_queue.size = packets;
    auto queue = hsa::Queue::create(memory_, of_queue);
    if (!queue) return queue.error();
    queue_ = std::make_unique<hsa::Queue>(*queue);
    hsa::DeviceMemory::Options executable;
    executable.permitted = hsa::Access::All;
    auto kernel = memory_.allocate(kCodeOffset + 64, executable);
    if (!kernel) return kernel.error();
    hsa::KernelDescriptor descriptor;
    descriptor.kernel_code_entry_byte_offset = kCodeOffset;
    if (!memory_.write_value(*kernel, descriptor).ok() ||
        !memory_.write_value(*kernel + kCodeOffset, kEndProgram).ok()) {
      return base::Error("the kernel cannot be written");
    }
    packet_.setup = 1;
    packet_.workgroup_size_x = 64;
    packet_.workgroup_size_y = packet_.workgroup_size_z = 1;
    packet_.grid_size_x = 64;
    packet_.grid_size_y = packet_.grid_size_z = 1;
    packet_.kernel_object = *kernel;
    command_processor::QueueBinding binding;
    binding.queue_address = queue_->address();
    gpu_->bind(binding);
    gpu_->simulate(100'000);  // the first look at the ring
    return {};
  }

  /// Puts a packet into the ring without ringing.
  base::Status submit(hsa::FenceScope fences, uint32_t waves = 1, uint64_t signal = 0) {
    hsa::KernelDispatchPacket p = packet_;
    p.header = hsa::encode({hsa::PacketType::KernelDispatch, false, fences, fences});
    p.grid_size_x = 64 * waves;
    p.completion_signal = signal;
    auto index = queue_->submit(&p);
    return index ? base::Status() : index.error();
  }
  void ring_and_run() {
    (void)gpu_->ring(0, 0);
    gpu_->simulate(100'000'000);
  }
  bool took(uint64_t packets) const {
    auto index = queue_->load_read_index();
    return index && *index == packets;
  }
  run::TimedGpu& gpu() { return *gpu_; }
  hsa::DeviceMemory& memory() { return memory_; }

 private:
  hsa::DeviceMemory memory_;
  std::unique_ptr<run::TimedGpu> gpu_;
  std::unique_ptr<hsa::Queue> queue_;
  hsa::KernelDispatchPacket packet_;
};

/// Packets per second, producer included, in rings full of packets: the median of nine.
bool packets_per_second(const std::string& config, std::vector<double>& out) {
  constexpr uint32_t kRing = 8192;
  EmptyKernel k;
  if (!k.start("lt", config, kRing).ok()) return false;
  std::vector<double> rates;
  for (unsigned i = 1; i <= kBenchRepetitions; ++i) {
    const double start = cpu_seconds();
    for (uint32_t n = 0; n < kRing; ++n) {
      if (!k.submit(hsa::FenceScope::System).ok()) return false;
    }
    k.ring_and_run();
    rates.push_back(kRing / (cpu_seconds() - start));
    if (!k.took(uint64_t{kRing} * i)) return false;
  }
  std::sort(rates.begin(), rates.end());
  out.push_back(rates[rates.size() / 2]);
  return true;
}

/// Cycles of the steps of one packet of one wave, from one to the next; the second of two packets
/// alike, so that nothing is cold.
constexpr const char* kSteps[] = {"doorbell heard by the command processor",
                                  "packet fetched",
                                  "packet decoded",
                                  "kernel descriptor read and checked",
                                  "acquire fence (system)",
                                  "slot given back, to the spi",
                                  "spi has it: plan, allocation",
                                  "first wave launched",
                                  "first instruction issued",
                                  "last wave ended",
                                  "command processor knows",
                                  "release fence (system)",
                                  "read index, signal decremented",
                                  "event in the mailbox, interrupt sent"};
constexpr size_t kFirstWave = 7, kLastWave = 9, kSignal = 12;

bool stages(const std::string& config, std::vector<double>& out) {
  EmptyKernel k;
  if (!k.start("ca", config, 64).ok()) return false;
  std::vector<Cycle> at;
  k.gpu().watch_packets([&](Cycle now, uint32_t, uint64_t, Stage) { at.push_back(now); });
  k.gpu().watch_dispatches([&](Cycle now, uint32_t, bool begin) {
    if (begin) at.push_back(now);
  });
  k.gpu().watch([&](unsigned, const compute_unit::Activity& a) {
    if (a.kind == Kind::Launch || a.kind == Kind::Issue || a.kind == Kind::End) {
      at.push_back(a.time);
    }
  });
  auto mailbox = k.memory().allocate(8);
  if (!mailbox) return false;
  Cycle rung = 0;
  for (unsigned i = 0; i < 2; ++i) {
    auto done = hsa::Signal::create(k.memory(), 1);
    if (!done || !done->set_event(*mailbox, 1).ok()) return false;
    at.clear();
    if (!k.submit(hsa::FenceScope::System, 1, done->handle()).ok()) return false;
    rung = k.gpu().cycle();
    k.ring_and_run();
  }
  if (at.size() != std::size(kSteps)) return false;
  std::sort(at.begin(), at.end());  // domains run ahead of one another
  for (const Cycle cycle : at) {
    out.push_back(static_cast<double>(cycle - rung));
    rung = cycle;
  }
  return true;
}

/// Waves launched per cycle by each shader engine, from the first to the last of 4800.
bool launch_rate(std::vector<double>& out) {
  constexpr unsigned kWaves = 4800, kEngines = 8;
  EmptyKernel k;
  if (!k.start("ca", "mi100", 64).ok()) return false;
  std::map<Cycle, unsigned> launched;
  k.gpu().watch([&](unsigned, const compute_unit::Activity& a) {
    if (a.kind == Kind::Launch) ++launched[a.time];
  });
  if (!k.submit(hsa::FenceScope::None, kWaves).ok()) return false;
  k.ring_and_run();
  if (launched.empty() || !k.took(1)) return false;
  const Cycle cycles = launched.rbegin()->first - launched.begin()->first + 1;
  out.push_back(static_cast<double>(kWaves) / static_cast<double>(cycles) / kEngines);
  return true;
}

}  // namespace

base::Result<BenchResult> front_packets() {
  BenchResult out;
  constexpr double kGoal = 200'000;
  for (const char* config : {"small", "mi100"}) {
    auto rate = values_in_child(
        [config](std::vector<double>& values) { return packets_per_second(config, values); });
    if (!rate) return rate.error();
    out.lines.push_back(
        {fmt::format("lt, {}, packets of an empty kernel", config), rate->at(0) / 1000, "k/s", 0});
    out.lines.push_back({"  packets / 200,000", rate->at(0) / kGoal, "ratio", 1});
  }
  return out;
}

base::Result<BenchResult> front_stages() {
  BenchResult out;
  for (const std::string config : {"small", "mi100"}) {
    auto cycles =
        values_in_child([&](std::vector<double>& values) { return stages(config, values); });
    if (!cycles) return cycles.error();
    double sum = 0;
    double ended = 0;
    for (size_t i = 0; i < cycles->size(); ++i) {
      out.lines.push_back(
          {fmt::format("ca, {}: {}", config, kSteps[i]), cycles->at(i), "cycles", 0});
      sum += cycles->at(i);
      if (i == kFirstWave) {
        out.lines.push_back(
            {fmt::format("  ca, {}: doorbell to first wave", config), sum, "cycles", 0});
      }
      if (i == kLastWave) ended = sum;
      if (i == kSignal) {
        out.lines.push_back({fmt::format("  ca, {}: last wave to completion signal", config),
                             sum - ended, "cycles", 0});
      }
    }
  }
  auto rate = values_in_child(launch_rate);
  if (!rate) return rate.error();
  out.lines.push_back(
      {"ca, mi100: waves launched per cycle and shader engine", rate->at(0), "", 1});
  return out;
}

}  // namespace cuvette::bench
