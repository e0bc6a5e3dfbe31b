// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_integer.h"

// Integer rows with one result of 16, 32 or 64 bits.
namespace cuvette::wave {
namespace {

using namespace test;

const std::vector<IntegerRow>& rows32() {
  static const std::vector<IntegerRow> rows = {
      {"v_mov_b32", [](U a, U, U) { return a; }},
      {"v_not_b32", [](U a, U, U) { return u32(~a); }},
      {"v_bfrev_b32", [](U a, U, U) { return reversed(a); }},
      {"v_ffbh_u32", [](U a, U, U) { return first_high(a); }},
      {"v_ffbl_b32", [](U a, U, U) { return first_low(a); }},
      {"v_ffbh_i32", [](U a, U, U) { return first_change(a); }},
      {"v_and_b32", [](U a, U b, U) { return a & b; }},
      {"v_or_b32", [](U a, U b, U) { return a | b; }},
      {"v_xor_b32", [](U a, U b, U) { return a ^ b; }},
      {"v_xnor_b32", [](U a, U b, U) { return u32(~(a ^ b)); }},
      {"v_lshlrev_b32", [](U a, U b, U) { return u32(b << (a % 32)); }},
      {"v_lshrrev_b32", [](U a, U b, U) { return b >> (a % 32); }},
      {"v_ashrrev_i32", [](U a, U b, U) { return wrap32(s32(b) >> (a % 32)); }},
      {"v_min_i32", [](U a, U b, U) { return wrap32(std::min(s32(a), s32(b))); }},
      {"v_max_i32", [](U a, U b, U) { return wrap32(std::max(s32(a), s32(b))); }},
      {"v_min_u32", [](U a, U b, U) { return std::min(a, b); }},
      {"v_max_u32", [](U a, U b, U) { return std::max(a, b); }},
      {"v_bfm_b32", [](U a, U b, U) { return u32(((U{1} << (a % 32)) - 1) << (b % 32)); }},
      {"v_bcnt_u32_b32", [](U a, U b, U) { return u32(count_ones(a) + b); }},
      {"v_add_u32", [](U a, U b, U) { return u32(a + b); },
       [](U a, U b, U) { return cap_u32(static_cast<I>(a + b)); }},
      {"v_sub_u32", [](U a, U b, U) { return u32(a - b); },
       [](U a, U b, U) { return a < b ? 0 : a - b; }},
      {"v_subrev_u32", [](U a, U b, U) { return u32(b - a); },
       [](U a, U b, U) { return b < a ? 0 : b - a; }},
      {"v_add_i32", [](U a, U b, U) { return u32(a + b); },
       [](U a, U b, U) { return cap_i32(s32(a) + s32(b)); }},
      {"v_sub_i32", [](U a, U b, U) { return u32(a - b); },
       [](U a, U b, U) { return cap_i32(s32(a) - s32(b)); }},
      {"v_bfe_u32", [](U a, U b, U c) { return (a >> (b % 32)) & ((U{1} << (c % 32)) - 1); }},
      {"v_bfe_i32",
       [](U a, U b, U c) {
         const unsigned width = c % 32;
         if (width == 0) return U{0};
         const I shifted = s32(a) >> (b % 32);
         return wrap32(static_cast<I>(static_cast<U>(shifted) << (64 - width)) >> (64 - width));
       }},
      {"v_bfi_b32", [](U a, U b, U c) { return (a & b) | (u32(~a) & c); }},
      {"v_min3_i32", [](U a, U b, U c) { return wrap32(std::min({s32(a), s32(b), s32(c)})); }},
      {"v_max3_i32", [](U a, U b, U c) { return wrap32(std::max({s32(a), s32(b), s32(c)})); }},
      {"v_med3_i32", [](U a, U b, U c) { return wrap32(med(s32(a), s32(b), s32(c))); }},
      {"v_min3_u32", [](U a, U b, U c) { return std::min({a, b, c}); }},
      {"v_max3_u32", [](U a, U b, U c) { return std::max({a, b, c}); }},
      {"v_med3_u32",
       [](U a, U b, U c) {
         return static_cast<U>(med(static_cast<I>(a), static_cast<I>(b), static_cast<I>(c)));
       }},
      {"v_lshl_add_u32", [](U a, U b, U c) { return u32((a << (b % 32)) + c); }},
      {"v_add_lshl_u32", [](U a, U b, U c) { return u32(u32(a + b) << (c % 32)); }},
      {"v_add3_u32", [](U a, U b, U c) { return u32(a + b + c); }},
      {"v_lshl_or_b32", [](U a, U b, U c) { return u32(a << (b % 32)) | c; }},
      {"v_and_or_b32", [](U a, U b, U c) { return (a & b) | c; }},
      {"v_or3_b32", [](U a, U b, U c) { return a | b | c; }},
      {"v_xad_u32", [](U a, U b, U c) { return u32((a ^ b) + c); }},
      {"v_mul_i32_i24", [](U a, U b, U) { return wrap32(s24(a) * s24(b)); },
       [](U a, U b, U) { return cap_i32(s24(a) * s24(b)); }},
      {"v_mul_hi_i32_i24", [](U a, U b, U) { return wrap32((s24(a) * s24(b)) >> 32); }},
      {"v_mul_u32_u24", [](U a, U b, U) { return u32(u24(a) * u24(b)); },
       [](U a, U b, U) { return cap_u32(static_cast<I>(u24(a) * u24(b))); }},
      {"v_mul_hi_u32_u24", [](U a, U b, U) { return (u24(a) * u24(b)) >> 32; }},
      {"v_mad_i32_i24", [](U a, U b, U c) { return wrap32(s24(a) * s24(b) + s32(c)); },
       [](U a, U b, U c) { return cap_i32(s24(a) * s24(b) + s32(c)); }},
      {"v_mad_u32_u24", [](U a, U b, U c) { return u32(u24(a) * u24(b) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>(u24(a) * u24(b) + c)); }},
      {"v_mul_lo_u32", [](U a, U b, U) { return u32(a * b); }},
      {"v_mul_hi_u32", [](U a, U b, U) { return (a * b) >> 32; }},
      {"v_mul_hi_i32", [](U a, U b, U) { return wrap32((s32(a) * s32(b)) >> 32); }},
      {"v_mad_u32_u16", [](U a, U b, U c) { return u32(u16(a) * u16(b) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>(u16(a) * u16(b) + c)); }},
      {"v_mad_i32_i16", [](U a, U b, U c) { return wrap32(s16(a) * s16(b) + s32(c)); },
       [](U a, U b, U c) { return cap_i32(s16(a) * s16(b) + s32(c)); }},
      {"v_cvt_pk_u16_u32",
       [](U a, U b, U) { return std::min(a, U{0xffff}) | (std::min(b, U{0xffff}) << 16); }},
      {"v_cvt_pk_i16_i32", [](U a, U b, U) { return cap_i16(s32(a)) | (cap_i16(s32(b)) << 16); }},
      {"v_sat_pk_u8_i16",
       [](U a, U, U) {
         return static_cast<U>(limit(s16(a), 0, 255)) |
                (static_cast<U>(limit(s16(a >> 16), 0, 255)) << 8);
       }},
      {"v_lerp_u8",
       [](U a, U b, U c) {
         U d = 0;
         for (unsigned n = 0; n < 4; ++n) {
           d |= ((byte(a, n) + byte(b, n) + (byte(c, n) & 1)) >> 1) << (8 * n);
         }
         return d;
       }},
      {"v_alignbit_b32", [](U a, U b, U c) { return u32(((a << 32) | b) >> (c % 32)); }},
      {"v_alignbyte_b32",
       [](U a, U b, U c) { return c % 32 > 7 ? 0 : u32(((a << 32) | b) >> (8 * (c % 32))); }},
      {"v_perm_b32", permute},
      {"v_sad_u8", [](U a, U b, U c) { return u32(sad8(a, b) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>(sad8(a, b) + c)); }},
      {"v_sad_hi_u8", [](U a, U b, U c) { return u32((sad8(a, b) << 16) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>((sad8(a, b) << 16) + c)); }},
      {"v_sad_u16",
       [](U a, U b, U c) { return u32(absdiff(u16(a), u16(b)) + absdiff(a >> 16, b >> 16) + c); },
       [](U a, U b, U c) {
         return cap_u32(static_cast<I>(absdiff(u16(a), u16(b)) + absdiff(a >> 16, b >> 16) + c));
       }},
      {"v_sad_u32", [](U a, U b, U c) { return u32(absdiff(a, b) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>(absdiff(a, b) + c)); }},
      {"v_msad_u8", [](U a, U b, U c) { return u32(msad8(a, b) + c); },
       [](U a, U b, U c) { return cap_u32(static_cast<I>(msad8(a, b) + c)); }},
      {"v_pk_mad_i16",
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U z) { return wrap16(s16(x) * s16(y) + s16(z)); });
       },
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U z) { return cap_i16(s16(x) * s16(y) + s16(z)); });
       }},
      {"v_pk_mad_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U z) { return x * y + z; }); },
       [](U a, U b, U c) {
         return per_half(a, b, c,
                         [](U x, U y, U z) { return cap_u16(static_cast<I>(x * y + z)); });
       }},
      {"v_pk_mul_lo_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return x * y; }); }},
      {"v_pk_add_i16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return x + y; }); },
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return cap_i16(s16(x) + s16(y)); });
       }},
      {"v_pk_sub_i16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return x - y; }); },
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return cap_i16(s16(x) - s16(y)); });
       }},
      {"v_pk_add_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return x + y; }); },
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return std::min(x + y, U{0xffff}); });
       }},
      {"v_pk_sub_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return x - y; }); },
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return x < y ? 0 : x - y; });
       }},
      {"v_pk_lshlrev_b16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return y << (x % 16); }); }},
      {"v_pk_lshrrev_b16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return y >> (x % 16); }); }},
      {"v_pk_ashrrev_i16",
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return wrap16(s16(y) >> (x % 16)); });
       }},
      {"v_pk_max_i16",
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return s16(x) >= s16(y) ? x : y; });
       }},
      {"v_pk_min_i16",
       [](U a, U b, U c) {
         return per_half(a, b, c, [](U x, U y, U) { return s16(x) < s16(y) ? x : y; });
       }},
      {"v_pk_max_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return std::max(x, y); }); }},
      {"v_pk_min_u16",
       [](U a, U b, U c) { return per_half(a, b, c, [](U x, U y, U) { return std::min(x, y); }); }},
      {"v_dot2_i32_i16", [](U a, U b, U c) { return wrap32(dot<16, true>(a, b) + s32(c)); },
       [](U a, U b, U c) { return cap_i32(dot<16, true>(a, b) + s32(c)); }},
      {"v_dot2_u32_u16",
       [](U a, U b, U c) { return wrap32(dot<16, false>(a, b) + static_cast<I>(c)); },
       [](U a, U b, U c) { return cap_u32(dot<16, false>(a, b) + static_cast<I>(c)); }},
      {"v_dot4_i32_i8", [](U a, U b, U c) { return wrap32(dot<8, true>(a, b) + s32(c)); },
       [](U a, U b, U c) { return cap_i32(dot<8, true>(a, b) + s32(c)); }},
      {"v_dot4_u32_u8",
       [](U a, U b, U c) { return wrap32(dot<8, false>(a, b) + static_cast<I>(c)); },
       [](U a, U b, U c) { return cap_u32(dot<8, false>(a, b) + static_cast<I>(c)); }},
      {"v_dot8_i32_i4", [](U a, U b, U c) { return wrap32(dot<4, true>(a, b) + s32(c)); },
       [](U a, U b, U c) { return cap_i32(dot<4, true>(a, b) + s32(c)); }},
      {"v_dot8_u32_u4",
       [](U a, U b, U c) { return wrap32(dot<4, false>(a, b) + static_cast<I>(c)); },
       [](U a, U b, U c) { return cap_u32(dot<4, false>(a, b) + static_cast<I>(c)); }},
  };
  return rows;
}

