// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/loose/loose_unit.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "compute_unit/compute_unit_model.h"
#include "compute_unit/wave_control.h"
#include "isa/text.h"

namespace cuvette::compute_unit::loose {

using machine::Cycle;
using machine::kNever;

namespace {

/// Instructions of one tick, so that a stop of the simulation between two ticks need not wait long.
constexpr uint64_t kTickInstructions = uint64_t{1} << 16;

uint64_t& counter_of(ComputeUnit::Counters& c, isa::Unit unit) {
  switch (unit) {
    case isa::Unit::Salu:
      return c.salu;
    case isa::Unit::Valu:
    case isa::Unit::Trans:
      return c.valu;
    case isa::Unit::Matrix:
      return c.matrix;
    case isa::Unit::Smem:
      return c.smem;
    case isa::Unit::Vmem:
    case isa::Unit::Flat:
      return c.vmem;
    case isa::Unit::Lds:
      return c.lds;
    case isa::Unit::Branch:
      return c.branch;
    default:
      return c.other;
  }
}

template <class T, class Channel>
void push_all(std::vector<std::pair<Cycle, T>>& sent, Channel& channel) {
  for (auto& [time, message] : sent) channel.push(std::move(message), time);
  sent.clear();
}

}  // namespace

LooseUnit::LooseUnit(const Config& config)
    : config_(config),
      rules_(config),
      levels_(config.levels, config.shared_levels != nullptr
                                 ? config.shared_levels
                                 : std::make_shared<SharedLevels>(config.levels)),
      refill_(1 + levels_.fetch_cycles() + config.timing.fetch_cycles),
      slots_(size_t{config.simds} * config.slots),
      simds_(config.simds) {
  counters_.by_row.resize(isa::rows().count);
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].index = i;
}

void LooseUnit::tick(Cycle now) {
  now_ = now;
  end_ = std::max(end_, now + 1);
  budget_ = kTickInstructions;
  take_launches();
  take_commands();
  take_gds();
  run_waves();
  send();
}

bool LooseUnit::can_run(const Slot& w) const {
  return w.phase == Phase::Running && w.in_gds == nullptr && !is_halted(w);
}

/// Everybody who can run before the end does, in order of priority and age, until nobody can. Waves
/// that have yielded come last.
void LooseUnit::run_waves() {
  const auto place = [](const Slot* w) {
    return std::tuple(w->yields, -static_cast<int>(w->priority()), w->age);
  };
  do {
    turn_.clear();
    bool sorted = true;
    for (Slot* w : resident_) {
      if (w->ready_at >= end_ || !can_run(*w)) continue;
      sorted = sorted && (turn_.empty() || place(turn_.back()) < place(w));
      turn_.push_back(w);
    }
    if (!sorted) {
      std::sort(turn_.begin(), turn_.end(),
                [&](const Slot* a, const Slot* b) { return place(a) < place(b); });
    }
    for (Slot* w : turn_) run(*w);
  } while (!turn_.empty() && budget_ != 0);
}

void LooseUnit::send() {
  push_all(done_, port_->done);
  push_all(sent_messages_, messages);
  push_all(gds_requests_, gds.request);
}

Cycle LooseUnit::next_event() const {
  Cycle next = std::min({port_->launch.next_event(), port_->command.next_event(),
                         debug.next_event(), gds.taken.next_event(), gds.response.next_event()});
  for (const Slot* w : resident_) {
    if (can_run(*w)) next = std::min(next, w->ready_at);
  }
  return next == kNever ? next : std::max(next, now_ + 1);
}

LooseUnit::Code& LooseUnit::code_of(unsigned vmid) {
  if (codes_.size() <= vmid) codes_.resize(vmid + 1);
  auto& code = codes_[vmid];
  if (code == nullptr) {
    code = std::make_unique<Code>();
    code->view =
        std::make_unique<AddressView>(*config_.address_space, vmid, *memory_, config_.target,
                                      config_.timing.coalescer_lanes_per_cycle);
    code->by_row.resize(isa::rows().count);
  }
  return *code;
}

/// Drops the fetched instructions, and the decoded ones if memory no longer holds them.
void LooseUnit::renew_code() {
  ++code_epoch_;
  for (auto& code : codes_) {
    if (code == nullptr) continue;
    code->view->refresh(now_);
    wave::Program& program = code->view->program();
    for (const auto& [row, count] : program.executed()) code->by_row[isa::index_of(*row)] += count;
    program.renew();
    code->lines.clear();
  }
}

/// Nothing of the wave happens before `to`, in turns of its SIMD.
void LooseUnit::advance(Slot& w, Cycle to, Stall reason) {
  if (to <= w.ready_at) return;
  to = rules_.turn_from(w.launch.simd, to);
  const Cycle cycles = to - w.ready_at;
  counters_.stalled[static_cast<unsigned>(reason)] += cycles;
  if (residency_watcher_ && reason == Stall::Sleep) {
    w.slept = cycles;  // S_WAKEUP may take some back
  } else if (residency_watcher_) {
    tell_slept(w, w.ready_at - behind_);
    tell_cycles(w, reason, cycles, to - behind_);
  }
  w.ready_at = to;
}

void LooseUnit::tell_cycles(const Slot& w, std::optional<Stall> stall, Cycle cycles,
                            Cycle end) const {
  if (cycles != 0) residency_watcher_({w.launch.id, w.place, stall, cycles, end});
}

void LooseUnit::tell_slept(Slot& w, Cycle end) const {
  tell_cycles(w, Stall::Sleep, std::exchange(w.slept, 0), end);
}

