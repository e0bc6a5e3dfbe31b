// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/two_over_pi.h"

#include <array>

namespace cuvette::hsail {

namespace {

constexpr unsigned kDigits = 1201;
constexpr unsigned kWords = 42;  // of 32 bits, the first before the point: 111 digits to spare

/// A number below 2^32, the most significant word first.
using Number = std::array<uint32_t, kWords>;

void divide(Number& x, uint32_t by) {
  uint64_t rest = 0;
  for (uint32_t& word : x) {
    rest = rest << 32 | word;
    word = static_cast<uint32_t>(rest / by);
    rest %= by;
  }
}
void add(Number& x, const Number& y) {
  uint64_t carry = 0;
  for (unsigned i = kWords; i-- > 0; carry >>= 32) {
    carry += uint64_t{x[i]} + y[i];
    x[i] = static_cast<uint32_t>(carry);
  }
}
void subtract(Number& x, const Number& y) {
  uint64_t borrow = 0;
  for (unsigned i = kWords; i-- > 0;) {
    const uint64_t difference = uint64_t{x[i]} - y[i] - borrow;
    x[i] = static_cast<uint32_t>(difference);
    borrow = difference >> 63;
  }
}

/// factor * atan(1 / n) by its series.
Number arctangent(uint32_t factor, uint32_t n) {
  Number power{};
  power[0] = factor;
  divide(power, n);
  Number sum = power;
  for (uint32_t k = 1; power != Number{}; ++k) {
    divide(power, n * n);
    Number term = power;
    divide(term, 2 * k + 1);
    if (k % 2 == 0) {
      add(sum, term);
    } else {
      subtract(sum, term);
    }
  }
  return sum;
}

std::array<bool, kDigits> make_digits() {
  // Machin: pi = 16 atan(1/5) - 4 atan(1/239). Then 2 / pi digit by digit.
  Number pi = arctangent(16, 5);
  subtract(pi, arctangent(4, 239));
  Number rest{};
  rest[0] = 2;
  std::array<bool, kDigits> digits{};
  for (bool& digit : digits) {
    add(rest, Number(rest));
    digit = rest >= pi;
    if (digit) subtract(rest, pi);
  }
  return digits;
}

}  // namespace

uint64_t two_over_pi_bits(unsigned skipped, unsigned count) {
  static const std::array<bool, kDigits> kAll = make_digits();
  uint64_t bits = 0;
  for (unsigned i = skipped; i < skipped + count; ++i) {
    bits = bits << 1 | (i < kDigits && kAll[i] ? 1 : 0);
  }
  return bits;
}

}  // namespace cuvette::hsail
