// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Translation of single instructions by the finalizer. Operands are constants, so LLVM's constant
// folder carries out the translation; the expected values are worked out by hand from the HSAIL
// PRM. Results that do not fold are looked up in the machine code.
#include <regex>

#include <gmock/gmock.h>

#include "finalizer_testing.h"
#include "oracle/llvm_oracle_client.h"

namespace {

namespace hsail = cuvette::hsail;
using cuvette::finalizer::finalize;
using cuvette::finalizer::optimised_ir;
using cuvette::finalizer::Options;
using cuvette::finalizer_testing::kernel;
using cuvette::finalizer_testing::load;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The constant that `body` stores, or the reason why there is none.
std::string stored(const std::string& body, unsigned bits) {
  const hsail::Module module = load(kernel(body));
  auto ir = optimised_ir({&module}, Options{});
  if (!ir) return ir.error().str();
  std::smatch match;
  const std::regex store("store i" + std::to_string(bits) + " (-?[0-9]+), ptr addrspace\\(1\\)");
  return std::regex_search(*ir, match, store) ? match[1].str() : "no constant stored";
}

struct Row {
  const char* instruction;  ///< writes $s0 or, with bits 64, $d1
  uint64_t expected;
};

template <size_t N>
void check(const Row (&rows)[N], unsigned bits) {
  for (const Row& row : rows) {
    const std::string store =
        bits == 64 ? "st_global_align(8)_u64 $d1, [$d0];" : "st_global_align(4)_u32 $s0, [$d0];";
    const int64_t expected = bits == 64 ? static_cast<int64_t>(row.expected)
                                        : static_cast<int32_t>(static_cast<uint32_t>(row.expected));
    EXPECT_EQ(stored(std::string(row.instruction) + "\n" + store, bits), std::to_string(expected))
        << row.instruction;
  }
}

constexpr Row kInteger32[] = {
    {"add_u32 $s0, 0xffffffff, 2;", 1},
    {"sub_s32 $s0, 3, 5;", 0xfffffffe},
    {"mul_s32 $s0, 0x10001, 0x10001;", 0x00020001},
    {"mad_u32 $s0, 7, 6, 0xffffffff;", 41},
    {"mulhi_u32 $s0, 0xffffffff, 0xffffffff;", 0xfffffffe},
    {"mulhi_s32 $s0, -1, -1;", 0},
    {"mulhi_s32 $s0, -2, 1;", 0xffffffff},
    {"abs_s32 $s0, 0x80000000;", 0x80000000},
    {"abs_s32 $s0, -5;", 5},
    {"neg_s32 $s0, 5;", 0xfffffffb},
    {"min_s32 $s0, -1, 1;", 0xffffffff},
    {"min_u32 $s0, 0xffffffff, 1;", 1},
    {"max_s32 $s0, -1, 1;", 1},
    {"max_u32 $s0, 0xffffffff, 1;", 0xffffffff},
    {"div_s32 $s0, -7, 2;", 0xfffffffd},
    {"div_u32 $s0, 0xfffffff9, 2;", 0x7ffffffc},
    {"rem_s32 $s0, -7, 2;", 0xffffffff},
    {"rem_u32 $s0, 7, 4;", 3},
    {"shl_u32 $s0, 1, 33;", 2},
    {"shl_s32 $s0, 3, 31;", 0x80000000},
    {"shr_s32 $s0, -8, 1;", 0xfffffffc},
    {"shr_u32 $s0, 0x80000000, 63;", 1},
    {"and_b32 $s0, 0xff00ff00, 0x0ff00ff0;", 0x0f000f00},
    {"or_b32 $s0, 0xff00ff00, 0x0ff00ff0;", 0xfff0fff0},
    {"xor_b32 $s0, 0xff00ff00, 0x0ff00ff0;", 0xf0f0f0f0},
    {"not_b32 $s0, 0x0f0f0f0f;", 0xf0f0f0f0},
    {"bitextract_u32 $s0, 0xabcd1234, 8, 8;", 0x12},
    {"bitextract_s32 $s0, 0xabcd1234, 28, 4;", 0xfffffffa},
    {"bitextract_u32 $s0, 0xabcd1234, 4, 32;", 0},
    {"bitextract_s32 $s0, 0xabcd1234, 36, 4;", 3},
    {"bitselect_b32 $s0, 0xff00ff00, 0x12345678, 0x9abcdef0;", 0x12bc56f0},
    {"popcount_u32_b32 $s0, 0xf0f01000;", 9},
    {"popcount_u32_b64 $s0, 0xffff00000000000f;", 20},
    {"firstbit_u32_u32 $s0, 1;", 31},
    {"firstbit_u32_u32 $s0, 0;", 0xffffffff},
    {"firstbit_u32_u32 $s0, 0xffffffff;", 0},
    {"firstbit_u32_s32 $s0, -2;", 31},
    {"firstbit_u32_s32 $s0, -1;", 0xffffffff},
    {"firstbit_u32_u64 $s0, 0x100000000;", 31},
    {"mov_b64 $d1, 0x123456789;\nexpand_v2_b32_b64 ($s1, $s0), $d1;", 1},
    {"mov_b64 $d1, 0x123456789;\nexpand_v2_b32_b64 ($s0, $s1), $d1;", 0x23456789},
    {"mov_b32 $s0, 0x7f800001;", 0x7f800001},
    {"mov_b32 $s0, WAVESIZE;", 64},
    {"borrow_s32 $s0, 1, -1;", 1},
    {"borrow_u32 $s0, 2, 1;", 0},
    {"carry_u32 $s0, 0xffffffff, 1;", 1},
    {"carry_s32 $s0, 0x7fffffff, 0x7fffffff;", 0},
    {"add_sat_u8 $s0, 200, 100;", 255},
    {"add_sat_s8 $s0, 100, 100;", 127},
    {"sub_sat_s16 $s0, -32768, 1;", 0xffff8000},
    {"sub_sat_u32 $s0, 1, 2;", 0},
    {"mad_sat_s32 $s0, 0x10000, 0x10000, -1;", 0x7fffffff},
    {"mad_sat_s32 $s0, 0x10000, 0x8000, -5;", 0x7ffffffb},
    {"mad_sat_u8 $s0, 16, 15, 20;", 255},
    {"bitmask_b32 $s0, 4, 8;", 0xff0},
    {"bitmask_b32 $s0, 4, 32;", 0},
    {"bitinsert_u32 $s0, 0xffffffff, 0x12, 8, 8;", 0xffff12ff},
    {"bitrev_b32 $s0, 0x1;", 0x80000000},
    {"lastbit_u32_u32 $s0, 0x50;", 4},
    {"lastbit_u32_s64 $s0, 0;", 0xffffffff},
    {"bitalign_b32 $s0, 0x11223344, 0xaabbccdd, 8;", 0xdd112233},
    {"bitalign_b32 $s0, 0x11223344, 0xaabbccdd, 32;", 0x11223344},
    {"bytealign_b32 $s0, 0x11223344, 0xaabbccdd, 3;", 0xbbccdd11},
    {"groupstaticsize_u32 $s0;", 0},
    {"groupbaseptr_u32 $s0;", 0},
};

constexpr Row kInteger64[] = {
    {"add_u64 $d1, 0xffffffffffffffff, 2;", 1},
    {"mulhi_u64 $d1, 0xffffffffffffffff, 0xffffffffffffffff;", 0xfffffffffffffffe},
    {"mulhi_s64 $d1, -1, 2;", 0xffffffffffffffff},
    {"mad_s64 $d1, -3, 5, 1;", 0xfffffffffffffff2},
    {"shl_u64 $d1, 1, 65;", 2},
    {"shr_s64 $d1, 0x8000000000000000, 63;", 0xffffffffffffffff},
    {"bitextract_u64 $d1, 0x123456789abcdef0, 60, 4;", 1},
    {"bitextract_s64 $d1, 0x123456789abcdef0, 4, 4;", 0xffffffffffffffff},
    {"bitextract_u64 $d1, 0x123456789abcdef0, 4, 64;", 0},
    {"div_s64 $d1, -9, 4;", 0xfffffffffffffffe},
    {"rem_u64 $d1, 0xffffffffffffffff, 10;", 5},
    {"mad_sat_u64 $d1, 0x100000000, 0x100000000, 0;", 0xffffffffffffffff},
    {"bitmask_b64 $d1, 60, 4;", 0xf000000000000000},
    {"carry_u64 $d1, 0xffffffffffffffff, 1;", 1},
    {"combine_v2_b64_b32 $d1, (1, 2);", 0x200000001},
    {"cvt_u64_s32 $d1, -1;", 0xffffffffffffffff},
    {"cvt_s64_u32 $d1, 0xffffffff;", 0xffffffff},
    {"cmp_lt_s64_u32 $d1, 1, 2;", 0xffffffffffffffff},
    {"cmp_lt_b1_u32 $c0, 1, 2;\ncvt_s64_b1 $d1, $c0;", 0xffffffffffffffff},
    {"cmp_lt_b1_u32 $c0, 1, 2;\ncvt_u64_b1 $d1, $c0;", 1},
};

constexpr Row kCompareAndConvert[] = {
    {"cmp_lt_u32_s32 $s0, -1, 1;", 0xffffffff},
    {"cmp_lt_s32_u32 $s0, 0xffffffff, 1;", 0},
    {"cmp_ge_f32_u32 $s0, 0xffffffff, 1;", 0x3f800000},
    {"cmp_eq_u32_f32 $s0, 0.0f, 0F80000000;", 0xffffffff},
    {"cmp_ne_u32_f32 $s0, 0F7fc00000, 1.0f;", 0},  // ordered
    {"cmp_neu_u32_f32 $s0, 0F7fc00000, 1.0f;", 0xffffffff},
    {"cmp_ltu_u32_f32 $s0, 2.0f, 1.0f;", 0},
    {"cmp_gtu_u32_f32 $s0, 2.0f, 0F7fc00000;", 0xffffffff},
    {"cmp_sltu_u32_f32 $s0, 1.0f, 0F7fc00000;", 0xffffffff},
    {"cmp_num_u32_f32 $s0, 2.0f, 0F7fc00000;", 0},
    {"cmp_nan_u32_f32 $s0, 2.0f, 0F7fc00000;", 0xffffffff},
    {"cmp_eq_ftz_u32_f32 $s0, 0F00000001, 0.0f;", 0xffffffff},
    {"cmp_eq_u32_f32 $s0, 0F00000001, 0.0f;", 0},
    {"cmp_lt_b1_u32 $c0, 2, 1;\ncmov_b32 $s0, $c0, 5, 6;", 6},
    {"cvt_s8_u32 $s0, 0x180;", 0xffffff80},
    {"cvt_u8_s32 $s0, -1;", 0xff},
    {"cvt_u16_u32 $s0, 0x12345678;", 0x5678},
    {"cvt_u32_s8 $s0, 0xff;", 0xffffffff},
    {"cvt_s32_u8 $s0, 0xff;", 0xff},
    {"cvt_sat_u8_s32 $s0, -5;", 0},
    {"cvt_sat_u8_s32 $s0, 300;", 255},
    {"cvt_sat_s8_u32 $s0, 300;", 127},
    {"cvt_sat_s8_s32 $s0, -300;", 0xffffff80},
    {"cvt_sat_s32_u32 $s0, 0x80000000;", 0x7fffffff},
    {"cvt_sat_u32_s32 $s0, -1;", 0},
    {"cmp_lt_b1_u32 $c0, 1, 2;\ncvt_s32_b1 $s0, $c0;", 0xffffffff},  // decisions.md D17
    {"cmp_lt_b1_u32 $c0, 1, 2;\ncvt_u32_b1 $s0, $c0;", 1},
    {"cmp_lt_b1_u32 $c0, 1, 2;\ncvt_f32_b1 $s0, $c0;", 0x3f800000},
    {"cvt_b1_f32 $c0, 0F7fc00000;\ncvt_u32_b1 $s0, $c0;", 1},
    {"cvt_b1_f32 $c0, 0F80000000;\ncvt_u32_b1 $s0, $c0;", 0},
    {"cvt_b1_u32 $c0, 2;\ncvt_u32_b1 $s0, $c0;", 1},
    {"cvt_s32_f32 $s0, -2.9f;", 0xfffffffe},
    {"cvt_neari_s32_f32 $s0, 2.5f;", 2},
    {"cvt_neari_s32_f32 $s0, 3.5f;", 4},
    {"cvt_upi_s32_f32 $s0, 2.1f;", 3},
    {"cvt_downi_s32_f32 $s0, -2.1f;", 0xfffffffd},
    {"cvt_zeroi_sat_u32_f32 $s0, -1.0f;", 0},
    {"cvt_zeroi_sat_s32_f32 $s0, 1.0e10f;", 0x7fffffff},
    {"cvt_zeroi_sat_s32_f32 $s0, 0F7fc00000;", 0},
    {"cvt_neari_sat_u8_f32 $s0, 254.5f;", 254},
    {"cvt_neari_sat_s8_f32 $s0, -1000.0f;", 0xffffff80},
    {"cvt_f32_u32 $s0, 16777217;", 0x4b800000},
    {"cvt_f32_u32 $s0, 0xffffffff;", 0x4f800000},
    {"cvt_f32_s32 $s0, -1;", 0xbf800000},
    {"cvt_f32_u64 $s0, 0xffffff7fffffffff;", 0x5f7fffff},
};

constexpr Row kFloat32[] = {
    {"add_f32 $s0, 1.0f, 2.0f;", 0x40400000},
    {"sub_f32 $s0, 1.0f, 0F33800000;", 0x3f7fffff},
    {"mul_f32 $s0, 3.0f, -0.5f;", 0xbfc00000},
    {"div_f32 $s0, 1.0f, 3.0f;", 0x3eaaaaab},
    {"sqrt_f32 $s0, 2.0f;", 0x3fb504f3},
    {"floor_f32 $s0, -1.5f;", 0xc0000000},
    {"trunc_f32 $s0, -1.5f;", 0xbf800000},
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 exactly; rounding the product first loses it.
    {"fma_f32 $s0, 0F3f800800, 0F3f800800, 0Fbf801000;", 0x33800000},
    {"mad_f32 $s0, 0F3f800800, 0F3f800800, 0Fbf801000;", 0x33800000},
    {"mul_f32 $s1, 0F3f800800, 0F3f800800;\nadd_f32 $s0, $s1, 0Fbf801000;", 0},
    {"fract_f32 $s0, 2.75f;", 0x3f400000},
    {"fract_f32 $s0, -0.25f;", 0x3f400000},
    {"fract_f32 $s0, 0F80000000;", 0x80000000},
    {"fract_f32 $s0, 0Fff800000;", 0x80000000},
    {"fract_f32 $s0, 0Fb0000000;", 0x3f7fffff},  // -2^-31 + 1 rounds to 1, held below
    {"copysign_f32 $s0, 1.0f, -3.0f;", 0xbf800000},
    {"rint_f32 $s0, 2.5f;", 0x40000000},
    {"ceil_f32 $s0, 1.25f;", 0x40000000},
    {"class_b1_f32 $c0, 0F7fc00000, 2;\ncvt_u32_b1 $s0, $c0;", 1},
    {"class_b1_f32 $c0, 0F80000000, 0x3df;\ncvt_u32_b1 $s0, $c0;", 0},
    {"class_b1_f32 $c0, 0F00000001, 0xffffff80;\ncvt_u32_b1 $s0, $c0;", 1},
    {"add_f32 $s0, 0F00000001, 0F00000001;", 2},
    {"add_ftz_f32 $s0, 0F00000001, 0F00000001;", 0},
    {"add_ftz_f32 $s0, 0F80000001, 0F80000001;", 0x80000000},
    {"mul_ftz_f32 $s0, 0F0d800000, 0F2b800000;", 0},       // 2^-100 * 2^-40
    {"mul_f32 $s0, 0F0d800000, 0F2b800000;", 0x00000200},  // 2^-140
    {"min_f32 $s0, 0F7fc00000, 1.0f;", 0x3f800000},
    {"max_f32 $s0, 1.0f, 0F7fc00000;", 0x3f800000},
    {"min_f32 $s0, 2.0f, -1.0f;", 0xbf800000},
    {"max_f32 $s0, 2.0f, -1.0f;", 0x40000000},
    {"mov_b32 $s1, 0x7f800001;\nneg_f32 $s0, $s1;", 0xff800001},  // a bit operation (5.13)
    {"mov_b32 $s1, 0xff800001;\nabs_f32 $s0, $s1;", 0x7f800001},
    {"neg_f32 $s0, 0.0f;", 0x80000000},
};

TEST(FinalizerSemantics, Integer32) {
  check(kInteger32, 32);
}
TEST(FinalizerSemantics, Integer64) {
  check(kInteger64, 64);
}
TEST(FinalizerSemantics, CompareAndConvert) {
  check(kCompareAndConvert, 32);
}
TEST(FinalizerSemantics, Float32) {
  check(kFloat32, 32);
}

/// The machine code of `body`, one instruction per line, by the oracle. Looks at every instruction
/// from the start of the text section to s_endpgm.
std::string machine_code(const std::string& body, const char* target) {
  static cuvette::oracle::LlvmOracle oracle;
  const hsail::Module module = load(kernel(body));
  auto object = finalize(module, Options{target, 4});
  if (!object) return object.error().str();
  // Section headers: e_shoff at 40, count at 60; the executable one (SHF_EXECINSTR 4) is .text.
  auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint64_t{object->at(at + i)} << (8 * i);
    return value;
  };
  std::string text;
  for (uint64_t i = 0; i < number(60, 2); ++i) {
    const uint64_t header = number(40, 8) + 64 * i;
    if ((number(header + 8, 8) & 4) == 0) continue;
    const uint64_t offset = number(header + 24, 8);
    for (uint64_t at = 0; at < number(header + 32, 8);) {
      std::vector<uint32_t> words;
      for (uint64_t w = 0; w < 4 && at + 4 * w < number(header + 32, 8); ++w)
        words.push_back(static_cast<uint32_t>(number(offset + at + 4 * w, 4)));
      const auto one = oracle.disassemble(target, words);
      EXPECT_EQ(one.status, cuvette::oracle::LlvmOracle::Status::Ok);
      text += one.text + "\n";
      if (one.text == "s_endpgm" || one.bytes == 0) return text;
      at += one.bytes;
    }
  }
  return text;
}

