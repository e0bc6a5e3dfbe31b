// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/compute_unit_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compute_unit/wave_control.h"
#include "isa/text.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using machine::kNever;

ComputeUnitModel::ComputeUnitModel(const Config& config, Parts parts)
    : config_(config),
      statistics_(config.timing.coalescer_lanes_per_cycle),
      probe_(*config.address_space),
      slots_(config.simds, config.slots),
      fetch_(config.code, config.target, config.simds * config.slots, config.timing.fetch_cycles,
             *config.address_space),
      stalls_(slots_, statistics_, probe_),
      wakeup_(slots_, fetch_, stalls_),
      simds_(std::move(parts.simds), std::move(parts.matrix)),
      registers_(simds_, config.target, config.simd.registers.seed != 0),
      lds_path_(std::move(parts.lds), slots_, ids_),
      gds_path_(gds, slots_, ids_),
      groups_(slots_, stalls_, config.timing.barrier_cycles),
      termination_(config_, slots_, fetch_, stalls_, groups_, gds_path_, statistics_, probe_),
      traps_(slots_, fetch_, stalls_, config.timing.branch_cycles),
      write_back_(slots_, simds_, registers_, statistics_),
      memory_retirement_(slots_, memory_, lds_path_, write_back_, traps_, termination_, statistics_,
                         probe_),
      vector_retirement_(slots_, simds_, traps_, probe_),
      matrix_retirement_(slots_, simds_, write_back_, probe_),
      stage_(fetch_, stalls_, termination_, statistics_, probe_),
      scalar_unit_(config_.timing, messages, slots_, fetch_, stalls_, groups_, termination_, stage_,
                   probe_),
      vector_port_(config_, ids_, fetch_.store(), simds_, write_back_, vector_retirement_, stage_,
                   statistics_, probe_),
      matrix_port_(config_, ids_, simds_, registers_, stage_, statistics_, probe_),
      memory_port_(config_, registers_, {memory_, lds_path_, gds_path_}, traps_, termination_,
                   stage_, statistics_, probe_),
      sequencer_(  // the order is checked with the description
          make_issue_order(config.issue_order, config.simds, config.slots).value(),
          *config.address_space, slots_, fetch_, wakeup_, traps_, termination_, stage_,
          {scalar_unit_, vector_port_, matrix_port_, memory_port_}),
      launcher_(config_, slots_, simds_, registers_, fetch_, groups_, lds_path_, statistics_,
                probe_),
      commands_(slots_, stalls_, groups_, gds_path_, termination_) {}

std::unique_ptr<ComputeUnitModel> ComputeUnitModel::make(const Config& config) {
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
  return std::make_unique<ComputeUnitModel>(config, std::move(parts));
}

void ComputeUnitModel::connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
                               cache::Cache::Port& scalar, cache::Cache::Port& instruction) {
  port_ = &waves;
  termination_.connect(waves);
  const auto cu = static_cast<uint16_t>(config_.index);
  memory_.connect(cu, vector, scalar, sequence_);
  fetch_.connect(cu, instruction, sequence_);
}

/// Parts inside first, on what was sent to them in earlier cycles; then answers, so that what they
/// free can be used in this cycle; then new instructions; requests last. Room that a memory path
/// makes can be used from the next cycle on.
void ComputeUnitModel::tick(Cycle now) {
  wakeup_.catch_up(now);
  slots_.begin_cycle(now);
  simds_.tick(now);
  if (lds_path_.tick(now)) slots_.make_room(now + 1);

  if (port_->launch.front(now) != nullptr) take_launches(now);
  if (std::min(port_->command.next_event(), debug.next_event()) <= now) take_commands(now);
  if (simds_.any_due()) vector_retirement_.take(now);
  lds_path_.take(now, answered_);
  if (!gds_path_.idle()) gds_path_.take(now, answered_);
  if (simds_.any_due()) matrix_retirement_.take(now);
  memory_.take(now, answered_);
  if (fetch_.arrived(now)) take_words(now);
  if (!answered_.empty()) take_answers();
  if (slots_.any_ending()) termination_.take_ended(now);
  if (slots_.occupied() != 0) sequencer_.take_turn(now);
  slots_.end_turn();

  if (!write_back_.idle()) send_rows(now);
  if (simds_.any_due()) matrix_retirement_.take_scheduled(now);
  lds_path_.send_transfer(now);
  if (memory_.send(now, answered_)) slots_.make_room(now + 1);
  if (const unsigned wave = fetch_.send(now); wave != Fetch::kNobody) {
    slots_.note_change(slots_[wave]);
    if (fetch_.faulted(wave)) slots_.wake(slots_[wave]);
  }
  simds_.settle(now);
}

void ComputeUnitModel::take_launches(Cycle now) {
  while (const spi::WaveLaunch* record = port_->launch.front(now)) {
    launcher_.launch(*record, now);
    port_->launch.drop(now);
  }
}

void ComputeUnitModel::take_commands(Cycle now) {
  for (auto* channel : {&port_->command, &debug}) {
    while (channel->front(now) != nullptr) commands_.execute(channel->pop(now), now);
  }
}

/// Instruction words.
void ComputeUnitModel::take_words(Cycle now) {
  fetch_.take(now);
  for (const unsigned wave : fetch_.woken()) slots_.wake(slots_[wave]);
}

