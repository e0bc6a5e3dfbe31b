// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/machine.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "golden/launch.h"
#include "isa/text.h"

namespace cuvette::golden {

using wave::Event;

namespace {

constexpr uint64_t kMaxScratchBytes = uint64_t{1} << 34;

Failure failure_of(const Wave& w) {
  Failure f;
  f.message = w.failure;
  switch (w.stopped_by) {
    case Event::Unsupported:
      f.kind = Failure::Kind::Unsupported;
      break;
    case Event::Halt:
      f.kind = Failure::Kind::Trap;
      break;
    default:
      f.kind = (w.state.s.trapsts & wave::kIllegalInst) != 0 ? Failure::Kind::IllegalInstruction
                                                             : Failure::Kind::WildAccess;
  }
  return f;
}

}  // namespace

/// A dispatch under way.
struct Machine::Dispatch {
  LaunchPlan plan;
  Report report;
  uint64_t next_group = 0;
  unsigned waves_per_group = 1;
  // Stable addresses: waves point at their group.
  std::deque<std::unique_ptr<Workgroup>> groups;
  std::vector<std::unique_ptr<Wave>> waves;  // resident, oldest first
};

Machine::Machine(hsa::DeviceMemory& memory, const Config& config)
    : memory_(memory), config_(config), program_(memory, config.target), port_(memory) {}

Machine::~Machine() = default;

base::Result<Report> Machine::run(const DispatchRequest& request) {
  auto plan = plan_launch(request, config_);
  if (!plan) return plan.error();
  Dispatch d;
  d.plan = std::move(*plan);
  const auto& group = d.plan.request.workgroup;
  const unsigned items = unsigned{group[0]} * group[1] * group[2];
  d.waves_per_group = (items + wave::kLanes - 1) / wave::kLanes;

  const uint64_t total_waves = d.plan.workgroups() * d.waves_per_group;
  const uint64_t scratch = d.plan.scratch_bytes_per_wave * total_waves;
  if (scratch > scratch_bytes_) {
    if (scratch > kMaxScratchBytes) {
      return base::Error(fmt::format("the dispatch needs {} bytes of scratch", scratch));
    }
    auto address = memory_.allocate(scratch);
    if (!address) return address.error();
    scratch_ = *address;
    scratch_bytes_ = scratch;
  }
  d.plan.scratch_base = scratch_;
  program_.forget();  // a dispatch starts with the instruction caches invalidated

  admit(d);
  while (!d.waves.empty()) {
    const bool progress = run_slices(d);
    if (!d.report.failures.empty()) break;
    if (config_.watchdog != 0 && d.report.instructions > config_.watchdog) {
      Failure f;
      f.kind = Failure::Kind::Watchdog;
      f.message = fmt::format("watchdog: more than {} instructions", config_.watchdog);
      for (size_t i = 0; i < std::min<size_t>(d.waves.size(), 8); ++i) {
        f.message += fmt::format("\n  {}", d.waves[i]->place(d.waves[i]->state.s.pc, nullptr));
      }
      d.report.failures.push_back(f);
      break;
    }
    if (!progress) {
      report_deadlock(d);
      break;
    }
    admit(d);
  }
  d.report.by_row = program_.executed();
  return std::move(d.report);
}

/// Work-groups enter in flattened order while there is room, at least one.
void Machine::admit(Dispatch& d) {
  while (d.next_group < d.plan.workgroups() &&
         (d.waves.empty() || d.waves.size() + d.waves_per_group <= config_.resident_waves)) {
    auto group = std::make_unique<Workgroup>();
    group->index = static_cast<uint32_t>(d.next_group);
    group->lds.assign(d.plan.request.group_bytes, 0);
    for (unsigned i = 0; i < d.waves_per_group; ++i) {
      auto w = launch_wave(d.plan, config_, d.next_group, i);
      if (w == nullptr) break;
      w->group = group.get();
      ++group->waves;
      ++d.report.waves;
      d.waves.push_back(std::move(w));
    }
    d.groups.push_back(std::move(group));
    ++d.report.workgroups;
    ++d.next_group;
  }
}

/// One slice for every wave that can run. False when none could.
bool Machine::run_slices(Dispatch& d) {
  bool progress = false;
  for (auto& w : d.waves) {
    if (w->status != WaveStatus::Running) continue;
    uint64_t limit = config_.slice;
    if (config_.watchdog != 0) {
      limit = std::min<uint64_t>(
          limit, config_.watchdog + 1 - std::min(config_.watchdog, d.report.instructions));
    }
    const uint64_t done = w->run(limit, program_, port_, observer_ ? &observer_ : nullptr);
    d.report.instructions += done;
    progress = progress || done != 0;
    if (w->status == WaveStatus::Failed) {
      d.report.failures.push_back(failure_of(*w));
      return progress;
    }
    if (w->status == WaveStatus::Ended) --w->group->waves;
    // Ended waves are discounted, so an end can release a barrier too (MI100 ISA 4.3).
    Workgroup& g = *w->group;
    if (g.at_barrier != 0 && g.at_barrier == g.waves) {
      for (auto& other : d.waves) {
        if (other->group == &g && other->status == WaveStatus::AtBarrier) {
          other->status = WaveStatus::Running;
        }
      }
      g.at_barrier = 0;
    }
  }
  std::erase_if(d.waves, [](const auto& w) { return w->status == WaveStatus::Ended; });
  while (!d.groups.empty() && d.groups.front()->waves == 0) d.groups.pop_front();
  return progress;
}

void Machine::report_deadlock(Dispatch& d) {
  Failure f;
  f.kind = Failure::Kind::Deadlock;
  f.message = "deadlock: no wave can go on";
  for (size_t i = 0; i < std::min<size_t>(d.waves.size(), 16); ++i) {
    f.message += fmt::format("\n  {} waits for its work-group at a barrier",
                             d.waves[i]->place(d.waves[i]->state.s.pc, nullptr));
  }
  d.report.failures.push_back(f);
}

}  // namespace cuvette::golden