constexpr const char* kInputs =
    "workitemid_u32 $s9, 0;\ncvt_u64_u32 $d9, $s9;\nshl_u64 $d9, $d9, 4;\nadd_u64 $d9, $d9, $d0;\n"
    "ld_v3_global_align(4)_u32 ($s1, $s2, $s3), [$d9];\n";
constexpr const char* kOutput = "st_global_align(4)_u32 $s0, [$d9];";

TEST(FinalizerSemantics, MachineInstructions) {
  const std::pair<const char*, const char*> rows[] = {
      {"mul24_u32 $s0, $s1, $s2;", "v_mul_u32_u24"},
      {"mul24_s32 $s0, $s1, $s2;", "v_mul_i32_i24"},
      {"mad24_u32 $s0, $s1, $s2, $s3;", "v_mad_u32_u24"},
      {"mad24_s32 $s0, $s1, $s2, $s3;", "v_mad_i32_i24"},
      {"mul24hi_s32 $s0, $s1, $s2;", "v_mul_hi_i32_i24"},
      {"mad24hi_u32 $s0, $s1, $s2, $s3;", "v_mul_hi_u32_u24"},
      {"mad_f32 $s0, $s1, $s2, $s3;", "v_fma"},
      {"nrcp_f32 $s0, $s1;", "v_rcp_f32"},
      {"nrsqrt_f32 $s0, $s1;", "v_rsq_f32"},
      {"fma_f32 $s0, $s1, $s2, $s3;", "v_fma"},
      {"laneid_u32 $s0;", "v_mbcnt_hi_u32_b32"},
      {"barrier;\nmov_b32 $s0, $s1;", "s_barrier"},
      {"memfence_scacq_agent;\nmov_b32 $s0, $s1;", "buffer_wbinvl1"},
      {"atomic_add_global_rlx_agent_u32 $s0, [$d9], $s1;", "global_atomic_add "},
      {"atomic_cas_global_scar_agent_b32 $s0, [$d9], $s1, $s2;", "global_atomic_cmpswap "},
      {"atomic_add_group_rlx_wg_u32 $s0, [$s1], $s2;", "ds_add_rtn_u32"},
      {"atomicnoret_add_group_rlx_wg_u32 [$s1], $s2;\nmov_b32 $s0, $s1;", "ds_add_u32"},
      {"atomic_ld_global_scacq_agent_b32 $s0, [$d9+16];", "glc"},
      {"mov_b32 $s0, $s1;\natomicnoret_st_global_screl_agent_b32 [$d9+64], $s2;",
       "global_store_dword"},
      {"ld_global_u32 $s0, [$d9+5];", "offset:5"},  // unaligned by default (6.3.2)
  };
  for (const auto& [instruction, expected] : rows)
    EXPECT_THAT(machine_code(kInputs + std::string(instruction) + "\n" + kOutput, "gfx908"),
                HasSubstr(expected))
        << instruction;
}

