// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include "fp/env.h"
#include "wave/lanes/access.h"

#define CUVETTE_VECTOR_TARGET __attribute__((target("avx2,fma")))

// The x86 parts shared by host_float.cpp and host_double.cpp.
namespace cuvette::wave::lanes::host {

inline constexpr uint32_t kInvalid = 1;   // MXCSR.IE
inline constexpr uint32_t kFlags = 0x3f;  // IE, DE, ZE, OE, UE, PE: the order of TRAPSTS.EXCP
inline constexpr uint32_t kAllMasked = 0x1f80;
inline constexpr uint32_t kDenormalsAreZero = 0x40;
inline constexpr uint32_t kFlushToZero = 0x8000;

/// Whether the quick way may be taken at all: the host can, and no test has switched it off.
bool enabled();

// The compiler must not move arithmetic over a change of MXCSR: inputs come from memory behind the
// load, results are in memory (`results` escapes) before the store.
inline void load_mxcsr(uint32_t value) {
  asm volatile("ldmxcsr %0" : : "m"(value) : "memory");
}
inline uint32_t store_mxcsr(const uint32_t* results) {
  uint32_t value = 0;
  asm volatile("stmxcsr %0" : "=m"(value) : "r"(results) : "memory");
  return value;
}

inline uint32_t wanted_mxcsr(const fp::Env& env, bool always_flush) {
  constexpr uint32_t kRound[] = {0x0000, 0x4000, 0x2000, 0x6000};  // nearest, up, down, zero
  uint32_t value = kAllMasked | kRound[static_cast<unsigned>(env.round)];
  if (always_flush || env.flush_in) value |= kDenormalsAreZero;
  if (always_flush || env.flush_out) value |= kFlushToZero;
  return value;
}

/// Nothing happens to the result after rounding, and sources are whole dwords.
inline bool plain(const LaneOp& op, const fp::Env& env) {
  const isa::Modifiers& mod = op.instruction->mod;
  const bool omod = mod.omod != 0 && env.flush_out && !env.ieee;
  return enabled() && !is_sdwa(op) && !mod.clamp && !omod && op.lanes % 8 == 0;
}

/// abs and neg as sign-bit edits: x = (x & keep) ^ flip.
struct SignEdit {
  int keep, flip;
};
inline SignEdit sign_edit(const isa::Modifiers& mod, unsigned s) {
  constexpr int kSign = static_cast<int>(0x80000000u);
  return {base::bit(mod.abs, s) ? ~kSign : -1, base::bit(mod.neg, s) ? kSign : 0};
}

inline SignEdit sign_edit(const LaneOp& op, unsigned s) {
  return sign_edit(op.instruction->mod, s);
}

CUVETTE_VECTOR_TARGET inline __m256i lane_mask(uint64_t exec, unsigned lane) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i byte = _mm256_set1_epi32(static_cast<int>((exec >> lane) & 0xff));
  return _mm256_cmpeq_epi32(_mm256_and_si256(byte, bits), bits);
}

/// Copies `row` to the destination for the lanes of EXEC.
CUVETTE_VECTOR_TARGET inline void store_lanes(const LaneOp& op, uint32_t* dst,
                                              const uint32_t* row) {
  if (all_active(op)) {
    for (unsigned lane = 0; lane < op.lanes; lane += 8) {
      const __m256i value = _mm256_load_si256(reinterpret_cast<const __m256i*>(row + lane));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + lane), value);
    }
    return;
  }
  for (unsigned lane = 0; lane < op.lanes; lane += 8) {
    const __m256i mask = lane_mask(op.exec, lane);
    const __m256i value = _mm256_load_si256(reinterpret_cast<const __m256i*>(row + lane));
    _mm256_maskstore_epi32(reinterpret_cast<int*>(dst + lane), mask, value);
  }
}

}  // namespace cuvette::wave::lanes::host

#endif
