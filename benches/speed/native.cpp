// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/native.h"

#include <bit>
#include <cmath>

#include "wave/lanes/host_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuvette::bench {

using wave::lanes::host_level;
using wave::lanes::HostLevel;

namespace {

void fma_plain(wave::LaneRow* rows, const NativeFma& o) {
  for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
    const auto get = [&](unsigned r) { return std::bit_cast<float>(rows[r][lane]); };
    rows[o.d][lane] = std::bit_cast<uint32_t>(std::fma(get(o.a), get(o.b), get(o.c)));
  }
}

#if defined(__x86_64__)

#define CUVETTE_AVX2 __attribute__((target("avx2,fma")))
#define CUVETTE_AVX512 __attribute__((target("avx512f")))

CUVETTE_AVX2 void fma_avx2(wave::LaneRow* rows, std::span<const NativeFma> operations,
                           unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    for (const NativeFma& o : operations) {
      const auto* a = reinterpret_cast<const float*>(rows[o.a].data());
      const auto* b = reinterpret_cast<const float*>(rows[o.b].data());
      const auto* c = reinterpret_cast<const float*>(rows[o.c].data());
      auto* d = reinterpret_cast<float*>(rows[o.d].data());
      for (unsigned lane = 0; lane < wave::kLanes; lane += 8) {
        _mm256_storeu_ps(d + lane,
                         _mm256_fmadd_ps(_mm256_loadu_ps(a + lane), _mm256_loadu_ps(b + lane),
                                         _mm256_loadu_ps(c + lane)));
      }
    }
  }
}

CUVETTE_AVX512 void fma_avx512(wave::LaneRow* rows, std::span<const NativeFma> operations,
                               unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    for (const NativeFma& o : operations) {
      const auto* a = reinterpret_cast<const float*>(rows[o.a].data());
      const auto* b = reinterpret_cast<const float*>(rows[o.b].data());
      const auto* c = reinterpret_cast<const float*>(rows[o.c].data());
      auto* d = reinterpret_cast<float*>(rows[o.d].data());
      for (unsigned lane = 0; lane < wave::kLanes; lane += 16) {
        _mm512_storeu_ps(d + lane,
                         _mm512_fmadd_ps(_mm512_loadu_ps(a + lane), _mm512_loadu_ps(b + lane),
                                         _mm512_loadu_ps(c + lane)));
      }
    }
  }
}

// Chains enough for two units of latency 4; the asm keeps the compiler from seeing through them.
constexpr unsigned kChains = 10, kTurns = 64;

CUVETTE_AVX512 void peak_avx512(unsigned rounds) {
  __m512 d[kChains];
  const __m512 a = _mm512_set1_ps(0.5f);
  for (auto& x : d) x = a;
  for (unsigned n = 0; n < rounds * kTurns; ++n) {
    for (auto& x : d) {
      x = _mm512_fmadd_ps(x, a, a);
      asm volatile("" : "+v"(x));
    }
  }
}
CUVETTE_AVX2 void peak_avx2(unsigned rounds) {
  __m256 d[kChains];
  const __m256 a = _mm256_set1_ps(0.5f);
  for (auto& x : d) x = a;
  for (unsigned n = 0; n < rounds * kTurns; ++n) {
    for (auto& x : d) {
      x = _mm256_fmadd_ps(x, a, a);
      asm volatile("" : "+x"(x));
    }
  }
}

CUVETTE_AVX512 void saxpy_avx512(float alpha, const float* x, float* y, unsigned count) {
  const __m512 a = _mm512_set1_ps(alpha);
  for (unsigned i = 0; i < count; i += 16) {
    _mm512_storeu_ps(y + i, _mm512_fmadd_ps(a, _mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
  }
}

CUVETTE_AVX2 void saxpy_avx2(float alpha, const float* x, float* y, unsigned count) {
  const __m256 a = _mm256_set1_ps(alpha);
  for (unsigned i = 0; i < count; i += 8) {
    _mm256_storeu_ps(y + i, _mm256_fmadd_ps(a, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  }
}

#endif

}  // namespace

void native_fma(wave::LaneRow* rows, std::span<const NativeFma> operations, unsigned rounds) {
#if defined(__x86_64__)
  if (host_level() == HostLevel::Avx512) return fma_avx512(rows, operations, rounds);
  if (host_level() == HostLevel::Avx2) {
    return fma_avx2(rows, operations, rounds);
  }
#endif
  for (unsigned round = 0; round < rounds; ++round) {
    for (const NativeFma& o : operations) fma_plain(rows, o);
  }
}

void native_peak(unsigned rounds) {
#if defined(__x86_64__)
  if (host_level() == HostLevel::Avx512) peak_avx512(rounds);
  if (host_level() == HostLevel::Avx2) peak_avx2(rounds);
#endif
}
double native_peak_fmas(unsigned rounds) {
#if defined(__x86_64__)
  const double lanes = host_level() == HostLevel::Avx512 ? 16 : 8;
  return double{kChains} * kTurns * lanes * rounds;
#else
  return 0.0 * rounds;
#endif
}

void native_saxpy(float alpha, const float* x, float* y, unsigned count) {
#if defined(__x86_64__)
  if (host_level() == HostLevel::Avx512) return saxpy_avx512(alpha, x, y, count);
  if (host_level() == HostLevel::Avx2) {
    return saxpy_avx2(alpha, x, y, count);
  }
#endif
  for (unsigned i = 0; i < count; ++i) y[i] = std::fma(alpha, x[i], y[i]);
}

}  // namespace cuvette::bench
