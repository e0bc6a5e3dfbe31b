// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu/operations.h"

#include <array>

namespace cuvette::valu {
namespace {

constexpr uint16_t kCodeMask = 0x3ff;

struct Codes {
  std::vector<uint16_t> of_row;                ///< by row
  std::array<uint16_t, kCodeMask + 1> rows{};  ///< by code

  Codes() {
    for (unsigned code = 0; code < rows.size(); ++code) {
      rows[code] = static_cast<uint16_t>(kUnknownRow | code);
    }
    for (const isa::Row& row : isa::rows()) {
      uint16_t code = kNoOperation;
      for (const Operation& o : operations()) {
        if (o.format == row.format && o.mnemonic == row.mnemonic) code = o.code;
      }
      if (code != kNoOperation && rows[code] >= kUnknownRow) {
        rows[code] = static_cast<uint16_t>(isa::index_of(row));
      }
      of_row.push_back(code);
    }
  }
};

const Codes& codes() {
  static const Codes all;
  return all;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
#include "valu/valu_ops.inc"
  };
  return all;
}

uint16_t operation_of(const isa::Row& row, isa::Target target) {
  for (const Operation& o : operations()) {
    if (o.format == row.format && o.mnemonic == row.mnemonic) {
      return o.on(target) ? o.code : kNoOperation;
    }
  }
  return kNoOperation;
}

uint16_t operation_of(uint16_t row) {
  if (row >= kUnknownRow) return row & kCodeMask;
  return row < codes().of_row.size() ? codes().of_row[row] : kNoOperation;
}

uint16_t row_of(uint16_t code) {
  return codes().rows[code & kCodeMask];
}

isa::Modifiers modifiers_of(const isa::Row& row, isa::Encoding encoding,
                            const isa::Modifiers& modifiers) {
  isa::Modifiers m = modifiers;
  if (!row.has(isa::kOpSel)) m.op_sel = m.op_sel_hi = m.neg_hi = 0;
  if (encoding != isa::Encoding::Sdwa) {
    m.sext = 0;
    m.sdwa_src[0] = m.sdwa_src[1] = m.sdwa_dst = isa::SdwaSelect::Dword;
    m.sdwa_unused = isa::SdwaUnused::Pad;
  }
  return m;
}

isa::Encoding encoding_of(const isa::Modifiers& m) {
  constexpr auto kWhole = isa::SdwaSelect::Dword;
  const bool whole =
      m.sdwa_src[0] == kWhole && m.sdwa_src[1] == kWhole && m.sdwa_dst == kWhole && m.sext == 0;
  return whole ? isa::Encoding::Vop3 : isa::Encoding::Sdwa;
}

}  // namespace cuvette::valu
