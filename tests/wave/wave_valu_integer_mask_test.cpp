// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_integer.h"

// Integer rows with masks, carries, accumulators and wide results.
namespace cuvette::wave {
namespace {

using namespace test;

TEST(IntegerRows, MaskedQuadSadDwords) {
  for (const bool clamp : {false, true}) {
    for (unsigned batch = 0; batch < 6 + batches(); ++batch) {
      Case c;
      c.mnemonic = "v_mqsad_u32_u8";
      fill(c, batch);
      for (unsigned lane = 0; lane < 64; ++lane) c.src2_high[lane] = ~c.src[2][63 - lane];
      c.mod.clamp = clamp;
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned n = 0; n < 4; ++n) {
          const U pair = n < 2 ? c.src[2][lane] : c.src2_high[lane];
          const U sum = msad8(u32(c.src[0][lane] >> (8 * n)), u32(c.src[1][lane])) +
                        u32(pair >> (32 * (n % 2)));
          const U expected = clamp ? std::min(sum, U{0xffffffff}) : u32(sum);
          const U got = n < 2 ? out.dst[lane] : out.dst_high[lane];
          ASSERT_EQ(u32(got >> (32 * (n % 2))), expected) << "v_mqsad_u32_u8 dword " << n;
        }
      }
    }
  }
}

TEST(IntegerRows, AccumulatingDots) {
  struct Dot {
    const char* mnemonic;
    I (*fn)(U, U);
  };
  for (const Dot& row : {Dot{"v_dot2c_i32_i16", dot<16, true>}, Dot{"v_dot4c_i32_i8", dot<8, true>},
                         Dot{"v_dot8c_i32_i4", dot<4, true>}}) {
    for (const bool clamp : {false, true}) {
      Case c;
      c.mnemonic = row.mnemonic;
      fill(c, 3);
      c.old[0] = 0x7fffffff;
      c.src[0][0] = c.src[1][0] = 0x11111111;
      c.mod.clamp = clamp;
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const I sum = row.fn(c.src[0][lane], c.src[1][lane]) + s32(c.old[lane]);
        ASSERT_EQ(u32(out.dst[lane]), clamp ? cap_i32(sum) : wrap32(sum)) << row.mnemonic;
      }
    }
  }
}

TEST(IntegerRows, Carries) {
  struct Carry {
    const char* mnemonic;
    bool reversed, subtracts, reads;
  };
  const Carry rows[] = {
      {"v_add_co_u32", false, false, false},  {"v_sub_co_u32", false, true, false},
      {"v_subrev_co_u32", true, true, false}, {"v_addc_co_u32", false, false, true},
      {"v_subb_co_u32", false, true, true},   {"v_subbrev_co_u32", true, true, true}};
  for (const Carry& row : rows) {
    for (unsigned batch = 0; batch < 12 + batches(); ++batch) {
      for (const U exec : kExecShapes) {
        for (const bool clamp : {false, true}) {
          Case c;
          c.mnemonic = row.mnemonic;
          fill(c, batch);
          c.exec = exec;
          c.vcc = 0xf0f0aaaa3333cccc;
          c.mod.clamp = clamp;
          const Outputs out = run(c);
          U mask = 0;
          for (unsigned lane = 0; lane < 64; ++lane) {
            if (((exec >> lane) & 1) == 0) {
              ASSERT_EQ(out.dst[lane], c.old[lane]) << row.mnemonic;
              continue;
            }
            const U a = row.reversed ? c.src[1][lane] : c.src[0][lane];
            const U b = row.reversed ? c.src[0][lane] : c.src[1][lane];
            const U carry = row.reads ? (c.vcc >> lane) & 1 : 0;
            const bool over = row.subtracts ? b + carry > a : a + b + carry >= U{0x100000000};
            U value = u32(row.subtracts ? a - b - carry : a + b + carry);
            if (clamp && over) value = row.subtracts ? 0 : 0xffffffff;
            ASSERT_EQ(u32(out.dst[lane]), value) << row.mnemonic << " lane " << lane;
            mask |= U{over} << lane;
          }
          ASSERT_EQ(out.mask, mask) << row.mnemonic;
        }
      }
    }
  }
}

