// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "valu/operations.h"
#include "valu_devices.h"

// rtl/valu on values worked out by hand from the manuals: one or more rows per family beside those
// of valu_rtl_test. Nothing of the model takes part.
namespace cuvette {
namespace {

constexpr uint32_t kDefaultMode = 0x3f0;  // nearest even, subnormals kept, IEEE, DX10_CLAMP
constexpr unsigned kInvalid = 1, kDenormal = 2, kDivideByZero = 4, kOverflow = 8, kUnderflow = 16,
                   kInexact = 32;

/// One lane of one instruction.
struct Row {
  const char* mnemonic;
  uint64_t src0, src1, src2, old;
  uint64_t dst;  ///< or the mask bit of a compare
  unsigned flags = 0;
  isa::Modifiers mod = {};
  uint32_t mode = kDefaultMode;
  bool sdwa = false;
  uint8_t pass = 0;
};

isa::Modifiers clamp() {
  isa::Modifiers m;
  m.clamp = true;
  return m;
}
isa::Modifiers twice() {
  isa::Modifiers m;
  m.omod = 1;
  return m;
}
isa::Modifiers halves(unsigned op_sel, unsigned op_sel_hi = 0, unsigned neg = 0,
                      unsigned neg_hi = 0) {
  isa::Modifiers m;
  m.op_sel = static_cast<uint8_t>(op_sel);
  m.op_sel_hi = static_cast<uint8_t>(op_sel_hi);
  m.neg = static_cast<uint8_t>(neg);
  m.neg_hi = static_cast<uint8_t>(neg_hi);
  return m;
}
isa::Modifiers selects(unsigned src0, unsigned src1, unsigned dst, unsigned unused, unsigned sext) {
  isa::Modifiers m;
  m.sdwa_src[0] = static_cast<isa::SdwaSelect>(src0);
  m.sdwa_src[1] = static_cast<isa::SdwaSelect>(src1);
  m.sdwa_dst = static_cast<isa::SdwaSelect>(dst);
  m.sdwa_unused = static_cast<isa::SdwaUnused>(unused);
  m.sext = static_cast<uint8_t>(sext);
  return m;
}

constexpr uint64_t kOne64 = 0x3ff0000000000000, kTwo64 = 0x4000000000000000,
                   kFour64 = 0x4010000000000000, kHalf64 = 0x3fe0000000000000;

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      // Binary16 sums and products.
      {"v_add_f16", 0x3c00, 0x3c00, 0, 0, 0x4000},
      {"v_add_f16", 0x7bff, 0x7bff, 0, 0, 0x7c00, kOverflow | kInexact},
      {"v_add_f16",
       0x7bff,
       0x7bff,
       0,
       0,
       0x7bff,
       kOverflow | kInexact,
       {},
       kDefaultMode | 1u << 23},
      {"v_sub_f16", 0x3c00, 0x4000, 0, 0, 0xbc00},
      {"v_subrev_f16", 0x3c00, 0x4000, 0, 0, 0x3c00},
      {"v_mul_f16", 0x0400, 0x3800, 0, 0, 0x0200},
      {"v_mul_f16", 0x0400, 0x3800, 0, 0, 0, kUnderflow | kInexact, {}, 0x370},
      {"v_fma_f16", 0x3c01, 0x3c01, 0xbc00, 0xabcd0000, 0xabcd1800, kInexact},
      {"v_mad_f16", 0x3c01, 0x3c01, 0xbc00, 0xabcd0000, 0xabcd1800, kInexact},
      {"v_mad_legacy_f16", 0x4000, 0x4000, 0x3c00, 0xabcd0000, 0x4500},
      {"v_mac_f16", 0x4000, 0x4000, 0, 0x3c00, 0x4500},
      {"v_fma_f16", 0x40000000, 0x4000, 0x3c00, 0x1234, 0x45001234, 0, halves(9)},
      {"v_min_f16", 0x8000, 0x0000, 0, 0, 0x8000},
      {"v_max_f16", 0x7e00, 0x3c00, 0, 0, 0x3c00},
      {"v_med3_f16", 0x3c00, 0x4200, 0x4000, 0, 0x4000},
      // Only results are flushed.
      {"v_med3_f16", 0xfc00, 0x8001, 0xc100, 0, 0xc100, kDenormal, {}, 0x370},
      // Binary16 functions.
      {"v_rcp_f16", 0x4000, 0, 0, 0, 0x3800},
      {"v_rcp_f16", 0, 0, 0, 0, 0x7c00, kDivideByZero},
      {"v_sqrt_f16", 0x4400, 0, 0, 0, 0x4000},
      {"v_sqrt_f16", 0xbc00, 0, 0, 0, 0xfe00, kInvalid},
      {"v_rsq_f16", 0x4400, 0, 0, 0, 0x3800},
      {"v_exp_f16", 0x4000, 0, 0, 0, 0x4400},
      {"v_log_f16", 0x4400, 0, 0, 0, 0x4000},
      {"v_sin_f16", 0x3400, 0, 0, 0, 0x3c00},
      {"v_cos_f16", 0x3800, 0, 0, 0, 0xbc00},
      {"v_floor_f16", 0xbe00, 0, 0, 0, 0xc000},
      {"v_rndne_f16", 0x4100, 0, 0, 0, 0x4000},
      {"v_fract_f16", 0xb400, 0, 0, 0, 0x3a00},
      {"v_frexp_exp_i16_f16", 0x4800, 0, 0, 0, 4},
      {"v_frexp_mant_f16", 0x4800, 0, 0, 0, 0x3800},
      {"v_ldexp_f16", 0x3c00, 0xffff, 0, 0, 0x3800},
      {"v_div_fixup_f16", 0x3c00, 0x0000, 0x3c00, 0, 0x7c00, kDivideByZero},
      // Binary32 functions.
      {"v_exp_f32", 0x40400000, 0, 0, 0, 0x41000000},
      {"v_log_f32", 0x41000000, 0, 0, 0, 0x40400000},
      {"v_sin_f32", 0x3e800000, 0, 0, 0, 0x3f800000},
      {"v_cos_f32", 0x3e800000, 0, 0, 0, 0x00000000},
      {"v_log_f32", 0xbf800000, 0, 0, 0, 0xffc00000, kInvalid},
      {"v_fract_f32", 0xbe800000, 0, 0, 0, 0x3f400000},
      {"v_fract_f32", 0x80800000, 0, 0, 0, 0x3f7fffff, kInexact},
      {"v_frexp_exp_i32_f32", 0x41000000, 0, 0, 0, 4},
      {"v_frexp_mant_f32", 0xc1000000, 0, 0, 0, 0xbf000000},
      {"v_ldexp_f32", 0x3f800000, 3, 0, 0, 0x41000000},
      {"v_mul_legacy_f32", 0, 0x7f800000, 0, 0, 0},
      {"v_mad_legacy_f32", 0, 0x7f800000, 0x40000000, 0, 0x40000000},
      {"v_min3_f32", 0x3f800000, 0xc0000000, 0x40000000, 0, 0xc0000000},
      {"v_med3_f32", 0x3f800000, 0x40400000, 0x40000000, 0, 0x40000000},
      {"v_cubeid_f32", 0x3f800000, 0x40000000, 0xc0400000, 0, 0x40a00000},
      {"v_cubesc_f32", 0x3f800000, 0x40000000, 0xc0400000, 0, 0xbf800000},
      {"v_cubetc_f32", 0x3f800000, 0x40000000, 0xc0400000, 0, 0xc0000000},
      {"v_cubema_f32", 0x3f800000, 0x40000000, 0xc0400000, 0, 0xc0c00000},
      // Classes and compares: the result is the mask bit.
      {"v_cmp_class_f32", 0x80000000, 0x20, 0, 0, 1},
      {"v_cmp_class_f32", 0x7f800001, 0x3fe, 0, 0, 0},
      {"v_cmp_class_f16", 0x8001, 0x10, 0, 0, 1},
      {"v_cmp_class_f64", 0x7ff0000000000000, 0x200, 0, 0, 1},
      {"v_cmp_lt_i64", ~0ull, 0, 0, 0, 1},
      {"v_cmp_lt_u64", ~0ull, 0, 0, 0, 0},
      {"v_cmp_gt_i16", 0x12340001, 0x5678ffff, 0, 0, 1},
      {"v_cmp_gt_u16", 0x12340001, 0x5678ffff, 0, 0, 0},
      {"v_cmp_u_f16", 0x7c01, 0, 0, 0, 1, kInvalid},
      {"v_cmp_lt_f64", 0xbff0000000000000, kOne64, 0, 0, 1},
      // Conversions.
      {"v_cvt_f16_f32", 0x477ff000, 0, 0, 0, 0x7c00, kOverflow | kInexact},
      {"v_cvt_f32_f16", 0x0001, 0, 0, 0, 0x33800000, kDenormal},
      {"v_cvt_pkrtz_f16_f32", 0x477ff000, 0x3f800000, 0, 0, 0x3c007bff, kInexact},
      {"v_cvt_pkrtz_f16_f32", 0x40400000, 0xbf800000, 0, 0, 0x00003c00, 0, clamp()},
      {"v_cvt_pkrtz_f16_f32", 0x3f000000, 0x40000000, 0, 0, 0x3c003800, 0, clamp()},
      {"v_cvt_pkrtz_f16_f32", 0x471c4000, 0xbf000000, 0, 0, 0xbc007bff, kOverflow | kInexact,
       twice(), 0x130},
      {"v_pack_b32_f16", 0x11112222, 0x33334444, 0, 0, 0x33332222, 0, halves(2)},
      {"v_cvt_pknorm_i16_f32", 0x3f800000, 0xbf800000, 0, 0, 0x80017fff},
      {"v_cvt_pknorm_u16_f32", 0x3f000000, 0x40000000, 0, 0, 0xffff8000, kInexact},
      {"v_cvt_norm_i16_f16", 0xbc00, 0, 0, 0, 0x8001},
      {"v_cvt_f16_u16", 0xffff, 0, 0, 0, 0x7c00, kOverflow | kInexact},
      {"v_cvt_f16_i16", 0xffff, 0, 0, 0, 0xbc00},
      {"v_cvt_u16_f16", 0xbc00, 0, 0, 0, 0, kInvalid},
      {"v_cvt_i16_f16", 0xbe00, 0, 0, 0, 0xffff},
      {"v_cvt_pk_u8_f32", 0x40200000, 1, 0xaabbccdd, 0, 0xaabb02dd, kInexact},
      {"v_cvt_pkaccum_u8_f32", 0x43c80000, 3, 0, 0xaabbccdd, 0xffbbccdd, kInvalid},
      {"v_cvt_rpi_i32_f32", 0x40200000, 0, 0, 0, 3},
      {"v_cvt_rpi_i32_f32", 0xc0200000, 0, 0, 0, 0xfffffffe},
      {"v_cvt_off_f32_i4", 0x8, 0, 0, 0, 0xbf000000},
      // 16-bit integers.
      {"v_add_u16", 0xffff, 1, 0, 0, 0},
      {"v_add_u16", 0xffff, 1, 0, 0, 0xffff, 0, clamp()},
      {"v_sub_i16", 0x8000, 1, 0, 0, 0x8000, 0, clamp()},
      {"v_mad_u16", 0x00030000, 0x00050000, 0x00070000, 0x1234, 0x00161234, 0, halves(15)},
      {"v_mad_i16", 3, 0xffff, 1, 0xabcd0000, 0xabcdfffe},
      {"v_ashrrev_i16", 1, 0x8000, 0, 0, 0xc000},
      {"v_med3_i16", 0xffff, 5, 2, 0, 2},
      {"v_mad_u32_u16", 0xffff, 0xffff, 0xffffffff, 0, 0xffffffff, 0, clamp()},
      {"v_mad_i32_i16", 0xffff, 2, 10, 0, 8},
      {"v_mul_u32_u24", 0xffffff, 0xffffff, 0, 0, 0xffffffff, 0, clamp()},
      // Packed, mixed and dot products.
      {"v_pk_add_u16", 0x0001ffff, 0x00010001, 0, 0, 0x00020000, 0, halves(0, 7)},
      {"v_pk_sub_i16", 0x00018000, 0x00020001, 0, 0, 0xffff8000, 0,
       [] {
         isa::Modifiers m = halves(0, 7);
         m.clamp = true;
         return m;
       }()},
      {"v_pk_mad_i16", 0x00020003, 0x00040005, 0x00060007, 0, 0x000e0016, 0, halves(0, 7)},
      {"v_pk_lshlrev_b16", 0x00040001, 0x00010001, 0, 0, 0x00100002, 0, halves(0, 7)},
      {"v_pk_fma_f16", 0x40003c00, 0x40003c00, 0x3c003c00, 0, 0x45004000, 0, halves(0, 7)},
      {"v_pk_add_f16", 0x40003c00, 0x40003c00, 0, 0, 0x00004200, 0, halves(2, 3, 0, 2)},
      {"v_pk_fmac_f16", 0x40003c00, 0x40003c00, 0, 0x3c003c00, 0x45004000},
      {"v_fma_mix_f32", 0x40000000, 0x40400000, 0x3f800000, 0, 0x40e00000},
      {"v_fma_mix_f32", 0x40000000, 0x40400000, 0x3f800000, 0, 0x40e00000, 0, halves(1, 1)},
      {"v_fma_mixhi_f16", 0x40000000, 0x40400000, 0x3f800000, 0x1234, 0x47001234},
      {"v_fma_mixlo_f16", 0x40000000, 0x40400000, 0x3f800000, 0x12340000, 0x12344700},
      {"v_dot2_f32_f16", 0x40003c00, 0x44004200, 0x3f000000, 0, 0x41380000, 0, halves(0, 7)},
      {"v_dot2c_f32_f16", 0x40003c00, 0x44004200, 0, 0x3f000000, 0x41380000},
      {"v_dot2_i32_i16", 0xffff0002, 0x00030004, 10, 0, 15, 0, halves(0, 7)},
      {"v_dot4_i32_i8", 0x01020304, 0xff010203, 1, 0, 20, 0, halves(0, 7)},
      {"v_dot4_u32_u8", 0x01020304, 0xff010203, 1, 0, 276, 0, halves(0, 7)},
      {"v_dot8_i32_i4", 0xffffffff, 0x22222222, 0, 0, 0xfffffff0, 0, halves(0, 7)},
      {"v_dot8_u32_u4", 0x11111111, 0x22222222, 0, 0, 16, 0, halves(0, 7)},
      // Sums of differences, 64-bit integers, the rest.
      {"v_qsad_pk_u16_u8", 0x0807060504030201, 0x04030201, 0, 0, 0x000c000800040000},
      {"v_mqsad_pk_u16_u8", 0x0807060504030201, 0x00030200, 0, 0, 0x0006000400020000},
      {"v_mqsad_u32_u8", 0x0807060504030201, 0x04030201, 0x0000000100000000, 0, 0x0000000500000000},
      {"v_mqsad_u32_u8",
       0x0807060504030201,
       0x04030201,
       0,
       0,
       0x0000000c00000008,
       0,
       {},
       kDefaultMode,
       false,
       1},
      {"v_screen_partition_4se_b32", 0x00, 0, 0, 0, 1},
      {"v_screen_partition_4se_b32", 0x0f, 0, 0, 0, 15},
      // Binary64.
      {"v_add_f64", kOne64, kOne64, 0, 0, kTwo64},
      {"v_mul_f64", 0x0010000000000000, kHalf64, 0, 0, 0x0008000000000000},
      {"v_fma_f64", 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002, 0,
       0x3970000000000000},
      {"v_fma_f64", 0x7fefffffffffffff, kTwo64, 0, 0, 0x7ff0000000000000, kOverflow | kInexact},
      {"v_min_f64", 0x8000000000000000, 0, 0, 0, 0x8000000000000000},
      {"v_rcp_f64", kTwo64, 0, 0, 0, kHalf64},
      {"v_sqrt_f64", kFour64, 0, 0, 0, kTwo64},
      {"v_rsq_f64", kFour64, 0, 0, 0, kHalf64},
      {"v_rndne_f64", 0x4004000000000000, 0, 0, 0, kTwo64},
      {"v_fract_f64", 0xbfd0000000000000, 0, 0, 0, 0x3fe8000000000000},
      {"v_ldexp_f64", kOne64, 0xffffffff, 0, 0, kHalf64},
      {"v_frexp_exp_i32_f64", kFour64, 0, 0, 0, 3},
      {"v_trig_preop_f64", kOne64, 0, 0, 0, 0x3fe45f306dc9c882},
      {"v_cvt_i32_f64", 0xbff8000000000000, 0, 0, 0, 0xffffffff},
      {"v_cvt_u32_f64", 0x41f0000000000000, 0, 0, 0, 0xffffffff, kInvalid},
      {"v_cvt_f64_i32", 0xffffffff, 0, 0, 0, 0xbff0000000000000},
      {"v_cvt_f32_f64", 0x7e37e43c8800759c, 0, 0, 0, 0x7f800000, kOverflow | kInexact},
      {"v_cvt_f64_f32", 0x3fc00000, 0, 0, 0, 0x3ff8000000000000},
      {"v_div_fixup_f64", kHalf64, kTwo64, 0xbff0000000000000, 0, 0xbfe0000000000000},
      // SDWA.
      {"v_add_u32", 0x80123456, 0x00100000, 0, 0x11223344, 0x11229044, 0, selects(3, 5, 1, 2, 1),
       kDefaultMode, true},
      {"v_add_u32", 0x80123456, 0x00100000, 0, 0x11223344, 0x00009000, 0, selects(3, 5, 1, 0, 1),
       kDefaultMode, true},
      {"v_sub_u32", 0x00000001, 0x00000002, 0, 0, 0xffffff00, 0, selects(0, 0, 1, 1, 0),
       kDefaultMode, true},
      {"v_add_f16", 0x40000000, 0x00003c00, 0, 0x5555aaaa, 0x4200aaaa, 0, selects(5, 4, 5, 2, 0),
       kDefaultMode, true},
  };
  return table;
}

