// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "wave/lanes/level.h"

#if CUVETTE_LANES_LEVEL != 0

// The host-FPU lane functions: one per operation, for any vector of floats or doubles. Correctly
// rounded as MXCSR says, they give the bits of fp and raise its flags; NaN results excepted, which
// the loops around them (level_float.h) leave to fp.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

struct HostAdd {
  template <class T>
  CUVETTE_INLINE static T of(T a, T b) {
    return a + b;
  }
};
struct HostSub {
  template <class T>
  CUVETTE_INLINE static T of(T a, T b) {
    return a - b;
  }
};
struct HostSubrev {
  template <class T>
  CUVETTE_INLINE static T of(T a, T b) {
    return b - a;
  }
};
struct HostMul {
  template <class T>
  CUVETTE_INLINE static T of(T a, T b) {
    return a * b;
  }
};
struct HostMad {
  template <class T>
  CUVETTE_INLINE static T of(T a, T b, T c) {
    const T product = a * b;
    return product + c;
  }
};
struct HostRcp {
  template <class T>
  CUVETTE_INLINE static T of(T a) {
    return (T{} + 1) / a;
  }
};
#if CUVETTE_VECTOR_BYTES == 64
struct HostFma {
  CUVETTE_INLINE static Floats of(Floats a, Floats b, Floats c) {
    return as<Floats>(_mm512_fmadd_ps(as<__m512>(a), as<__m512>(b), as<__m512>(c)));
  }
  CUVETTE_INLINE static Doubles of(Doubles a, Doubles b, Doubles c) {
    return as<Doubles>(_mm512_fmadd_pd(as<__m512d>(a), as<__m512d>(b), as<__m512d>(c)));
  }
};
struct HostSqrt {
  CUVETTE_INLINE static Floats of(Floats a) { return as<Floats>(_mm512_sqrt_ps(as<__m512>(a))); }
  CUVETTE_INLINE static Doubles of(Doubles a) {
    return as<Doubles>(_mm512_sqrt_pd(as<__m512d>(a)));
  }
};
#elif CUVETTE_VECTOR_BYTES == 32
struct HostFma {
  CUVETTE_INLINE static Floats of(Floats a, Floats b, Floats c) {
    return as<Floats>(_mm256_fmadd_ps(as<__m256>(a), as<__m256>(b), as<__m256>(c)));
  }
  CUVETTE_INLINE static Doubles of(Doubles a, Doubles b, Doubles c) {
    return as<Doubles>(_mm256_fmadd_pd(as<__m256d>(a), as<__m256d>(b), as<__m256d>(c)));
  }
};
struct HostSqrt {
  CUVETTE_INLINE static Floats of(Floats a) { return as<Floats>(_mm256_sqrt_ps(as<__m256>(a))); }
  CUVETTE_INLINE static Doubles of(Doubles a) {
    return as<Doubles>(_mm256_sqrt_pd(as<__m256d>(a)));
  }
};
#elif defined(__x86_64__)
struct HostSqrt {
  CUVETTE_INLINE static Floats of(Floats a) { return as<Floats>(_mm_sqrt_ps(as<__m128>(a))); }
  CUVETTE_INLINE static Doubles of(Doubles a) { return as<Doubles>(_mm_sqrt_pd(as<__m128d>(a))); }
};
#endif

#if CUVETTE_VECTOR_BYTES > 16
/// x - floor(x), held below one.
struct HostFract {
  CUVETTE_INLINE static Floats of(Floats a) {
    const Floats part = a - floor_of(a);
    return part >= 1 ? as<Floats>(Bits{} + 0x3f7fffff) : part;
  }
  CUVETTE_INLINE static Doubles of(Doubles a) {
    const Doubles part = a - floor_of(a);
    return part >= 1 ? as<Doubles>(Wide{} + 0x3fefffffffffffff) : part;
  }
};
#endif

/// Properties of an operation that level_float.h needs on this level.
template <class Op>
struct OpTraits {
  /// Operand of disabled lanes, which raises nothing: ones when true, else zeros.
  static constexpr bool kIdleOnes = std::is_same_v<Op, HostRcp>;
#if defined(__x86_64__)
  static constexpr bool kHost = true;
#else
  static constexpr bool kHost = false;  // MXCSR is x86's
#endif
};
#if CUVETTE_VECTOR_BYTES == 16
struct HostFma {};    // no fused multiply-add
struct HostFract {};  // and no rounding to integral numbers
#if !defined(__x86_64__)
struct HostSqrt {};
#endif
template <>
struct OpTraits<HostFma> {
  static constexpr bool kIdleOnes = false;
  static constexpr bool kHost = false;
};
template <>
struct OpTraits<HostFract> : OpTraits<HostFma> {};
#endif

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME

#endif
