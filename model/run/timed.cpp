// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/timed.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/file.h"
#include "gpu/configs.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"
#include "run/hazards.h"
#include "run/machine_code.h"
#include "run/progress_line.h"
#include "run/retire_logger.h"
#include "run/stall_profile.h"
#include "run/trace/stream.h"
#include "run/wait_graph.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;

constexpr machine::Cycle kTimedWatchdog = 200'000'000;
constexpr uint32_t kDoorbell = 0;
constexpr uint32_t kCompletionEvent = 1;
/// Address of memory that the host needs for itself, so that the addresses of everything else are
/// those of the golden engine.
constexpr uint64_t kHostMemory = uint64_t{1} << 46;

std::string queue_error_text(uint32_t code) {
  const std::string_view meaning = hsa::queue_error_text(code);
  return fmt::format("the queue stopped with error {:#x}{}{}", code, meaning.empty() ? "" : ": ",
                     meaning);
}

class TimedEngine final : public Engine {
 public:
  TimedEngine(const hsa::TargetId& target, isa::Target isa_target, const EngineOptions& options,
              const machine::GpuConfig& description)
      : code_(memory_, target),
        logger_(options, description),
        isa_target_(isa_target),
        description_(description),
        watchdog_(options.watchdog != 0 ? options.watchdog : kTimedWatchdog),
        hazard_mode_(options.hazards),
        trace_options_(options.trace),
        wait_graph_(options.wait_graph),
        stop_(options.stop),
        progress_(options.progress ? stderr : nullptr) {
    if (!options.why_blocked.empty()) stalls_.emplace(options.why_blocked);
  }

  Status start(const MakeTimedGpu& make, const EngineOptions& options) {
    every_ = options.stats_every;
    block_intervals_ = options.block_intervals;
    if (!options.counters.empty()) {
      auto recorder = CounterRecorder::make(isa_target_, options.counters, every_);
      if (!recorder) return Error("--counters: " + recorder.error().what);
      recorder_.emplace(std::move(*recorder));
    }
    hsa::DeviceAllocator::Config own;
    own.first = kHostMemory;
    host_ = hsa::DeviceAllocator(own);
    auto gpu = make(memory_);
    if (!gpu) return gpu.error();
    gpu_ = std::move(*gpu);
    if (logger_.on() &&
        !gpu_->observe([this](const wave::RetireRecord& r) { logger_.record(r); })) {
      return Error("--log goes with the engines golden and ca");
    }
    if (auto s = watch(); !s.ok()) return s;
    gpu_->on_interrupt([this](const command_processor::Interrupt& i) {
      if (i.source >= command_processor::kWaveMessage && i.source < hsa::kQueueErrorMemoryFault) {
        return;  // S_SENDMSG of a wave: nobody listens
      }
      if (interrupt_) return;
      interrupt_ = i;
      interrupted_at_ = gpu_->cycle();
      gpu_->pause();
    });
    return {};
  }

  hsa::DeviceMemory& memory() override { return memory_; }
  uint64_t last_aperture() const override {
    return std::max(description_.shared_aperture, description_.private_aperture);
  }
  Result<KernelShape> load(const Dispatch& dispatch,
                           const hsa::ExternalVariables& externals) override {
    return code_.load(dispatch, externals);
  }
  Result<uint64_t> function_handle(const std::string& name) const override {
    return code_.function_handle(name);
  }
  std::optional<uint64_t> symbol(const std::string& name) const override {
    return code_.symbol(name);
  }

  Result<std::vector<uint8_t>> kernarg(const Launch& launch,
                                       const ArgumentBytes& arguments) override {
    if (auto s = need_queue(); !s.ok()) return s.error();
    hsa::HiddenValues hidden;
    hidden.queue_ptr = queue_->address();
    hidden.private_base_hi = base::hi32(description_.private_aperture);
    hidden.shared_base_hi = base::hi32(description_.shared_aperture);
    return code_.kernarg(launch, arguments, hidden);
  }

