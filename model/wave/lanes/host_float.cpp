// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/host_float.h"

#include <algorithm>

#include "wave/lanes/host_unit.h"

namespace cuvette::wave::lanes {

namespace host {
namespace {

HostLevel detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c")) {
    return HostLevel::Baseline;
  }
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return v4 ? HostLevel::Avx512 : HostLevel::Avx2;
#else
  return HostLevel::Baseline;
#endif
}
HostLevel limit = HostLevel::Avx512;

bool takes_assists() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}
bool slow_subnormals = takes_assists();

}  // namespace

#if defined(__x86_64__)
bool enabled() {
  return host_level() >= HostLevel::Avx2;
}
#endif

}  // namespace host

#if defined(__x86_64__)

namespace {

using namespace host;

constexpr unsigned kWidth = 8;

/// Eight lanes of a source, edited; disabled lanes read +0, which raises nothing.
CUVETTE_VECTOR_TARGET inline __m256i fetch(const uint32_t* row, unsigned lane, SignEdit edit,
                                           __m256i mask) {
  __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + lane));
  x = _mm256_xor_si256(_mm256_and_si256(x, _mm256_set1_epi32(edit.keep)),
                       _mm256_set1_epi32(edit.flip));
  return _mm256_and_si256(x, mask);
}

/// Lanes whose exponent field is all ones: infinities and NaNs.
CUVETTE_VECTOR_TARGET inline __m256i not_finite(__m256i x) {
  const __m256i field = _mm256_set1_epi32(0x7f800000);
  return _mm256_cmpeq_epi32(_mm256_and_si256(x, field), field);
}

/// Lanes that are NaN or subnormal.
CUVETTE_VECTOR_TARGET inline __m256i special(__m256i x) {
  const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi32(0x7fffffff));
  const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
  const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x00800000), magnitude);
  const __m256i not_zero = _mm256_cmpgt_epi32(magnitude, _mm256_setzero_si256());
  return _mm256_or_si256(nan, _mm256_and_si256(below, not_zero));
}

template <HostOp Op>
CUVETTE_VECTOR_TARGET inline __m256i compute(__m256i ia, __m256i ib, __m256i ic) {
  const __m256 a = _mm256_castsi256_ps(ia);
  const __m256 b = _mm256_castsi256_ps(ib);
  const __m256 c = _mm256_castsi256_ps(ic);
  __m256 d = a;
  if constexpr (Op == HostOp::Add) d = _mm256_add_ps(a, b);
  if constexpr (Op == HostOp::Sub) d = _mm256_sub_ps(a, b);
  if constexpr (Op == HostOp::Subrev) d = _mm256_sub_ps(b, a);
  if constexpr (Op == HostOp::Mul) d = _mm256_mul_ps(a, b);
  if constexpr (Op == HostOp::Mad) d = _mm256_add_ps(_mm256_mul_ps(a, b), c);
  if constexpr (Op == HostOp::Fma) d = _mm256_fmadd_ps(a, b, c);
  return _mm256_castps_si256(d);
}

template <HostOp Op>
CUVETTE_VECTOR_TARGET bool arithmetic(const LaneOp& op, LaneResult& result, const uint32_t* third) {
  constexpr bool kThree = Op == HostOp::Mad || Op == HostOp::Fma;
  const fp::Env env = op.mode.env_f32();
  if (!plain(op, env)) return false;
  const SignEdit edit_a = sign_edit(op, 0);
  const SignEdit edit_b = sign_edit(op, 1);
  const SignEdit edit_c = third == op.src[2][0] ? sign_edit(op, 2) : SignEdit{-1, 0};
  alignas(32) uint32_t row[kMaxLanes];

  const uint32_t found = store_mxcsr(row);
  const uint32_t wanted = wanted_mxcsr(env, Op == HostOp::Mad);
  if (found != wanted) load_mxcsr(wanted);
  __m256i odd = _mm256_setzero_si256();
  for (unsigned lane = 0; lane < op.lanes; lane += kWidth) {
    const __m256i mask = lane_mask(op.exec, lane);
    const __m256i a = fetch(op.src[0][0], lane, edit_a, mask);
    const __m256i b = fetch(op.src[1][0], lane, edit_b, mask);
    __m256i c = _mm256_setzero_si256();
    if constexpr (kThree) c = fetch(third, lane, edit_c, mask);
    const __m256i d = compute<Op>(a, b, c);
    odd = _mm256_or_si256(odd, not_finite(d));
    _mm256_store_si256(reinterpret_cast<__m256i*>(row + lane), d);
  }
  const uint32_t after = store_mxcsr(row);
  if (after != found) load_mxcsr(found);

  if ((after & kInvalid) != 0 || _mm256_testz_si256(odd, odd) == 0) return false;
  store_lanes(op, result.dst[0], row);
  result.flags = static_cast<uint8_t>(after & kFlags);
  return true;
}

