// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

/// Operation codes of the vector ALU (rtl/valu/valu_ops.csv).
namespace cuvette::valu {

/// An instruction that has an operation code.
struct Operation {
  std::string_view mnemonic;
  isa::Format format;
  uint16_t code;    ///< unit in the upper five bits, function in the lower five
  uint8_t targets;  ///< bit per isa::Target that has it

  constexpr bool on(isa::Target target) const {
    return (targets >> isa::index_of(target) & 1) != 0;
  }
};

/// Code of no operation.
inline constexpr uint16_t kNoOperation = 0x3ff;

/// All of the table, in its order.
const std::vector<Operation>& operations();
/// Code of a row on a target; kNoOperation when the target lacks it.
uint16_t operation_of(const isa::Row& row, isa::Target target);

/// Code of a row by its number, whatever the target; kNoOperation without one.
uint16_t operation_of(uint16_t row);
/// Number of the first row with a code: rows that share a code compute the same. For a code that no
/// row has: that code and bit 15, which operation_of() gives back.
uint16_t row_of(uint16_t code);
inline constexpr uint16_t kUnknownRow = 0x8000;

/// The modifiers of an instruction that change what the ALU computes, neutral where the row or the
/// encoding has none: OP_SEL and NEG_HI without effect are 0, SDWA selects are dwords.
isa::Modifiers modifiers_of(const isa::Row& row, isa::Encoding encoding,
                            const isa::Modifiers& modifiers);
/// Sdwa when one of them selects a part of a dword, otherwise Vop3.
isa::Encoding encoding_of(const isa::Modifiers& modifiers);

}  // namespace cuvette::valu
