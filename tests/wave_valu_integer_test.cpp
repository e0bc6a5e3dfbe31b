// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "wave_valu_support.h"

// Integer rows against plain C++ written from the manual text (Vega ISA 12.6 to 12.10).
namespace cuvette::wave {
namespace {

using test::Case;
using test::kAllLanes;
using test::Outputs;
using U = uint64_t;
using I = int64_t;

// The fields the manual writes as S0.i[23:0] and so on.
I s32(U v) {
  return static_cast<int32_t>(v);
}
I s16(U v) {
  return static_cast<int16_t>(v);
}
I s24(U v) {
  return static_cast<int32_t>(static_cast<uint32_t>(v) << 8) >> 8;
}
U u24(U v) {
  return v & 0xffffff;
}
U u16(U v) {
  return v & 0xffff;
}
U u32(U v) {
  return v & 0xffffffff;
}
I limit(I v, I lo, I hi) {
  return v < lo ? lo : v > hi ? hi : v;
}
U cap_u32(I v) {
  return static_cast<U>(limit(v, 0, 0xffffffff));
}
U cap_i32(I v) {
  return u32(static_cast<U>(limit(v, -0x80000000LL, 0x7fffffff)));
}
U cap_u16(I v) {
  return static_cast<U>(limit(v, 0, 0xffff));
}
U cap_i16(I v) {
  return u16(static_cast<U>(limit(v, -0x8000, 0x7fff)));
}
U byte(U v, unsigned n) {
  return (v >> (8 * n)) & 255;
}
U absdiff(U a, U b) {
  return a < b ? b - a : a - b;
}
U wrap32(I v) {
  return u32(static_cast<U>(v));
}
U wrap16(I v) {
  return u16(static_cast<U>(v));
}

using Ref = std::function<U(U a, U b, U c)>;

struct Row {
  const char* mnemonic;
  Ref plain;
  Ref clamped = nullptr;  ///< with CLAMP; absent where the row ignores it
  isa::Target target = isa::Target::Gfx908;
};

U sad8(U a, U b) {
  U sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += absdiff(byte(a, n), byte(b, n));
  return sum;
}
U msad8(U a, U b) {
  U sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += byte(b, n) == 0 ? 0 : absdiff(byte(a, n), byte(b, n));
  return sum;
}
U quad(U a, U b, U c, bool masked, bool clamp) {
  U d = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const U window = u32(a >> (8 * n));
    const U sum = (masked ? msad8(window, b) : sad8(window, b)) + u16(c >> (16 * n));
    d |= (clamp && sum > 0xffff ? U{0xffff} : u16(sum)) << (16 * n);
  }
  return d;
}
U permute(U a, U b, U c) {
  U d = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const U sel = byte(c, n);
    // in[0..3] are the bytes of S1, in[4..7] those of S0.
    const auto in = [&](unsigned k) { return k < 4 ? byte(b, k) : byte(a, k - 4); };
    U r = 0;
    if (sel >= 13) {
      r = 0xff;
    } else if (sel == 12) {
      r = 0;
    } else if (sel == 11) {
      r = (in(7) & 0x80) != 0 ? 0xff : 0;
    } else if (sel == 10) {
      r = (in(5) & 0x80) != 0 ? 0xff : 0;
    } else if (sel == 9) {
      r = (in(3) & 0x80) != 0 ? 0xff : 0;
    } else if (sel == 8) {
      r = (in(1) & 0x80) != 0 ? 0xff : 0;
    } else {
      r = in(static_cast<unsigned>(sel));
    }
    d |= r << (8 * n);
  }
  return d;
}
I med(I a, I b, I c) {
  const I top = std::max(a, std::max(b, c));
  if (top == a) return std::max(b, c);
  if (top == b) return std::max(a, c);
  return std::max(a, b);
}
U first_high(U v) {
  for (unsigned i = 0; i < 32; ++i) {
    if (((v >> (31 - i)) & 1) == 1) return i;
  }
  return 0xffffffff;
}
U first_low(U v) {
  for (unsigned i = 0; i < 32; ++i) {
    if (((v >> i) & 1) == 1) return i;
  }
  return 0xffffffff;
}
U first_change(U v) {
  for (unsigned i = 1; i < 32; ++i) {
    if (((v >> (31 - i)) & 1) != ((v >> 31) & 1)) return i;
  }
  return 0xffffffff;
}
U count_ones(U v) {
  U n = 0;
  for (unsigned i = 0; i < 32; ++i) n += (v >> i) & 1;
  return n;
}
U reversed(U v) {
  U d = 0;
  for (unsigned i = 0; i < 32; ++i) d |= ((v >> i) & 1) << (31 - i);
  return d;
}
U per_half(U a, U b, U c, U (*fn)(U, U, U)) {
  return u16(fn(u16(a), u16(b), u16(c))) |
         (u16(fn(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16);
}
template <unsigned Width, bool Signed>
I dot(U a, U b) {
  I sum = 0;
  for (unsigned n = 0; n < 32 / Width; ++n) {
    const U mask = (U{1} << Width) - 1;
    I x = static_cast<I>((a >> (Width * n)) & mask);
    I y = static_cast<I>((b >> (Width * n)) & mask);
    if (Signed && (x >> (Width - 1)) != 0) x -= I{1} << Width;
    if (Signed && (y >> (Width - 1)) != 0) y -= I{1} << Width;
    sum += x * y;
  }
  return sum;
}

constexpr isa::Target kGfx942 = isa::Target::Gfx942;

const std::vector<Row>& rows32() {
  static const std::vector<Row> rows = {
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

const std::vector<Row>& rows64() {
  static const std::vector<Row> rows = {
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

/// Fills the sources of a case with patterns; batch b of the same seed differs from batch b + 1.
void fill(Case& c, unsigned batch) {
  for (unsigned s = 0; s < 3; ++s) {
    const unsigned dwords = test::instruction_of(c).src[s].dwords;
    const unsigned width = dwords >= 2 ? 64 : batch % 3 == 2 ? 16 : 32;
    const auto values = test::patterns(width, 64, 11 + s);
    for (unsigned lane = 0; lane < 64; ++lane) {
      // Different strides per source visit many pairs of corners.
      const unsigned stride[3] = {1, 5 + 2 * batch, 11 + 6 * batch};
      U value = values[(lane * stride[s] + 7 * batch * s) % 64];
      if (batch % 3 == 2) value |= values[(lane + 3) % 64] << 16;
      c.src[s][lane] = dwords >= 2 ? value : u32(value);
    }
  }
  uint64_t state = 99 + batch;
  for (U& old : c.old) old = test::next_random(state);
}

void prepare(Case& c) {
  if (test::vop_row(c.mnemonic, c.target).format == isa::Format::Vop3p) c.mod.op_sel_hi = 7;
}

void expect_row(const Case& c, const Ref& ref, unsigned dwords, const char* what) {
  const Outputs out = test::run(c);
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

void expect_rows(const std::vector<Row>& rows, unsigned dwords) {
  for (const Row& row : rows) {
    for (unsigned batch = 0; batch < 12; ++batch) {
      Case c;
      c.mnemonic = row.mnemonic;
      c.target = row.target;
      fill(c, batch);
      prepare(c);
      for (const U exec : test::kExecShapes) {
        c.exec = exec;
        expect_row(c, row.plain, dwords, "plain");
      }
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
  expect_rows(rows32(), 1);
}
TEST(IntegerRows, Quadword) {
  expect_rows(rows64(), 2);
}

TEST(IntegerRows, Halves) {
  for (const Row16& row : rows16()) {
    for (unsigned batch = 0; batch < 12; ++batch) {
      for (unsigned op_sel = 0; op_sel < 16; ++op_sel) {
        Case c;
        c.mnemonic = row.mnemonic;
        fill(c, batch);
        const bool selects = test::vop_row(c.mnemonic, c.target).has(isa::kOpSel);
        if (op_sel != 0 && !selects && op_sel != 15) continue;
        c.mod.op_sel = static_cast<uint8_t>(op_sel);
        const unsigned effective = selects ? op_sel : 0;
        for (const bool clamp : {false, true}) {
          c.mod.clamp = clamp;
          const Ref& ref = clamp && row.clamped ? row.clamped : row.plain;
          const Outputs out = test::run(c);
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
      const Outputs out = test::run(c);
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
    const Outputs out = test::run(c);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const U lo = (select & 1) != 0 ? c.src[0][lane] >> 32 : u32(c.src[0][lane]);
      const U hi = (select & 2) != 0 ? c.src[1][lane] >> 32 : u32(c.src[1][lane]);
      ASSERT_EQ(out.dst[lane], lo | (hi << 32)) << "v_pk_mov_b32 " << select;
    }
  }
}

TEST(IntegerRows, MaskedQuadSadDwords) {
  for (const bool clamp : {false, true}) {
    for (unsigned batch = 0; batch < 6; ++batch) {
      Case c;
      c.mnemonic = "v_mqsad_u32_u8";
      fill(c, batch);
      for (unsigned lane = 0; lane < 64; ++lane) c.src2_high[lane] = ~c.src[2][63 - lane];
      c.mod.clamp = clamp;
      const Outputs out = test::run(c);
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
      const Outputs out = test::run(c);
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
    for (unsigned batch = 0; batch < 12; ++batch) {
      for (const U exec : test::kExecShapes) {
        for (const bool clamp : {false, true}) {
          Case c;
          c.mnemonic = row.mnemonic;
          fill(c, batch);
          c.exec = exec;
          c.vcc = 0xf0f0aaaa3333cccc;
          c.mod.clamp = clamp;
          const Outputs out = test::run(c);
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
      a[lane] = (Wide{u32(test::next_random(state))} << 64) | test::next_random(state);
      b[lane] = (Wide{u32(test::next_random(state))} << 64) | test::next_random(state);
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
      const Outputs out = test::run(c);
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
  for (unsigned batch = 0; batch < 12; ++batch) {
    for (const bool clamp : {false, true}) {
      Case c;
      c.mnemonic = "v_mad_u64_u32";
      fill(c, batch);
      c.mod.clamp = clamp;
      Outputs out = test::run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const Wide sum = Wide{c.src[0][lane]} * c.src[1][lane] + c.src[2][lane];
        const bool carry = (sum >> 64) != 0;
        ASSERT_EQ(out.dst[lane], clamp && carry ? ~U{0} : static_cast<U>(sum)) << "v_mad_u64_u32";
        ASSERT_EQ((out.mask >> lane) & 1, U{carry}) << "v_mad_u64_u32";
      }
      c.mnemonic = "v_mad_i64_i32";
      out = test::run(c);
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
        for (unsigned batch = 0; batch < 6; ++batch) {
          Case c;
          c.mnemonic = std::string(writes_exec ? "v_cmpx_" : "v_cmp_") + names[n] + "_" + type;
          fill(c, batch);
          for (unsigned lane = 0; lane < 64; lane += 5) c.src[1][lane] = c.src[0][lane];
          c.exec = test::kExecShapes[batch];
          c.vcc = kAllLanes;
          const Outputs out = test::run(c);
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
