// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/compute_unit_tlm.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "compute_unit/wave_control.h"
#include "isa/text.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using machine::kNever;

ComputeUnitTlm::ComputeUnitTlm(const Config& config, Parts parts)
    : config_(config),
      lds_(std::move(parts.lds)),
      fetch_(config.code, config.target, config.simds * config.slots, config.timing.fetch_cycles,
             *config.address_space),
      waves_(config.simds * config.slots) {
  assert(config.slots <= 64);  // SimdUnit::resident
  assert(config.simds < 64);   // due_
  due_ = (uint64_t{1} << config.simds) - 1;
  counters_.by_row.resize(isa::rows().count);
  for (unsigned s = 0; s < config.simds; ++s) {
    SimdUnit unit;
    unit.simd = std::move(parts.simds[s]);
    unit.pipeline_cycles = unit.simd->pipeline_at_issue();
    unit.try_at.assign(config.slots, kNever);
    if (!parts.matrix.empty()) {
      unit.matrix = std::make_unique<MatrixUnit>(std::move(parts.matrix[s]));
    }
    simds_.push_back(std::move(unit));
  }
  for (unsigned i = 0; i < waves_.size(); ++i) waves_[i].index = i;
}

std::unique_ptr<ComputeUnitTlm> ComputeUnitTlm::make(const Config& config) {
  if (config.simds_registry == nullptr || config.lds_registry == nullptr ||
      config.address_space == nullptr) {
    return nullptr;
  }
  simd::Config simd = config.simd;
  simd.target = config.target;
  simd.valu.target = config.target;
  simd.valu_implementation = config.implementations.valu;
  simd.vrf_implementation = config.implementations.vrf;
  simd.valu_cycles = config.timing.valu_cycles;
  simd.transcendental_cycles = config.timing.transcendental_cycles;
  simd.double_cycles = config.timing.double_cycles;
  matrix_core::Config matrix = config.matrix_core;
  matrix.target = config.target;
  matrix.compute_unit = config.index;
  Parts parts;
  lds::Config lds = config.lds;
  lds.compute_unit = config.index;
  parts.lds = config.lds_registry->make(config.implementations.lds, lds);
  if (parts.lds == nullptr) return nullptr;
  simd.valu.compute_unit = config.index;
  simd.registers.compute_unit = config.index;
  for (unsigned s = 0; s < config.simds; ++s) {
    simd.valu.simd = s;
    simd.registers.simd = s;
    if (s != 0 && config.valu_in_simd0_only) simd.valu_implementation = "tlm";
    if (s != 0 && config.vrf_in_simd0_only) simd.vrf_implementation = "tlm";
    const bool plain_simd = s != 0 && config.simd_in_simd0_only;
    parts.simds.push_back(
        config.simds_registry->make(plain_simd ? "tlm" : config.implementations.simd, simd));
    if (parts.simds.back() == nullptr) return nullptr;
    if (!isa::has_accvgprs(config.target)) continue;  // no matrix core before gfx908
    if (config.matrix_registry == nullptr) return nullptr;
    matrix.simd = s;
    const bool plain = s != 0 && config.matrix_core_in_simd0_only;
    parts.matrix.push_back(
        config.matrix_registry->make(plain ? "tlm" : config.implementations.matrix_core, matrix));
    if (parts.matrix.back() == nullptr) return nullptr;
  }
  return std::make_unique<ComputeUnitTlm>(config, std::move(parts));
}

void ComputeUnitTlm::connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
                             cache::Cache::Port& scalar, cache::Cache::Port& instruction) {
  port_ = &waves;
  const auto cu = static_cast<uint16_t>(config_.index);
  memory_.connect(cu, vector, scalar, sequence_);
  fetch_.connect(cu, instruction, sequence_);
}

