// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fp/convert.h"
#include "wave/lanes/level_double.h"
#include "wave/lanes/odd_sum.h"

// Conversions and the helpers of division on one host level, where their operands are ordinary
// numbers; fp does the lanes with others.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

struct HostFromSigned {
  CUVETTE_INLINE static Floats of(Floats a) {
    return __builtin_convertvector(as<Signed>(a), Floats);
  }
};
struct HostFromUnsigned {
  CUVETTE_INLINE static Floats of(Floats a) {
#if CUVETTE_VECTOR_BYTES == 64
    return as<Floats>(_mm512_cvtepu32_ps(as<__m512i>(a)));
#else
    // The upper half is exact, so the sum rounds once.
    const auto x = as<Bits>(a);
    const Floats high = __builtin_convertvector(as<Signed>(x >> 16), Floats) * 65536;
    return high + __builtin_convertvector(as<Signed>(x & 0xffff), Floats);
#endif
  }
};
template <unsigned N>
struct HostFromByte {
  CUVETTE_INLINE static Floats of(Floats a) {
    return __builtin_convertvector(as<Signed>((as<Bits>(a) >> (8 * N)) & 0xff), Floats);
  }
};
/// 1 / sqrt in F64, which rounds like the exact value unless that is next to a tie.
struct HostRsq {
  CUVETTE_INLINE static Doubles of(Doubles a) { return (Doubles{} + 1) / HostSqrt::of(a); }
};

/// Sources of integers have no abs and neg.
template <class Op, HostMode Mode, SoftRow Soft>
constexpr Row host_integer_row() {
  Row row = host_float_row<Op, 1, false, Mode, Soft>();
  row.edited = {};
  return row;
}

/// 64 doubles to the enabled lanes of two registers.
CUVETTE_INLINE void put_doubles(const LaneOp& op, LaneResult& result, const uint64_t* d) {
  each64(op, result, [&](unsigned lane) { return d[lane]; });
}

/// Exact.
template <bool IsSigned>
CUVETTE_LEVEL void int_to_double(const LaneOp& op, LaneResult& result) {
  constexpr uint64_t kTwo52 = 0x4330000000000000;
  const uint32_t* const from = op.src[0][0];
  alignas(64) uint64_t d[kLanes];
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    HalfBits x = load_half(from + first);
    const Wide zero = __builtin_convertvector(x, Wide) == 0;
    if (IsSigned) x ^= 0x80000000;
    const auto sum = as<Doubles>(__builtin_convertvector(x, Wide) | kTwo52);
    const auto value = as<Wide>(sum - (IsSigned ? 4503601774854144.0 : 4503599627370496.0));
    const Wide bits = value & ~zero;
    std::memcpy(d + first, &bits, sizeof bits);
  }
  put_doubles(op, result, d);
}

/// F64 to F32, rounded as MXCSR says.
template <SoftRow Soft>
CUVETTE_LEVEL void narrow(const LaneOp& op, LaneResult& result) {
  const QuickSource<fp::F64> in(op, 0, false);
  const uint64_t exec = op.exec;
  alignas(64) uint64_t x[kLanes];
  alignas(64) uint32_t odd[kLanes], d[kLanes];
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t number = in.at(lane);
    const bool is_odd = is_odd_number<fp::F64>(number);
    odd[lane] = is_odd ? ~0u : 0u;
    x[lane] = is_odd || (exec >> lane & 1) == 0 ? 0 : number;
  }
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    Doubles wide;
    std::memcpy(&wide, x + first, sizeof wide);
    const auto narrowed = __builtin_convertvector(wide, HalfFloats);
    std::memcpy(d + first, &narrowed, sizeof narrowed);
  }
  const uint64_t over = marks_of(odd) & exec;
  if (over != 0) return do_over(op, result, over, d, nullptr, Soft);
  put_row(op, result.dst[0], d);
}

