// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/plain.h"

#if defined(__x86_64__)
#define CUVETTE_LEVEL __attribute__((target("avx2,fma")))
#define CUVETTE_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
#include "wave/lanes/plain_rows.h"

namespace cuvette::wave::lanes {
namespace {

using host::SignEdit;

/// 8 lanes.
struct V {
  using Bits = __m256i;
  static constexpr unsigned kWidth = 8;

  CUVETTE_INLINE static Bits load(const uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  CUVETTE_INLINE static void store(uint32_t* to, Bits x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
  }
  CUVETTE_INLINE static Bits broadcast(uint32_t x) {
    return _mm256_set1_epi32(static_cast<int>(x));
  }
  CUVETTE_INLINE static Bits mask(uint64_t exec, unsigned lane) {
    return host::lane_mask(exec, lane);
  }
  CUVETTE_INLINE static Bits keep(Bits mask, Bits x) { return _mm256_and_si256(mask, x); }
  CUVETTE_INLINE static Bits blend(Bits mask, Bits old, Bits x) {
    return _mm256_blendv_epi8(old, x, mask);
  }
  CUVETTE_INLINE static Bits edit(Bits x, SignEdit e) {
    return _mm256_xor_si256(_mm256_and_si256(x, _mm256_set1_epi32(e.keep)),
                            _mm256_set1_epi32(e.flip));
  }
  CUVETTE_INLINE static Bits twice(Bits x) { return _mm256_add_epi32(x, x); }
  CUVETTE_INLINE static Bits max(Bits a, Bits b) { return _mm256_max_epu32(a, b); }
  CUVETTE_INLINE static bool any_above(Bits x, uint32_t limit) {
    const Bits most = _mm256_cmpeq_epi32(_mm256_max_epu32(x, broadcast(limit)), broadcast(limit));
    return _mm256_movemask_epi8(most) != -1;
  }
  CUVETTE_INLINE static Bits add(Bits a, Bits b) {
    return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  CUVETTE_INLINE static Bits sub(Bits a, Bits b) {
    return _mm256_castps_si256(_mm256_sub_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  CUVETTE_INLINE static Bits mul(Bits a, Bits b) {
    return _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
  }
  CUVETTE_INLINE static Bits fma(Bits a, Bits b, Bits c) {
    return _mm256_castps_si256(
        _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(c)));
  }
};

}  // namespace

Prepared::Run plain_avx2(HostOp op, bool registers) {
  return registers ? plain_of<V, true>(op) : plain_of<V, false>(op);
}

}  // namespace cuvette::wave::lanes

#else

namespace cuvette::wave::lanes {

Prepared::Run plain_avx2(HostOp, bool) {
  return nullptr;
}

}  // namespace cuvette::wave::lanes

#endif
