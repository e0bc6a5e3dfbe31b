// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/host_float.h"
#include "wave/lanes/host_unit.h"

namespace cuvette::wave::lanes {

#if defined(__x86_64__)
namespace {

using namespace host;

constexpr unsigned kWidth = 4;

/// Four lanes of a register pair as doubles; disabled lanes read +0.
CUVETTE_VECTOR_TARGET inline __m256d fetch(const uint32_t* const* rows, unsigned lane,
                                           SignEdit edit, __m256i mask) {
  const __m128i lo = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[0] + lane));
  __m128i hi = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[1] + lane));
  hi = _mm_xor_si128(_mm_and_si128(hi, _mm_set1_epi32(edit.keep)), _mm_set1_epi32(edit.flip));
  const __m256i wide =
      _mm256_or_si256(_mm256_cvtepu32_epi64(lo), _mm256_slli_epi64(_mm256_cvtepu32_epi64(hi), 32));
  return _mm256_castsi256_pd(_mm256_and_si256(wide, mask));
}

CUVETTE_VECTOR_TARGET inline __m256i lane_mask64(uint64_t exec, unsigned lane) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  const __m256i four = _mm256_set1_epi64x(static_cast<long long>((exec >> lane) & 0xf));
  return _mm256_cmpeq_epi64(_mm256_and_si256(four, bits), bits);
}

template <HostOp Op>
CUVETTE_VECTOR_TARGET bool arithmetic(const LaneOp& op, LaneResult& result,
                                      const uint32_t* const* third, SignEdit edit_c) {
  const fp::Env env = op.mode.env_f16_f64();
  if (!plain(op, env)) return false;
  const SignEdit edit_a = sign_edit(op, 0);
  const SignEdit edit_b = sign_edit(op, 1);
  alignas(32) uint32_t row[2][kMaxLanes];
  const __m256i field = _mm256_set1_epi64x(0x7ff0000000000000);
  const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);

  const uint32_t found = store_mxcsr(row[0]);
  const uint32_t wanted = wanted_mxcsr(env, false);
  if (found != wanted) load_mxcsr(wanted);
  __m256i odd = _mm256_setzero_si256();
  for (unsigned lane = 0; lane < op.lanes; lane += kWidth) {
    const __m256i mask = lane_mask64(op.exec, lane);
    const __m256d a = fetch(op.src[0], lane, edit_a, mask);
    const __m256d b = fetch(op.src[1], lane, edit_b, mask);
    __m256d d = a;
    if constexpr (Op == HostOp::Add) d = _mm256_add_pd(a, b);
    if constexpr (Op == HostOp::Mul) d = _mm256_mul_pd(a, b);
    if constexpr (Op == HostOp::Fma) d = _mm256_fmadd_pd(a, b, fetch(third, lane, edit_c, mask));
    const __m256i bits = _mm256_castpd_si256(d);
    odd = _mm256_or_si256(odd, _mm256_cmpeq_epi64(_mm256_and_si256(bits, field), field));
    const __m256i split = _mm256_permutevar8x32_epi32(bits, halves);
    _mm_store_si128(reinterpret_cast<__m128i*>(row[0] + lane), _mm256_castsi256_si128(split));
    _mm_store_si128(reinterpret_cast<__m128i*>(row[1] + lane), _mm256_extracti128_si256(split, 1));
  }
  const uint32_t after = store_mxcsr(row[0]);
  if (after != found) load_mxcsr(found);

  if ((after & kInvalid) != 0 || _mm256_testz_si256(odd, odd) == 0) return false;
  store_lanes(op, result.dst[0], row[0]);
  store_lanes(op, result.dst[1], row[1]);
  result.flags = static_cast<uint8_t>(after & kFlags);
  return true;
}

}  // namespace

template <HostOp Op>
bool host_row64(const LaneOp& op, LaneResult& result) {
  return arithmetic<Op>(op, result, op.src[2], sign_edit(op, 2));
}
bool host_fmac64(const LaneOp& op, LaneResult& result) {
  return arithmetic<HostOp::Fma>(op, result, result.dst, {-1, 0});
}

#else

template <HostOp Op>
bool host_row64(const LaneOp&, LaneResult&) {
  return false;
}
bool host_fmac64(const LaneOp&, LaneResult&) {
  return false;
}

#endif

template bool host_row64<HostOp::Add>(const LaneOp&, LaneResult&);
template bool host_row64<HostOp::Mul>(const LaneOp&, LaneResult&);
template bool host_row64<HostOp::Fma>(const LaneOp&, LaneResult&);

}  // namespace cuvette::wave::lanes
