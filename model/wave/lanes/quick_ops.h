// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "fp/format.h"
#include "wave/lanes/level.h"

#if CUVETTE_LANES_LEVEL != 0

// Lane functions on bit patterns for operations that round nothing: as integers, so that compilers
// make vectors of them and no host flag is touched. F is fp::F16, fp::F32 or fp::F64. For lanes
// with an operand or a result that needs fp (NaN, subnormal numbers, one that raises a flag) they
// set `odd`, and fp does the lane.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// Word that holds a number, an F16 in its low half.
template <class F>
using WordOf = std::conditional_t<F::kBits == 16, uint32_t, typename F::Bits>;
template <class F>
using SignedOf = std::make_signed_t<WordOf<F>>;

/// True if one of them holds, without branches.
template <class... Bools>
constexpr bool any(Bools... x) {
  return (static_cast<unsigned>(x) | ...) != 0;
}

/// x held between two numbers, by value.
template <class T>
constexpr T within(T x, T least, T most) {
  const T below = x > most ? most : x;
  return below < least ? least : below;
}
/// x where something holds, else 0.
template <class T>
constexpr T when(bool holds, T x) {
  return x & (T{0} - static_cast<T>(holds));
}

template <class F>
constexpr WordOf<F> magnitude_of(WordOf<F> x) {
  return x & F::kMagnitudeMask;
}
template <class F>
constexpr bool is_odd_number(WordOf<F> x) {
  const WordOf<F> m = magnitude_of<F>(x);
  return any(m > F::kInfinity, m - 1 < F::kMinNormal - 1);
}
template <class F>
constexpr SignedOf<F> sign_extended(WordOf<F> x) {
  constexpr int kAbove = 8 * sizeof x - F::kBits;
  return static_cast<SignedOf<F>>(x << kAbove) >> kAbove;
}
/// -1 for negative numbers, else 0.
template <class F>
constexpr WordOf<F> sign_word(WordOf<F> x) {
  return static_cast<WordOf<F>>(sign_extended<F>(x) >> (F::kBits - 1));
}
/// Negative numbers with their magnitude inverted: as integers in order, -0 below +0.
template <class F>
constexpr SignedOf<F> ordered(WordOf<F> x) {
  const auto flip = static_cast<SignedOf<F>>(sign_word<F>(x) & F::kMagnitudeMask);
  return sign_extended<F>(x) ^ flip;
}
/// Two's complement of the magnitude: the same, both zeros alike.
template <class F>
constexpr SignedOf<F> number(WordOf<F> x) {
  const WordOf<F> sign = sign_word<F>(x);
  return static_cast<SignedOf<F>>((magnitude_of<F>(x) ^ sign) - sign);
}
template <class F>
constexpr WordOf<F> unordered(SignedOf<F> x) {
  return static_cast<WordOf<F>>(ordered<F>(static_cast<WordOf<F>>(x)));
}
/// Exponent of a number that is neither zero nor subnormal.
template <class F>
constexpr SignedOf<F> exponent_of(WordOf<F> x) {
  return static_cast<SignedOf<F>>(magnitude_of<F>(x) >> F::kFractionBits) - F::kBias;
}

/// Properties of these operations for quick_row().
struct QuickFloat {
  static constexpr bool kMask = false;      ///< the result is a bit
  static constexpr bool kFloat = true;      ///< the result is a float
  static constexpr unsigned kIntegers = 0;  ///< bit per source: no abs and neg
  static constexpr bool kWidens = false;    ///< F32 to F64
  static constexpr bool kInexact = false;   ///< of() says whether the result is rounded, too
};

template <class F, bool Max>
struct QuickExtreme : QuickFloat {
  using Word = WordOf<F>;
  static constexpr Word pick(Word a, Word b) {
    const SignedOf<F> x = ordered<F>(a), y = ordered<F>(b);
    return unordered<F>(Max ? std::max(x, y) : std::min(x, y));
  }
  static constexpr Word of(bool& odd, Word a, Word b) {
    odd = any(is_odd_number<F>(a), is_odd_number<F>(b));
    return pick(a, b);
  }
  static constexpr Word of(bool& odd, Word a, Word b, Word c) {
    odd = any(is_odd_number<F>(a), is_odd_number<F>(b), is_odd_number<F>(c));
    return pick(pick(a, b), c);
  }
};
/// Equal zeros count as the maximum alike.
template <class F>
struct QuickMedian : QuickFloat {
  using Word = WordOf<F>;
  static constexpr Word of(bool& odd, Word a, Word b, Word c) {
    const auto max = [](Word x, Word y) { return QuickExtreme<F, true>::pick(x, y); };
    odd = any(is_odd_number<F>(a), is_odd_number<F>(b), is_odd_number<F>(c));
    const SignedOf<F> largest = number<F>(max(max(a, b), c));
    const Word without_b = max(a, c), without_c = max(a, b);
    const Word rest = largest == number<F>(b) ? without_b : without_c;
    return largest == number<F>(a) ? max(b, c) : rest;
  }
};

