// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace cuvette::isa {

/// Register files as an instruction names them. Scalar: the codes of registers.h, so VCC is 106 and
/// 107, M0 124, EXEC 126 and 127. Scc: the one condition bit.
enum class RegisterFile : uint8_t { Vgpr, Agpr, Scalar, Scc };

/// `count` registers from `first`.
struct RegisterRange {
  RegisterFile file = RegisterFile::Vgpr;
  /// Registers of one lane (vector files), dwords (scalar), or 1 (Scc).
  uint8_t count = 0;
  uint16_t first = 0;  ///< register number, or scalar code
  /// True if both have a register of one file in common.
  bool overlaps(const RegisterRange& other) const {
    return file == other.file && first < other.first + other.count && other.first < first + count;
  }
  bool operator==(const RegisterRange& o) const {
    return file == o.file && count == o.count && first == o.first;
  }
};

/// Registers an instruction reads or writes, operands first, then implied ones. No order beyond
/// that; a register may be in two ranges.
struct RegisterSet {
  static constexpr unsigned kMost = 12;  ///< ranges; add() drops what exceeds them
  RegisterRange ranges[kMost];
  uint8_t count = 0;  ///< ranges in use

  const RegisterRange* begin() const { return ranges; }
  const RegisterRange* end() const { return ranges + count; }
  void add(RegisterRange range);  ///< empty ranges are left out
  bool overlaps(const RegisterRange& range) const;
  bool overlaps(const RegisterSet& other) const;
};

/// Registers read: sources, accumulators, destinations of which a part is kept (SDWA preserve, D16
/// loads, 16-bit halves by op_sel), and what the row implies (EXEC, VCC, SCC, M0, FLAT_SCRATCH).
RegisterSet registers_read(const Instruction& instruction);
/// Registers that are read before the instruction is under way: not the destination of a load of
/// which a part is kept, to which the data is added when it comes.
RegisterSet registers_fetched(const Instruction& instruction);
/// Registers written: destinations and what the row implies.
RegisterSet registers_written(const Instruction& instruction);

/// Rows whose OP_SEL_HI says which sources are halves, and whose abs bits sit in the place of
/// NEG_HI: V_MAD_MIX*, V_FMA_MIX*.
bool is_mix(const Row& row);

}  // namespace cuvette::isa