/// Answer of the RTL in the one active lane, lane 4; `vcc` is that lane's bit of the mask
/// operand.
valu::Response answer(ValuPins& device, const Row& row, bool vcc = false) {
  valu::Response r;
  const valu::Operation* op = nullptr;
  for (const valu::Operation& o : valu::operations()) {
    if (o.mnemonic == row.mnemonic && o.on(isa::Target::Gfx908)) op = &o;
  }
  if (op == nullptr) {
    ADD_FAILURE() << row.mnemonic;
    return r;
  }
  valu::Request q;
  q.row = static_cast<uint16_t>(isa::index_of(*isa::find_row(op->mnemonic, op->format)));
  q.modifiers = row.mod;
  q.mode = row.mode;
  q.pass = row.pass;
  q.exec = 0x0010;  // one lane, not the first
  q.mask_in = static_cast<uint16_t>(vcc ? 0x0010 : 0);
  q.src[0][4] = row.src0;
  q.src[1][4] = row.src1;
  q.src[2][4] = row.src2;
  q.old[4] = row.old;
  device.drive(&q, op->code, true);
  EXPECT_TRUE(device.request_ready());
  device.clock();
  for (int cycle = 0; cycle < 3; ++cycle) {
    device.drive(nullptr, 0, true);
    if (cycle == 2) break;
    EXPECT_FALSE(device.response_valid());
    device.clock();
  }
  EXPECT_TRUE(device.response_valid());
  device.response(r);
  device.clock();
  return r;
}

