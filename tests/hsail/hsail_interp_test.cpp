// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "hsail/inst_table.h"
#include "hsail_case.h"

// Arithmetic, bit, move, compare and convert instructions against values worked out by hand from
// the HSAIL PRM. The memory instructions are in hsail_memory_test.cpp, the rest in
// hsail_dispatch_test.cpp.
namespace cuvette::hsail {
namespace {

using namespace testing;

/// At the end of a complete run every row of the table has been checked by some test.
class EveryRowIsCovered : public ::testing::Environment {
 public:
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*") return;
    for (const InstRow& row : inst_rows()) {
      EXPECT_EQ(Ledger::covered().count(row.id), 1u) << row.id << " " << name(row.opcode);
    }
    constexpr auto kRowsOfTheChecklist = 261;  // never fewer
    EXPECT_GE(std::count_if(Ledger::covered().begin(), Ledger::covered().end(),
                            [](const std::string& id) { return id.compare(0, 3, "HI-") == 0; }),
              kRowsOfTheChecklist);
  }
};

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new Ledger("hsail_interp_test"));
const auto* const kRows = ::testing::AddGlobalTestEnvironment(new EveryRowIsCovered);

TEST(Interp, IntegerArithmetic) {
  const Case cases[] = {
      {"HI-001", "abs_s32 $s8, $s0;", {kM1}, 's', 1},
      {"HI-001", "abs_s32 $s8, $s0;", {kMin32}, 's', kMin32},  // wraps to itself
      {"HI-001", "abs_s64 $d8, $d0;", {0xfffffffffffffff9}, 'd', 7},
      {"HI-002", "add_u32 $s8, $s0, $s1;", {0xffffffff, 2}, 's', 1},
      {"HI-002", "add_s64 $d8, $d0, $d1;", {0xffffffff, 1}, 'd', 0x100000000},
      {"HI-002", "add_u64 $d8, $d0, -1;", {5}, 'd', 4},
      {"HI-002", "add_sat_u32 $s8, $s0, $s1;", {0xfffffff0, 0x20}, 's', 0xffffffff},
      {"HI-002", "add_sat_s32 $s8, $s0, $s1;", {0x7fffffff, 1}, 's', 0x7fffffff},
      {"HI-002", "add_sat_s32 $s8, $s0, $s1;", {kMin32, kM1}, 's', kMin32},
      {"HI-002", "add_sat_u64 $d8, $d0, $d1;", {kAll64, 1}, 'd', kAll64},
      {"HI-002", "add_sat_s64 $d8, $d0, $d1;", {kMin64, kAll64}, 'd', kMin64},
      // 8 bits: the low bytes count, the clamped sum is extended to 32 bits.
      {"HI-002", "add_sat_s8 $s8, $s0, $s1;", {0x17f, 1}, 's', 0x7f},
      {"HI-002", "add_sat_s8 $s8, $s0, $s1;", {0x80, 0xff}, 's', 0xffffff80},
      {"HI-002", "add_sat_u16 $s8, $s0, $s1;", {0xffff, 1}, 's', 0xffff},
      {"HI-003", "borrow_u32 $s8, $s0, $s1;", {1, 2}, 's', 1},
      {"HI-003", "borrow_s32 $s8, $s0, $s1;", {kM1, 1}, 's', 0},  // unsigned comparison
      {"HI-003", "borrow_u64 $d8, $d0, $d1;", {2, 2}, 'd', 0},
      {"HI-004", "carry_u32 $s8, $s0, $s1;", {0xffffffff, 1}, 's', 1},
      {"HI-004", "carry_s64 $d8, $d0, $d1;", {kAll64, 1}, 'd', 1},
      {"HI-004", "carry_u32 $s8, $s0, $s1;", {0x7fffffff, 1}, 's', 0},
      {"HI-005", "div_s32 $s8, $s0, $s1;", {0xfffffff9, 2}, 's', 0xfffffffd},  // -7/2 = -3
      {"HI-005", "div_u32 $s8, $s0, $s1;", {0xfffffff9, 2}, 's', 0x7ffffffc},
      {"HI-005", "div_s64 $d8, $d0, $d1;", {0xfffffffffffffff9, 0xfffffffffffffffe}, 'd', 3},
      {"HI-005", "div_u64 $d8, $d0, 10;", {12345678901234}, 'd', 1234567890123},
      {"HI-006", "max_s32 $s8, $s0, $s1;", {kM1, 1}, 's', 1},
      {"HI-006", "max_u32 $s8, $s0, $s1;", {kM1, 1}, 's', kM1},
      {"HI-006", "max_s64 $d8, $d0, $d1;", {kAll64, 0}, 'd', 0},
      {"HI-006", "max_u64 $d8, $d0, $d1;", {kAll64, 0}, 'd', kAll64},
      {"HI-007", "min_s32 $s8, $s0, $s1;", {kM1, 1}, 's', kM1},
      {"HI-007", "min_u32 $s8, $s0, $s1;", {kM1, 1}, 's', 1},
      {"HI-007", "min_s64 $d8, $d0, $d1;", {kMin64, 0}, 'd', kMin64},
      {"HI-008", "mul_u32 $s8, $s0, $s1;", {0x10001, 0x10001}, 's', 0x20001},
      {"HI-008", "mul_s32 $s8, $s0, $s1;", {0xfffffffd, 5}, 's', 0xfffffff1},  // -15
      {"HI-008", "mul_u64 $d8, $d0, $d1;", {0x100000001, 0x100000001}, 'd', 0x200000001},
      {"HI-009", "mulhi_u32 $s8, $s0, $s1;", {0xffffffff, 0xffffffff}, 's', 0xfffffffe},
      {"HI-009", "mulhi_s32 $s8, $s0, $s1;", {kM1, kM1}, 's', 0},  // -1 * -1 = 1
      {"HI-009", "mulhi_s32 $s8, $s0, $s1;", {kM1, 1}, 's', kM1},
      {"HI-009", "mulhi_u64 $d8, $d0, $d1;", {kAll64, 2}, 'd', 1},
      {"HI-009", "mulhi_s64 $d8, $d0, $d1;", {kMin64, 2}, 'd', kAll64},
      {"HI-010", "neg_s32 $s8, $s0;", {5}, 's', 0xfffffffb},
      {"HI-010", "neg_s32 $s8, $s0;", {kMin32}, 's', kMin32},
      {"HI-010", "neg_s64 $d8, $d0;", {1}, 'd', kAll64},
      {"HI-011", "rem_s32 $s8, $s0, $s1;", {0xfffffff9, 3}, 's', 0xffffffff},  // -7 rem 3 = -1
      {"HI-011", "rem_s32 $s8, $s0, $s1;", {7, 0xfffffffd}, 's', 1},           // 7 rem -3 = 1
      {"HI-011", "rem_u32 $s8, $s0, $s1;", {0xfffffff9, 10}, 's', 9},          // 4294967289
      {"HI-011", "rem_u64 $d8, $d0, 1000;", {123456789012345}, 'd', 345},
      {"HI-012", "sub_u32 $s8, $s0, $s1;", {1, 2}, 's', 0xffffffff},
      {"HI-012", "sub_sat_u32 $s8, $s0, $s1;", {1, 2}, 's', 0},
      {"HI-012", "sub_sat_s32 $s8, $s0, $s1;", {kMin32, 1}, 's', kMin32},
      {"HI-012", "sub_sat_u8 $s8, $s0, $s1;", {0x105, 6}, 's', 0},
      {"HI-012", "sub_s64 $d8, $d0, $d1;", {0, 1}, 'd', kAll64},
      {"HI-012",
       "sub_sat_s64 $d8, $d0, $d1;",
       {0x7fffffffffffffff, kAll64},
       'd',
       0x7fffffffffffffff},
      {"HI-021", "mad_u32 $s8, $s0, $s1, $s2;", {0x10000, 0x10000, 7}, 's', 7},
      {"HI-021",
       "mad_s64 $d8, $d0, $d1, $d2;",
       {3, 0xfffffffffffffffc, 2},
       'd',
       0xfffffffffffffff6},
      {"HI-021", "mad_sat_s32 $s8, $s0, $s1, $s2;", {0x10000, 0x10000, 0}, 's', 0x7fffffff},
      // The product alone is out of range, the sum is not: -(2^31) - 2^31 + ... uses the exact
      // value.
      {"HI-021", "mad_sat_s32 $s8, $s0, $s1, $s2;", {0x7fffffff, 2, kMin32}, 's', 0x7ffffffe},
      {"HI-021", "mad_sat_u64 $d8, $d0, $d1, $d2;", {kAll64, kAll64, kAll64}, 'd', kAll64},
      {"HI-021", "mad_sat_u8 $s8, $s0, $s1, $s2;", {16, 16, 1}, 's', 0xff},
      {"HI-022", "mad24_u32 $s8, $s0, $s1, $s2;", {0xffffff, 0xffffff, 1}, 's', 0xfe000002},
      {"HI-022", "mad24_s32 $s8, $s0, $s1, $s2;", {0xff800000, 2, 5}, 's', 0xff000005},
      {"HI-023", "mad24hi_u32 $s8, $s0, $s1, $s2;", {0xffffff, 0xffffff, 1}, 's', 0x10000},
      {"HI-024", "mul24_u32 $s8, $s0, $s1;", {0xffffff, 0xffffff}, 's', 0xfe000001},
      {"HI-024", "mul24_s32 $s8, $s0, $s1;", {kM1, 3}, 's', 0xfffffffd},
      {"HI-025",
       "mul24hi_u32 $s8, $s0, $s1;",
       {0xffffff, 0xffffff},
       's',
       0xffff},  // 0xfffffe000001
      {"HI-025", "mul24hi_s32 $s8, $s0, $s1;", {kM1, 1}, 's', 0xffffffff},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, ShiftsAndBits) {
  const Case cases[] = {
      {"HI-026 HL-183", "shl_u32 $s8, $s0, $s1;", {1, 33}, 's', 2},  // count masked to 5 bits
      {"HI-026", "shl_s64 $d8, $d0, $s1;", {1, 40}, 'd', uint64_t{1} << 40},
      {"HI-026", "shl_u64 $d8, $d0, 65;", {1}, 'd', 2},
      {"HI-028", "shr_s32 $s8, $s0, $s1;", {kMin32, 4}, 's', 0xf8000000},
      {"HI-028", "shr_s64 $d8, $d0, $s1;", {kMin64, 63}, 'd', kAll64},
      {"HI-029", "shr_u32 $s8, $s0, $s1;", {kMin32, 4}, 's', 0x08000000},
      {"HI-029", "shr_u64 $d8, $d0, $s1;", {kMin64, 127}, 'd', 1},
      {"HI-032", "and_b1 $c8, $c0, $c1;", {1, 0}, 'c', 0},
      {"HI-032", "and_b1 $c8, $c0, 1;", {1}, 'c', 1},
      {"HI-033", "and_b32 $s8, $s0, $s1;", {0xff00ff00, 0x0ff00ff0}, 's', 0x0f000f00},
      {"HI-033", "and_b64 $d8, $d0, 0xff;", {0x1234567890abcdef}, 'd', 0xef},
      {"HI-034", "or_b1 $c8, $c0, $c1;", {0, 1}, 'c', 1},
      {"HI-035", "or_b32 $s8, $s0, $s1;", {0xf0, 0x0f}, 's', 0xff},
      {"HI-035", "or_b64 $d8, $d0, $d1;", {uint64_t{1} << 63, 1}, 'd', 0x8000000000000001},
      {"HI-036", "xor_b1 $c8, $c0, $c1;", {1, 1}, 'c', 0},
      {"HI-037", "xor_b32 $s8, $s0, $s1;", {0xff, 0x0f}, 's', 0xf0},
      {"HI-037", "xor_b64 $d8, $d0, $d1;", {kAll64, 1}, 'd', 0xfffffffffffffffe},
      {"HI-038", "not_b1 $c8, $c0;", {1}, 'c', 0},
      {"HI-038", "not_b1 $c8, $c0;", {0}, 'c', 1},
      {"HI-039", "not_b32 $s8, $s0;", {0x0f}, 's', 0xfffffff0},
      {"HI-039", "not_b64 $d8, $d0;", {0}, 'd', kAll64},
      {"HI-040", "popcount_u32_b32 $s8, $s0;", {0xf0f00001}, 's', 9},
      {"HI-040", "popcount_u32_b64 $s8, $d0;", {kAll64}, 's', 64},
      {"HI-041", "bitextract_s32 $s8, $s0, $s1, $s2;", {0x00f0, 4, 4}, 's', 0xffffffff},
      {"HI-041", "bitextract_s64 $d8, $d0, $s1, $s2;", {0x70, 4, 4}, 'd', 7},
      {"HI-041", "bitextract_s32 $s8, $s0, 0, 32;", {kM1}, 's', 0},  // width masked to 0
      {"HI-042", "bitextract_u32 $s8, $s0, $s1, $s2;", {0xabcd1234, 16, 8}, 's', 0xcd},
      {"HI-042", "bitextract_u64 $d8, $d0, 60, 4;", {kMin64}, 'd', 8},
      {"HI-043", "bitinsert_u32 $s8, $s0, $s1, $s2, $s3;", {0xffffffff, 0, 8, 4}, 's', 0xfffff0ff},
      {"HI-043", "bitinsert_s64 $d8, $d0, $d1, 32, 8;", {0, 0x1ff}, 'd', 0xff00000000},
      {"HI-044", "bitmask_b32 $s8, $s0, $s1;", {4, 8}, 's', 0xff0},
      {"HI-044", "bitmask_b64 $d8, 60, 4;", {}, 'd', 0xf000000000000000},
      {"HI-045", "bitrev_b32 $s8, $s0;", {0x12345678}, 's', 0x1e6a2c48},  // example of 5.7.2
      {"HI-045", "bitrev_b64 $d8, $d0;", {1}, 'd', kMin64},
      {"HI-046",
       "bitselect_b32 $s8, $s0, $s1, $s2;",
       {0xff00ff00, 0x11111111, 0x22222222},
       's',
       0x11221122},
      {"HI-046", "bitselect_b64 $d8, $d0, $d1, $d2;", {0xf, 0xa, 0x50}, 'd', 0x5a},
      // Table 5-9; all ones give 0 (decision D18).
      {"HI-047", "firstbit_u32_u32 $s8, $s0;", {0}, 's', 0xffffffff},
      {"HI-047", "firstbit_u32_u32 $s8, $s0;", {0x00ffffff}, 's', 8},
      {"HI-047", "firstbit_u32_u32 $s8, $s0;", {0xffffffff}, 's', 0},
      {"HI-047", "firstbit_u32_u64 $s8, $d0;", {1}, 's', 63},
      {"HI-048", "firstbit_u32_s32 $s8, $s0;", {kM1}, 's', 0xffffffff},
      {"HI-048", "firstbit_u32_s32 $s8, $s0;", {0xfff00000}, 's', 12},
      {"HI-048", "firstbit_u32_s64 $s8, $d0;", {0x7fffffff}, 's', 33},
      {"HI-049", "lastbit_u32_u32 $s8, $s0;", {0xffff0f00}, 's', 8},
      {"HI-049", "lastbit_u32_s64 $s8, $d0;", {kMin64}, 's', 63},
      {"HI-049", "lastbit_u32_u32 $s8, $s0;", {0}, 's', 0xffffffff},
      {"HI-113", "bitalign_b32 $s8, $s0, $s1, $s2;", {0x89abcdef, 0x01234567, 8}, 's', 0x6789abcd},
      {"HI-114", "bytealign_b32 $s8, $s0, $s1, $s2;", {0x89abcdef, 0x01234567, 3}, 's', 0x23456789},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, Moves) {
  const Case cases[] = {
      {"HI-050",
       "combine_v2_b64_b32 $d8, ($s0, $s1);",
       {0x11111111, 0x22222222},
       'd',
       0x2222222211111111},
      {"HI-050", "combine_v2_b64_b32 $d8, ($s0, 5);", {1}, 'd', 0x500000001},
      {"HI-051", "combine_v4_b128_b32 $q4, ($s0, $s1, $s2, $s3);", {1, 2, 3, 4}, 'q', 0x200000001},
      {"HI-051", "combine_v4_b128_b32 $q4, ($s0, $s1, $s2, $s3);", {1, 2, 3, 4}, 'Q', 0x400000003},
      {"HI-052", "combine_v2_b128_b64 $q4, ($d0, $d1);", {1, 2}, 'q', 1},
      {"HI-052", "combine_v2_b128_b64 $q4, ($d0, $d1);", {1, 2}, 'Q', 2},
      {"HI-053", "expand_v2_b32_b64 ($s7, $s8), $d0;", {0x1234567890abcdef}, 's', 0x12345678},
      {"HI-053", "expand_v2_b32_b64 ($s8, $s7), $d0;", {0x1234567890abcdef}, 's', 0x90abcdef},
      {"HI-054",
       "combine_v2_b128_b64 $q1, ($d0, $d1); expand_v4_b32_b128 ($s5, $s6, $s7, $s8), $q1;",
       {0x200000001, 0x400000003},
       's',
       4},
      {"HI-055",
       "combine_v2_b128_b64 $q1, ($d0, $d1); expand_v2_b64_b128 ($d7, $d8), $q1;",
       {1, 0x123456789},
       'd',
       0x123456789},
      {"HI-057", "lda_group_u32 $s8, [%scratch][12];", {}, 's', 12},
      {"HI-057", "lda_global_u64 $d8, [$d0-8];", {0x1000}, 'd', 0xff8},
      {"HI-057", "lda_kernarg_u64 $d8, [%out];", {}, 'd', 0x7008},  // 4.21: second u64
      {"HI-056", "lda_u64 $d8, [$d0+16];", {0x1000}, 'd', 0x1010},
      {"HI-058", "mov_b1 $c8, $c0;", {1}, 'c', 1},
      {"HI-058", "mov_b1 $c8, 0;", {}, 'c', 0},
      {"HI-059", "mov_b32 $s8, $s0;", {0xdeadbeef}, 's', 0xdeadbeef},
      {"HI-059", "mov_u32 $s8, 0xfffffffff;", {}, 's', 0xffffffff},  // 4.8.5: truncated
      {"HI-059", "mov_s32 $s8, -2;", {}, 's', 0xfffffffe},
      {"HI-059", "mov_f32 $s8, 3.7f;", {}, 's', 0x406ccccd},
      {"HI-059", "mov_b32 $s8, 3.7f;", {}, 's', 0x406ccccd},
      {"HI-059", "mov_b64 $d8, $d0;", {kMin64}, 'd', kMin64},
      {"HI-059", "mov_f64 $d8, 12.345;", {}, 'd', 0x4028b0a3d70a3d71},  // 4.8.2
      {"HI-059", "mov_u64 $d8, WAVESIZE;", {}, 'd', 64},
      {"HI-060", "mov_f16 $s8, 0h3c00;", {}, 's', 0x3c00},
      {"HI-061",
       "mov_b128 $q4, u32x4(4, 3, 2, 1);",
       {},
       'q',
       0x200000001},  // first is most significant
      {"HI-061", "mov_b128 $q4, u32x4(4, 3, 2, 1);", {}, 'Q', 0x400000003},
      {"HI-070", "cmov_b32 $s8, $c0, $s1, $s2;", {1, 10, 20}, 's', 10},
      {"HI-070", "cmov_b64 $d8, $c0, $d1, $d2;", {0, 10, 20}, 'd', 20},
      {"HI-070", "cmov_b1 $c8, $c0, $c1, $c2;", {1, 0, 1}, 'c', 0},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, FloatArithmetic) {
  const Case cases[] = {
      {"HI-072", "add_f32 $s8, $s0, $s1;", {f32(1.5f), f32(2.25f)}, 's', f32(3.75f)},
      // 1 + 2^-24 is half way: even, and away from it in the directed modes.
      {"HI-072 HL-165", "add_f32 $s8, $s0, $s1;", {f32(1), 0x33800000}, 's', 0x3f800000},
      {"HI-072 HL-165", "add_up_f32 $s8, $s0, $s1;", {f32(1), 0x33800000}, 's', 0x3f800001},
      {"HI-072 HL-165", "add_down_f32 $s8, $s0, $s1;", {f32(-1), 0xb3800000}, 's', 0xbf800001},
      {"HI-072 HL-165", "add_zero_f32 $s8, $s0, $s1;", {f32(-1), 0xb3800000}, 's', 0xbf800000},
      {"HI-072", "add_near_f32 $s8, $s0, $s1;", {f32(1), f32(2)}, 's', f32(3)},
      // The smallest subnormal survives, with ftz it counts as zero.
      {"HI-072", "add_f32 $s8, $s0, $s1;", {1, 1}, 's', 2},
      {"HI-072 HL-168", "add_ftz_f32 $s8, $s0, $s1;", {1, 1}, 's', 0},
      // 1.5 * 2^-126 - 2^-126 = 2^-127 is subnormal.
      {"HI-083 HL-169", "sub_ftz_f32 $s8, $s0, $s1;", {0x00c00000, 0x00800000}, 's', 0},
      {"HI-083", "sub_f32 $s8, $s0, $s1;", {0x00c00000, 0x00800000}, 's', 0x00400000},
      {"HI-072", "add_f64 $d8, $d0, $d1;", {f64(0.1), f64(0.2)}, 'd', 0x3fd3333333333334},
      {"HI-072", "add_f16 $s8, $s0, $s1;", {0x3c00, 0x4000}, 's', 0x4200},              // 1 + 2 = 3
      {"HI-072 HL-171", "add_f32 $s8, $s0, $s1;", {kSnan32, f32(1)}, 's', 0x7fc00001},  // quieted
      {"HI-073", "ceil_f32 $s8, $s0;", {f32(-1.5f)}, 's', f32(-1)},
      {"HI-073", "ceil_f64 $d8, $d0;", {f64(1.25)}, 'd', f64(2)},
      {"HI-073", "ceil_f32 $s8, $s0;", {f32(-0.5f)}, 's', 0x80000000},  // -0
      {"HI-074", "div_f32 $s8, $s0, $s1;", {f32(1), f32(3)}, 's', 0x3eaaaaab},
      {"HI-074", "div_f32 $s8, $s0, $s1;", {f32(-1), 0}, 's', 0xff800000},
      {"HI-074", "div_zero_f32 $s8, $s0, $s1;", {f32(1), f32(3)}, 's', 0x3eaaaaaa},
      {"HI-074", "div_f64 $d8, $d0, $d1;", {f64(1), f64(3)}, 'd', 0x3fd5555555555555},
      {"HI-075", "floor_f32 $s8, $s0;", {f32(-1.5f)}, 's', f32(-2)},
      {"HI-075", "floor_f32 $s8, $s0;", {f32(2.75f)}, 's', f32(2)},
      // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46 exactly: lost by two roundings.
      {"HI-076",
       "fma_f32 $s8, $s0, $s1, $s2;",
       {0x3f800001, 0x3f800001, 0xbf800002},
       's',
       0x28800000},
      {"HI-076", "fma_f64 $d8, $d0, $d1, $d2;", {f64(2), f64(3), f64(1)}, 'd', f64(7)},
      {"HI-077", "fract_f32 $s8, $s0;", {f32(1.25f)}, 's', f32(0.25f)},
      {"HI-077", "fract_f32 $s8, $s0;", {f32(-1.25f)}, 's', f32(0.75f)},
      {"HI-077", "fract_f32 $s8, $s0;", {0xb3000000}, 's', 0x3f7fffff},  // clamped below 1
      {"HI-077", "fract_f32 $s8, $s0;", {0xff800000}, 's', 0x80000000},
      {"HI-078", "max_f32 $s8, $s0, $s1;", {f32(1), f32(-2)}, 's', f32(1)},
      {"HI-078", "max_f32 $s8, $s0, $s1;", {kQnan32, f32(-2)}, 's', f32(-2)},  // quiet NaN loses
      {"HI-078", "max_f32 $s8, $s0, $s1;", {f32(3), kSnan32}, 's', 0x7fc00001},
      {"HI-079", "min_f32 $s8, $s0, $s1;", {f32(1), f32(-2)}, 's', f32(-2)},
      {"HI-079", "min_f64 $d8, $d0, $d1;", {f64(1), f64(-2)}, 'd', f64(-2)},
      {"HI-080", "mul_f32 $s8, $s0, $s1;", {f32(1.5f), f32(-2)}, 's', f32(-3)},
      {"HI-080", "mul_f32 $s8, $s0, $s1;", {0x7f7fffff, f32(2)}, 's', kInf32},
      {"HI-080", "mul_zero_f32 $s8, $s0, $s1;", {0x7f7fffff, f32(2)}, 's', 0x7f7fffff},
      {"HI-080", "mul_f64 $d8, $d0, $d1;", {f64(0.5), f64(0.5)}, 'd', f64(0.25)},
      {"HI-081", "rint_f32 $s8, $s0;", {f32(2.5f)}, 's', f32(2)},
      {"HI-081", "rint_f32 $s8, $s0;", {f32(3.5f)}, 's', f32(4)},
      {"HI-082", "sqrt_f32 $s8, $s0;", {f32(2)}, 's', 0x3fb504f3},
      {"HI-082", "sqrt_f64 $d8, $d0;", {f64(2)}, 'd', 0x3ff6a09e667f3bcd},
      {"HI-082", "sqrt_f32 $s8, $s0;", {0x80000000}, 's', 0x80000000},
      {"HI-083", "sub_f32 $s8, $s0, $s1;", {f32(1), f32(0.25f)}, 's', f32(0.75f)},
      {"HI-084", "trunc_f32 $s8, $s0;", {f32(-1.75f)}, 's', f32(-1)},
      {"HI-084", "trunc_f64 $d8, $d0;", {f64(1e15 + 0.5)}, 'd', f64(1e15)},
      {"HI-097", "mad_f32 $s8, $s0, $s1, $s2;", {f32(2), f32(3), f32(4)}, 's', f32(10)},
      {"HI-107", "nfma_f32 $s8, $s0, $s1, $s2;", {f32(2), f32(3), f32(4)}, 's', f32(10)},
      {"HI-112", "nsqrt_f32 $s8, $s0;", {f32(9)}, 's', f32(3)},
      {"HI-112", "nsqrt_f64 $d8, $d0;", {f64(2.25)}, 'd', f64(1.5)},
      // Bit operations: nothing is flushed or quieted (5.13).
      {"HI-098", "abs_f32 $s8, $s0;", {0xff800001}, 's', kSnan32},
      {"HI-098", "abs_f64 $d8, $d0;", {f64(-0.0)}, 'd', 0},
      {"HI-098", "abs_f16 $s8, $s0;", {0xbc00}, 's', 0x3c00},
      {"HI-100", "copysign_f32 $s8, $s0, $s1;", {f32(3), f32(-1)}, 's', f32(-3)},
      {"HI-101", "neg_f32 $s8, $s0;", {0}, 's', 0x80000000},
      {"HI-101", "neg_f32 $s8, $s0;", {kSnan32}, 's', 0xff800001},
      {"HI-101", "neg_f64 $d8, $d0;", {f64(2)}, 'd', f64(-2)},
      {"HI-109", "nrcp_f32 $s8, $s0;", {f32(4)}, 's', f32(0.25f)},
      {"HI-109", "nrcp_f64 $d8, $d0;", {f64(-2)}, 'd', f64(-0.5)},
      {"HI-110", "nrsqrt_f32 $s8, $s0;", {f32(4)}, 's', f32(0.5f)},
      {"HI-110", "nrsqrt_f64 $d8, $d0;", {f64(16)}, 'd', f64(0.25)},
      {"HI-099", "class_b1_f32 $c8, $s0, 0x002;", {kQnan32}, 'c', 1},
      {"HI-099", "class_b1_f32 $c8, $s0, 0x3fd;", {kQnan32}, 'c', 0},
      {"HI-099", "class_b1_f64 $c8, $d0, $s1;", {f64(-0.0), 0x020}, 'c', 1},
      {"HI-099", "class_b1_f16 $c8, $s0, 0x080;", {1}, 'c', 1},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, Compare) {
  const Case cases[] = {
      {"HI-125", "cmp_eq_b1_b1 $c8, $c0, $c1;", {1, 1}, 'c', 1},
      {"HI-125", "cmp_ne_b1_b32 $c8, $s0, $s1;", {1, 1}, 'c', 0},
      {"HI-125", "cmp_eq_u32_b64 $s8, $d0, $d1;", {kAll64, kAll64}, 's', kM1},
      {"HI-126", "cmp_lt_b1_s32 $c8, $s0, $s1;", {kM1, 0}, 'c', 1},
      {"HI-126", "cmp_lt_b1_u32 $c8, $s0, $s1;", {kM1, 0}, 'c', 0},
      {"HI-126", "cmp_le_b1_s64 $c8, $d0, $d1;", {kMin64, kMin64}, 'c', 1},
      {"HI-126", "cmp_gt_b1_u64 $c8, $d0, $d1;", {kMin64, 1}, 'c', 1},
      {"HI-126", "cmp_ge_s32_s32 $s8, $s0, $s1;", {5, 5}, 's', kM1},  // true is -1
      {"HI-126", "cmp_ge_u64_s32 $d8, $s0, $s1;", {5, 5}, 'd', kAll64},
      {"HI-126", "cmp_ge_f32_s32 $s8, $s0, $s1;", {5, 5}, 's', f32(1)},
      {"HI-126", "cmp_eq_f64_u32 $d8, $s0, $s1;", {5, 5}, 'd', f64(1)},
      {"HI-126", "cmp_ne_f32_s32 $s8, $s0, $s1;", {5, 5}, 's', 0},
      {"HI-127", "cmp_eq_b1_f32 $c8, $s0, $s1;", {0, 0x80000000}, 'c', 1},           // +0 == -0
      {"HI-127 HL-185", "cmp_ne_b1_f32 $c8, $s0, $s1;", {kQnan32, f32(1)}, 'c', 0},  // ordered
      {"HI-127 HL-185", "cmp_ne_b1_f32 $c8, $s0, $s1;", {f32(2), f32(1)}, 'c', 1},
      {"HI-127", "cmp_lt_b1_f32 $c8, $s0, $s1;", {f32(-1), f32(1)}, 'c', 1},
      {"HI-127", "cmp_le_b1_f64 $c8, $d0, $d1;", {f64(1), f64(1)}, 'c', 1},
      {"HI-127", "cmp_gt_b1_f32 $c8, $s0, $s1;", {kInf32, f32(1)}, 'c', 1},
      {"HI-127", "cmp_ge_b1_f16 $c8, $s0, $s1;", {0x3c00, 0x4000}, 'c', 0},
      {"HI-127", "cmp_eq_b1_f32 $c8, $s0, $s1;", {1, 0}, 'c', 0},
      {"HI-127", "cmp_eq_ftz_b1_f32 $c8, $s0, $s1;", {1, 0}, 'c', 1},
      {"HI-128 HL-185", "cmp_equ_b1_f32 $c8, $s0, $s1;", {kQnan32, f32(1)}, 'c', 1},
      {"HI-128 HL-185", "cmp_neu_b1_f32 $c8, $s0, $s1;", {f32(1), f32(1)}, 'c', 0},
      {"HI-128 HL-185", "cmp_ltu_b1_f32 $c8, $s0, $s1;", {f32(1), f32(2)}, 'c', 1},
      {"HI-128 HL-185", "cmp_leu_b1_f32 $c8, $s0, $s1;", {f32(3), f32(2)}, 'c', 0},
      {"HI-128 HL-185", "cmp_gtu_b1_f32 $c8, $s0, $s1;", {f32(3), kQnan32}, 'c', 1},
      {"HI-128 HL-185", "cmp_geu_b1_f32 $c8, $s0, $s1;", {f32(1), f32(2)}, 'c', 0},
      {"HI-129", "cmp_num_b1_f32 $c8, $s0, $s1;", {f32(1), f32(2)}, 'c', 1},
      {"HI-129", "cmp_num_b1_f32 $c8, $s0, $s1;", {f32(1), kQnan32}, 'c', 0},
      {"HI-129", "cmp_nan_b1_f32 $c8, $s0, $s1;", {kQnan32, f32(2)}, 'c', 1},
      {"HI-130", "cmp_seq_b1_f32 $c8, $s0, $s1;", {f32(1), f32(1)}, 'c', 1},
      {"HI-130", "cmp_sgtu_b1_f32 $c8, $s0, $s1;", {f32(1), kQnan32}, 'c', 1},
      {"HI-130", "cmp_sltu_b1_f32 $c8, $s0, $s1;", {f32(3), f32(1)}, 'c', 0},
      {"HI-130", "cmp_snum_b1_f32 $c8, $s0, $s1;", {f32(3), f32(1)}, 'c', 1},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, Convert) {
  const Case cases[] = {
      {"HI-133", "cvt_b1_u32 $c8, $s0;", {2}, 'c', 1},
      {"HI-133", "cvt_b1_s64 $c8, $d0;", {kMin64}, 'c', 1},
      {"HI-133", "cvt_b1_u8 $c8, $s0;", {0x100}, 'c', 0},  // only the 8 bits of the source type
      {"HI-134", "cvt_b1_f32 $c8, $s0;", {kQnan32}, 'c', 1},
      {"HI-134", "cvt_b1_f32 $c8, $s0;", {0x80000000}, 'c', 0},
      {"HI-134", "cvt_b1_f32 $c8, $s0;", {1}, 'c', 1},
      {"HI-134", "cvt_ftz_b1_f32 $c8, $s0;", {1}, 'c', 0},
      {"HI-135", "cvt_u32_b1 $s8, $c0;", {1}, 's', 1},
      {"HI-135", "cvt_s8_b1 $s8, $c0;", {1}, 's', 1},
      {"HI-135", "cvt_u64_b1 $d8, $c0;", {1}, 'd', 1},
      {"HI-136", "cvt_s32_b1 $s8, $c0;", {1}, 's', kM1},  // decision D17
      {"HI-136", "cvt_s64_b1 $d8, $c0;", {1}, 'd', kAll64},
      {"HI-137", "cvt_f32_b1 $s8, $c0;", {1}, 's', f32(1)},
      {"HI-137", "cvt_f64_b1 $d8, $c0;", {0}, 'd', 0},
      {"HI-138", "cvt_u64_u32 $d8, $s0;", {kM1}, 'd', 0xffffffff},
      {"HI-138", "cvt_u64_s32 $d8, $s0;", {kM1}, 'd', kAll64},  // by the source's sign
      {"HI-138", "cvt_s32_u8 $s8, $s0;", {0x1ff}, 's', 0xff},
      {"HI-138", "cvt_u32_s8 $s8, $s0;", {0x80}, 's', 0xffffff80},
      {"HI-138 HL-158",
       "cvt_u16_s8 $s8, $s0;",
       {0x80},
       's',
       0xff80},  // 16 bits, then zero extension
      {"HI-139", "cvt_u32_u64 $s8, $d0;", {0x1234567890abcdef}, 's', 0x90abcdef},
      {"HI-139", "cvt_u8_u32 $s8, $s0;", {0x1ff}, 's', 0xff},
      {"HI-139", "cvt_s8_u32 $s8, $s0;", {0x180}, 's', 0xffffff80},
      {"HI-140", "cvt_sat_u8_s32 $s8, $s0;", {kM1}, 's', 0},
      {"HI-140", "cvt_sat_s8_u32 $s8, $s0;", {200}, 's', 127},
      {"HI-140", "cvt_sat_s32_s64 $s8, $d0;", {kMin64}, 's', kMin32},
      {"HI-141", "cvt_sat_u32_s32 $s8, $s0;", {kM1}, 's', 0},
      {"HI-141", "cvt_sat_s64_u64 $d8, $d0;", {kAll64}, 'd', 0x7fffffffffffffff},
      {"HI-142 HL-187", "cvt_f32_s32 $s8, $s0;", {kM1}, 's', f32(-1)},
      {"HI-142", "cvt_f32_u32 $s8, $s0;", {0xffffffff}, 's', f32(4294967296.0f)},
      {"HI-142", "cvt_zero_f32_u32 $s8, $s0;", {0xffffffff}, 's', 0x4f7fffff},
      {"HI-142", "cvt_up_f32_u32 $s8, $s0;", {0x1000001}, 's', 0x4b800001},
      {"HI-142", "cvt_f64_u64 $d8, $d0;", {uint64_t{1} << 60}, 'd', f64(0x1p60)},
      {"HI-142", "cvt_f32_s8 $s8, $s0;", {0x180}, 's', f32(-128)},
      {"HI-143", "cvt_f32_f64 $s8, $d0;", {f64(0.1)}, 's', 0x3dcccccd},
      {"HI-143", "cvt_down_f32_f64 $s8, $d0;", {f64(0.1)}, 's', 0x3dcccccc},
      {"HI-143", "cvt_f16_f32 $s8, $s0;", {f32(65520)}, 's', 0x7c00},
      {"HI-143", "cvt_zero_f16_f32 $s8, $s0;", {f32(65520)}, 's', 0x7bff},
      {"HI-144", "cvt_f64_f32 $d8, $s0;", {f32(1.5f)}, 'd', f64(1.5)},
      {"HI-144", "cvt_f32_f16 $s8, $s0;", {1}, 's', 0x33800000},  // 2^-24
      {"HI-145", "cvt_s32_f32 $s8, $s0;", {f32(-1.9f)}, 's', kM1},
      {"HI-145 HL-188", "cvt_neari_s32_f32 $s8, $s0;", {f32(2.5f)}, 's', 2},
      {"HI-145 HL-188", "cvt_upi_s32_f32 $s8, $s0;", {f32(2.25f)}, 's', 3},
      {"HI-145 HL-188", "cvt_downi_s32_f32 $s8, $s0;", {f32(-2.25f)}, 's', 0xfffffffd},
      {"HI-145", "cvt_u64_f64 $d8, $d0;", {f64(1e18)}, 'd', 1000000000000000000},
      {"HI-145", "cvt_s8_f32 $s8, $s0;", {f32(-128)}, 's', 0xffffff80},
      {"HI-146", "cvt_szeroi_s32_f32 $s8, $s0;", {f32(-1.9f)}, 's', kM1},
      {"HI-146", "cvt_sneari_u32_f64 $s8, $d0;", {f64(3.5)}, 's', 4},
      {"HI-147 HL-189", "cvt_zeroi_sat_u32_f32 $s8, $s0;", {f32(-5)}, 's', 0},
      {"HI-147 HL-189", "cvt_zeroi_sat_s32_f32 $s8, $s0;", {kQnan32}, 's', 0},
      {"HI-147 HL-189", "cvt_neari_sat_s32_f32 $s8, $s0;", {f32(1e20f)}, 's', 0x7fffffff},
      {"HI-147", "cvt_upi_sat_u8_f32 $s8, $s0;", {f32(254.5f)}, 's', 255},
      {"HI-148", "cvt_sdowni_sat_s64_f64 $d8, $d0;", {f64(-1e300)}, 'd', kMin64},
      {"HI-148", "cvt_szeroi_sat_u32_f32 $s8, $s0;", {kInf32}, 's', 0xffffffff},
  };
  for (const Case& c : cases) check(c);
}

}  // namespace
}  // namespace cuvette::hsail
