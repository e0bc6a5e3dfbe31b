// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/vector_port.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "wave/operand.h"

namespace cuvette::compute_unit {

using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using machine::Cycle;
using machine::kNever;

namespace {

/// Cycles of the issue port for an instruction that takes effect at issue.
unsigned cycles_of(const Code& code, const SimdUnit& unit) {
  uint16_t cycles = code.cycles.load(std::memory_order_relaxed);
  if (cycles == 0) {
    cycles = static_cast<uint16_t>(unit.simd->issue_cycles(code.instruction()));
    code.cycles.store(cycles, std::memory_order_relaxed);
  }
  return cycles;
}

}  // namespace

/// Our simd answers what the valu in it lacks where that is allowed; in another one there is
/// nobody.
std::string VectorPort::why_lacking(const Instruction& i, unsigned simd) const {
  const wave::StatusOf status = wave::status_of(*i.row, config_.target);
  if (status.status == wave::Status::Unsupported) return status.reason;
  const Implementations& chosen = config_.implementations;
  const bool ours = chosen.simd == "tlm" || (config_.simd_in_simd0_only && simd != 0);
  if (!ours) return fmt::format("simd implementation '{}' does not have it", chosen.simd);
  return fmt::format(
      "valu implementation '{}' does not have it, and fallbacks to ours are not allowed "
      "(--allow-fallback)",
      chosen.valu);
}

/// True if an instruction takes effect as soon as it is issued. The simd executes instructions that
/// micro-ops leave to the reference, and those that others observe or execute.
inline bool VectorPort::takes_effect(const WaveContext& w, const Code& code) const {
  if (!w.in_place || probe_.is_observed() || code.op.run == nullptr || !code.op.fits(w.state)) {
    return false;
  }
  const Operand& mask = code.instruction().dst[1];
  return mask.kind != OperandKind::Sgpr || wave::scalar_in_range(w.state, mask.index & ~1u, 2);
}

/// Registers, scalar results and exceptions are there now; who needs them waits for the retirement.
/// Exceptions can want no trap: MODE would have kept the micro-op away.
inline void VectorPort::execute(WaveContext& w, const Code& code, Cycle now) {
  SimdUnit& unit = simds_.of(w);
  write_back_.write_ahead(w.launch.simd, now);
  const unsigned cycles = cycles_of(code, unit);
  statistics_.count_vector(cycles, w.state.s.exec());
  statistics_.count_lanes(w.state.s.exec());
  unit.issue_free_at = now + cycles;
  w.valu_until = unit.issue_free_at + unit.pipeline_cycles - 1;
  if (code.scalar_result) w.scalar_until = w.valu_until;
  wave::Context context(w.state);
  context.use_constants(codes_.constants());
  code.op.run(code.op, w.state, context);
}

bool VectorPort::issue(WaveContext& w, const Code& code, Cycle now) {
  const Instruction& i = code.instruction();
  if (!stage_.matrix_results_ready(w, i, now)) return false;
  SimdUnit& unit = simds_.of(w);
  if (unit.issue_free_at > now) return stage_.block(w, Stall::Simd, unit.issue_free_at);
  const bool has_room = unit.simd->issue.can_push(now);
  if (takes_effect(w, code) && !(has_room && unit.simd->looks_at(i))) {
    const wave::Relative relative = relative_of(w);
    execute(w, code, now);
    probe_.tell_issue(w, i, w.state.s.pc, relative, w.valu_until, 0, now);
    stage_.move_behind(w, code, now + 1);
    return true;
  }
  if (!has_room) return stage_.block(w, Stall::Simd, now + 1);
  return send(w, code, now);
}

/// Into the simd, which has room.
bool VectorPort::send(WaveContext& w, const Code& code, Cycle now) {
  const Instruction& i = code.instruction();
  SimdUnit& unit = simds_.of(w);
  simds_.make_due(w.launch.simd);
  if (*code.refusal != 0) return stage_.refuse(w, i, code.refusal);
  if (!unit.simd->implements(*i.row, i.encoding, i.mod)) {
    return stage_.refuse(w, i, why_lacking(i, w.launch.simd));
  }
  const simd::Issue issue = message_of(w, i);
  VectorIssue v;
  v.id = issue.id;
  v.wave = w.index;
  v.pc = w.state.s.pc;
  v.order = w.order;
  v.exec = w.state.s.exec();
  v.instruction = &i;
  v.scalar_result = code.scalar_result;
  retirement_.start(w, std::move(v));
  const unsigned cycles = unit.simd->issue_cycles(i);
  statistics_.count_vector(cycles, issue.exec);
  unit.issue_free_at = now + cycles;
  unit.simd->issue.push(issue, now + 1);
  stage_.step(w, code, now, kNever);
  return true;
}

simd::Issue VectorPort::message_of(const WaveContext& w, const Instruction& i) {
  simd::Issue issue;
  issue.id = ids_.next();
  issue.slot = w.launch.slot;
  issue.instruction = i;
  issue.vgpr_base = w.launch.vgpr_base;
  issue.vgpr_count = w.launch.vgpr_count;
  issue.acc_base = w.launch.acc_base;
  issue.acc_count = w.launch.acc_count;
  issue.mode = w.state.s.mode.raw;
  issue.exec = w.state.s.exec();
  issue.m0 = w.state.s.m0();
  issue.wave = w.launch.id;
  issue.pc = w.state.s.pc;
  for (unsigned s = 0; s < std::size(i.src); ++s) {
    const Operand& o = i.src[s];
    if (o.kind == OperandKind::None || o.is_vector()) continue;
    if (o.type == isa::Type::Mask) {
      issue.mask_in = wave::read_scalar64(w.state, o);
    } else if (s < issue.scalar.size()) {
      issue.scalar[s] =
          o.dwords == 2 ? wave::read_scalar64(w.state, o) : wave::read_scalar32(w.state, o);
    }
  }
  for (const Operand& o : i.dst) {
    if (o.kind != OperandKind::Sgpr) continue;
    if (i.encoding == isa::Encoding::Dpp && o.type == isa::Type::Mask) {
      issue.mask_in = wave::read_scalar64(w.state, o);  // bits of it may stay
    }
    // One destination out of range suppresses them all (isa_notes 23).
    const bool mask = o.type == isa::Type::Mask;
    if (mask && i.dst[0].is_vector() && !wave::scalar_in_range(w.state, o.index & ~1u, 2)) {
      issue.exec = 0;
    }
  }
  return issue;
}

}  // namespace cuvette::compute_unit