// LLVM quiets a constant NaN in code generation only (4.19.4, 5.11).
TEST(FinalizerSemantics, SignalingNanBecomesQuiet) {
  for (const char* instruction : {"min_f32 $s0, $s1, 1.0f;", "max_f32 $s0, 1.0f, $s1;",
                                  "mul_f32 $s0, $s1, 1.0f;", "sub_f32 $s0, $s1, 0.0f;"})
    EXPECT_THAT(machine_code("mov_b32 $s1, 0x7f800001;\n" + std::string(instruction) +
                                 "\nst_global_align(4)_u32 $s0, [$d0];",
                             "gfx908"),
                AllOf(HasSubstr("0x7fc0000"), Not(HasSubstr("0x7f800001"))))
        << instruction;
}

TEST(FinalizerSemantics, MulAndAddAreNotContracted) {
  for (const char* target : cuvette::finalizer_testing::kTargets)
    EXPECT_THAT(machine_code(std::string(kInputs) +
                                 "mul_f32 $s0, $s1, $s2;\nadd_f32 $s0, $s0, $s3;\n" + kOutput,
                             target),
                AllOf(HasSubstr("v_mul_f32"), HasSubstr("v_add_f32"), Not(HasSubstr("fma")),
                      Not(HasSubstr("mac")), Not(HasSubstr("v_mad"))))
        << target;
}

