// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/row.h"

namespace cuvette::ip {

/// One instruction of rtl/valu/valu_ops.csv.
struct ValuOp {
  std::string_view mnemonic;
  isa::Format format;
  uint16_t code;    ///< unit in the upper five bits, function in the lower five
  uint8_t targets;  ///< bit per isa::Target whose RTL has it

  constexpr bool on(isa::Target target) const {
    return (targets >> isa::index_of(target) & 1) != 0;
  }
};

/// No operation of the RTL.
inline constexpr uint16_t kNoValuOp = 0x3ff;

const std::vector<ValuOp>& valu_ops();
/// Of a row on a target; kNoValuOp when the RTL of the target lacks it.
uint16_t valu_op(const isa::Row& row, isa::Target target);

}  // namespace cuvette::ip