/// Parts inside first, on what was sent to them in earlier cycles; then answers, so that what they
/// free can be used in this cycle; then new instructions; requests last.
void ComputeUnitTlm::tick(Cycle now) {
  catch_up(now);
  now_ = wake_time_ = now;
  if (simds_next_ <= now) {
    for (unsigned s = 0; s < simds_.size(); ++s) {
      if (simds_[s].next <= now) due_ |= uint64_t{1} << s;
    }
  }
  for_due([now](SimdUnit& unit) {
    unit.simd->tick(now);
    if (unit.matrix != nullptr) unit.matrix->core().tick(now);
  });
  if (const size_t waiting = lds_->request.size(); waiting != 0 || lds_next_ <= now) {
    lds_->tick(now);
    lds_next_ = lds_->next_event();
    // Room can be used from the next cycle on.
    if (lds_->request.size() != waiting) tell_of_room(now + 1);
  }

  if (port_->launch.front(now) != nullptr) take_launches(now);
  if (std::min(port_->command.next_event(), debug.next_event()) <= now) take_commands(now);
  if (due_ != 0) take_retires(now);
  if (lds_->response.front(now) != nullptr) take_lds(now);
  if (!in_gds_.empty()) take_gds(now);
  if (due_ != 0) take_matrix(now);
  memory_.take(now, answered_);
  if (fetch_.arrived(now)) {
    fetch_.take(now);
    for (const unsigned wave : fetch_.woken()) wake(waves_[wave]);
  }
  if (!answered_.empty()) {
    for (Operation* o : std::exchange(answered_, {})) answer(*o);
  }
  if (ending_ != 0) end_waves(now);
  if (occupied_ != 0) sequence(now);
  wake_time_ = now + 1;

  if (filling_ != 0) send_fills(now);
  if (due_ != 0) take_written(now);
  if (!transfers_.empty()) send_transfer(now);
  if (memory_.send(now, answered_)) tell_of_room(now + 1);
  if (const unsigned wave = fetch_.send(now); wave != Fetch::kNobody) {
    changed(waves_[wave]);
    if (fetch_.faulted(wave)) wake(waves_[wave]);
  }
  if (due_ == 0) return;
  for_due([now](SimdUnit& unit) {
    if (unit.matrix != nullptr) unit.matrix->tick(now);
    unit.next = next_of(unit);
  });
  due_ = 0;
  simds_next_ = kNever;
  for (const SimdUnit& unit : simds_) simds_next_ = std::min(simds_next_, unit.next);
}

Cycle ComputeUnitTlm::next_of(const SimdUnit& unit) {
  const Cycle next = std::min(unit.simd->next_event(), unit.simd->retire.next_event());
  return unit.matrix != nullptr ? std::min(next, unit.matrix->next_event()) : next;
}

Cycle ComputeUnitTlm::next_event() const {
  const Cycle soon = now_ + 1;
  if (!answered_.empty() || !transfers_.empty() || filling_ != 0) return soon;
  Cycle next = std::min(port_->launch.next_event(), port_->command.next_event());
  next = std::min(next, debug.next_event());
  const Cycle lds = lds_->request.empty() ? lds_next_ : lds_->next_event();
  next = std::min(next, std::min(lds, lds_->response.next_event()));
  next = std::min(next, std::min(memory_.next_event(), simds_next_));
  if (!in_gds_.empty()) {
    next = std::min(next, std::min(gds.taken.next_event(), gds.response.next_event()));
  }
  for (uint64_t left = due_; left != 0; left &= left - 1) {
    next = std::min(next, next_of(simds_[static_cast<unsigned>(std::countr_zero(left))]));
  }
  if (next <= soon) return soon;
  next = std::min(next, fetch_.next_event());
  if (ending_ != 0) next = std::min(next, next_end());
  for (uint64_t simds = occupied_; simds != 0; simds &= simds - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(simds));
    if (const Cycle from = next_try(s); from != kNever) {
      next = std::min(next, turn_of(s, std::max(from, soon)));
    }
  }
  return std::max(next, soon);
}

/// When the first wave can leave, as far as that is known.
Cycle ComputeUnitTlm::next_end() const {
  Cycle next = kNever;
  const_cast<ComputeUnitTlm*>(this)->for_ending(
      [&next](const WaveContext& w) { next = std::min(next, w.idle_at()); });
  return next;
}