/// Bits of Accepted: less, equal, greater.
template <class F, unsigned Accepted>
struct QuickCompare : QuickFloat {
  static constexpr bool kMask = true;
  using Word = WordOf<F>;
  static constexpr Word of(bool& odd, Word a, Word b) {
    odd = any(is_odd_number<F>(a), is_odd_number<F>(b));
    const SignedOf<F> x = number<F>(a), y = number<F>(b);
    const bool holds = any((Accepted & 1) != 0 && x < y, (Accepted & 2) != 0 && x == y,
                           (Accepted & 4) != 0 && x > y);
    return holds ? ~Word{0} : Word{0};
  }
};

enum class Toward : uint8_t { Zero, Plus, Minus, Even };

template <class F, Toward Direction>
struct QuickIntegral : QuickFloat {
  using Word = WordOf<F>;
  static constexpr Word of(bool& odd, Word x) {
    odd = is_odd_number<F>(x);
    const Word magnitude = magnitude_of<F>(x), sign = x & F::kSignBit;
    const SignedOf<F> exponent = exponent_of<F>(x);
    const auto below =
        static_cast<Word>(within<SignedOf<F>>(F::kFractionBits - exponent, 0, F::kFractionBits));
    const Word fraction = (Word{1} << below) - 1;
    const Word cut = magnitude & ~fraction;
    const bool inexact = (magnitude & fraction) != 0;
    Word up = 0;  // by one unit
    if constexpr (Direction == Toward::Plus) up = inexact && sign == 0 ? fraction + 1 : 0;
    if constexpr (Direction == Toward::Minus) up = inexact && sign != 0 ? fraction + 1 : 0;
    Word result = cut + up;
    if constexpr (Direction == Toward::Even) {
      const Word half = (fraction + 1) >> 1;
      result = (magnitude + half - 1 + ((magnitude >> below) & 1)) & ~fraction;
      result = below == 0 ? magnitude : result;
    }
    // Below one the fraction has no unit to go up by.
    Word small = 0;
    if constexpr (Direction == Toward::Plus) small = magnitude != 0 && sign == 0 ? F::kOne : 0;
    if constexpr (Direction == Toward::Minus) small = magnitude != 0 && sign != 0 ? F::kOne : 0;
    if constexpr (Direction == Toward::Even)
      small = magnitude > F::kOne - F::kMinNormal ? F::kOne : 0;
    return sign | (exponent < 0 ? small : result);
  }
};

/// x * 2^by while the result is normal.
template <class F>
struct QuickLdexp : QuickFloat {
  static constexpr unsigned kIntegers = 2;
  using Word = WordOf<F>;
  static constexpr Word of(bool& odd, Word x, uint32_t count) {
    const Word magnitude = magnitude_of<F>(x);
    const auto by =
        static_cast<SignedOf<F>>(within<int32_t>(static_cast<int32_t>(count), -8192, 8192));
    const auto field = static_cast<SignedOf<F>>(magnitude >> F::kFractionBits);
    const SignedOf<F> scaled = field + by;
    const bool whole = any(magnitude == 0, magnitude == F::kInfinity);
    const bool far = any(scaled < 1, scaled >= F::kMaxField);
    odd = any(is_odd_number<F>(x), when<unsigned>(!whole, far) != 0);
    return whole ? x : x + (static_cast<Word>(by) << F::kFractionBits);
  }
};
template <class F>
struct QuickMantissa : QuickFloat {
  using Word = WordOf<F>;
  static constexpr Word of(bool& odd, Word x) {
    odd = is_odd_number<F>(x);
    const Word magnitude = magnitude_of<F>(x);
    const bool whole = any(magnitude == 0, magnitude == F::kInfinity);
    return whole ? x : (x & (F::kSignBit | F::kFractionMask)) | (F::kOne - F::kMinNormal);
  }
};
template <class F>
struct QuickExponent : QuickFloat {
  static constexpr bool kFloat = false;
  static constexpr uint32_t of(bool& odd, WordOf<F> x) {
    odd = is_odd_number<F>(x);
    const WordOf<F> magnitude = magnitude_of<F>(x);
    const bool whole = any(magnitude == 0, magnitude == F::kInfinity);
    return when<uint32_t>(!whole, static_cast<uint32_t>(exponent_of<F>(x) + 1));
  }
};

