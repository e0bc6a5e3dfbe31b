// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/instruction.h"
#include "isa/tables.h"

namespace cuvette::isa::test {

/// The literals of plain instructions: no inline constant has their value.
inline constexpr uint32_t kPlainLiteral = 0x1234567;
inline constexpr uint32_t kPlainHalfLiteral = 0x4567;

/// Builds legal instructions of one row in one encoding: a plain one, one for each corner of each
/// operand's register class and constants, and one for each modifier bit that the row has.
class Builder {
 public:
  Builder(const Row& row, Target target, Encoding encoding);

  bool exists() const { return exists_; }
  /// Instructions, not encoded yet; the plain one first.
  std::vector<Instruction> instructions() const;
  /// Encoded variants of an encoded instruction: each bit that belongs to no operand, inverted,
  /// where the result is legal. `all` false: only a few, to keep the count down.
  std::vector<Instruction> variants(const Instruction& base, bool all) const;

 private:
  Instruction plain() const;
  void set_plain(const OperandSpec& spec, unsigned position, Operand& operand) const;
  std::vector<Operand> corners(const OperandSpec& spec) const;
  bool reads_vcc() const;
  unsigned even(unsigned index, unsigned dwords) const;

  const Row& row_;
  Target target_;
  Encoding encoding_;
  bool exists_ = false;
};

}  // namespace cuvette::isa::test
