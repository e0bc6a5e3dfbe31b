// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "wave/lanes/plain.h"
#include "wave/prepared.h"

// Rows done for lane 0 alone, for all lanes: when EXEC is full and each source and the result are
// what SteadyCode::Register says (wave/steady.h). They decline when a lane would wrap around, or
// when lanes would differ in what is the same for all of them.
namespace cuvette::wave::lanes {

enum class Lane0Kind : uint8_t {
  None,
  Sum,      ///< of sources, modulo 2^32, some of them shifted left by a constant
  PairSum,  ///< the same modulo 2^64: the low half may have a stride, the high one has none
  Join,     ///< as Sum, by V_OR of what has no bit in common
  Sign,     ///< 0 or -1, of a source with any stride
  Mask,     ///< V_AND of a number that has no other bits
  Compare,  ///< a mask: of a register or pair and what all lanes have alike
};

struct Lane0Row {
  Lane0Kind kind = Lane0Kind::None;
  Prepared::Run run = nullptr;
  static constexpr int8_t kStill = -1;
  /// Per source: its stride, shifted left by so much, is that of the result. kStill: it has none.
  int8_t shift[3] = {kStill, kStill, kStill};
};
/// `run` wants Prepared::stride: the result's, or that of the source (Sign, Compare).
Lane0Row lane0_row(const Prepared& prepared);
/// Of Lane0Row::run; None for other rows.
Lane0Kind lane0_kind(Prepared::Run run);

/// What a row of kind Compare asks: number op bound.
struct Lane0Compare {
  IntegerCompare asks;
  unsigned number = 0, bound = 1;  ///< sources
};
std::optional<Lane0Compare> lane0_compare_of(const Prepared& prepared);

/// The operands of a row of kind Join: what is shifted, and what has to be below its bits.
struct Lane0Join {
  uint32_t above = 0, below = 0;
};
Lane0Join lane0_join_of(const Prepared& prepared, const WaveState& wave);

/// A source, which is two registers or codes.
uint32_t lane0_word(const Prepared& p, const WaveState& wave, unsigned s);
uint64_t lane0_pair(const Prepared& p, const WaveState& wave, unsigned s);

/// Whether two numbers are as asked.
template <class T>
bool holds(CompareOp op, T a, T b) {
  switch (op) {
    case CompareOp::Lt:
      return a < b;
    case CompareOp::Eq:
      return a == b;
    case CompareOp::Le:
      return a <= b;
    case CompareOp::Gt:
      return a > b;
    case CompareOp::Ne:
      return a != b;
    case CompareOp::Ge:
      break;
  }
  return a >= b;
}

}  // namespace cuvette::wave::lanes
