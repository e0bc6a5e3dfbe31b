// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/machine.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "golden/launch.h"
#include "golden/parallel.h"
#include "isa/text.h"

namespace cuvette::golden {

using wave::Event;

namespace {

/// The last of `pool`, null when there is none.
template <class T>
std::unique_ptr<T> take(std::vector<std::unique_ptr<T>>& pool) {
  if (pool.empty()) return nullptr;
  auto last = std::move(pool.back());
  pool.pop_back();
  return last;
}

constexpr uint64_t kMaxScratchBytes = uint64_t{1} << 34;
Failure failure_of(const Wave& w) {
  Failure f;
  f.message = w.failure;
  f.address = w.failure_address;
  switch (w.stopped_by) {
    case Event::Unsupported:
      f.kind = Failure::Kind::Unsupported;
      break;
    case Event::Halt:
    case Event::Abort:
      f.kind = Failure::Kind::Trap;
      break;
    default:
      f.kind = (w.state.s.trapsts & wave::kIllegalInst) != 0 ? Failure::Kind::IllegalInstruction
                                                             : Failure::Kind::WildAccess;
  }
  return f;
}

}  // namespace

/// A resident wave. It is made when its first turn comes, which nobody can tell from making it on
/// admission, and given back as soon as it ends: short waves all use the same storage.
struct Machine::Slot {
  Workgroup* group = nullptr;
  uint64_t group_number = 0;
  unsigned index = 0;  // in the work-group
  std::unique_ptr<Wave> wave;
  bool ended = false;
};

/// A dispatch under way.
struct Machine::Dispatch {
  LaunchPlan plan;
  Report report;
  uint64_t next_group = 0;
  bool in_round = false;  ///< of slices: work-groups have come in for it
  size_t next_slot =
      0;  ///< of `waves`: whose slice is next: not the first where the dispatch stands
  bool progress = false;  ///< in the slices before that one
  // Stable addresses: waves point at their group.
  std::deque<std::unique_ptr<Workgroup>> groups;
  std::vector<Slot> waves;  // resident, oldest first
};

Machine::Machine(hsa::DeviceMemory& memory, const Config& config)
    : memory_(memory), config_(config), program_(memory, config.target), port_(memory) {}

Machine::~Machine() = default;

base::Result<Report> Machine::run(const DispatchRequest& asked, uint64_t instructions) {
  DispatchRequest request = asked;
  const hsa::DeviceMemory& seen = request.view != nullptr ? request.view->memory() : memory_;
  const auto got = hsa::read_preload(*request.kernel, request.kernarg, seen, request.preload);
  if (!got.ok()) {
    Report report;
    report.failures.push_back({Failure::Kind::WildAccess,
                               fmt::format("kernel '{}': preload of kernel arguments: {}",
                                           request.kernel->name, got.str()),
                               got.address});
    return report;
  }
  auto plan = plan_launch(request, config_);
  if (!plan) return plan.error();
  standing_.reset();
  auto own = std::make_unique<Dispatch>();
  Dispatch& d = *own;
  d.plan = std::move(*plan);
  if (auto s = find_scratch(d.plan); !s.ok()) return s.error();
  if (start_observer_) start_observer_(d.plan.scratch_base);
  if (!ended_waves_.empty() && (ended_waves_[0]->state.v.arch_count != d.plan.vgprs ||
                                ended_waves_[0]->state.v.acc_count != d.plan.accvgprs)) {
    ended_waves_.clear();
  }
  program_.see(request.view != nullptr ? request.view->memory() : memory_);
  port_.see(memory_, request.view);
  program_.renew();  // a dispatch starts with the instruction caches invalidated

  port_.sync_state().drop_waiting();  // of a dispatch that failed
  if (config_.threads < 2 || observer_ || request.view != nullptr || config_.on_message ||
      d.plan.workgroups() < 2 || config_.stop != nullptr || instructions != 0) {
    if (!run_alone(d, instructions)) {
      standing_ = std::move(own);
      return standing_->report;
    }
    return std::move(d.report);
  }
  if (parallel_ == nullptr) parallel_ = std::make_unique<ParallelRun>(memory_, config_);
  if (parallel_->run(d.plan, d.report)) return std::move(d.report);
  // In canonical order, with the bookkeeping that says what depended on it.
  AccessWatch watch;
  port_.watch(&watch);
  run_alone(d, 0);
  port_.watch(nullptr);
  for (auto& ended : d.groups) {
    if (!watch.over()) watch.end(ended->index, *ended->accesses);
  }
  d.report.restarted = watch.order().empty() ? "a failure" : watch.order();
  d.report.race_bytes = watch.race_bytes();
  d.report.races = watch.races();
  return std::move(d.report);
}

Report Machine::go_on(uint64_t instructions) {
  std::unique_ptr<Dispatch> d = std::move(standing_);
  if (run_alone(*d, instructions)) return std::move(d->report);
  standing_ = std::move(d);
  return standing_->report;
}

void Machine::abandon() {
  standing_.reset();
}

std::vector<WaveReport> Machine::waves() {
  return standing_ != nullptr ? waves_of(*standing_, standing_->waves.size())
                              : std::vector<WaveReport>{};
}

/// Finds the scratch memory of a dispatch: that of the queue, or memory of the machine.
base::Status Machine::find_scratch(LaunchPlan& plan) {
  if (const auto& own = plan.request.scratch) {
    plan.scratch_bytes_per_wave = own->bytes_per_wave;
    const uint64_t all = plan.workgroups() * plan.waves_per_group;
    if (own->waves != 0 && own->waves < all) {
      plan.scratch_groups = own->waves / plan.waves_per_group;
      if (plan.scratch_groups == 0) {
        return base::Error(fmt::format("scratch memory for {} waves, a work-group has {}",
                                       own->waves, plan.waves_per_group));
      }
    }
    place_scratch(plan, own->base, own->descriptor);
    return {};
  }
  const uint64_t bytes = plan.scratch_bytes_per_wave * plan.workgroups() * plan.waves_per_group;
  if (bytes > scratch_bytes_) {
    if (bytes > kMaxScratchBytes) {
      return base::Error(fmt::format("the dispatch needs {} bytes of scratch", bytes));
    }
    hsa::DeviceMemory::Options options;
    options.name = "scratch memory";
    auto address = memory_.allocate(bytes, options);
    if (!address) return base::Error("scratch: " + address.error().what);
    scratch_ = *address;
    scratch_bytes_ = bytes;
  }
  if (scratch_ != 0) place_scratch(plan, scratch_, scratch_descriptor(scratch_));
  return {};
}

/// All of it by this thread, or so many instructions and what is left of a round of slices; 0: all.
/// False: it stands still.
bool Machine::run_alone(Dispatch& d, uint64_t instructions) {
  const uint64_t end = instructions != 0 ? d.report.instructions + instructions : ~uint64_t{0};
  d.report.stands = false;
  for (;;) {
    // Once per round: what comes in depends on how the one before ended.
    if (!d.in_round) admit(d);
    d.in_round = true;
    if (d.waves.empty()) break;
    if (d.report.instructions >= end) d.report.stands = true;
    const bool progress = !d.report.stands && run_slices(d);
    if (d.report.stands) {
      if (config_.stop != nullptr && config_.stop->stopped()) {
        d.report.by_row = program_.executed();
      }
      return false;
    }
    if (!d.report.failures.empty()) break;
    if (config_.watchdog != 0 && d.report.instructions > config_.watchdog) {
      Failure f;
      f.kind = Failure::Kind::Watchdog;
      f.message = fmt::format("watchdog: more than {} instructions", config_.watchdog);
      tell_waves(d, f);
      d.report.failures.push_back(f);
      break;
    }
    if (!progress) {
      report_deadlock(d);
      break;
    }
  }
  d.report.by_row = program_.executed();
  return true;
}

/// Work-groups enter in flattened order while there is room, at least one.
void Machine::admit(Dispatch& d) {
  const uint64_t places = places_for_groups(d.plan);
  const uint64_t end = d.plan.workgroups();
  while (d.next_group < end &&
         (d.waves.empty() || d.waves.size() + d.plan.waves_per_group <= config_.resident_waves) &&
         (d.groups.empty() || d.next_group - d.groups.front()->index < places)) {
    auto group = take(ended_groups_);
    if (group == nullptr) group = std::make_unique<Workgroup>();
    group->at_barrier = 0;
    group->index = static_cast<uint32_t>(d.next_group);
    group->lds.assign(d.plan.request.group_bytes, 0);
    const unsigned waves = waves_of_group(d.plan, d.next_group);
    group->waves = waves;
    if (port_.watched) {
      if (group->accesses == nullptr) group->accesses = std::make_unique<AccessMap>();
      group->accesses->clear();
    }
    for (unsigned i = 0; i < waves; ++i) {
      d.waves.push_back({group.get(), d.next_group, i, nullptr, false});
    }
    d.report.waves += waves;
    d.groups.push_back(std::move(group));
    ++d.report.workgroups;
    ++d.next_group;
  }
}

/// One slice for every wave that can run, or for those that are left of such a round. False when
/// none could.
bool Machine::run_slices(Dispatch& d) {
  for (; d.next_slot < d.waves.size(); ++d.next_slot) {
    if (stop_here()) {
      d.report.stands = true;
      return true;
    }
    Slot& slot = d.waves[d.next_slot];
    Workgroup& g = *slot.group;
    if (slot.wave == nullptr) {
      slot.wave = launch_wave(d.plan, config_, slot.group_number, slot.index, take(ended_waves_),
                              program_.accumulates());
      slot.wave->group = &g;
    }
    Wave& w = *slot.wave;
    wake(d, w);
    if (w.status != WaveStatus::Running) continue;
    uint64_t limit = config_.slice;
    if (config_.watchdog != 0) {
      // One more than there may be, so that it shows; the watchdog may be any number.
      const uint64_t left = config_.watchdog - std::min(config_.watchdog, d.report.instructions);
      if (left < limit) limit = left + 1;
    }
    if (port_.watched) port_.watch()->turn(slot.group_number, *g.accesses);
    const uint64_t done = w.run(limit, program_, port_, observer_ ? &observer_ : nullptr);
    d.report.instructions += done;
    if (port_.watched && port_.watch()->over()) port_.watch(nullptr);
    wake(d, w);
    d.progress = d.progress || done != 0 || w.status == WaveStatus::Running;
    if (w.status == WaveStatus::Failed) {
      d.report.failures.push_back(failure_of(w));
      return true;
    }
    if (w.status == WaveStatus::Ended) {
      --g.waves;
      slot.ended = true;
      ended_waves_.push_back(std::move(slot.wave));
    }
    // Ended waves are discounted, so an end can release a barrier too (MI100 ISA 4.3).
    if (g.at_barrier != 0 && g.at_barrier == g.waves) {
      // The waves of a work-group stand next to each other.
      size_t first = d.next_slot;
      while (first != 0 && d.waves[first - 1].group == &g) --first;
      for (size_t n = first; n < d.waves.size() && d.waves[n].group == &g; ++n) {
        Wave* const other = d.waves[n].wave.get();
        if (other != nullptr && other->status == WaveStatus::AtBarrier) {
          other->status = WaveStatus::Running;
        }
      }
      g.at_barrier = 0;
    }
  }
  std::erase_if(d.waves, [](const Slot& slot) { return slot.ended; });
  while (!d.groups.empty() && d.groups.front()->waves == 0) {
    Workgroup& ended = *d.groups.front();
    if (port_.watched) port_.watch()->end(ended.index, *ended.accesses);
    ended_groups_.push_back(std::move(d.groups.front()));
    d.groups.pop_front();
  }
  d.next_slot = 0;
  d.in_round = false;
  return std::exchange(d.progress, false);
}

/// Lets a wave that waits for other work-groups run when it may.
void Machine::wake(const Dispatch& d, Wave& w) {
  if (w.status == WaveStatus::AtGlobalSync && port_.sync_state().released(w.ticket)) {
    w.status = WaveStatus::Running;
  }
  if (w.status != WaveStatus::AtOrderedCount) return;
  // Slots stand in the order of launch: an earlier wave has a slot or has ended.
  for (const Slot& other : d.waves) {
    if (other.wave.get() == &w) break;
    if (!other.ended && (other.wave == nullptr || !other.wave->ordered_released)) return;
  }
  w.ordered_turn = true;
  w.status = WaveStatus::Running;
}

void Machine::report_deadlock(Dispatch& d) {
  Failure f;
  f.kind = Failure::Kind::Deadlock;
  f.message = "deadlock: no wave can go on";
  tell_waves(d, f);
  d.report.failures.push_back(f);
}

/// The first waves: where they are and what they wait for.
std::vector<WaveReport> Machine::waves_of(const Dispatch& d, size_t most) {
  std::vector<WaveReport> out;
  for (size_t i = 0; i < std::min(d.waves.size(), most); ++i) {
    WaveReport r;
    r.workgroup = d.waves[i].group_number;
    r.index = d.waves[i].index;
    r.waits_for = "its turn";
    if (d.waves[i].wave == nullptr) {
      r.begun = false;
      out.push_back(std::move(r));
      continue;
    }
    const Wave& w = *d.waves[i].wave;
    r.id = w.id;
    r.pc = w.state.s.pc;
    r.at_barrier = w.status == WaveStatus::AtBarrier;
    if (r.at_barrier) r.waits_for = "other waves at the barrier";
    if (w.status == WaveStatus::AtGlobalSync) r.waits_for = "a global wave sync";
    if (w.status == WaveStatus::AtOrderedCount) r.waits_for = "earlier waves at an ordered count";
    if (const Program::Entry* entry = program_.at(r.pc)) {
      r.instruction = isa::text(entry->decoded->instruction);
    }
    out.push_back(std::move(r));
  }
  return out;
}

void Machine::tell_waves(const Dispatch& d, Failure& f) {
  constexpr size_t kMost = 16;
  for (const WaveReport& r : waves_of(d, kMost)) {
    f.message += r.begun
                     ? fmt::format("\n  wave {} pc {:#x}{}{}: waits for {}", r.id, r.pc,
                                   r.instruction.empty() ? "" : ": ", r.instruction, r.waits_for)
                     : fmt::format("\n  wave {} of work-group {}: not begun, waits for its turn",
                                   r.index, r.workgroup);
  }
  if (d.waves.size() > kMost) f.message += fmt::format("\n  and {} more", d.waves.size() - kMost);
}

}  // namespace cuvette::golden