/// The instruction at `place` has been issued; `cycles`: with those behind it, which are `behind`.
void LooseUnit::tell_issued(Slot& w, Cycle cycles, Stall behind) const {
  const Cycle issued = w.ready_at - cycles;
  tell_slept(w, issued);
  tell_cycles(w, std::nullopt, 1, issued + 1);
  w.place = w.state.s.pc;
  tell_cycles(w, behind, cycles - 1, w.ready_at);
}

void LooseUnit::tell(const Slot& w, Activity::Kind kind, Cycle time, uint64_t pc,
                     const isa::Instruction* instruction, wave::Relative relative) const {
  Activity a = activity_of(w, kind, time, pc);
  a.instruction = instruction;
  a.relative = relative;
  a.order = w.order;
  if (instruction != nullptr) a.complete = time + 1;
  watcher_(a);
}

std::vector<WaveReport> LooseUnit::waves() const {
  std::vector<WaveReport> out;
  for (const Slot& w : slots_) {
    if (w.phase == Phase::Free) continue;
    WaveReport r = report_of(w);
    r.vm = w.vector_back.out(now_);
    r.lgkm = w.scalar_back.out(now_) + (w.in_gds != nullptr ? 1 : 0);
    const uint64_t pc = w.in_gds != nullptr ? w.in_gds->pc : r.pc;
    uint32_t words[4] = {};
    const unsigned held = w.view->peek(pc, words, std::size(words));
    const isa::Decoded d = isa::decode(config_.target, words, held);
    const bool known = held != 0 && d.instruction.row != nullptr;
    r.instruction = known ? isa::text(d.instruction) : "(not fetched yet)";
    r.waits_for = "its turn";
    if (r.at_barrier) r.waits_for = text_of(Stall::Barrier);
    if (w.in_gds != nullptr) r.waits_for = text_of(Stall::Waitcnt);
    if (w.sync != wave::SyncOp::None) r.waits_for = text_of(w.sync);
    if (r.halted) r.waits_for = "a debugger (halted)";
    r.waits_for += fmt::format(" (vmcnt {}, lgkmcnt {}, valu {}, matrix {})", r.vm, r.lgkm, 0, 0);
    out.push_back(std::move(r));
  }
  return out;
}

/// Reason for which a resident wave waits behind its local time.
Stall LooseUnit::waiting_for(const Slot& w) const {
  if (w.phase == Phase::AtBarrier) return Stall::Barrier;
  if (w.phase == Phase::Ending) return Stall::End;
  if (w.in_gds != nullptr) return Stall::Waitcnt;
  return is_halted(w) ? Stall::Halt : Stall::Rotation;
}

void LooseUnit::tell_residents(Cycle now, const ResidencyWatcher& tell) const {
  for (const Slot* w : resident_) {
    if (w->slept != 0) tell({w->launch.id, w->place, Stall::Sleep, w->slept, w->ready_at});
    if (now <= w->ready_at) continue;
    tell({w->launch.id, w->place, waiting_for(*w), now - w->ready_at, now});
  }
}

/// Instructions of the decoded programs by row. Without waves they stay as they are.
std::vector<uint64_t> LooseUnit::executed_by_row() const {
  if (resident_.empty() && settled_.waves == counters_.waves) return settled_.by_row;
  std::vector<uint64_t> by_row(isa::rows().count);
  for (const auto& code : codes_) {
    if (code == nullptr) continue;
    for (size_t i = 0; i < by_row.size(); ++i) by_row[i] += code->by_row[i];
    for (const auto& [row, count] : code->view->program().executed()) {
      by_row[isa::index_of(*row)] += count;
    }
  }
  if (resident_.empty()) settled_ = {counters_.waves, by_row};
  return by_row;
}

ComputeUnit::Counters LooseUnit::counters(Cycle now) const {
  Counters c = counters_;
  Cycle busy_to = busy_to_;
  for (const Slot* w : resident_) {
    const Cycle end = std::max(now, w->ready_at);
    c.stalled[static_cast<unsigned>(waiting_for(*w))] += end - w->ready_at;
    c.wave_cycles += end - w->launched_at;
    busy_to = std::max(busy_to, end);
  }
  c.busy_cycles += busy_to - busy_from_;
  const std::vector<uint64_t> executed = executed_by_row();
  for (size_t i = 0; i < c.by_row.size(); ++i) c.by_row[i] += executed[i];
  for (const isa::Row& row : isa::rows()) {
    const uint64_t count = c.by_row[isa::index_of(row)];
    if (count == 0) continue;
    c.instructions += count;
    counter_of(c, row.unit) += count;
  }
  c.issue_cycles = c.instructions;
  return c;
}

std::optional<uint32_t> LooseUnit::inspect(unsigned simd, unsigned slot, uint32_t index,
                                           unsigned lane) const {
  if (simd >= config_.simds || slot >= config_.slots) return std::nullopt;
  const Slot& w = slots_[simd * config_.slots + slot];
  if (w.phase == Phase::Free) return std::nullopt;
  if (const auto vector = vector_index(index, w.launch)) {
    const wave::VectorFile& v = w.state.v;
    return (vector->acc ? v.acc : v.arch)[vector->row][lane % wave::kLanes];
  }
  uint32_t words[2] = {};
  const unsigned held = w.view->peek(w.state.s.pc, words, std::size(words));
  return inspect_scalar(w, index, words, held);
}

void register_loose(Registry& registry) {
  registry.add("loose", [](const Config& config) -> std::unique_ptr<ComputeUnit> {
    if (config.address_space == nullptr) return nullptr;
    return std::make_unique<LooseUnit>(config);
  });
}

}  // namespace cuvette::compute_unit::loose
