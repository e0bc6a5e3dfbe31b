// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_device.h"

#include "ip/dut.h"
#include "isa/operands.h"
#include "valu/operations.h"

namespace cuvette::ip {
namespace {

/// Anything but 16-bit operands in low halves, or packed ones in both.
bool picks_halves(const isa::Row& row, const isa::Modifiers& m) {
  if (!row.has(isa::kOpSel)) return false;
  // V_MAD_MIX and V_FMA_MIX: OP_SEL_HI says which sources are halves at all, NEG_HI is abs.
  if (isa::is_mix(row)) return m.op_sel_hi != 0;
  if (m.op_sel != 0 || m.neg_hi != 0) return true;
  if (row.format != isa::Format::Vop3p) return false;
  unsigned sources = 0;
  while (sources < 3 && row.src[sources].type != isa::Type::None) ++sources;
  const unsigned all = (1u << sources) - 1;
  return (m.op_sel_hi & all) != all;
}

}  // namespace

bool has_valu_circuit(const PinDevice& device, isa::Target target, const isa::Row& row,
                      isa::Encoding encoding, const isa::Modifiers& m) {
  if (valu::operation_of(row, target) == valu::kNoOperation) return false;
  const bool sdwa = encoding == isa::Encoding::Sdwa;
  if (sdwa && (row.sdwa_targets >> isa::index_of(target) & 1) == 0) return false;
  const uint32_t modifiers =
      ((m.abs | m.neg) != 0 ? CUVETTE_DUT_SIGN : 0) | (m.omod != 0 ? CUVETTE_DUT_OMOD : 0) |
      (m.clamp ? CUVETTE_DUT_CLAMP : 0) | (picks_halves(row, m) ? CUVETTE_DUT_HALVES : 0) |
      (sdwa ? CUVETTE_DUT_SDWA : 0);
  return device.implements(row, modifiers);
}

}  // namespace cuvette::ip