const std::vector<IntegerRow>& rows64() {
  static const std::vector<IntegerRow> rows = {
      {"v_lshlrev_b64", [](U a, U b, U) { return b << (a % 64); }},
      {"v_lshrrev_b64", [](U a, U b, U) { return b >> (a % 64); }},
      {"v_ashrrev_i64", [](U a, U b, U) { return static_cast<U>(static_cast<I>(b) >> (a % 64)); }},
      {"v_qsad_pk_u16_u8", [](U a, U b, U c) { return quad(a, b, c, false, false); },
       [](U a, U b, U c) { return quad(a, b, c, false, true); }},
      {"v_mqsad_pk_u16_u8", [](U a, U b, U c) { return quad(a, b, c, true, false); },
       [](U a, U b, U c) { return quad(a, b, c, true, true); }},
      {"v_mov_b64", [](U a, U, U) { return a; }, nullptr, kGfx942},
      {"v_lshl_add_u64", [](U a, U b, U c) { return (a << (b % 8)) + c; }, nullptr, kGfx942},
      {"v_pk_mov_b32", [](U a, U b, U) { return u32(a) | (u32(b) << 32); }, nullptr, kGfx942},
  };
  return rows;
}

/// 16-bit results; the upper half of the destination is zeroed unless `keeps`.
struct Row16 {
  const char* mnemonic;
  bool keeps;
  Ref plain;
  Ref clamped = nullptr;
};
const std::vector<Row16>& rows16() {
  static const std::vector<Row16> rows = {
      {"v_add_u16", false, [](U a, U b, U) { return a + b; },
       [](U a, U b, U) { return std::min(a + b, U{0xffff}); }},
      {"v_sub_u16", false, [](U a, U b, U) { return a - b; },
       [](U a, U b, U) { return a < b ? 0 : a - b; }},
      {"v_subrev_u16", false, [](U a, U b, U) { return b - a; },
       [](U a, U b, U) { return b < a ? 0 : b - a; }},
      {"v_mul_lo_u16", false, [](U a, U b, U) { return a * b; },
       [](U a, U b, U) { return std::min(a * b, U{0xffff}); }},
      {"v_add_i16", false, [](U a, U b, U) { return a + b; },
       [](U a, U b, U) { return cap_i16(s16(a) + s16(b)); }},
      {"v_sub_i16", false, [](U a, U b, U) { return a - b; },
       [](U a, U b, U) { return cap_i16(s16(a) - s16(b)); }},
      {"v_lshlrev_b16", false, [](U a, U b, U) { return b << (a % 16); }},
      {"v_lshrrev_b16", false, [](U a, U b, U) { return b >> (a % 16); }},
      {"v_ashrrev_i16", false, [](U a, U b, U) { return wrap16(s16(b) >> (a % 16)); }},
      {"v_min_u16", false, [](U a, U b, U) { return std::min(a, b); }},
      {"v_max_u16", false, [](U a, U b, U) { return std::max(a, b); }},
      {"v_min_i16", false, [](U a, U b, U) { return s16(a) < s16(b) ? a : b; }},
      {"v_max_i16", false, [](U a, U b, U) { return s16(a) >= s16(b) ? a : b; }},
      {"v_min3_i16", false,
       [](U a, U b, U c) { return wrap16(std::min({s16(a), s16(b), s16(c)})); }},
      {"v_max3_i16", false,
       [](U a, U b, U c) { return wrap16(std::max({s16(a), s16(b), s16(c)})); }},
      {"v_med3_i16", false, [](U a, U b, U c) { return wrap16(med(s16(a), s16(b), s16(c))); }},
      {"v_min3_u16", false, [](U a, U b, U c) { return std::min({a, b, c}); }},
      {"v_max3_u16", false, [](U a, U b, U c) { return std::max({a, b, c}); }},
      {"v_med3_u16", false,
       [](U a, U b, U c) {
         return wrap16(med(static_cast<I>(a), static_cast<I>(b), static_cast<I>(c)));
       }},
      {"v_mad_u16", true, [](U a, U b, U c) { return a * b + c; },
       [](U a, U b, U c) { return cap_u16(static_cast<I>(a * b + c)); }},
      {"v_mad_i16", true, [](U a, U b, U c) { return wrap16(s16(a) * s16(b) + s16(c)); },
       [](U a, U b, U c) { return cap_i16(s16(a) * s16(b) + s16(c)); }},
      {"v_mad_legacy_u16", false, [](U a, U b, U c) { return a * b + c; },
       [](U a, U b, U c) { return cap_u16(static_cast<I>(a * b + c)); }},
      {"v_mad_legacy_i16", false, [](U a, U b, U c) { return wrap16(s16(a) * s16(b) + s16(c)); },
       [](U a, U b, U c) { return cap_i16(s16(a) * s16(b) + s16(c)); }},
  };
  return rows;
}

