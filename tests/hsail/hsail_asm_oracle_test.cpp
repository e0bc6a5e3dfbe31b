// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_asm_oracle.h"

// Our judgement of HSAIL text against that of HSAILasm (HSAIL-Tools, HSAIL 1.0): what both accept,
// what both refuse, and whether our text means the same to it.
namespace cuvette::hsail {
namespace {

using namespace testing;

const auto* const kLedger =
    ::testing::AddGlobalTestEnvironment(new testing::Ledger("hsail_asm_oracle_test"));
// Environments end in reverse order: the tables count before the ledger reports.
const auto* const kTables =
    ::testing::AddGlobalTestEnvironment(new EveryTableIsCompared(compared_opcodes()));

/// Without comments, and constants by their bits only: the other tool writes b32 constants as
/// integers.
Module comparable(const Module& m) {
  for (CodeRef i = 1; i < m.code.size(); ++i) {
    if (m.code[i].kind == Kind::kComment) ADD_FAILURE() << "comments are not compared";
  }
  Module copy = m;
  for (Operand& op : copy.operands) {
    if (op.kind == Kind::kOperandConstantBytes) op.type = Type::kNone;
  }
  return copy;
}

TEST_F(AsmOracle, DemoKernelsMeanTheSame) {
  for (const char* kernel : testing::kDemoKernels) {
    SCOPED_TRACE(kernel);
    auto text = base::read_text(testing::kernel_path(kernel));
    ASSERT_TRUE(text.ok());
    ASSERT_FALSE(assembled(*text).empty()) << log();
    const auto ours = parse_text(testing::without_comments(*text), "ours");
    ASSERT_TRUE(ours.ok());
    const auto brig = assembled(print(ours.module));
    ASSERT_FALSE(brig.empty()) << log();
    const auto theirs = parse_text(disassembled(brig), "theirs");
    ASSERT_TRUE(theirs.ok()) << theirs.errors[0].str();
    EXPECT_TRUE(same_module(comparable(ours.module), comparable(theirs.module)))
        << print(theirs.module);
  }
}

/// New in HSAIL 1.1 and 1.2, unknown to the oracle.
bool newer_than_oracle(Opcode opcode, Type type) {
  return opcode == Opcode::kGroupStaticSize || opcode == Opcode::kGroupTotalSize ||
         (opcode == Opcode::kCmov && type == Type::kB128);
}

constexpr Type kScalars[] = {Type::kU8,  Type::kU16, Type::kU32, Type::kU64, Type::kS8,  Type::kS16,
                             Type::kS32, Type::kS64, Type::kF16, Type::kF32, Type::kF64, Type::kB1,
                             Type::kB8,  Type::kB16, Type::kB32, Type::kB64, Type::kB128};

/// Scalar types on every opcode: both accept or both refuse, and what both accept comes back equal.
TEST_F(AsmOracle, TypesOfEveryInstruction) {
  size_t number = 0;
  size_t compared = 0;
  size_t accepted = 0;
  Opcode last = Opcode::kGroupTotalSize;
  AtomicOp last_atomic = AtomicOp::kXor;
  for (const InstRow& row : inst_rows()) {
    if (is_call(row.opcode) || row.syntax >= Syntax::kImage) continue;  // tests of their own
    if (row.opcode == last && row.atomic == last_atomic)
      continue;  // one row per instruction is enough
    last = row.opcode;
    last_atomic = row.atomic;
    const bool typed = row.types != 0;
    const bool two = row.source_types != 0;
    for (const Type t : kScalars) {
      for (const Type s : kScalars) {
        if (!typed && t != Type::kU8) continue;
        if (!two && s != Type::kU8) continue;
        const std::string text = instruction(row, typed ? t : Type::kNone, two ? s : Type::kNone);
        if (newer_than_oracle(row.opcode, t)) continue;
        // Pairs that differ in both types from everything allowed say nothing new.
        const bool near =
            !two || (row.types & type_bit(t)) != 0 || (row.source_types & type_bit(s)) != 0;
        if (!near) continue;
        const std::string module = module_with(text);
        const bool ours = we_accept(module);
        if (!testing::compared(number++, ours)) continue;
        const auto brig = assembled(module);
        const bool theirs = !brig.empty();
        ++compared;
        EXPECT_EQ(ours, theirs) << text << "\n" << log() << all_messages(module);
        if (!ours || !theirs) continue;
        ++accepted;
        const auto mine = parse_text(module, "ours");
        const auto back = parse_text(disassembled(brig), "theirs");
        EXPECT_TRUE(back.ok() && same_module(mine.module, back.module)) << text;
        EXPECT_TRUE(same_brig(module, brig)) << text;
        compared_opcodes().insert(row.opcode);
      }
    }
  }
  std::cout << "compared with HSAILasm: " << compared << " instructions, both accept " << accepted
            << "\n";
}

/// Modifiers on every floating-point, comparison, conversion and memory instruction.
TEST_F(AsmOracle, Modifiers) {
  const char* const bodies[] = {
      "add_ftz_f32 $s0, $s1, $s2;",
      "add_up_f32 $s0, $s1, $s2;",
      "add_ftz_down_f64 $d0, $d1, $d2;",
      "add_near_f32 $s0, $s1, $s2;",
      "add_zero_f16 $s0, $s1, $s2;",
      "add_ftz_u32 $s0, $s1, $s2;",
      "add_up_s32 $s0, $s1, $s2;",
      "max_ftz_f32 $s0, $s1, $s2;",
      "max_up_f32 $s0, $s1, $s2;",
      "sqrt_ftz_zero_f32 $s0, $s1;",
      "floor_ftz_f32 $s0, $s1;",
      "floor_near_f32 $s0, $s1;",
      "neg_ftz_f32 $s0, $s1;",
      "abs_ftz_f32 $s0, $s1;",
      "nrcp_ftz_f32 $s0, $s1;",
      "fma_ftz_f32 $s0, $s1, $s2, $s3;",
      "cmp_lt_ftz_b1_f32 $c0, $s0, $s1;",
      "cmp_lt_ftz_b1_u32 $c0, $s0, $s1;",
      "cmp_ltu_b1_f32 $c0, $s0, $s1;",
      "cmp_ltu_b1_s32 $c0, $s0, $s1;",
      "cmp_snan_b1_f64 $c0, $d0, $d1;",
      "cmp_sgtu_u32_f32 $s0, $s1, $s2;",
      "cmp_lt_b1_b1 $c0, $c1, $c2;",
      "cmp_num_b1_f16 $c0, $s0, $s1;",
      "cvt_ftz_f32_f16 $s0, $s1;",
      "cvt_near_f16_f32 $s0, $s1;",
      "cvt_ftz_near_f16_f32 $s0, $s1;",
      "cvt_near_f32_f16 $s0, $s1;",
      "cvt_zeroi_s32_f32 $s0, $s1;",
      "cvt_neari_sat_s32_f32 $s0, $s1;",
      "cvt_sdowni_sat_u8_f64 $s0, $d1;",
      "cvt_ftz_upi_u32_f32 $s0, $s1;",
      "cvt_near_s32_f32 $s0, $s1;",
      "cvt_zeroi_f32_s32 $s0, $s1;",
      "cvt_down_f32_u64 $s0, $d1;",
      "cvt_ftz_f32_s32 $s0, $s1;",
      "cvt_near_s64_s32 $d0, $s1;",
      "cvt_near_b1_f32 $c0, $s1;",
      "cvt_ftz_b1_f32 $c0, $s1;",
      "cvt_near_f32_b1 $s0, $c1;",
      "ld_v2_global_align(8)_const_equiv(3)_width(16)_u32 ($s0, $s1), [$d0];",
      "ld_group_const_u32 $s0, [$s1];",
      "ld_global_const_u32 $s0, [$d1];",
      "ld_const_u32 $s0, [$d1];",
      "ld_global_width(3)_u32 $s0, [$d1];",
      "ld_global_align(512)_u32 $s0, [$d1];",
      "ld_global_equiv(256)_u32 $s0, [$d1];",
      "ld_v2_global_u32 ($s0, $s0), [$d1];",
      "ld_v3_global_f64 ($d0, $d1, $d2), [$d3];",
      "ld_v2_u32 $s0, [$d1];",
      "st_global_width(2)_u32 $s0, [$d1];",
      "st_v4_private_u8 ($s0, 1, WAVESIZE, $s0), [$s1];",
      "st_kernarg_u32 $s0, [$d1];",
      "st_readonly_u32 $s0, [$d1];",
      "ld_kernarg_u32 $s0, [$s1];",
      "ld_group_u32 $s0, [$d1];",
      "ld_u32 $s0, [$d1+4];",
      "ld_u32 $s0, [$s1+4];",
      "st_global_f32 1.0f, [$d1];",
      "st_global_f32 1, [$d1];",
      "st_global_u32 1.0f, [$d1];",
      "st_global_u8 WAVESIZE, [$d1];",
      "st_global_f32 WAVESIZE, [$d1];",
      "lda_group_u32 $s0, [$s1+4];",
      "lda_group_u64 $d0, [$s1];",
      "lda_u64 $d0, [$d1];",
      "lda_spill_u32 $s0, [$s1];",
      "lda_kernarg_u64 $d0, [$d1];",
      "lda_private_u32 $s0, [$s1];",
      "atomic_ld_global_scacq_system_b32 $s0, [$d0];",
      "atomic_ld_global_screl_system_b32 $s0, [$d0];",
      "atomic_add_group_rlx_wg_u32 $s0, [$s1], 1;",
      "atomic_add_group_rlx_agent_u32 $s0, [$s1], 1;",
      "atomic_add_private_rlx_wg_u32 $s0, [$s1], 1;",
      "atomic_add_rlx_agent_u64 $d0, [$d1], $d2;",
      "atomicnoret_st_global_screl_agent_b64 [$d0], 1;",
      "atomicnoret_st_global_scacq_agent_b64 [$d0], 1;",
      "atomicnoret_exch_global_rlx_agent_b32 [$d0], 1;",
      "atomicnoret_cas_global_rlx_agent_b32 [$d0], 1, 2;",
      "atomicnoret_ld_global_rlx_agent_b32 [$d0];",
      "atomic_st_global_rlx_agent_b32 $s0, [$d0], 1;",
      "atomic_wrapinc_global_scar_wave_equiv(2)_u32 $s0, [$d0], 7;",
      "memfence_rlx_wg;",
      "memfence_scacq_wave;",
      "memfence_scar_system;",
      "memfence_scar;",
      "barrier_width(64);",
      "activelaneid_width(all)_u32 $s0;",
      "activelanemask_v2_b64_b1 ($d0, $d1), $c0;",
      "activelanepermute_width(64)_b64 $d0, $d1, $s0, 0, 1;",
      "barrier_width(all);",
      "barrier_width(WAVESIZE);",
      "barrier_width(5);",
      "wavebarrier;",
      "wavebarrier_width(64);",
      "br_width(all) @l;",
      "cbr_width(64)_b1 $c0, @l;",
      "cbr_b32 $s0, @l;",
      "sbr_width(all)_u64 $d0 [@l, @l];",
      "sbr_s32 $s0 [@l];",
      "workitemid_u32 $s0, 3;",
      "workitemid_u32 $s0, $s1;",
      "workitemid_u32 $s0, WAVESIZE;",
      "mov_b32 $s0, 0x1ffffffff;",
      "mov_b64 $d0, 1.0;",
      "mov_b64 $d0, 1.0f;",
      "mov_f32 $s0, 1.0;",
      "mov_b128 $q0, 1;",
      "mov_b128 $q0, u32x4(1, 2, 3, 4);",
      "mov_b32 $s0, u8x4(1, 2, 3, 4);",
      "mov_u32 $s0, u8x4(1, 2, 3, 4);",
      "mov_b32 $s0, u32(7);",
      "mov_s32 $s0, u32(7);",
      "mov_f32 $s0, f32(7.0f);",
      "mov_b1 $c0, 1;",
      "mov_b1 $c0, $s0;",
      "add_u32 $s0, $d1, $s2;",
      "shl_u64 $d0, $d1, $d2;",
      "and_b1 $c0, $c1, 1;",
      "cmov_b32 $s0, $c0, 1, -1;",
      "cmov_b32 $s0, 1, 1, -1;",
      "mov_b32 $s0, -1;",
      "add_f32 $s0, $s1, -0f3f800000;",
      "add_f32 $s0, $s1, -1.5e3f;",
      "add_f16 $s0, $s1, 0x1.8p1h;",
      "combine_v2_b64_b32 $d0, ($s0, 5);",
      "combine_v4_b64_b32 $d0, ($s0, $s1, $s2, $s3);",
      "expand_v2_b32_b64 ($s0, $s1), $d0;",
      "expand_v2_b32_b64 ($s0, $s0), $d0;",
      "bitextract_u64 $d0, $d1, 4, $s2;",
      "bitextract_u64 $d0, $d1, $d2, 4;",
      "mul24_u32 $s0, $s1, 5;",
      "add_pp_s16x2 $s1, $s2, s16x2(-23, 56);",
      "add_pp_s16x2 $s1, $s2, 0xffe90038;",
      "add_pp_s16x2 $s1, $s2, u16x2(23, 56);",
      "add_pp_u8x4 $s1, WAVESIZE, $s3;",
      "add_ftz_up_pp_f32x4 $q1, $q2, $q3;",
      "add_ftz_pp_u8x4 $s1, $s2, $s3;",
      "add_pp_sat_f16x2 $s1, $s2, $s3;",
      "max_up_pp_f16x2 $s1, $s2, $s3;",
      "sqrt_zero_s_f16x2 $s1, $s2;",
      "cmp_ltu_ftz_pp_u32x2_f32x2 $d1, $d2, $d3;",
      "cmp_ltu_pp_u8x4_s8x4 $s1, $s2, $s3;",
      "cmp_lt_pp_u8x8_s8x4 $d1, $s2, $s3;",
      "shuffle_u8x4 $s1, $s2, $s3, $s4;",
      "shuffle_s32x2 $d1, $d2, $d1, WAVESIZE;",
      "shuffle_f16x4 $d1, $d2, $d1, 0x39;",
      "pack_u8x4_u32 $s1, $s2, 7, $s4;",
      "pack_u8x4_s32 $s1, $s2, $s3, 2;",
      "unpack_s32_s8x16 $s1, $q2, 9;",
      "cmov_u8x4 $s1, u8x4(1, 0, 1, 0), $s1, $s2;",
      "cmov_u8x4 $s1, $c0, $s1, $s2;",
      "unpackcvt_f32_u8x4 $s5, $s0, 3;",
      "unpackcvt_f32_u8x4 $s5, $s0, 4;",
      "unpackcvt_f32_u8x4 $s5, $s0, $s1;",
      "packcvt_u8x4_f32 $s1, $s2, $s3, $s9, 1.0f;",
      "sadhi_u16x2_u8x4 $s5, $s0, u8x4(1, 2, 3, 4), $s6;",
      "shl_u8x4 $s1, $s2, 3;",
      "shl_u64x2 $q1, $q2, $d3;",
      "lerp_u8x4 $s1, $s2, 5, $s3;",
      "ncos_f64 $d1, $d0;",
      "nsin_ftz_f32 $s1, $s0;",
  };
  size_t accepted = 0;
  for (const char* body : bodies) {
    const std::string module = module_with(body);
    const bool ours = we_accept(module);
    const auto brig = assembled(module);
    const bool theirs = !brig.empty();
    EXPECT_EQ(ours, theirs) << body << "\n" << log() << all_messages(module);
    if (!ours || !theirs) continue;
    ++accepted;
    EXPECT_TRUE(same_brig(module, brig)) << body;
    const auto mine = parse_text(module, "ours");
    const auto back = parse_text(disassembled(brig), "theirs");
    EXPECT_TRUE(back.ok() && same_module(comparable(mine.module), comparable(back.module)))
        << body << "\n"
        << print(back.module);
  }
  std::cout << "compared with HSAILasm: " << std::size(bodies) << " bodies, both accept "
            << accepted << "\n";
}

}  // namespace
}  // namespace cuvette::hsail
