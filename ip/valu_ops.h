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
  uint8_t code;  ///< unit in the upper four bits, function in the lower four
};

/// No operation of the RTL.
inline constexpr uint8_t kNoValuOp = 0xff;

const std::vector<ValuOp>& valu_ops();
/// kNoValuOp when the RTL lacks it.
uint8_t valu_op(std::string_view mnemonic, isa::Format format);

}  // namespace cuvette::ip
