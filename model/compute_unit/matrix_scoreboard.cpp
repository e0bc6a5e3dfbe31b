// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/matrix_scoreboard.h"

#include <algorithm>
#include <cassert>

#include "isa/hazard.h"

namespace cuvette::compute_unit {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using machine::Cycle;
using machine::kNever;
using matrix_core::kKeptRows;
using matrix_core::kRowsPerPass;

/// Clocks of a wait state.
constexpr Cycle kStateCycles = 4;

bool overlaps(const Operand& operand, const Operand& d) {
  return operand.is_vector() && operand.kind == d.kind && operand.index < d.index + d.dwords &&
         d.index < operand.index + std::max<unsigned>(operand.dwords, 1);
}

bool touches(const Instruction& i, const Operand& d, bool indexed) {
  const auto touched = [&](const Operand& o) {
    return (indexed && o.kind == OperandKind::Vgpr) || overlaps(o, d);
  };
  return std::any_of(std::begin(i.dst), std::end(i.dst), touched) ||
         std::any_of(std::begin(i.src), std::end(i.src), touched);
}

/// SrcC; the destination of V_SMFMAC.
const Operand& accumulator(const Instruction& i) {
  return i.row->has(isa::kSparse) ? i.dst[0] : i.src[2];
}

/// SrcA, SrcB and the index of V_SMFMAC: they come from the register file.
bool reads_as_factor(const Instruction& i, const Operand& d) {
  return overlaps(i.src[0], d) || overlaps(i.src[1], d) ||
         (i.row->has(isa::kSparse) && overlaps(i.src[2], d));
}

Cycle distance(const Instruction& first, const Instruction& second) {
  return kStateCycles * (1 + isa::result_wait_states(first, second));
}

}  // namespace

void MatrixScoreboard::issue(uint32_t id, const Instruction& instruction, Cycle now) {
  forget(now);
  results_.push_back({&instruction, id, now, 0});
  ++under_way_;
}

void MatrixScoreboard::row_written(uint32_t id) {
  const auto result =
      std::find_if(results_.begin(), results_.end(), [id](const Result& r) { return r.id == id; });
  assert(result != results_.end());
  if (++result->written == result->d().dwords) --under_way_;
}

bool MatrixScoreboard::will_write(OperandKind kind, unsigned index) const {
  if (under_way_ == 0) return false;
  return std::any_of(results_.begin(), results_.end(), [&](const Result& r) {
    return kind == r.d().kind && index >= r.d().index + r.written &&
           index < unsigned{r.d().index} + r.d().dwords;
  });
}

void MatrixScoreboard::forget(Cycle now) {
  std::erase_if(results_, [now](const Result& r) {
    return r.complete() && r.issued + kStateCycles * (1 + isa::kMostWaitStates) <= now;
  });
}

Cycle MatrixScoreboard::ready(const Instruction& instruction, bool indexed, Cycle now) {
  if (results_.empty()) return 0;
  forget(now);
  Cycle ready = 0;
  for (const Result& r : results_) {
    if (!touches(instruction, r.d(), indexed)) continue;
    if (!r.complete()) return kNever;
    ready = std::max(ready, r.issued + distance(*r.instruction, instruction));
  }
  return ready;
}

Cycle MatrixScoreboard::matrix_ready(const Instruction& instruction, const Recent& recent,
                                     Cycle now, Forwarding& forwarding) {
  forget(now);
  const Operand& c = accumulator(instruction);
  Cycle ready = 0;
  for (const Result& r : results_) {
    const bool factor = reads_as_factor(instruction, r.d());
    if (factor && !r.complete()) return kNever;
    if (!factor && !overlaps(c, r.d())) continue;  // D alone: results come in order
    ready = std::max(ready, r.issued + distance(*r.instruction, instruction));
  }
  return forward(c, recent, forwarding) ? ready : kNever;
}

/// False when a row of C is neither in the register file nor one that the matrix core keeps.
bool MatrixScoreboard::forward(const Operand& c, const Recent& recent,
                               Forwarding& forwarding) const {
  forwarding.row.fill(-1);
  if (under_way_ == 0 || !c.is_vector()) return true;
  for (unsigned r = 0; r < c.dwords; ++r) {
    Operand row = c;
    row.index = static_cast<uint16_t>(c.index + r);
    row.dwords = 1;
    const auto last =
        std::find_if(results_.rbegin(), results_.rend(),
                     [&row](const Result& result) { return overlaps(row, result.d()); });
    if (last == results_.rend()) continue;
    const unsigned of_d = row.index - last->d().index;
    if (of_d < last->written) continue;
    const unsigned rows = last->d().dwords;
    const bool from_last = last->id == recent[0] && of_d + kKeptRows >= rows;
    const bool from_older = last->id == recent[1] && rows <= kKeptRows && of_d >= r;
    if (!from_last && !from_older) return false;
    const uint8_t from = from_last ? 0 : 1;
    uint8_t& from_of_pass = forwarding.from[r / kRowsPerPass];
    const bool second = r % kRowsPerPass != 0 && forwarding.forwards(r - 1);
    if (second && from_of_pass != from) return false;
    from_of_pass = from;
    forwarding.row[r] = static_cast<int8_t>(of_d);
  }
  return true;
}

}  // namespace cuvette::compute_unit
