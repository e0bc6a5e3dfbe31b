// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/env.h"
#include "wave/lanes/host_vector.h"
#include "wave/lanes/plain.h"

// F32 sums, products and fused multiply-adds of lanes with subnormal operands, without giving the
// host any subnormal number: some take a microcode assist of 150 cycles for each instruction that
// meets one.
//
// Operands are multiplied by a power of two, which is exact, so that everything is normal. A result
// that is normal is multiplied back. A smaller one is computed once more on top of a number M of
// its sign whose last place is that of the subnormals: the host then rounds where it has to, once,
// and the result's bits are the difference to those of M.
namespace cuvette::wave::lanes {
namespace {

namespace careful {

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t field(unsigned exponent) {
  return exponent << 23;
}
constexpr unsigned kBias = 127;
constexpr unsigned kFactorScale = 32, kSumScale = 64;  // exponents of the powers of two
constexpr uint32_t kFactorLimit = field(kBias + 31), kSumLimit = field(kBias + 62);
/// The least normal number, scaled; also M, whose last place is the least subnormal one, scaled.
constexpr uint32_t kLeastNormal = field(1 + kSumScale);

CUVETTE_INLINE Bits magnitude(Bits x) {
  return x & ~kSign;
}
CUVETTE_INLINE Signed is_subnormal(Bits x) {
  return magnitude(x) - 1 < field(1) - 1;
}
/// `x` in the lanes of `mask`, otherwise 0. Opaque, so that nothing is computed before it.
CUVETTE_INLINE Bits only(Signed mask, Bits x) {
  Bits kept = x & as<Bits>(mask);
#if CUVETTE_VECTOR_BYTES == 64
  asm("" : "+v"(kept));
#else
  asm("" : "+x"(kept));
#endif
  return kept;
}
CUVETTE_INLINE Bits choose(Signed mask, Bits x, Bits other) {
  return (x & as<Bits>(mask)) | (other & ~as<Bits>(mask));
}
CUVETTE_INLINE Bits sum(Bits a, Bits b) {
  return as<Bits>(as<Floats>(a) + as<Floats>(b));
}
CUVETTE_INLINE Bits product(Bits a, Bits b) {
  return as<Bits>(as<Floats>(a) * as<Floats>(b));
}

/// x * 2^Scale of finite numbers that leave room for it.
template <unsigned Scale>
CUVETTE_INLINE Bits scaled(Bits x) {
  const Signed small = is_subnormal(x);
  // The mantissa behind an implicit one whose place it is to be, less that one.
  const Bits one = broadcast(field(1 + Scale));
  const Bits mantissa = only(small, magnitude(x));
  const Bits from_small = sum(mantissa | one, one | kSign) | (x & kSign);
  const Bits from_normal = product(only(~small, x), broadcast(field(kBias + Scale)));
  return choose(small, from_small, from_normal);
}

/// What came of the lanes of one piece.
struct Repair {
  Bits result;
  Signed underflow;  ///< tiny and inexact
  Signed open;       ///< to be done otherwise
};

/// The result of lanes whose scaled operands are a, b and c; `first` is their scaled result.
/// Products count when `Products`. c may be nothing.
template <bool Products>
CUVETTE_INLINE Repair unscaled(Bits first, Bits a, Bits b, Bits c) {
  Repair out{};
  Signed tiny = magnitude(first) < kLeastNormal;
  // Cancellation of normal numbers: c does not fit on top of M.
  out.open = tiny & (magnitude(c) > kLeastNormal);
  tiny &= ~out.open;
  const Bits sign = first & kSign;
  const Bits top = only(tiny, sign | kLeastNormal);
  Bits second;
  if constexpr (Products) {
    const Bits ta = only(tiny, a), tb = only(tiny, b);
    const Bits base = sum(only(tiny, c), top);
    second = fused(ta, tb, base);
    const Bits rounded = sum(second, base ^ kSign);  // exact
    const Bits rest = fused(ta, tb, rounded ^ kSign);
    out.underflow = tiny & (magnitude(rest) != 0);
  } else {
    second = sum(only(tiny, first), top);  // exact: sums of subnormal numbers are
  }
  const Bits small = (second - top) | sign;
  const Bits back = broadcast(field(kBias - kSumScale));
  out.result = choose(tiny, small, product(only(~tiny, first), back));
  return out;
}

/// Lanes of `easy`; what the others get does not matter, and they raise nothing.
template <HostOp Op>
CUVETTE_INLINE Repair repair(Signed easy, Bits x, Bits y, Bits z) {
  if constexpr (Op == HostOp::Fma || Op == HostOp::Mul) {
    Bits a = scaled<kFactorScale>(only(easy, x));
    Bits b = scaled<kFactorScale>(only(easy, y));
    // A product below 2^-100 (scaled, where the last place is 2^-85) only says that there is
    // something; as 2^-100 it does that without leaving the range.
    constexpr uint32_t kFaint = field(kBias - 50);
    const Bits size = magnitude(a) + magnitude(b);
    const Signed faint =
        (magnitude(a) != 0) & (magnitude(b) != 0) & (size < field(2 * kBias - 104));
    a = choose(faint, (a & kSign) | kFaint, a);
    b = choose(faint, (b & kSign) | kFaint, b);
    if constexpr (Op == HostOp::Fma) {
      const Bits c = scaled<kSumScale>(only(easy, z));
      return unscaled<true>(fused(a, b, c), a, b, c);
    }
    return unscaled<true>(product(a, b), a, b, Bits{});
  } else {
    Bits a = scaled<kSumScale>(only(easy, x));
    Bits b = scaled<kSumScale>(only(easy, y));
    if constexpr (Op == HostOp::Sub) b ^= only(easy, broadcast(kSign));
    if constexpr (Op == HostOp::Subrev) a ^= only(easy, broadcast(kSign));
    return unscaled<false>(sum(a, b), a, b, Bits{});
  }
}

}  // namespace careful

}  // namespace
}  // namespace cuvette::wave::lanes