/// 8-bit floats as F32, which is exact.
template <class From>
inline constexpr auto kWideFp8 = [] {
  std::array<uint32_t, 256> wide{};
  for (uint32_t x = 0; x < wide.size(); ++x) {
    fp::Env exact;
    wide[x] = fp::convert<fp::F32, From>(static_cast<uint8_t>(x), exact);
  }
  return wide;
}();
template <class From>
CUVETTE_LEVEL void widen_fp8(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each32(op, result, [&](unsigned lane) { return kWideFp8<From>[in.b32(0, lane) & 0xff]; });
}
template <class From>
CUVETTE_LEVEL void widen_fp8_pair(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  alignas(64) uint32_t low[kLanes], high[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t pair = in.b32(0, lane);
    low[lane] = kWideFp8<From>[pair & 0xff];
    high[lane] = kWideFp8<From>[pair >> 8 & 0xff];
  }
  put_row(op, result.dst[0], low);
  put_row(op, result.dst[1], high);
}

#if CUVETTE_VECTOR_BYTES > 16
/// F32 to an F16 in the low half of each lane, rounded as MXCSR says or as `Rounding`.
template <int Rounding = _MM_FROUND_CUR_DIRECTION>
CUVETTE_INLINE Bits half_of(Bits x) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Bits>(_mm512_cvtepu16_epi32(_mm512_cvtps_ph(as<__m512>(x), Rounding)));
#else
  return as<Bits>(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(as<__m256>(x), Rounding)));
#endif
}

/// F32 to F16, rounded as MXCSR says; into subnormal and infinite numbers fp does it.
template <SoftRow Soft>
CUVETTE_LEVEL void halve(const LaneOp& op, LaneResult& result) {
  constexpr uint32_t kLeast = 0x38800000, kLargest = 0x477fe000;
  const SignEdit edit(op.instruction->mod, 0);
  alignas(64) uint32_t d[kLanes];
  uint64_t over = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    Bits x = edit.of(load(op.src[0][0] + part * kWidth));
    const Bits magnitude = x & 0x7fffffff;
    const Signed good = (as<Signed>(magnitude >= kLeast) & as<Signed>(magnitude <= kLargest)) |
                        as<Signed>(magnitude == 0) | as<Signed>(magnitude == 0x7f800000);
    over |= ~(lanes_of(good) << (part * kWidth)) & (base::low_mask(kWidth) << (part * kWidth));
    x = keep(mask_of(op.exec, part * kWidth), x & as<Bits>(good));
    store(d + part * kWidth, half_of(x));
  }
  if ((over & op.exec) != 0) return do_over(op, result, over & op.exec, d, nullptr, Soft);
  put_row(op, result.dst[0], d);
}

/// Two F32 to F16 toward zero; into subnormal numbers, and from infinite ones, fp does it.
template <SoftRow Soft>
CUVETTE_LEVEL void halve_pair(const LaneOp& op, LaneResult& result) {
  constexpr uint32_t kLeast = 0x38800000, kLargest = 0x477fffff;
  const SignEdit edit[2] = {{op.instruction->mod, 0}, {op.instruction->mod, 1}};
  alignas(64) uint32_t d[kLanes];
  uint64_t over = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    Bits half[2];
    CUVETTE_UNROLL
    for (unsigned s = 0; s < 2; ++s) {
      const Bits x = edit[s].of(load(op.src[s][0] + part * kWidth));
      const Bits magnitude = x & 0x7fffffff;
      const Signed good = (as<Signed>(magnitude >= kLeast) & as<Signed>(magnitude <= kLargest)) |
                          as<Signed>(magnitude == 0);
      over |= ~(lanes_of(good) << (part * kWidth)) & (base::low_mask(kWidth) << (part * kWidth));
      half[s] =
          half_of<_MM_FROUND_TO_ZERO>(keep(mask_of(op.exec, part * kWidth), x & as<Bits>(good)));
    }
    store(d + part * kWidth, half[0] | half[1] << 16);
  }
  if ((over & op.exec) != 0) return do_over(op, result, over & op.exec, d, nullptr, Soft);
  put_row(op, result.dst[0], d);
}