// Offsets in the dispatch packet: setup 2, workgroup sizes 4, 6, 8, grid sizes 12, 16, 20.
TEST(FinalizerSemantics, DispatchQueriesReadThePacket) {
  const std::pair<const char*, const char*> rows[] = {{"workgroupsize_u32 $s0, 0;", "i64 4"},
                                                      {"workgroupsize_u32 $s0, 1;", "i64 6"},
                                                      {"workgroupsize_u32 $s0, 2;", "i64 8"},
                                                      {"gridsize_u32 $s0, 0;", "i64 12"},
                                                      {"gridsize_u32 $s0, 1;", "i64 16"},
                                                      {"gridsize_u32 $s0, 2;", "i64 20"},
                                                      {"dim_u32 $s0;", "i64 2"},
                                                      {"grouptotalsize_u32 $s0;", "i64 28"}};
  for (const auto& [instruction, offset] : rows) {
    const hsail::Module module =
        load(kernel(std::string(instruction) + "\nst_global_align(4)_u32 $s0, [$d0];"));
    auto ir = optimised_ir({&module}, Options{});
    ASSERT_TRUE(ir.ok()) << ir.error().str();
    EXPECT_THAT(*ir, AllOf(HasSubstr("@llvm.amdgcn.dispatch.ptr()"),
                           HasSubstr(std::string(", ") + offset + "\n")))
        << instruction;
  }
}

}  // namespace