/// From when on a wave of the simd has something to try at a turn.
Cycle ComputeUnitTlm::next_try(unsigned simd) const {
  const SimdUnit& unit = simds_[simd];
  if (unit.stale == 0) return unit.next_try;
  unit.passed_over &= ~unit.stale;
  for (; unit.stale != 0; unit.stale &= unit.stale - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(unit.stale));
    const WaveContext& w = at(simd, slot);
    Cycle& from = unit.try_at[slot];
    from = kNever;
    if (w.phase != Phase::Running || w.wake == kNever || is_halted(w)) continue;
    from = std::max(w.wake, w.ready_at);
    if (const Cycle words = fetch_.no_head_before(w.index); words > from && only_fetches(w)) {
      if (unit.passed_over == 0) unit.passed_turn = kNever;
      unit.passed_over |= uint64_t{1} << slot;
      unit.passed_turn = std::min(unit.passed_turn, turn_of(simd, from));
      from = words;
    }
  }
  unit.next_try = *std::min_element(unit.try_at.begin(), unit.try_at.end());
  return unit.next_try;
}

/// A wave that next_try() has passed over would have found no instruction at a turn before `now`:
/// from then on it waits for one. kNever: it has not been passed over.
Cycle ComputeUnitTlm::unseen_fetch(const WaveContext& w, Cycle now) const {
  if (w.phase != Phase::Running || w.wake == kNever || is_halted(w) || !only_fetches(w))
    return kNever;
  const Cycle turn = turn_of(w.launch.simd, std::max(w.wake, w.ready_at));
  return turn < now && turn < fetch_.no_head_before(w.index) ? turn : kNever;
}

void ComputeUnitTlm::catch_up(Cycle now) {
  for (unsigned s = 0; s < simds_.size(); ++s) {
    const SimdUnit& unit = simds_[s];
    if (unit.passed_over == 0 || unit.passed_turn >= now) continue;
    unit.passed_turn = kNever;
    for (uint64_t left = unit.passed_over; left != 0; left &= left - 1) {
      WaveContext& w = waves_[s * config_.slots + static_cast<unsigned>(std::countr_zero(left))];
      const Cycle turn = unseen_fetch(w, now);
      if (turn == kNever) {
        unit.passed_turn = std::min(unit.passed_turn, turn_of(s, std::max(w.wake, w.ready_at)));
        continue;
      }
      start_stall(w, Stall::Fetch, turn);
      changed(w);
      w.wake = fetch_.no_head_before(w.index);
    }
  }
}

WorkgroupContext& ComputeUnitTlm::group_of(uint32_t key) {
  const auto found = std::find_if(groups_.begin(), groups_.end(),
                                  [key](const WorkgroupContext& g) { return g.key == key; });
  assert(found != groups_.end());
  return *found;
}

vrf::RowAddress ComputeUnitTlm::row_of(const WaveContext& w, bool acc, unsigned index) const {
  vrf::RowAddress address;
  address.acc = acc && !isa::unified_vgprs(config_.target);
  address.row = static_cast<uint16_t>((acc ? w.launch.acc_base : w.launch.vgpr_base) + index);
  return address;
}

void ComputeUnitTlm::tell(const WaveContext& w, Activity::Kind kind, uint64_t pc,
                          const isa::Instruction* instruction, wave::Relative relative) const {
  Activity a;
  a.kind = kind;
  a.time = now_;
  a.wave = w.launch.id;
  a.dispatch = w.launch.dispatch;
  a.workgroup = w.launch.workgroup;
  a.simd = w.launch.simd;
  a.slot = w.launch.slot;
  a.pc = pc;
  a.instruction = instruction;
  a.relative = relative;
  watcher_(a);
}