  Status run(const Launch& launch, EngineReport& report) override {
    if (auto s = code_.check(launch); !s.ok()) return s;
    if (auto s = need_queue(); !s.ok()) return s;
    const hsa::KernelInfo& kernel = code_.kernel();
    if (auto s = provide_scratch(launch, kernel); !s.ok()) return s;
    if (!bound_) {
      command_processor::QueueBinding binding;
      binding.queue_address = queue_->address();
      binding.doorbell = kDoorbell;
      bound_ = gpu_->bind(binding);
    }
    hsa::Signal completion(memory_, launch.completion_signal);
    if (auto s = completion.set_event(mailbox_, kCompletionEvent); !s.ok()) return s;
    auto index = queue_->submit(packet_bytes(launch, kernel).data());
    if (!index) return index.error();

    if (logger_.on()) log_start(launch, kernel, *index);
    const TimedGpu::Counts before = gpu_->counts();
    const std::vector<BlockCounters> blocks = gpu_->block_counters();
    const machine::Cycle start = gpu_->cycle();
    if (recorder_) recorder_->begin(kernel.name, start, sample(*recorder_));
    if (hazard_mode_ != HazardMode::Off) hazards_.emplace(isa_target_);
    if (stalls_) stalls_->begin(kernel.name);
    interrupt_.reset();
    if (auto s = gpu_->ring(kDoorbell, *index); !s.ok()) return s;
    DispatchStatistics statistics;
    simulate({start, before.waves, waves_of(launch)}, blocks, statistics);
    statistics.kernel = kernel.name;
    statistics.grid = launch.grid;
    statistics.workgroup = launch.workgroup;
    statistics.cycles = (interrupt_ ? interrupted_at_ : gpu_->cycle()) - start;
    const std::vector<BlockCounters> blocks_at_end = gpu_->block_counters();
    statistics.blocks = difference(blocks, blocks_at_end);
    if (recorder_) recorder_->end(start + statistics.cycles, sample(*recorder_));
    account(before, statistics, report);
    gpu::check_residency(blocks_at_end);
    gpu_->describe(report);
    const bool completed = interrupt_ && interrupt_->source == 0;
    if (!completed || report.lockstep_mismatches != 0) gpu_->settle(report);
    if (!completed && (stalls_ || wants_residency())) {
      gpu_->tell_residents([this](const auto& r) { add_residency(r); });
    }
    if (hazards_) hazards_->report(hazard_mode_ == HazardMode::Strict, report);
    if (logger_.on()) {
      if (auto s = logger_.end(); !s.ok()) report.lost_files.push_back(s.error());
    }
    if (report.lockstep_mismatches == 0) check(report);  // a mismatch stopped the run on purpose
    return {};
  }

  void finish(EngineReport& report) override {
    // Checks at the end are left out for a run that failed before it came to them.
    if (report.failures.empty()) gpu_->conclude(report);
    gpu_->write_files(report);
    if (recorder_) report.counters = std::make_shared<const CounterTable>(recorder_->table());
    if (stalls_) stalls_->report(memory_, isa_target_, report);
    if (!wait_graph_.empty()) write_wait_graph(report);
    if (trace_ != nullptr) trace_->finish(report);
  }

 private:
  /// A dispatch for its progress line.
  struct DispatchProgress {
    machine::Cycle start = 0;
    uint64_t waves_before = 0;  ///< begun by earlier dispatches
    uint64_t waves = 0;         ///< of this one
  };

  Status watch() {
    if (trace_options_.on()) {
      auto trace = TraceStream::make(trace_options_, description_, [this](uint64_t entry) {
        const hsa::CodeExtent function = memory_.space().code().at(entry);
        return function.name != nullptr ? *function.name : std::string();
      });
      if (!trace) return trace.error();
      trace_ = std::move(*trace);
    }
    if (stalls_ || wants_residency()) {
      const bool can = gpu_->watch_residency([this](const auto& r) { add_residency(r); });
      if (stalls_ && !can) return Error("--why-blocked goes with compute units of ours");
    }
    if (trace_ == nullptr && hazard_mode_ == HazardMode::Off) return {};
    const bool can = gpu_->watch([this](unsigned unit, const compute_unit::Activity& a) {
      if (trace_ != nullptr) trace_->activity(unit, a);
      if (hazards_ && a.kind == compute_unit::Activity::Kind::Issue) {
        hazards_->issue(a.wave, a.pc, *a.instruction, a.relative, a.time);
      }
    });
    if (!can) return Error("--trace and --hazards need compute units that tell what they issue");
    if (trace_ == nullptr) return {};
    trace_->attach(*gpu_);
    gpu_->watch_packets([this](machine::Cycle now, uint32_t queue, uint64_t packet,
                               command_processor::CommandProcessor::Stage stage) {
      trace_->packet(now, queue, packet, stage);
    });
    return {};
  }

  bool wants_residency() const { return trace_ != nullptr && trace_->wants_residency(); }
  void add_residency(const compute_unit::ResidencyCycles& cycles) {
    if (stalls_) stalls_->add(cycles);
    if (wants_residency()) trace_->residency(cycles);
  }