void prepare(Case& c) {
  if (vop_row(c.mnemonic, c.target).format == isa::Format::Vop3p) c.mod.op_sel_hi = 7;
}

void expect_row(const Case& c, const Ref& ref, unsigned dwords, const char* what) {
  const Outputs out = run(c);
  ASSERT_EQ(out.event, Event::None) << c.mnemonic;
  for (unsigned lane = 0; lane < 64; ++lane) {
    U expected = c.old[lane];
    if (((c.exec >> lane) & 1) != 0) {
      const U value = ref(c.src[0][lane], c.src[1][lane], c.src[2][lane]);
      expected = dwords == 2 ? value : (expected & ~U{0xffffffff}) | u32(value);
    }
    ASSERT_EQ(out.dst[lane], expected)
        << c.mnemonic << " " << what << " lane " << lane << " exec " << std::hex << c.exec << " S0 "
        << c.src[0][lane] << " S1 " << c.src[1][lane] << " S2 " << c.src[2][lane] << " old "
        << c.old[lane];
  }
  EXPECT_EQ(out.trapsts, 0u) << c.mnemonic;
}

void expect_integer_rows(const std::vector<IntegerRow>& rows, unsigned dwords) {
  for (const IntegerRow& row : rows) {
    for (unsigned batch = 0; batch < 12 + batches(); ++batch) {
      Case c;
      c.mnemonic = row.mnemonic;
      c.target = row.target;
      fill(c, batch);
      prepare(c);
      for (const U exec : kExecShapes) {
        if (batch >= 12 && exec != kAllLanes) continue;
        c.exec = exec;
        expect_row(c, row.plain, dwords, "plain");
      }
      c.exec = kAllLanes;
      c.mod.clamp = true;
      expect_row(c, row.clamped ? row.clamped : row.plain, dwords, "clamp");
      // abs and neg belong to floats; integer rows do not see them.
      c.mod.clamp = false;
      c.mod.abs = c.mod.neg = 7;
      expect_row(c, row.plain, dwords, "abs neg");
    }
  }
}

