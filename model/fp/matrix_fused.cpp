// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/matrix_terms.h"

namespace cuvette::fp {
namespace {

constexpr int kTermFraction = 24;  ///< fraction bits of a product or of d, aligned
constexpr int kSumFraction = 32;   ///< fraction bits of the sum of products beside d
constexpr int kKept = 31;          ///< fraction bits of the sum with d, normalised
constexpr int kSmallest = -126;    ///< exponent of an F32 number
constexpr int kInfinite = 128;     ///< a product of that exponent is an infinity
constexpr int kFarBelow = 25;      ///< distance beyond which the even-odd sum drops d

/// floor(x / 2^shift), shift >= 0.
int64_t shift_floor(int64_t x, int shift) {
  return x >> std::min(shift, 63);
}

/// The product scaled to kTermFraction fraction bits below 2^exponent, truncated toward zero.
int64_t aligned(const Term& product, int fraction_bits, int exponent) {
  const int drop = exponent - product.exponent + fraction_bits - kTermFraction;
  uint64_t m = product.significand;
  if (drop >= 0) {
    m = drop > 63 ? 0 : m >> drop;
  } else {
    m <<= -drop;
  }
  return product.sign ? -static_cast<int64_t>(m) : static_cast<int64_t>(m);
}

/// Sum of products aligned to their largest exponent. Products that are zero have no exponent.
struct PartialSum {
  bool any = false;  ///< a product that is not zero
  int exponent = 0;
  int64_t sum = 0;  ///< scaled by 2^(exponent - kTermFraction)
};

/// The products first, first + stride, ...
PartialSum add_aligned(const Group& group, unsigned first, unsigned stride) {
  PartialSum s;
  for (unsigned i = first; i < group.count; i += stride) {
    const Term& p = group.products[i];
    if (p.significand == 0) continue;
    s.exponent = s.any ? std::max(s.exponent, p.exponent) : p.exponent;
    s.any = true;
  }
  for (unsigned i = first; i < group.count; i += stride) {
    if (group.products[i].significand == 0) continue;
    s.sum += aligned(group.products[i], group.fraction_bits, s.exponent);
  }
  return s;
}

/// Both halves at the larger of their exponents.
PartialSum add_halves(const PartialSum& even, const PartialSum& odd) {
  if (!even.any) return odd;
  if (!odd.any) return even;
  PartialSum s{true, std::max(even.exponent, odd.exponent), 0};
  s.sum = shift_floor(even.sum, s.exponent - even.exponent) +
          shift_floor(odd.sum, s.exponent - odd.exponent);
  return s;
}

void mark_infinite_products(Group& group) {
  for (unsigned i = 0; i < group.count; ++i) {
    Term& p = group.products[i];
    if (p.nan || p.infinite || p.significand == 0) continue;
    const int carry = detail::top_bit(p.significand) - group.fraction_bits;
    const int top = p.exponent + carry;
    p.infinite = top >= kInfinite;
  }
}

}  // namespace

uint32_t fused_group(Group group, bool even_odd) {
  mark_infinite_products(group);
  uint32_t special = 0;
  if (special_result(group, special)) return special;
  const Term& d = group.d;
  const bool split = even_odd && group.count > 1;
  PartialSum s = add_aligned(group, 0, split ? 2 : 1);
  if (split) s = add_halves(s, add_aligned(group, 1, 2));
  const int top = s.any ? std::max(s.exponent, d.exponent) : d.exponent;
  int64_t total =
      s.any ? shift_floor(s.sum << (kSumFraction - kTermFraction), top - s.exponent) & int64_t{-1}
            : 0;
  if (!even_odd || d.exponent >= top - kFarBelow) {
    const int64_t m = static_cast<int64_t>(d.significand << (kTermFraction - F32::kFractionBits));
    const int64_t floor = shift_floor(d.sign ? -m : m, top - d.exponent);
    const int64_t cut = floor;
    total += cut << (kSumFraction - kTermFraction);
  }
  if (total == 0) return 0;
  // Once more toward minus infinity, to kKept bits below the leading one.
  const uint64_t magnitude =
      total < 0 ? ~static_cast<uint64_t>(total) + 1 : static_cast<uint64_t>(total);
  const int leading = std::max(detail::top_bit(magnitude) + top - kSumFraction, kSmallest);
  const int drop = std::max(leading - kKept - (top - kSumFraction), 0);
  total = shift_floor(total, drop);
  const auto bits = static_cast<uint64_t>(total);
  Env env;
  return round_pack<F32>(total < 0, top - kSumFraction + drop, total < 0 ? ~bits + 1 : bits, env);
}

}  // namespace cuvette::fp