  void log_start(const Launch& launch, const hsa::KernelInfo& kernel, uint64_t index) {
    golden::LogDispatch d;
    d.grid = launch.grid;
    d.workgroup = launch.workgroup;
    d.kernarg = launch.kernarg;
    d.group_bytes = kernel.group_bytes + launch.dynamic_group_bytes;
    d.private_bytes = kernel.private_bytes + launch.stack_bytes;
    d.packet_address = queue_->ring() + index % queue_->size() * sizeof(hsa::KernelDispatchPacket);
    d.queue_address = queue_->address();
    d.dispatch_id = index;
    hsa::AmdQueue contents;
    if (memory_.read_value(queue_->address(), &contents)) {
      d.scratch_base = contents.scratch_backing_memory_location;
      std::copy_n(contents.scratch_resource_descriptor, 4, d.scratch_descriptor.begin());
    }
    logger_.start(code_, memory_, d);
  }

  Status need_queue() {
    if (queue_ != nullptr) return {};
    hsa::Queue::Config config;
    config.group_segment_aperture_base_hi = base::hi32(description_.shared_aperture);
    config.private_segment_aperture_base_hi = base::hi32(description_.private_aperture);
    auto queue = hsa::Queue::create(memory_, config);
    if (!queue) return queue.error();
    auto mailbox = host_memory(64);
    if (!mailbox) return mailbox.error();
    mailbox_ = *mailbox;
    auto inactive = host_memory(sizeof(hsa::AmdSignal));
    if (!inactive) return inactive.error();
    hsa::AmdSignal signal;
    signal.kind = static_cast<int64_t>(hsa::SignalKind::User);
    if (!memory_.write_value(*inactive, signal) ||
        !memory_.write_value(queue->address() + offsetof(hsa::AmdQueue, queue_inactive_signal),
                             *inactive)) {
      return Error("the queue cannot be written");
    }
    queue_ = std::make_unique<hsa::Queue>(*queue);
    return {};
  }

  Result<uint64_t> host_memory(uint64_t bytes) {
    auto address = host_.allocate(bytes);
    if (!address) return address;
    auto& sparse = static_cast<hsa::SparseMemory&>(memory_.backing());
    if (auto s = sparse.reserve(*address, bytes); !s.ok()) return s.error();
    hsa::AddressSpace::Range range;
    range.va = range.pa = *address;
    range.bytes = bytes;
    range.type = hsa::page_type(hsa::Grain::Fine);
    if (auto s = memory_.space().map(range); !s.ok()) return s.error();
    return address;
  }

