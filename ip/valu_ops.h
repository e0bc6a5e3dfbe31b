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
  uint16_t code;  ///< unit in the upper five bits, function in the lower five
};

/// No operation of the RTL.
inline constexpr uint16_t kNoValuOp = 0x3ff;

const std::vector<ValuOp>& valu_ops();
/// kNoValuOp when the RTL lacks it.
uint16_t valu_op(std::string_view mnemonic, isa::Format format);

}  // namespace cuvette::ip