TEST(ValuDirected, RtlGivesTheValuesWorkedOutByHand) {
  ValuPins device(ip::make_valu_check(1));
  for (const Row& row : rows()) {
    const valu::Response r = answer(device, row);
    const uint64_t got = r.has_mask && r.write == 0 ? r.mask >> 4 & 1u : r.dst[4];
    EXPECT_EQ(got, row.dst) << row.mnemonic << std::hex << " " << row.src0 << " " << row.src1 << " "
                            << row.src2 << ": got " << got << ", expected " << row.dst;
    EXPECT_EQ(unsigned{r.flags}, row.flags) << row.mnemonic << std::hex << " " << row.src0;
  }
}

TEST(ValuDirected, ScaledFmaWhoseSumCarriesAboveHalfTheLeastSubnormal) {
  // -(2 - 2^-16)^2 * 2^-88 - 1.0625 * 2^-101, scaled by 2^-64, lies just beyond -2^-150; F64 alike
  // around -2^-1075.
  ValuPins device(ip::make_valu_check(1));
  const unsigned tiny = kUnderflow | kInexact;
  for (const unsigned round : {0u, 1u, 2u, 3u}) {
    const bool up = round == 0 || round == 2;  // nearest even, towards minus infinity
    const uint32_t mode = kDefaultMode | round | round << 2;
    const Row single = {"v_div_fmas_f32", 0xa9ffff80, 0x29ffff80, 0x8d07ffff, 0,
                        0x80000000u | up, tiny,       {},         mode};
    const Row wide = {"v_div_fmas_f64",
                      0xa25ffff000000000,
                      0x224ffff000000000,
                      0x83d1000000000000,
                      0,
                      0x8000000000000000u | up,
                      tiny,
                      {},
                      mode};
    for (const Row& row : {single, wide}) {
      const valu::Response r = answer(device, row, true);
      EXPECT_EQ(uint64_t{r.dst[4]}, row.dst) << row.mnemonic << " round " << round;
      EXPECT_EQ(unsigned{r.flags}, row.flags) << row.mnemonic << " round " << round;
    }
  }
}

