// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <gtest/gtest.h>

#include "wave/vector.h"
#include "wave_valu_support.h"

// The register side of the vector ALU: operands, DPP, SDWA, masks, lane moves.
namespace cuvette::wave {
namespace {

using test::Case;
using test::kAllLanes;

bool is_vop(const isa::Row& row) {
  using isa::Format;
  switch (row.format) {
    case Format::Vop1:
    case Format::Vop2:
    case Format::Vopc:
    case Format::Vop3a:
    case Format::Vop3b:
    case Format::Vop3p:
      return true;
    default:
      return false;
  }
}

TEST(VectorCoverage, RowsWithSemantics) {
  unsigned all = 0, have = 0;
  for (const isa::Row& row : isa::rows()) {
    if (!is_vop(row) || row.has(isa::kGraphicsOnly)) continue;
    if (row.semantic == isa::SemanticId::v_accvgpr_mov_b32) continue;  // the matrix unit's
    ++all;
    if (has_vector_semantics(row.semantic)) {
      ++have;
    } else {
      std::printf("  absent: %s\n", std::string(row.mnemonic).c_str());
    }
  }
  std::printf("semantics: %u of %u VALU rows\n", have, all);
  EXPECT_GE(have, 400u);
}

}  // namespace
}  // namespace cuvette::wave