/// To an integer of 32 bits, of F16 to one of 16, while it is in range; what is lost is not
/// reported.
template <class F, bool Signed, bool Down>
struct QuickToInt : QuickFloat {
  static constexpr bool kFloat = false;
  static constexpr uint32_t of(bool& odd, WordOf<F> x) {
    using Word = WordOf<F>;
    const Word magnitude = magnitude_of<F>(x);
    const SignedOf<F> exponent = exponent_of<F>(x);
    const bool negative = x != magnitude;
    const SignedOf<F> largest = (F::kBits == 16 ? 15 : 31) - (Signed ? 1 : 0);
    odd = any(is_odd_number<F>(x), exponent > largest,
              when<unsigned>(!Signed && negative, exponent >= 0) != 0);
    const Word significand = (magnitude & F::kFractionMask) | F::kMinNormal;
    const SignedOf<F> right = F::kFractionBits - exponent;
    const auto down = static_cast<Word>(within<SignedOf<F>>(right, 0, F::kBits - 1));
    const auto up = static_cast<Word>(within<SignedOf<F>>(-right, 0, F::kBits - 1));
    Word value = magnitude == 0 ? 0 : significand >> down << up;
    if constexpr (Down) {
      const bool lost = value << down >> up != significand;
      value += when<Word>(lost, when<Word>(negative, magnitude != 0 ? 1 : 0));
    }
    return static_cast<uint32_t>(negative ? Word{0} - value : value);
  }
};

/// The classes of V_CMP_CLASS that `wanted` has.
template <class F>
struct QuickClass : QuickFloat {
  static constexpr bool kMask = true;
  static constexpr unsigned kIntegers = 2;
  using Word = WordOf<F>;
  static constexpr Word of(bool&, Word x, uint32_t wanted) {
    const Word m = magnitude_of<F>(x);
    const bool negative = x != m;
    const uint32_t nan = (x & F::kQuietBit) != 0 ? 2 : 1;
    const uint32_t infinite = negative ? 4 : 1 << 9;
    const uint32_t normal = negative ? 8 : 1 << 8;
    const uint32_t subnormal = negative ? 1 << 4 : 1 << 7;
    const uint32_t zero = negative ? 1 << 5 : 1 << 6;
    uint32_t is = m >= F::kMinNormal ? normal : subnormal;
    is = m == 0 ? zero : is;
    is = m == F::kInfinity ? infinite : is;
    is = m > F::kInfinity ? nan : is;
    return (is & wanted) != 0 ? ~Word{0} : Word{0};
  }
};

/// F16 to F32: every number has its place.
struct QuickWiden : QuickFloat {
  static constexpr unsigned kIntegers = 1;  // signs are those of halves
  static constexpr uint32_t of(bool& odd, uint32_t word) {
    const uint32_t magnitude = word & 0x7fff;
    odd = any(magnitude > 0x7c00, magnitude - 1 < 0x3ff);
    const uint32_t moved = (magnitude << 13) + ((127 - 15) << 23);
    const uint32_t wide = magnitude == 0x7c00 ? 0x7f800000u : magnitude == 0 ? 0u : moved;
    return wide | (word & 0x8000) << 16;
  }
};

/// F32 to F64: every number has its place.
struct QuickDouble : QuickFloat {
  static constexpr bool kWidens = true;
  static constexpr uint64_t of(bool& odd, uint32_t x) {
    const uint64_t magnitude = x & 0x7fffffff;
    odd = is_odd_number<fp::F32>(x);
    const uint64_t moved = (magnitude << 29) + (uint64_t{1023 - 127} << 52);
    const uint64_t wide = magnitude == 0x7f800000 ? fp::F64::kInfinity : magnitude == 0 ? 0 : moved;
    return wide | uint64_t{x ^ static_cast<uint32_t>(magnitude)} << 32;
  }
};

/// V_DIV_FIXUP of numbers whose quotient is a normal one.
template <class F>
struct QuickFixup : QuickFloat {
  using Word = WordOf<F>;
  static constexpr bool plain(Word x) {
    return magnitude_of<F>(x) - F::kMinNormal < F::kInfinity - F::kMinNormal;
  }
  static constexpr Word of(bool& odd, Word quotient, Word den, Word num) {
    constexpr int kFar = F::kBias - 8;  // well above where a quotient vanishes
    odd = any(!plain(quotient), !plain(den), !plain(num),
              exponent_of<F>(num) - exponent_of<F>(den) < -kFar);
    return magnitude_of<F>(quotient) | ((den ^ num) & F::kSignBit);
  }
};

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME

#endif