TEST(ValuDirected, DivScaleTakesQuotientsBelowTheLeastNormalForTiny) {
  struct Scale {
    const char* mnemonic;
    uint64_t src0, den, num, dst;
    bool mask;
  };
  const Scale table[] = {
      // -2^-23 * s / (2^127 * s) is half the least subnormal and rounds to zero.
      {"v_div_scale_f32", 0x7f000fff, 0x7f000fff, 0xb4000fff, 0x5f000fff, true},
      {"v_div_scale_f32", 0xb4000fff, 0x7f000fff, 0xb4000fff, 0xb4000fff, true},
      // (2 - 2^-23) * 2^-127 rounds to the least normal; 2^-126 is it.
      {"v_div_scale_f32", 0x20ffffff, 0x60000000, 0x20ffffff, 0x40ffffff, true},
      {"v_div_scale_f32", 0x21000000, 0x60000000, 0x21000000, 0x21000000, false},
      {"v_div_scale_f64", 0xbcb0000000000fff, 0x7fe0000000000fff, 0xbcb0000000000fff,
       0xbcb0000000000fff, true},
      {"v_div_scale_f64", 0x7fe0000000000fff, 0x7fe0000000000fff, 0xbcb0000000000fff,
       0x77e0000000000fff, true},
      {"v_div_scale_f64", 0x200fffffffffffff, 0x5ff0000000000000, 0x200fffffffffffff,
       0x280fffffffffffff, true},
      {"v_div_scale_f64", 0x2010000000000000, 0x5ff0000000000000, 0x2010000000000000,
       0x2010000000000000, false},
  };
  ValuPins device(ip::make_valu_check(1));
  for (const Scale& s : table) {
    const valu::Response r = answer(device, {s.mnemonic, s.src0, s.den, s.num, 0, s.dst});
    EXPECT_EQ(uint64_t{r.dst[4]}, s.dst) << s.mnemonic << std::hex << " " << s.src0;
    EXPECT_EQ((r.mask >> 4 & 1u) != 0, s.mask) << s.mnemonic << std::hex << " " << s.src0;
  }
}

}  // namespace
}  // namespace cuvette