/// Minimum and maximum of numbers that are neither NaN nor subnormal raise nothing. As integers
/// with the magnitude of negative ones inverted they are ordered, -0 below +0.
template <HostOp Op>
CUVETTE_VECTOR_TARGET bool select(const LaneOp& op, LaneResult& result) {
  if (!plain(op, op.mode.env_f32())) return false;
  const SignEdit edit_a = sign_edit(op, 0);
  const SignEdit edit_b = sign_edit(op, 1);
  alignas(32) uint32_t row[kMaxLanes];
  __m256i odd = _mm256_setzero_si256();
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  const auto ordered = [&](__m256i x) CUVETTE_VECTOR_TARGET {
    return _mm256_xor_si256(x, _mm256_and_si256(_mm256_srai_epi32(x, 31), magnitude));
  };
  for (unsigned lane = 0; lane < op.lanes; lane += kWidth) {
    const __m256i mask = lane_mask(op.exec, lane);
    const __m256i a = fetch(op.src[0][0], lane, edit_a, mask);
    const __m256i b = fetch(op.src[1][0], lane, edit_b, mask);
    odd = _mm256_or_si256(odd, _mm256_or_si256(special(a), special(b)));
    const __m256i x = ordered(a);
    const __m256i y = ordered(b);
    const __m256i d = Op == HostOp::Min ? _mm256_min_epi32(x, y) : _mm256_max_epi32(x, y);
    _mm256_store_si256(reinterpret_cast<__m256i*>(row + lane), ordered(d));
  }
  if (_mm256_testz_si256(odd, odd) == 0) return false;
  store_lanes(op, result.dst[0], row);
  return true;
}

CUVETTE_VECTOR_TARGET bool compare(const LaneOp& op, LaneResult& result, HostTest test) {
  if (!enabled() || is_sdwa(op) || op.lanes % kWidth != 0) return false;
  const SignEdit edit_a = sign_edit(op, 0);
  const SignEdit edit_b = sign_edit(op, 1);
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  __m256i odd = _mm256_setzero_si256();
  uint64_t less = 0, greater = 0;
  // Two's complement of the magnitude: both zeros become 0.
  const auto number = [&](__m256i x) CUVETTE_VECTOR_TARGET {
    const __m256i sign = _mm256_srai_epi32(x, 31);
    return _mm256_sub_epi32(_mm256_xor_si256(_mm256_and_si256(x, magnitude), sign), sign);
  };
  const auto bits = [](__m256i mask, unsigned lane) CUVETTE_VECTOR_TARGET {
    return static_cast<uint64_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask))) << lane;
  };
  for (unsigned lane = 0; lane < op.lanes; lane += kWidth) {
    const __m256i mask = lane_mask(op.exec, lane);
    const __m256i a = fetch(op.src[0][0], lane, edit_a, mask);
    const __m256i b = fetch(op.src[1][0], lane, edit_b, mask);
    odd = _mm256_or_si256(odd, _mm256_or_si256(special(a), special(b)));
    const __m256i x = number(a);
    const __m256i y = number(b);
    less |= bits(_mm256_cmpgt_epi32(y, x), lane);
    greater |= bits(_mm256_cmpgt_epi32(x, y), lane);
  }
  if (_mm256_testz_si256(odd, odd) == 0) return false;
  uint64_t mask = test.less ? less : 0;
  if (test.greater) mask |= greater;
  if (test.equal) mask |= ~(less | greater);
  result.mask = mask & active(op);
  return true;
}

}  // namespace

template <HostOp Op>
bool host_row(const LaneOp& op, LaneResult& result) {
  if constexpr (Op == HostOp::Min || Op == HostOp::Max) {
    return select<Op>(op, result);
  } else {
    return arithmetic<Op>(op, result, op.src[2][0]);
  }
}
template <HostOp Op>
bool host_accumulate(const LaneOp& op, LaneResult& result) {
  return arithmetic<Op>(op, result, result.dst[0]);
}
bool host_compare(const LaneOp& op, LaneResult& result, HostTest test) {
  return compare(op, result, test);
}
#else

template <HostOp Op>
bool host_row(const LaneOp&, LaneResult&) {
  return false;
}
template <HostOp Op>
bool host_accumulate(const LaneOp&, LaneResult&) {
  return false;
}
bool host_compare(const LaneOp&, LaneResult&, HostTest) {
  return false;
}

#endif

HostLevel host_level() {
  static const HostLevel best = host::detect();
  return std::min(best, host::limit);
}
void limit_host_level(HostLevel most) {
  host::limit = most;
}

bool subnormals_are_slow() {
  return host::slow_subnormals;
}
void set_subnormals_slow(bool slow) {
  host::slow_subnormals = slow;
}

void set_host_float(bool on) {
  limit_host_level(on ? HostLevel::Avx512 : HostLevel::None);
}

template bool host_row<HostOp::Add>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Sub>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Subrev>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Mul>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Mad>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Fma>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Min>(const LaneOp&, LaneResult&);
template bool host_row<HostOp::Max>(const LaneOp&, LaneResult&);
template bool host_accumulate<HostOp::Mad>(const LaneOp&, LaneResult&);
template bool host_accumulate<HostOp::Fma>(const LaneOp&, LaneResult&);

}  // namespace cuvette::wave::lanes
