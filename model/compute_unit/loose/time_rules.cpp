// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/loose/time_rules.h"

#include <algorithm>
#include <iterator>

#include "compute_unit/loose/token_rate.h"
#include "isa/registers.h"
#include "isa/tables.h"
#include "matrix_core/computation.h"
#include "wave/formats.h"

namespace cuvette::compute_unit::loose {

using isa::Format;
using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using isa::SemanticId;
using isa::Unit;

namespace {

/// Scalar instructions that name EXEC, and those that always write it.
bool changes_exec(const Instruction& i) {
  if (i.row->has(isa::kWritesExec)) return true;
  return std::any_of(std::begin(i.dst), std::end(i.dst), [](const Operand& o) {
    return o.kind == OperandKind::Sgpr && o.index <= isa::kExecHi &&
           o.index + std::max<unsigned>(o.dwords, 1) > isa::kExecLo;
  });
}

bool writes_scalars(const Instruction& i) {
  return std::any_of(std::begin(i.dst), std::end(i.dst),
                     [](const Operand& o) { return o.kind == OperandKind::Sgpr; });
}

bool names_accumulators(const Instruction& i) {
  const auto names = [](const Operand& o) { return o.kind == OperandKind::Agpr; };
  return std::any_of(std::begin(i.src), std::end(i.src), names) ||
         std::any_of(std::begin(i.dst), std::end(i.dst), names);
}

bool is_double(const isa::Row& row) {
  const auto wide = [](const isa::OperandSpec& o) { return o.type == isa::Type::F64; };
  return std::any_of(std::begin(row.src), std::end(row.src), wide) ||
         std::any_of(std::begin(row.dst), std::end(row.dst), wide);
}

}  // namespace

TimeRules::TimeRules(const Config& c)
    : target_(c.target),
      timing_(c.timing),
      turn_(std::max(1u, c.simds)),
      branch_(std::max(turn_, c.timing.branch_cycles)),
      vector_latency_(std::max(c.simd.valu.latency_cycles, c.timing.valu_cycles)),
      lds_latency_(c.lds.latency_cycles),
      lds_lanes_(std::max(1u, c.lds.lanes_per_cycle)) {}

StepEnd TimeRules::end_of(const Instruction& i) {
  if (i.semantic() == SemanticId::s_waitcnt) return StepEnd::Wait;
  if (!wave::is_memory(i.row->format)) return StepEnd::None;
  if (i.row->format == Format::Smem) return StepEnd::Scalar;
  return i.row->format == Format::Ds ? StepEnd::Lds : StepEnd::Vector;
}

InstructionTime TimeRules::of(const Instruction& i) const {
  InstructionTime t;
  t.issue = turn_;
  t.changes_exec = changes_exec(i);
  switch (i.row->unit) {
    case Unit::Valu:
    case Unit::Trans: {
      t.vector = i.row->unit == Unit::Trans ? timing_.transcendental_cycles
                 : is_double(*i.row)        ? timing_.double_cycles
                                            : timing_.valu_cycles;
      t.result = vector_latency_ + t.vector - std::min(t.vector, timing_.valu_cycles);
      t.scalar_result = writes_scalars(i) || t.changes_exec;
      t.takes_results = names_accumulators(i);
      break;
    }
    case Unit::Matrix:
      t.matrix = matrix_core::occupancy_of(*i.row, target_);
      t.result = matrix_core::latency_of(*i.row, target_);
      break;
    case Unit::Branch:
      t.issue = branch_;
      break;
    default:
      t.issue = std::max(turn_, timing_.salu_cycles);
      t.scalar = i.row->unit == Unit::Salu || i.row->unit == Unit::Smem ? turn_ : 0;
      break;
  }
  if (i.semantic() == SemanticId::s_nop) {
    t.issue = std::max(t.issue, ((i.words[0] & 15) + 1) * timing_.valu_cycles);
  }
  if (wave::is_memory(i.row->format)) {
    t.issue = turn_;
    t.takes_results = i.row->format != Format::Smem;
  }
  return t;
}

void Share::add(uint32_t at, uint32_t cost) {
  if (cost == 0) return;
  if (cycles == 0) first = at;
  cycles += cost;
  last = at;
  last_cycles = cost;
}

void Step::add(const InstructionTime& t) {
  ++instructions;
  if (t.takes_results) cycles = std::max({cycles, vector_result, matrix_result});
  last = cycles;
  if (t.matrix != 0) {
    matrix_result = std::max(matrix_result, cycles + t.result);
  } else if (t.result != 0) {
    vector_result = std::max(vector_result, cycles + t.result);
    ++lanes;
  }
  vector.add(cycles, t.vector);
  scalar.add(cycles, t.scalar);
  matrix.add(cycles, t.matrix);
  cycles += t.scalar_result ? std::max(t.issue, t.result) : t.issue;
}

std::vector<Step> TimeRules::steps_of(const wave::Program::Block& block,
                                      const std::vector<const Instruction*>& instructions) const {
  std::vector<Step> steps;
  Step step;
  uint32_t done = 0, micro_ops = 0;
  uint32_t left = 0;  // instructions of the micro-op at hand that are still to come
  const auto close = [&](StepEnd end, const Instruction* last) {
    step.end = end;
    step.instruction = last;
    step.micro_ops = micro_ops;
    step.instructions = done;
    steps.push_back(step);
    step = {};
  };
  for (const Instruction* i : instructions) {
    const InstructionTime time = of(*i);
    const bool access = wave::is_memory(i->row->format);  // waits at the end of its step
    if (time.takes_results && !access) {
      if (step.cycles != 0) close(StepEnd::None, nullptr);
      step.takes_results = true;
    }
    if (left == 0 && micro_ops < block.straight.size()) {
      left = block.straight[micro_ops++].instructions;
    }
    if (left != 0) --left;
    step.add(time);
    ++done;
    const StepEnd end = end_of(*i);
    if (end != StepEnd::None || time.changes_exec) close(end, i);
  }
  if (step.cycles != 0) close(StepEnd::None, nullptr);
  return steps;
}

uint64_t TimeRules::lds_share() const {
  constexpr uint64_t kAnswers = 4;  // lds::Lds::response
  return lds_latency_ * uint64_t{TokenRate::kUnit} / kAnswers;
}

uint32_t TimeRules::lds_cycles(const Instruction& i) const {
  uint32_t dwords = 0;
  for (const isa::OperandSpec& o : i.row->dst) dwords = std::max<uint32_t>(dwords, o.dwords);
  for (const isa::OperandSpec& o : i.row->src) {
    const bool data = o.role == isa::Role::Data0 || o.role == isa::Role::Data1;
    if (data) dwords = std::max<uint32_t>(dwords, o.dwords);
  }
  const uint32_t pass = (wave::kLanes + lds_lanes_ - 1) / lds_lanes_;
  return pass * std::max(1u, dwords);
}

}  // namespace cuvette::compute_unit::loose
