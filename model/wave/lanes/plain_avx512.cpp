// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/plain.h"

#if defined(__x86_64__)
#define CUVETTE_LEVEL __attribute__((target("avx512f")))
#define CUVETTE_INLINE __attribute__((target("avx512f"), always_inline)) inline
#include "wave/lanes/plain_rows.h"

namespace cuvette::wave::lanes {
namespace {

using host::SignEdit;

/// 16 lanes.
struct V {
  using Bits = __m512i;
  static constexpr unsigned kWidth = 16;

  CUVETTE_INLINE static Bits load(const uint32_t* from) { return _mm512_loadu_si512(from); }
  CUVETTE_INLINE static void store(uint32_t* to, Bits x) { _mm512_storeu_si512(to, x); }
  CUVETTE_INLINE static Bits broadcast(uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
  }
  CUVETTE_INLINE static __mmask16 mask(uint64_t exec, unsigned lane) {
    return static_cast<__mmask16>(exec >> lane);
  }
  CUVETTE_INLINE static Bits keep(__mmask16 mask, Bits x) {
    return _mm512_maskz_mov_epi32(mask, x);
  }
  CUVETTE_INLINE static Bits blend(__mmask16 mask, Bits old, Bits x) {
    return _mm512_mask_mov_epi32(old, mask, x);
  }
  CUVETTE_INLINE static Bits edit(Bits x, SignEdit e) {
    return _mm512_xor_si512(_mm512_and_si512(x, _mm512_set1_epi32(e.keep)),
                            _mm512_set1_epi32(e.flip));
  }
  CUVETTE_INLINE static Bits twice(Bits x) { return _mm512_add_epi32(x, x); }
  CUVETTE_INLINE static Bits max(Bits a, Bits b) { return _mm512_max_epu32(a, b); }
  CUVETTE_INLINE static bool any_above(Bits x, uint32_t limit) {
    return _mm512_cmpgt_epu32_mask(x, broadcast(limit)) != 0;
  }
  CUVETTE_INLINE static Bits add(Bits a, Bits b) {
    return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
  }
  CUVETTE_INLINE static Bits sub(Bits a, Bits b) {
    return _mm512_castps_si512(_mm512_sub_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
  }
  CUVETTE_INLINE static Bits mul(Bits a, Bits b) {
    return _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
  }
  CUVETTE_INLINE static Bits fma(Bits a, Bits b, Bits c) {
    return _mm512_castps_si512(
        _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(c)));
  }
};

}  // namespace

Prepared::Run plain_avx512(HostOp op, bool registers) {
  return registers ? plain_of<V, true>(op) : plain_of<V, false>(op);
}

}  // namespace cuvette::wave::lanes

#else

namespace cuvette::wave::lanes {

Prepared::Run plain_avx512(HostOp, bool) {
  return nullptr;
}

}  // namespace cuvette::wave::lanes

#endif
