// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "isa/row.h"
#include "wave/lanes/host_level.h"
#include "wave/matrix.h"
#include "wave/matrix_host.h"

// Matrix instructions on every level of the host's vector unit against the reference: all rows,
// fields and patterns. wave_matrix_test and wave_sparse_test say what both have to give.
namespace cuvette::wave::testing {
namespace {

using lanes::HostLevel;

/// F32, F16, BF16 and bytes: zeros, subnormals, the largest, infinities and NaNs, and numbers whose
/// products do not fit into F32.
constexpr uint32_t kSpecialWords[] = {0x00000000, 0x80000000, 0x00000001, 0x83ff8001, 0x04000400,
                                      0x3c003f80, 0xbc01bf80, 0x7bff7f7f, 0xfbffff7f, 0x7c007f80,
                                      0xfc00ff80, 0x7e017fc1, 0x00800001, 0x80808080, 0x7f7f0101,
                                      0x5f805f80, 0x5f800000, 0x7f800000, 0xff800000, 0x7f800001};

/// Words whose elements of 8 or 16 bits, or which as F32, are any patterns, near 1 (F16 and F32),
/// or patterns with few bits: zeros, subnormals and special numbers.
uint32_t matrix_word(std::mt19937_64& random, unsigned kind) {
  const auto bits = static_cast<uint32_t>(random());
  switch (kind) {
    case 0:
      return bits;
    case 1:
      return (bits & 0x8fff8fff) | 0x30003000;
    case 2:
      return 0x3e000000 | (bits & 0x81ffffff);
    default:
      return kSpecialWords[bits % std::size(kSpecialWords)];
  }
}

/// Every matrix row with its modifiers on every level against the reference.
TEST(WaveMatrixLevels, GiveTheReferencesBits) {
  std::mt19937_64 random(20261121);
  constexpr unsigned kKinds = 4;
  unsigned compared = 0;
  for (const isa::Target target : isa::kAllTargets) {
    for (const isa::Row& row : isa::rows()) {
      const bool sparse = row.semantic == isa::SemanticId::v_smfmac;
      if ((!sparse && row.semantic != isa::SemanticId::v_mfma) || !row.on(target)) continue;
      for (unsigned n = 0; n < 3 * kKinds; ++n) {
        isa::Instruction i;
        i.row = &row;
        i.target = target;
        i.mod.blgp = static_cast<uint8_t>(row.matrix.blgp ? n % 8 : 0);
        i.mod.cbsz = static_cast<uint8_t>(row.matrix.cbsz_abid || sparse ? n % 3 : 0);
        i.mod.abid = static_cast<uint8_t>(row.matrix.cbsz_abid || sparse ? n % 4 : 0);
        std::vector<LaneRow> a(2), b(4), c(32), index(1);
        for (auto* rows : {&a, &b, &c, &index}) {
          for (LaneRow& r : *rows) {
            for (uint32_t& lane : r) lane = matrix_word(random, n % kKinds);
          }
        }
        const auto compute = [&](MatrixPath path) {
          std::vector<LaneRow> d = c;
          if (sparse) {
            compute_sparse_matrix({&i, a.data(), b.data(), index.data(), d.data()}, path);
          } else {
            compute_matrix({&i, a.data(), b.data(), d.data()}, path);
          }
          return d;
        };
        const std::vector<LaneRow> want = compute(MatrixPath::Reference);
        for (unsigned level = 0; level < 4; ++level) {
          lanes::limit_host_level(static_cast<HostLevel>(level));
          if (n % kKinds == 1 && lanes::host_level() >= HostLevel::Avx2) {
            std::vector<LaneRow> d = c;
            EXPECT_TRUE(sparse
                            ? host_sparse_matrix({&i, a.data(), b.data(), index.data(), d.data()})
                            : host_matrix({&i, a.data(), b.data(), d.data()}))
                << isa::row_id(row) << " is not computed by the host";
          }
          const std::vector<LaneRow> result = compute(MatrixPath::Host);
          lanes::limit_host_level(HostLevel::Avx512);
          ASSERT_EQ(want, result) << isa::row_id(row) << " kind " << n % kKinds << " level "
                                  << level << " on target " << static_cast<int>(target);
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, (20u + 27u + 32u + 14u) * 3 * kKinds * 4);
}

}  // namespace
}  // namespace cuvette::wave::testing