  /// Scratch for every wave of the dispatch, that of an earlier one if it is enough, made known in
  /// amd_queue_t. The processor reads that when the queue is bound, so a change binds it again.
  Status provide_scratch(const Launch& launch, const hsa::KernelInfo& kernel) {
    const uint32_t item = kernel.private_bytes + launch.stack_bytes;
    if (item == 0) return {};
    uint64_t waves = 1;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; ++d) {
      waves *= (uint64_t{launch.grid[d]} + launch.workgroup[d] - 1) / launch.workgroup[d];
      items *= launch.workgroup[d];
    }
    waves *= (items + 63) / 64;
    const uint64_t wave = base::align_up(base::align_up(item, 4) * 64, 1024);
    if (waves * wave > scratch_bytes_) {
      hsa::DeviceMemory::Options options;
      options.name = "scratch memory";
      auto address = memory_.allocate(waves * wave, options);
      if (!address) return Error("scratch: " + address.error().what);
      scratch_ = *address;
      scratch_bytes_ = waves * wave;
    }
    hsa::AmdQueue contents;
    if (!memory_.read_value(queue_->address(), &contents)) return Error("the queue is not there");
    contents.scratch_backing_memory_location = scratch_;
    contents.scratch_backing_memory_byte_size = waves * wave;
    contents.scratch_workitem_byte_size = item;
    // Swizzle enabled, index stride 64, 4-byte elements, thread id added (Vega ISA 8.1.5).
    contents.scratch_resource_descriptor[0] = base::lo32(scratch_);
    contents.scratch_resource_descriptor[1] = (base::hi32(scratch_) & 0xffff) | (1u << 31);
    contents.scratch_resource_descriptor[2] = 0xffffffff;
    contents.scratch_resource_descriptor[3] = 0x00e80000;
    if (!memory_.write_value(queue_->address(), contents)) return Error("the queue is not there");
    if (bound_) gpu_->unbind(*bound_);
    bound_.reset();
    return {};
  }

  hsa::KernelDispatchPacket packet_of(const Launch& launch, const hsa::KernelInfo& kernel) const {
    hsa::KernelDispatchPacket packet;
    hsa::PacketHeader header;
    header.type = hsa::PacketType::KernelDispatch;
    header.barrier = true;
    header.acquire = hsa::FenceScope::System;
    header.release = hsa::FenceScope::System;
    packet.header = hsa::encode(header);
    packet.setup = static_cast<uint16_t>(launch.dimensions);
    packet.workgroup_size_x = launch.workgroup[0];
    packet.workgroup_size_y = launch.workgroup[1];
    packet.workgroup_size_z = launch.workgroup[2];
    packet.grid_size_x = launch.grid[0];
    packet.grid_size_y = launch.grid[1];
    packet.grid_size_z = launch.grid[2];
    packet.private_segment_size = kernel.private_bytes + launch.stack_bytes;
    packet.group_segment_size = kernel.group_bytes + launch.dynamic_group_bytes;
    packet.kernel_object = kernel.descriptor;
    packet.kernarg_address = launch.kernarg;
    packet.completion_signal = launch.completion_signal;
    return packet;
  }
  std::vector<uint8_t> packet_bytes(const Launch& launch, const hsa::KernelInfo& kernel) const {
    const auto packet = packet_of(launch, kernel);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&packet);
    return {bytes, bytes + sizeof packet};
  }

  counters::Sample sample(const CounterRecorder& recorder) {
    return gpu_->counter_sample(description_, recorder.last_sample());
  }

  bool is_over() const { return interrupt_ || stopped_ || gpu_->broken_off() || gpu_->starved(); }

  /// Until cycle `end`, or until the dispatch is over: between slices the host may interrupt it,
  /// and the progress line changes. Returns the cycle.
  machine::Cycle simulate_until(machine::Cycle end, const DispatchProgress& progress) {
    constexpr machine::Cycle kSlice = 200'000;
    for (machine::Cycle at = gpu_->cycle(); at < end;) {
      gpu_->simulate(std::min(kSlice, end - at));
      const machine::Cycle before = std::exchange(at, gpu_->cycle());
      if (is_over() || at == before) break;
      stopped_ = stop_ != nullptr && stop_->here();
      if (const auto now = ProgressLine::Clock::now(); progress_.wants(now)) {
        const uint64_t begun = gpu_->counts().waves - progress.waves_before;
        progress_.show(now, begun, progress.waves, at - progress.start);
      }
      if (stopped_) break;
    }
    return interrupt_ ? interrupted_at_ : gpu_->cycle();
  }

  /// Until the dispatch is over or the watchdog ends it, interval by interval where they are
  /// wanted.
  void simulate(const DispatchProgress& progress, const std::vector<BlockCounters>& before,
                DispatchStatistics& statistics) {
    const machine::Cycle end = end_after(progress.start, watchdog_);
    stopped_ = false;
    progress_.begin(ProgressLine::Clock::now());
    if (every_ == 0) {
      simulate_until(end, progress);
      return progress_.clear();
    }
    statistics.every = block_intervals_ ? every_ : 0;
    std::vector<BlockCounters> last = before;
    machine::Cycle begin = progress.start;
    for (machine::Cycle at = begin; !interrupt_ && at < end;) {
      at = simulate_until(std::min(end, end_after(at, every_)), progress);
      if (block_intervals_) {
        std::vector<BlockCounters> now = gpu_->block_counters();
        statistics.intervals.push_back({at, totals(difference(last, now))});
        last = std::move(now);
      }
      if (is_over() || at == begin) break;
      begin = at;
      if (recorder_) recorder_->interval(at, sample(*recorder_));
    }
    progress_.clear();
  }

  static uint64_t waves_of(const Launch& launch) {
    uint64_t items = 1, groups = 1;
    for (unsigned n = 0; n < 3; ++n) {
      items *= launch.workgroup[n];
      groups *= (uint64_t{launch.grid[n]} + launch.workgroup[n] - 1) / launch.workgroup[n];
    }
    return groups * ((items + 63) / 64);
  }

  void account(const TimedGpu::Counts& before, DispatchStatistics& statistics,
               EngineReport& report) const {
    const TimedGpu::Counts after = gpu_->counts();
    statistics.waves = after.waves - before.waves;
    statistics.fallbacks = after.fallbacks - before.fallbacks;
    for (const auto& [row, count] : after.fallbacks_by_row) {
      const auto earlier = before.fallbacks_by_row.find(row);
      const uint64_t own = count - (earlier != before.fallbacks_by_row.end() ? earlier->second : 0);
      if (own == 0) continue;
      statistics.fallbacks_by_name[std::string(row->mnemonic)] += own;
      report.fallbacks_by_name[std::string(row->mnemonic)] += own;
    }
    for (const BlockCounters& b : statistics.blocks) {
      for (const auto& [name, value] : b.values) {
        if (b.block == "spi" && name == "workgroups") statistics.workgroups = value;
      }
    }
    std::map<const isa::Row*, uint64_t> by_row = after.by_row;
    for (const auto& [row, count] : before.by_row) by_row[row] -= count;
    std::erase_if(by_row, [](const auto& entry) { return entry.second == 0; });
    tally({by_row.begin(), by_row.end()}, isa_target_, statistics, report);
    report.instructions += statistics.instructions;
    report.waves += statistics.waves;
    report.fallbacks += statistics.fallbacks;
    report.cycles += statistics.cycles;
    report.target = code_.target().str();
    report.dispatches.push_back(std::move(statistics));
  }

  /// Reports the reason why the simulation stopped.
  void check(EngineReport& report) {
    for (auto& line : gpu_->take_errors()) report.failures.push_back(std::move(line));
    if (auto hint = code_.hint_about(gpu_->fault_addresses()); !hint.empty()) {
      report.failures.push_back(std::move(hint));
    }
    if (interrupt_ && interrupt_->source == 0) return;
    if (interrupt_) {
      report.failures.push_back(queue_error_text(interrupt_->source));
      return;
    }
    if (stopped_) {
      report.failures.push_back(fmt::format("interrupted at cycle {}", gpu_->cycle()));
      return;
    }
    if (gpu_->starved()) {
      report.failures.push_back(
          "deadlock: nothing can happen any more and the dispatch is not done");
    } else {
      report.failures.push_back(fmt::format("watchdog: not done after {} cycles", watchdog_));
    }
    for (auto& line : gpu_->wave_report()) report.failures.push_back(std::move(line));
    hung_ = true;
  }

  /// Of the hang, or else of the chosen waves.
  void write_wait_graph(EngineReport& report) const {
    if (!hung_ && (!stalls_ || stalls_->empty())) {
      report.files.push_back(wait_graph_ + ": not written, the run did not hang");
      return;
    }
    const WaitGraph graph =
        hung_ ? hang_graph(fmt::format("{} at cycle {}", code_.kernel().name, gpu_->cycle()),
                           gpu_->queue_report(), gpu_->resident_waves())
              : stalls_->graph(memory_, isa_target_);
    if (auto s = base::write_text(wait_graph_, graph.text()); !s.ok()) {
      report.lost_files.push_back(s.error());
    } else {
      report.files.push_back(
          fmt::format("{}: {}", wait_graph_,
                      hung_ ? "who waits for whom" : "what the chosen waves waited for"));
    }
  }

  hsa::DeviceMemory memory_;
  hsa::DeviceAllocator host_;
  MachineCode code_;
  RetireLogger logger_;
  isa::Target isa_target_;
  machine::GpuConfig description_;
  machine::Cycle watchdog_;
  HazardMode hazard_mode_;
  TraceOptions trace_options_;
  std::string wait_graph_;
  base::StopPoint* stop_;
  ProgressLine progress_;
  bool stopped_ = false;  // by `stop_`
  bool hung_ = false;
  std::optional<HazardWatch> hazards_;  // of the present dispatch
  std::unique_ptr<TraceStream> trace_;
  std::optional<StallProfile> stalls_;
  std::optional<CounterRecorder> recorder_;
  uint64_t every_ = 0;            // cycles of an interval of statistics; 0: there are none
  bool block_intervals_ = false;  // counters of the blocks have intervals, too
  std::unique_ptr<TimedGpu> gpu_;
  std::unique_ptr<hsa::Queue> queue_;
  std::optional<uint32_t> bound_;
  std::optional<command_processor::Interrupt> interrupt_;
  machine::Cycle interrupted_at_ = 0;
  uint64_t mailbox_ = 0;
  uint64_t scratch_ = 0, scratch_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_timed_engine(const EngineOptions& options,
                                                  const machine::GpuConfig& description,
                                                  const MakeTimedGpu& make) {
  const auto id = gpu::machine_target(description);
  if (!id) return id.error();
  const auto isa_target = isa::target_from_name(hsa::facts(id->processor).name);
  if (!isa_target) return Error(fmt::format("unknown target '{}'", description.target));
  auto engine = std::make_unique<TimedEngine>(*id, *isa_target, options, description);
  if (auto s = engine->start(make, options); !s.ok()) return s.error();
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace cuvette::run