TEST(IntegerRows, Dword) {
  expect_integer_rows(rows32(), 1);
}
TEST(IntegerRows, Quadword) {
  expect_integer_rows(rows64(), 2);
}

TEST(IntegerRows, Halves) {
  for (const Row16& row : rows16()) {
    for (unsigned batch = 0; batch < 12 + batches(); ++batch) {
      for (unsigned op_sel = 0; op_sel < 16; ++op_sel) {
        Case c;
        c.mnemonic = row.mnemonic;
        fill(c, batch);
        const bool selects = vop_row(c.mnemonic, c.target).has(isa::kOpSel);
        if (op_sel != 0 && !selects && op_sel != 15) continue;
        c.mod.op_sel = static_cast<uint8_t>(op_sel);
        const unsigned effective = selects ? op_sel : 0;
        for (const bool clamp : {false, true}) {
          c.mod.clamp = clamp;
          const Ref& ref = clamp && row.clamped ? row.clamped : row.plain;
          const Outputs out = run(c);
          for (unsigned lane = 0; lane < 64; ++lane) {
            const auto half = [&](unsigned s) {
              return u16(((effective >> s) & 1) != 0 ? c.src[s][lane] >> 16 : c.src[s][lane]);
            };
            const U value = u16(ref(half(0), half(1), half(2)));
            const U old = u32(c.old[lane]);
            U expected = value;
            if ((effective & 8) != 0) {
              expected = (value << 16) | u16(old);
            } else if (row.keeps) {
              expected = (old & 0xffff0000) | value;
            }
            ASSERT_EQ(u32(out.dst[lane]), expected)
                << row.mnemonic << " op_sel " << op_sel << " clamp " << clamp << " lane " << lane;
          }
        }
      }
    }
  }
}