std::vector<WaveReport> ComputeUnitTlm::waves() const {
  std::vector<WaveReport> out;
  for (const WaveContext& w : waves_) {
    if (w.phase == Phase::Free) continue;
    WaveReport r = report_of(w);
    r.vm = w.vm;
    r.lgkm = w.lgkm;
    const Code* code = fetch_.known_head(w.index);
    r.instruction = code != nullptr ? isa::text(code->instruction()) : "(not fetched yet)";
    switch (w.phase) {
      case Phase::AtBarrier:
        r.waits_for = text_of(Stall::Barrier);
        break;
      case Phase::Ending:
        r.waits_for =
            w.sync != wave::SyncOp::None ? text_of(w.sync) : "outstanding memory before the end";
        break;
      default:
        r.waits_for = w.residency.stalled                        ? text_of(w.residency.stall)
                      : fetch_.no_head_before(w.index) == kNever ? text_of(Stall::Fetch)
                                                                 : "its turn";
        if (w.sync != wave::SyncOp::None) r.waits_for = text_of(w.sync);
        if (is_halted(w)) r.waits_for = "a debugger (halted)";
        break;
    }
    r.waits_for += fmt::format(" (vmcnt {}, lgkmcnt {}, valu {}, matrix {})", w.vm, w.lgkm,
                               w.valu + (w.valu_until > now_ ? 1 : 0), w.matrix.under_way());
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<std::string> ComputeUnitTlm::in_flight() const {
  std::vector<const Operation*> operations;
  memory_.for_active([&](const Operation& o) {
    const bool stores = o.op.kind != wave::MemoryKind::Load && !o.maintenance;
    const bool writes_back = o.maintenance && o.maintenance_op == memory::MemOp::Writeback;
    const bool global = o.op.space == wave::MemorySpace::Global;
    const bool scalar = o.op.space == wave::MemorySpace::Scalar;
    if ((stores && (global || scalar)) || writes_back) operations.push_back(&o);
  });
  std::sort(operations.begin(), operations.end(), [](const Operation* a, const Operation* b) {
    return std::pair(a->wave, a->order) < std::pair(b->wave, b->order);
  });
  std::vector<std::string> out;
  for (const Operation* o : operations) {
    const size_t all = o->requests.groups.size(), answered = o->sent - o->outstanding;
    if (answered == all) continue;  // done, but for its turn to retire
    out.push_back(fmt::format("{}: {} of {} requests not answered",
                              place_of(config_.index, waves_[o->wave], o->pc, o->instruction),
                              all - answered, all));
  }
  return out;
}

namespace {

/// Instructions by unit, from those by row.
void count_units(ComputeUnit::Counters& c) {
  using C = ComputeUnit::Counters;
  // In the order of isa::Unit.
  static constexpr uint64_t C::* kCounters[] = {
      &C::salu, &C::smem,  &C::valu,  &C::valu,   &C::matrix, &C::vmem, &C::vmem,
      &C::lds,  &C::other, &C::other, &C::branch, &C::other,  &C::other};
  static_assert(std::size(kCounters) == static_cast<size_t>(isa::Unit::Wave) + 1);
  const isa::RowList rows = isa::rows();
  for (uint32_t n = 0; n < rows.count; ++n) {
    c.instructions += c.by_row[n];
    c.*kCounters[static_cast<size_t>(rows.first[n].unit)] += c.by_row[n];
  }
}

}  // namespace

ComputeUnit::Counters ComputeUnitTlm::counters(Cycle now) const {
  Counters c = counters_;
  count_units(c);
  const Cycle end = std::max(now, now_);
  if (resident_ != 0) c.busy_cycles += end - resident_since_;
  for (const WaveContext& w : waves_) {
    if (w.phase == Phase::Free) continue;
    Residency r = w.residency;
    if (const Cycle turn = unseen_fetch(w, end); turn != kNever) {
      r.account(turn, w.ready_at, w.sleeping, c);
      r.stalled = true;
      r.stall = Stall::Fetch;
    }
    r.account(end, w.ready_at, w.sleeping, c);
    c.wave_cycles += r.accounted - w.launched_at;
  }
  for (const SimdUnit& unit : simds_) {
    const simd::Simd::Counters s = unit.simd->counters();
    c.fallbacks += s.fallbacks;
    for (const auto& [row, count] : s.fallbacks_by_row) c.fallbacks_by_row[row] += count;
    c.lane_operations += s.lane_operations;
  }
  c.vector_requests = memory_.vector_requests();
  c.scalar_requests = memory_.scalar_requests();
  c.fetches = fetch_.requests();
  return c;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) -> std::unique_ptr<ComputeUnit> {
    return ComputeUnitTlm::make(config);
  });
}

}  // namespace cuvette::compute_unit
