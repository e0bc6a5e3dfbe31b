// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/matrix_terms.h"

namespace cuvette::fp {
namespace {

/// A fixed-point accumulator of full width: units of 2^kLowest, the lowest bit of a product of two
/// subnormal BF16 numbers, up to the sum of a group of the largest ones. Carries are put off: a
/// limb holds more than its 32 bits until the sum is read.
class ExactSum {
 public:
  /// Adds (-1)^sign * significand * 2^exponent; significand below 2^32, exponent from kLowest on.
  void add(bool sign, int exponent, uint64_t significand) {
    const auto position = static_cast<unsigned>(exponent - kLowest);
    const uint64_t shifted = significand << position % kLimbBits;
    add(sign, position / kLimbBits, static_cast<int64_t>(shifted & kLimbMask));
    add(sign, position / kLimbBits + 1, static_cast<int64_t>(shifted >> kLimbBits));
  }

  /// The sum to nearest even; zero is +0.
  uint32_t rounded() {
    carry();
    const bool negative = limbs_[kLimbs - 1] < 0;
    if (negative) {
      for (int64_t& limb : limbs_) limb = -limb;
      carry();
    }
    unsigned top = kLimbs - 1;
    while (top > 0 && limbs_[top] == 0) --top;
    if (top == 0 && limbs_[0] == 0) return 0u;
    // The two highest limbs hold 33 bits at least; the others are below the last bit that rounds.
    uint64_t significand = static_cast<uint64_t>(limbs_[top]) << kLimbBits;
    const int exponent = kLowest + (static_cast<int>(top) - 1) * static_cast<int>(kLimbBits);
    if (top >= 1) significand |= static_cast<uint64_t>(limbs_[top - 1]);
    for (unsigned i = 0; i + 1 < top; ++i) {
      if (limbs_[i] != 0) significand |= uint64_t{1};
    }
    Env env;
    return round_pack<F32>(negative, exponent, significand, env);
  }

 private:
  static constexpr int kLowest = -266;  // 2 * -126 - 2 * 7
  static constexpr unsigned kLimbBits = 32;
  static constexpr uint64_t kLimbMask = 0xffffffff;
  static constexpr unsigned kLimbs = 18;  // 2^-266 to 2^258, and a sign

  void add(bool sign, unsigned limb, int64_t value) { limbs_[limb] += sign ? -value : value; }
  /// Every limb but the highest to [0, 2^32).
  void carry() {
    for (unsigned i = 0; i + 1 < kLimbs; ++i) {
      const int64_t up = limbs_[i] >> kLimbBits;
      limbs_[i] &= static_cast<int64_t>(kLimbMask);
      limbs_[i + 1] += up;
    }
  }

  std::array<int64_t, kLimbs> limbs_{};
};

}  // namespace

uint32_t exact_group(const Group& group) {
  uint32_t special = 0;
  if (special_result(group, special)) return special;
  ExactSum sum;
  for (unsigned i = 0; i < group.count; ++i) {
    const Term& p = group.products[i];
    if (p.significand == 0) continue;  // has no exponent
    sum.add(p.sign, p.exponent - group.fraction_bits, p.significand);
  }
  if (!group.d.is_zero()) {
    sum.add(group.d.sign, group.d.exponent - F32::kFractionBits, group.d.significand);
  }
  return sum.rounded();
}

}  // namespace cuvette::fp