TEST(IntegerRows, PackedSelects) {
  // Every op_sel and op_sel_hi of a two-source and a three-source packed row.
  for (const char* mnemonic : {"v_pk_sub_u16", "v_pk_mad_u16"}) {
    const bool mad = std::string(mnemonic) == "v_pk_mad_u16";
    for (unsigned select = 0; select < 64; ++select) {
      Case c;
      c.mnemonic = mnemonic;
      fill(c, 4);
      c.mod.op_sel = select & 7;
      c.mod.op_sel_hi = static_cast<uint8_t>(select >> 3);
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto result = [&](unsigned bits) {
          const auto x = [&](unsigned s) {
            return u16(((bits >> s) & 1) != 0 ? c.src[s][lane] >> 16 : c.src[s][lane]);
          };
          return u16(mad ? x(0) * x(1) + x(2) : x(0) - x(1));
        };
        ASSERT_EQ(u32(out.dst[lane]), result(select & 7) | (result(select >> 3) << 16))
            << mnemonic << " select " << select;
      }
    }
  }
}

TEST(IntegerRows, WideSelects) {
  for (unsigned select = 0; select < 4; ++select) {
    Case c;
    c.mnemonic = "v_pk_mov_b32";
    c.target = kGfx942;
    fill(c, 1);
    c.mod.op_sel = static_cast<uint8_t>(select);
    const Outputs out = run(c);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const U lo = (select & 1) != 0 ? c.src[0][lane] >> 32 : u32(c.src[0][lane]);
      const U hi = (select & 2) != 0 ? c.src[1][lane] >> 32 : u32(c.src[1][lane]);
      ASSERT_EQ(out.dst[lane], lo | (hi << 32)) << "v_pk_mov_b32 " << select;
    }
  }
}

}  // namespace
}  // namespace cuvette::wave
