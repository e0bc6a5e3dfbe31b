// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "wave_valu_support.h"

// Plain C++ written from the manual text (Vega ISA 12.6 to 12.10), shared by the integer row tests.
namespace cuvette::wave::test {

using U = uint64_t;
using I = int64_t;

// The fields the manual writes as S0.i[23:0] and so on.
inline I s32(U v) {
  return static_cast<int32_t>(v);
}
inline I s16(U v) {
  return static_cast<int16_t>(v);
}
inline I s24(U v) {
  return static_cast<int32_t>(static_cast<uint32_t>(v) << 8) >> 8;
}
inline U u24(U v) {
  return v & 0xffffff;
}
inline U u16(U v) {
  return v & 0xffff;
}
inline U u32(U v) {
  return v & 0xffffffff;
}
inline I limit(I v, I lo, I hi) {
  return v < lo ? lo : v > hi ? hi : v;
}
inline U cap_u32(I v) {
  return static_cast<U>(limit(v, 0, 0xffffffff));
}
inline U cap_i32(I v) {
  return u32(static_cast<U>(limit(v, -0x80000000LL, 0x7fffffff)));
}
inline U cap_u16(I v) {
  return static_cast<U>(limit(v, 0, 0xffff));
}
inline U cap_i16(I v) {
  return u16(static_cast<U>(limit(v, -0x8000, 0x7fff)));
}
inline U byte(U v, unsigned n) {
  return (v >> (8 * n)) & 255;
}
inline U absdiff(U a, U b) {
  return a < b ? b - a : a - b;
}
inline U wrap32(I v) {
  return u32(static_cast<U>(v));
}
inline U wrap16(I v) {
  return u16(static_cast<U>(v));
}

using Ref = std::function<U(U a, U b, U c)>;

struct IntegerRow {
  const char* mnemonic;
  Ref plain;
  Ref clamped = nullptr;  ///< with CLAMP; absent where the row ignores it
  isa::Target target = isa::Target::Gfx908;
};

inline U sad8(U a, U b) {
  U sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += absdiff(byte(a, n), byte(b, n));
  return sum;
}
inline U msad8(U a, U b) {
  U sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += byte(b, n) == 0 ? 0 : absdiff(byte(a, n), byte(b, n));
  return sum;
}
inline U quad(U a, U b, U c, bool masked, bool clamp) {
  U d = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const U window = u32(a >> (8 * n));
    const U sum = (masked ? msad8(window, b) : sad8(window, b)) + u16(c >> (16 * n));
    d |= (clamp && sum > 0xffff ? U{0xffff} : u16(sum)) << (16 * n);
  }
  return d;
}
inline U permute(U a, U b, U c) {
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
inline I med(I a, I b, I c) {
  const I top = std::max(a, std::max(b, c));
  if (top == a) return std::max(b, c);
  if (top == b) return std::max(a, c);
  return std::max(a, b);
}
inline U first_high(U v) {
  for (unsigned i = 0; i < 32; ++i) {
    if (((v >> (31 - i)) & 1) == 1) return i;
  }
  return 0xffffffff;
}
inline U first_low(U v) {
  for (unsigned i = 0; i < 32; ++i) {
    if (((v >> i) & 1) == 1) return i;
  }
  return 0xffffffff;
}
inline U first_change(U v) {
  for (unsigned i = 1; i < 32; ++i) {
    if (((v >> (31 - i)) & 1) != ((v >> 31) & 1)) return i;
  }
  return 0xffffffff;
}
inline U count_ones(U v) {
  U n = 0;
  for (unsigned i = 0; i < 32; ++i) n += (v >> i) & 1;
  return n;
}
inline U reversed(U v) {
  U d = 0;
  for (unsigned i = 0; i < 32; ++i) d |= ((v >> i) & 1) << (31 - i);
  return d;
}
inline U per_half(U a, U b, U c, U (*fn)(U, U, U)) {
  return u16(fn(u16(a), u16(b), u16(c))) |
         (u16(fn(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16);
}
template <unsigned Width, bool Signed>
inline I dot(U a, U b) {
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

inline constexpr isa::Target kGfx942 = isa::Target::Gfx942;

/// Fills the sources of a case with patterns; batch b of the same seed differs from batch b + 1.
inline void fill(Case& c, unsigned batch) {
  for (unsigned s = 0; s < 3; ++s) {
    const unsigned dwords = instruction_of(c).src[s].dwords;
    const unsigned width = dwords >= 2 ? 64 : batch % 3 == 2 ? 16 : 32;
    // Mostly corners first, mostly random numbers then.
    const unsigned count = batch < 12 ? 64 : 256;
    const auto values = patterns(width, count, 11 + s + 3 * (batch / 12));
    for (unsigned lane = 0; lane < 64; ++lane) {
      // Different strides per source visit many pairs of corners.
      const unsigned stride[3] = {1, 5 + 2 * batch, 11 + 6 * batch};
      U value = values[(lane * stride[s] + 7 * batch * s) % count];
      if (batch % 3 == 2) value |= values[(lane + 3) % count] << 16;
      c.src[s][lane] = dwords >= 2 ? value : u32(value);
    }
  }
  uint64_t state = 99 + batch;
  for (U& old : c.old) old = next_random(state);
}

}  // namespace cuvette::wave::test