void ComputeUnitModel::take_answers() {
  for (Operation* o : answered_) memory_retirement_.take_answer(*o);
  answered_.clear();
}

void ComputeUnitModel::send_rows(Cycle now) {
  write_back_.send(now, [this](const WriteBack::Row& row) {
    if (row.matrix != nullptr) {
      matrix_retirement_.take_written(row);
    } else if (row.last) {
      memory_retirement_.take_written(*row.operation);
    }
  });
}

Cycle ComputeUnitModel::next_event() const {
  const Cycle soon = slots_.now() + 1;
  if (!answered_.empty() || !write_back_.idle()) return soon;
  Cycle next = std::min(port_->launch.next_event(), port_->command.next_event());
  next = std::min(next, debug.next_event());
  next = std::min(next, std::min(lds_path_.next_event(), gds_path_.next_event()));
  next = std::min(next, std::min(memory_.next_event(), simds_.next_event()));
  if (next <= soon) return soon;
  next = std::min(next, std::min(fetch_.next_event(), termination_.next_event()));
  next = std::min(next, wakeup_.next_turn(soon));
  return std::max(next, soon);
}

void ComputeUnitModel::watch_requests(bool watched) {
  if (!watched) {
    memory_.watch(nullptr, nullptr);
    return fetch_.watch(nullptr, nullptr);
  }
  memory_.watch(
      [this](const Operation& o, const memory::MemReq& request) {
        probe_.tell_request(slots_[o.wave], o, request, slots_.now());
      },
      [this](const Operation& o, uint32_t sequence) {
        probe_.tell_answer(slots_[o.wave], o, sequence, slots_.now());
      });
  fetch_.watch(
      [this](unsigned wave, const memory::MemReq& request, uint64_t va, uint32_t bytes) {
        probe_.tell_fetch(slots_[wave], request, va, bytes, slots_.now());
      },
      [this](unsigned wave, uint32_t sequence) {
        probe_.tell_fetched(slots_[wave], sequence, slots_.now());
      });
}

std::vector<WaveReport> ComputeUnitModel::waves() const {
  std::vector<WaveReport> out;
  for (const WaveContext& w : slots_) {
    if (w.phase == Phase::Free) continue;
    WaveReport r = report_of(w);
    r.vm = w.vm;
    r.lgkm = w.lgkm;
    const Code* code = fetch_.known_head(w.index);
    r.instruction = code != nullptr ? isa::text(code->instruction()) : "(not fetched yet)";
    r.waits_for = waits_for(w) + fmt::format(" (vmcnt {}, lgkmcnt {}, valu {}, matrix {})", w.vm,
                                             w.lgkm, w.valu + (w.valu_until > slots_.now() ? 1 : 0),
                                             w.matrix.under_way());
    out.push_back(std::move(r));
  }
  return out;
}

std::string ComputeUnitModel::waits_for(const WaveContext& w) const {
  switch (w.phase) {
    case Phase::AtBarrier:
      return text_of(Stall::Barrier);
    case Phase::Ending:
      return w.sync != wave::SyncOp::None ? text_of(w.sync) : "outstanding memory before the end";
    default:
      if (is_halted(w)) return "a debugger (halted)";
      if (w.sync != wave::SyncOp::None) return text_of(w.sync);
      if (w.residency.stalled) return text_of(w.residency.stall);
      return fetch_.no_head_before(w.index) == kNever ? text_of(Stall::Fetch) : "its turn";
  }
}

std::vector<std::string> ComputeUnitModel::in_flight() const {
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
                              place_of(config_.index, slots_[o->wave], o->pc, o->instruction),
                              all - answered, all));
  }
  return out;
}

/// Puts the open cycles of a resident wave before `end` into their classes, in a copy.
Residency ComputeUnitModel::account_resident(const WaveContext& w, Cycle end, Counters& into,
                                             const ResidencyWatcher& tell) const {
  Residency r = w.residency;
  const auto account = [&](Cycle until) {
    if (tell) return account_and_tell(w, r, until, into, tell);
    r.account(until, w.ready_at, w.sleeping, into);
  };
  if (const Cycle turn = wakeup_.unseen_fetch(w, end); turn != kNever) {
    account(turn);
    r.stalled = true;
    r.stall = Stall::Fetch;
  }
  account(end);
  return r;
}

void ComputeUnitModel::tell_residents(Cycle now, const ResidencyWatcher& tell) const {
  Counters none;
  for (const WaveContext& w : slots_) {
    if (w.phase != Phase::Free) account_resident(w, std::max(now, slots_.now()), none, tell);
  }
}

ComputeUnit::Counters ComputeUnitModel::counters(Cycle now) const {
  const Cycle end = std::max(now, slots_.now());
  Counters c = statistics_.counters(end);
  for (const WaveContext& w : slots_) {
    if (w.phase == Phase::Free) continue;
    const Residency r = account_resident(w, end, c, nullptr);
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
  Detail& d = c.detail.emplace(statistics_.detail(end));
  const base::Occupancy& fetches = fetch_.under_way();
  d.fetches = {fetches.level(), fetches.item_time(end)};
  memory_.tell(d, end);
  return c;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) -> std::unique_ptr<ComputeUnit> {
    return ComputeUnitModel::make(config);
  });
}

}  // namespace cuvette::compute_unit
