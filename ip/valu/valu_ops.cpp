// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_ops.h"

namespace cuvette::ip {

const std::vector<ValuOp>& valu_ops() {
  static const std::vector<ValuOp> ops = {
#include "ip/valu_ops.inc"
  };
  return ops;
}

uint16_t valu_op(const isa::Row& row, isa::Target target) {
  for (const ValuOp& op : valu_ops()) {
    if (op.format == row.format && op.mnemonic == row.mnemonic) {
      return op.on(target) ? op.code : kNoValuOp;
    }
  }
  return kNoValuOp;
}

}  // namespace cuvette::ip