/// 1 / sqrt of F32 by way of F64: the second rounding is right unless the first result is within a
/// few units of a tie.
template <SoftRow Soft>
CUVETTE_LEVEL void reciprocal_root(const LaneOp& op, LaneResult& result) {
  const QuickSource<fp::F32> in(op, 0, false);
  const uint64_t exec = op.exec;
  alignas(64) uint32_t x[kLanes], odd[kLanes], d[kLanes];
  alignas(64) uint64_t root[kLanes];
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t number = in.at(lane);
    const bool good = number - 0x00800000 < 0x7f800000 - 0x00800000;  // positive, normal
    odd[lane] = good ? 0u : ~0u;
    x[lane] = good && (exec >> lane & 1) != 0 ? number : 0x3f800000;
  }
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    const auto wide = __builtin_convertvector(as<HalfFloats>(load_half(x + first)), Doubles);
    const Doubles y = HostRsq::of(wide);
    const auto narrowed = __builtin_convertvector(y, HalfFloats);
    std::memcpy(root + first, &y, sizeof y);
    std::memcpy(d + first, &narrowed, sizeof narrowed);
  }
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t below =
        static_cast<uint32_t>(root[lane]) & 0x1fffffff;  // of an F32's last place
    odd[lane] |= below - 0x0ffffff8 < 16 ? ~0u : 0u;
  }
  const uint64_t over = marks_of(odd) & exec;
  if (over != 0) return do_over(op, result, over, d, nullptr, Soft);
  put_row(op, result.dst[0], d);
}

/// 1 / sqrt of F64: what the host's quotient lacks is known to many bits, so that only near a tie
/// it is not clear which number is nearest.
template <SoftRow Soft>
CUVETTE_LEVEL void reciprocal_root64(const LaneOp& op, LaneResult& result) {
  const QuickSource<fp::F64> in(op, 0, false);
  const uint64_t exec = op.exec;
  alignas(64) uint64_t x[kLanes], d[kLanes], rest[kLanes];
  alignas(64) uint32_t odd[kLanes];
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t number = in.at(lane);
    // Far enough from both ends that no step leaves the range.
    const bool good = number - 0x0800000000000000 < 0x7000000000000000;
    odd[lane] = good ? 0u : ~0u;
    x[lane] = good && (exec >> lane & 1) != 0 ? number : 0x3ff0000000000000;
  }
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    Doubles a;
    std::memcpy(&a, x + first, sizeof a);
    const Doubles y = HostRsq::of(a);
    const Doubles square = y * y, low = HostFma::of(y, y, -square);
    // 1 - a y^2, and with it what y lacks.
    const Doubles lacks = HostFma::of(-a, square, Doubles{} + 1) - a * low;
    const Doubles step = y * lacks * 0.5;
    const Doubles nearest = y + step;
    const Doubles left = step - (nearest - y);
    std::memcpy(d + first, &nearest, sizeof nearest);
    std::memcpy(rest + first, &left, sizeof left);
  }
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    // Half a unit of the last place has the exponent of the number less 53. Rests well below it,
    // and no power of two, below which units are smaller, are sure.
    const auto below = static_cast<int64_t>(d[lane] >> 52) - 54;
    const auto size = static_cast<int64_t>(rest[lane] >> 52 & 0x7ff);
    const bool power = (d[lane] & 0x000fffffffffffff) == 0;
    const bool close = size > below || (size == below && (rest[lane] >> 44 & 0xff) > 0xf0);
    odd[lane] |= power || close ? ~0u : 0u;
  }
  const uint64_t over = marks_of(odd) & exec;
  if (over == 0) return put_doubles(op, result, d);
  alignas(64) uint32_t half[2][kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    half[0][lane] = base::lo32(d[lane]);
    half[1][lane] = base::hi32(d[lane]);
  }
  do_over(op, result, over, half[0], half[1], Soft);
}
#endif