TEST(IntegerRows, CarryChain) {
  // 96-bit addition and subtraction from three instructions.
  Case c;
  uint64_t state = 5;
  for (unsigned round = 0; round < 20; ++round) {
    __extension__ using Wide = unsigned __int128;
    Wide a[64], b[64], sum[64] = {};
    for (unsigned lane = 0; lane < 64; ++lane) {
      a[lane] = (Wide{u32(next_random(state))} << 64) | next_random(state);
      b[lane] = (Wide{u32(next_random(state))} << 64) | next_random(state);
      if (round % 2 == 0) b[lane] = ~a[lane] + (lane & 1);
    }
    U vcc = 0;
    for (unsigned part = 0; part < 3; ++part) {
      c.mnemonic = part == 0 ? "v_add_co_u32" : "v_addc_co_u32";
      c.vcc = vcc;
      for (unsigned lane = 0; lane < 64; ++lane) {
        c.src[0][lane] = u32(static_cast<U>(a[lane] >> (32 * part)));
        c.src[1][lane] = u32(static_cast<U>(b[lane] >> (32 * part)));
      }
      const Outputs out = run(c);
      vcc = out.mask;
      for (unsigned lane = 0; lane < 64; ++lane)
        sum[lane] |= Wide{u32(out.dst[lane])} << (32 * part);
    }
    for (unsigned lane = 0; lane < 64; ++lane) {
      const Wide expected = (a[lane] + b[lane]) & ((Wide{1} << 96) - 1);
      ASSERT_TRUE(sum[lane] == expected) << "v_addc_co_u32 chain";
    }
  }
}

TEST(IntegerRows, MultiplyAddWide) {
  __extension__ using Wide = __int128;
  for (unsigned batch = 0; batch < 12 + batches(); ++batch) {
    for (const bool clamp : {false, true}) {
      Case c;
      c.mnemonic = "v_mad_u64_u32";
      fill(c, batch);
      c.mod.clamp = clamp;
      Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const Wide sum = Wide{c.src[0][lane]} * c.src[1][lane] + c.src[2][lane];
        const bool carry = (sum >> 64) != 0;
        ASSERT_EQ(out.dst[lane], clamp && carry ? ~U{0} : static_cast<U>(sum)) << "v_mad_u64_u32";
        ASSERT_EQ((out.mask >> lane) & 1, U{carry}) << "v_mad_u64_u32";
      }
      c.mnemonic = "v_mad_i64_i32";
      out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const Wide sum =
            Wide{s32(c.src[0][lane]) * s32(c.src[1][lane])} + static_cast<I>(c.src[2][lane]);
        Wide value = sum;
        const Wide top = Wide{1} << 63;
        if (clamp) value = sum >= top ? top - 1 : sum < -top ? -top : sum;
        ASSERT_EQ(out.dst[lane], static_cast<U>(value)) << "v_mad_i64_i32";
        ASSERT_EQ((out.mask >> lane) & 1, U{sum < 0}) << "v_mad_i64_i32";
      }
    }
  }
}

TEST(IntegerRows, Compares) {
  const char* const names[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  for (const char* type : {"i16", "u16", "i32", "u32", "i64", "u64"}) {
    const bool is_signed = type[0] == 'i';
    const std::string width = type + 1;
    for (const bool writes_exec : {false, true}) {
      for (unsigned n = 0; n < 8; ++n) {
        for (unsigned batch = 0; batch < 6 + batches(); ++batch) {
          Case c;
          c.mnemonic = std::string(writes_exec ? "v_cmpx_" : "v_cmp_") + names[n] + "_" + type;
          fill(c, batch);
          for (unsigned lane = 0; lane < 64; lane += 5) c.src[1][lane] = c.src[0][lane];
          c.exec = batch < 6 ? kExecShapes[batch] : kAllLanes;
          c.vcc = kAllLanes;
          const Outputs out = run(c);
          U mask = 0;
          for (unsigned lane = 0; lane < 64; ++lane) {
            const auto less = [&](U a, U b) {
              if (width == "16") return is_signed ? s16(a) < s16(b) : u16(a) < u16(b);
              if (width == "32") return is_signed ? s32(a) < s32(b) : u32(a) < u32(b);
              return is_signed ? static_cast<I>(a) < static_cast<I>(b) : a < b;
            };
            const bool lt = less(c.src[0][lane], c.src[1][lane]);
            const bool gt = less(c.src[1][lane], c.src[0][lane]);
            const bool table[] = {false, lt, !lt && !gt, !gt, gt, lt || gt, !lt, true};
            mask |= U{table[n]} << lane;
          }
          mask &= c.exec;
          ASSERT_EQ(out.mask, mask) << c.mnemonic;
          ASSERT_EQ(out.exec, writes_exec ? mask : c.exec) << c.mnemonic;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::wave
