// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fp_oracle.h"
#include "wave_valu_support.h"

// Float rows against references made with MPFR, over modes, modifiers and EXEC shapes.
namespace cuvette::wave::test {

namespace oracle = fp::oracle;
using fp::Env;
using fp::F16;
using fp::F32;
using fp::F64;
using oracle::Expected;
using U = uint64_t;

/// A MODE word as numbers, read here from the bits (MI100 ISA table 26 and 3.5).
struct ModeBits {
  uint32_t raw;
  template <class F>
  Env env() const {
    const unsigned round = F::kBits == 32 ? raw & 3 : (raw >> 2) & 3;
    const unsigned denormal = F::kBits == 32 ? (raw >> 4) & 3 : (raw >> 6) & 3;
    Env e;
    e.round = static_cast<fp::Round>(round);
    e.flush_in = (denormal & 1) == 0;
    e.flush_out = (denormal & 2) == 0;
    e.ieee = ((raw >> 9) & 1) != 0;
    e.fp16_ovfl = ((raw >> 23) & 1) != 0;
    return e;
  }
  bool dx10() const { return ((raw >> 8) & 1) != 0; }
};
// Rounds and denormals of both halves, IEEE, DX10_CLAMP, FP16_OVFL in varied company.
inline constexpr uint32_t kModes[] = {0x3f0, 0x3f5, 0x3fa, 0x3ff, 0x300,    0x000,    0x100,
                                      0x05a, 0x1a5, 0x0f0, 0x2cf, 0x8003f0, 0x800100, 0x8000fa};

inline constexpr U kFlagMask = 0x7f;

template <class F>
using Reference = std::function<Expected(const U* s, const Env& env)>;

template <class F>
struct Row {
  const char* mnemonic;
  unsigned sources;
  Reference<F> reference;
  bool accumulates = false;  ///< the destination is source 2
  bool keeps_half = false;
  isa::Target target = isa::Target::Gfx908;
  bool integer_exponent = false;  ///< source 1 is an integer, of 16 bits for F16
};

template <class F>
U sign_flipped(U x) {
  return x ^ oracle::sign_bit<F>();
}

/// OMOD and CLAMP by the text: omod only with flushed results and IEEE off, minus zero becomes
/// zero.
template <class F>
Expected modified(Expected e, const isa::Modifiers& mod, const Env& env, bool dx10) {
  const bool regular = !oracle::nan<F>(e.bits) && (e.bits & ~oracle::sign_bit<F>()) != F::kInfinity;
  if (mod.omod != 0 && env.flush_out && !env.ieee && regular) {
    static oracle::Number value(64), scaled(F::kPrecision);
    oracle::load<F>(value, e.bits);
    const int power = mod.omod == 1 ? 1 : mod.omod == 2 ? 2 : -1;
    const int ternary = mpfr_mul_2si(scaled, value, power, oracle::rounding(env.round));
    const Expected out = oracle::finish<F>(scaled.get(), ternary, env);
    e = {out.bits == oracle::sign_bit<F>() ? 0 : out.bits, e.flags | out.flags};
  }
  if (mod.clamp) {
    if (oracle::nan<F>(e.bits)) {
      if (dx10) e.bits = 0;
    } else if (oracle::negative<F>(e.bits)) {
      e.bits = 0;
    } else if (e.bits > F::kOne) {
      e.bits = F::kOne;
    }
  }
  return e;
}

template <class F>
U low_mask() {
  return ~U{0} >> (64 - F::kBits);
}

/// A special number made an ordinary one, so that the host's vector unit answers for the row.
template <class F>
U calm(U x) {
  const bool high = oracle::field_of<F>(x) == F::kMaxField;
  return high ? x ^ (U{1} << (F::kBits - 2)) : x;
}

/// With `is_calm`, no infinities and NaNs.
template <class F>
void fill(Case& c, uint64_t seed, bool is_calm = false) {
  oracle::Generator<F> random(seed);
  uint64_t state = seed + 77;
  for (unsigned lane = 0; lane < 64; ++lane) {
    const U a = random.pattern();
    const U b = random.partner(a);
    const U d = random.below(2) == 0 ? random.partner(a) : random.pattern();
    const U values[3] = {is_calm ? calm<F>(a) : a, is_calm ? calm<F>(b) : b,
                         is_calm ? calm<F>(d) : d};
    for (unsigned s = 0; s < 3; ++s) {
      c.src[s][lane] = values[s];
      if (F::kBits == 16) c.src[s][lane] |= random.pattern() << 16;
    }
    c.old[lane] = F::kBits == 64 ? values[2] : next_random(state);
    if (F::kBits == 32) c.old[lane] = (c.old[lane] & ~U{0xffffffff}) | values[2];
  }
}

/// Small exponents, so that results are ordinary numbers, subnormals and overflows in turn.
template <class F>
void fill_exponents(Case& c, uint64_t seed) {
  uint64_t state = seed + 3;
  for (unsigned lane = 0; lane < 64; ++lane) {
    const auto span = static_cast<int64_t>(4 * F::kMaxExponent);
    const int64_t by = static_cast<int64_t>(next_random(state) % static_cast<U>(span)) - span / 2;
    c.src[1][lane] = static_cast<U>(by) & low_mask<F>();
    if (lane % 16 == 0)
      c.src[1][lane] =
          (lane % 32 == 0 ? U{0x7fffffff} : U{0x80000000}) >> (F::kBits == 16 ? 16 : 0);
  }
}

/// One case against its reference: values, flags, untouched lanes.
template <class F>
void expect_case(const Row<F>& row, const Case& c) {
  const ModeBits mode{c.mode};
  const Env env = mode.env<F>();
  const bool selects = vop_row(c.mnemonic, c.target).has(isa::kOpSel);
  const unsigned op_sel = selects ? c.mod.op_sel : 0;
  const Outputs out = run(c);
  ASSERT_EQ(out.event, Event::None) << c.mnemonic;
  unsigned flags = 0;
  for (unsigned lane = 0; lane < 64; ++lane) {
    U expected = c.old[lane];
    if (((c.exec >> lane) & 1) != 0) {
      U s[3];
      for (unsigned i = 0; i < 3; ++i) {
        U x = row.accumulates && i == 2 ? c.old[lane] : c.src[i][lane];
        if (F::kBits == 16 && ((op_sel >> i) & 1) != 0) x >>= 16;
        x &= low_mask<F>();
        if (!(row.accumulates && i == 2) && !(row.integer_exponent && i == 1)) {
          if (((c.mod.abs >> i) & 1) != 0) x &= ~oracle::sign_bit<F>();
          if (((c.mod.neg >> i) & 1) != 0) x ^= oracle::sign_bit<F>();
        }
        s[i] = x;
      }
      const Expected e = modified<F>(row.reference(s, env), c.mod, env, mode.dx10());
      flags |= e.flags;
      if (F::kBits == 64) {
        expected = e.bits;
      } else if (F::kBits == 32) {
        expected = (expected & ~U{0xffffffff}) | e.bits;
      } else if ((op_sel & 8) != 0) {
        expected = (expected & ~U{0xffff0000}) | (e.bits << 16);
      } else {
        const U upper = row.keeps_half ? U{0xffff0000} : 0;
        expected = (expected & (~U{0xffffffff} | upper)) | e.bits;
      }
    }
    ASSERT_EQ(out.dst[lane], expected)
        << std::hex << c.mnemonic << " mode " << c.mode << " omod " << unsigned{c.mod.omod}
        << " clamp " << c.mod.clamp << " abs " << unsigned{c.mod.abs} << " neg "
        << unsigned{c.mod.neg} << " op_sel " << op_sel << " lane " << lane << " S0 "
        << c.src[0][lane] << " S1 " << c.src[1][lane] << " S2 " << c.src[2][lane] << " old "
        << c.old[lane];
  }
  ASSERT_EQ(out.trapsts & kFlagMask, flags)
      << std::hex << c.mnemonic << " mode " << c.mode << " exec " << c.exec;
}

template <class F>
void expect_rows(const std::vector<Row<F>>& rows) {
  uint64_t seed = 1000;
  for (const Row<F>& row : rows) {
    Case c;
    c.mnemonic = row.mnemonic;
    c.target = row.target;
    const bool modifiers = !vop_row(c.mnemonic, c.target).has(isa::kNoAbsNeg);
    for (const uint32_t mode : kModes) {
      c.mode = mode;
      for (unsigned batch = 0; batch < 6; ++batch) {
        c.mod = {};
        c.exec = kExecShapes[batch];
        for (const bool is_calm : {false, true}) {
          fill<F>(c, ++seed, is_calm);
          if (row.integer_exponent) fill_exponents<F>(c, seed);
          expect_case<F>(row, c);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
      c.exec = kAllLanes;
      for (unsigned batch = 0; batch < batches(); ++batch) {
        fill<F>(c, ++seed, batch % 24 >= 12);
        c.mod = {};
        c.mod.omod = batch & 3;
        c.mod.clamp = (batch & 4) != 0;
        if (modifiers) {
          c.mod.abs = static_cast<uint8_t>((batch * 5) & 7);
          c.mod.neg = static_cast<uint8_t>((batch * 3) & 7);
        }
        if (F::kBits == 16) c.mod.op_sel = static_cast<uint8_t>((batch * 7) & 15);
        expect_case<F>(row, c);
        if (::testing::Test::HasFatalFailure()) return;
      }
      // Flags of single lanes.
      fill<F>(c, ++seed);
      c.mod = {};
      for (unsigned lane = 0; lane < 64; lane += 3) {
        c.exec = U{1} << lane;
        expect_case<F>(row, c);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace cuvette::wave::test