#if defined(__x86_64__)
/// 1 / x without a flag of floats; fp knows what a zero raises.
template <SoftRow Soft>
CUVETTE_LEVEL void quiet_reciprocal(const LaneOp& op, LaneResult& result) {
  const QuickSource<fp::F32> in(op, 0, false);
  alignas(64) uint32_t odd[kLanes];
  CUVETTE_WORD_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    odd[lane] = (in.at(lane) & 0x7fffffff) - 0x00800000 >= 0x7f800000 - 0x00800000 ? ~0u : 0u;
  }
  if ((marks_of(odd) & op.exec) != 0) return do_soft(Soft, op, result);
  uint32_t found = 0;
  asm volatile("stmxcsr %0" : "=m"(found) : : "memory");
  float_row<HostRcp, 1, true, false, Soft>(op, result);
  asm volatile("ldmxcsr %0" : : "m"(found) : "memory");
}
#endif

/// V_DIV_SCALE of numbers that need no scaling.
template <class F, int FarApart, int TinyNumerator, SoftRow Soft>
CUVETTE_LEVEL void scale_row(const LaneOp& op, LaneResult& result) {
  using Word = WordOf<F>;
  const QuickSource<F> in[3] = {{op, 0, false}, {op, 1, false}, {op, 2, false}};
  alignas(64) uint32_t low[kLanes], high[kLanes], odd[kLanes];
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Word value = in[0].at(lane), den = in[1].at(lane), num = in[2].at(lane);
    const SignedOf<F> up = exponent_of<F>(num), down = exponent_of<F>(den);
    const bool plain = magnitude_of<F>(den) - F::kMinNormal < F::kInfinity - F::kMinNormal &&
                       magnitude_of<F>(num) - F::kMinNormal < F::kInfinity - F::kMinNormal;
    const bool near = up - down < FarApart && up - down > F::kMinExponent + 2 &&
                      down < F::kMaxExponent - 2 && up + F::kBias > TinyNumerator;
    odd[lane] = plain && near && !is_odd_number<F>(value) ? 0u : ~0u;
    low[lane] = base::lo32(value);
    high[lane] = base::hi32(uint64_t{value});
  }
  if ((marks_of(odd) & op.exec) != 0) return do_soft(Soft, op, result);
  put_row(op, result.dst[0], low);
  if constexpr (sizeof(Word) == 8) put_row(op, result.dst[1], high);
}

#if CUVETTE_VECTOR_BYTES > 16
/// V_DIV_FMAS without scaling: a fused multiply-add that never flushes its operands.
template <class F, SoftRow Soft>
CUVETTE_LEVEL void fmas_row(const LaneOp& op, LaneResult& result) {
  const QuickSource<F> in[3] = {{op, 0, false}, {op, 1, false}, {op, 2, false}};
  alignas(64) uint32_t odd[kLanes];
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    odd[lane] = any(is_odd_number<F>(in[0].at(lane)), is_odd_number<F>(in[1].at(lane)),
                    is_odd_number<F>(in[2].at(lane)))
                    ? ~0u
                    : 0u;
  }
  if (((marks_of(odd) | op.mask_in) & op.exec) != 0) return do_soft(Soft, op, result);
  if constexpr (sizeof(WordOf<F>) == 8) {
    double_row<HostFma, 3, false, Soft>(op, result);
  } else {
    float_row<HostFma, 3, true, false, Soft>(op, result);
  }
}
#endif

/// A function of the kind above.
template <LaneHandler Handler, HostMode Mode>
constexpr Row edited_row() {
  Row row;
  row.plain = row.edited = level_function<Handler, Mode>;
  row.mode = Mode;
  return row;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
