// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "wave/lanes/host_unit.h"
#include "wave/lanes/plain_order.h"

// F64 rows of plain.h on one host level. Sums, products and fused multiply-adds need MXCSR as the
// F64 fields of MODE say; it is as the F32 fields say, which usually agree, and otherwise the
// general handler does the row.
namespace cuvette::wave::lanes {
namespace {

using Doubles = double __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using Signed64 = int64_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));

/// The numbers of kWidth lanes in two vectors, in an order that costs little.
struct Pair {
  Bits first, second;
};
#if CUVETTE_VECTOR_BYTES == 64
#define CUVETTE_FOURS(a, b, c, d) \
  a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12
#elif CUVETTE_VECTOR_BYTES == 32
#define CUVETTE_FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#else
#define CUVETTE_FOURS(a, b, c, d) a, b, c, d
#endif
constexpr int kOther = CUVETTE_VECTOR_BYTES / 4;
CUVETTE_INLINE Pair join(Bits low, Bits high) {
  return {__builtin_shufflevector(low, high, CUVETTE_FOURS(0, kOther, 1, kOther + 1)),
          __builtin_shufflevector(low, high, CUVETTE_FOURS(2, kOther + 2, 3, kOther + 3))};
}
CUVETTE_INLINE Bits low_of(Pair x) {
  return __builtin_shufflevector(x.first, x.second, CUVETTE_FOURS(0, 2, kOther, kOther + 2));
}
CUVETTE_INLINE Bits high_of(Pair x) {
  return __builtin_shufflevector(x.first, x.second, CUVETTE_FOURS(1, 3, kOther + 1, kOther + 3));
}
#undef CUVETTE_FOURS

template <HostOp Op>
inline constexpr unsigned kDoubleSources = Op == HostOp::Fma ? 3 : 2;

struct DoubleInputs {
  PlainSource low[3], high[3];
  SignEdit edit[3];
};

template <HostOp Op>
CUVETTE_INLINE void take_doubles(const Prepared& p, const WaveState& wave, DoubleInputs& out) {
  CUVETTE_UNROLL
  for (unsigned s = 0; s < kDoubleSources<Op>; ++s) {
    out.low[s] = source_of(p, wave, s);
    out.high[s] = source_of(p, wave, s, 1);
    out.edit[s] = sign_edit(p.instruction->mod, s);
  }
}

/// Disabled lanes are zeros, which raise nothing.
template <bool Full>
CUVETTE_INLINE Pair double_operand(const DoubleInputs& in, unsigned s, unsigned part,
                                   uint64_t exec) {
  Bits low = take(in.low[s], part);
  Bits high = (take(in.high[s], part) & static_cast<uint32_t>(in.edit[s].keep)) ^
              static_cast<uint32_t>(in.edit[s].flip);
  if constexpr (!Full) {
    const Mask mask = mask_of(exec, part * kWidth);
    low = keep(mask, low);
    high = keep(mask, high);
  }
  return join(low, high);
}

template <HostOp Op>
CUVETTE_INLINE Bits double_op(Bits a, Bits b, Bits c) {
  if constexpr (Op == HostOp::Add) return as<Bits>(as<Doubles>(a) + as<Doubles>(b));
  if constexpr (Op == HostOp::Mul) return as<Bits>(as<Doubles>(a) * as<Doubles>(b));
#if CUVETTE_VECTOR_BYTES == 64
  if constexpr (Op == HostOp::Fma) {
    return as<Bits>(_mm512_fmadd_pd(as<__m512d>(a), as<__m512d>(b), as<__m512d>(c)));
  }
#elif CUVETTE_VECTOR_BYTES == 32
  if constexpr (Op == HostOp::Fma) {
    return as<Bits>(_mm256_fmadd_pd(as<__m256d>(a), as<__m256d>(b), as<__m256d>(c)));
  }
#endif
  return c;
}

/// All results, low and high halves of whole registers. False when one of them is a NaN.
template <HostOp Op, bool Full>
CUVETTE_INLINE bool double_parts(const DoubleInputs& in, uint64_t exec, Bits (&low)[kParts],
                                 Bits (&high)[kParts]) {
  Signed nan{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Pair a = double_operand<Full>(in, 0, part, exec);
    const Pair b = double_operand<Full>(in, 1, part, exec);
    Pair c{};
    if constexpr (kDoubleSources<Op> == 3) c = double_operand<Full>(in, 2, part, exec);
    const Pair d = {double_op<Op>(a.first, b.first, c.first),
                    double_op<Op>(a.second, b.second, c.second)};
    low[part] = low_of(d);
    high[part] = high_of(d);
    // Doubled without its sign, an infinity has no bit below the exponent.
    const Bits above = high[part] + high[part] + as<Bits>(as<Signed>(low[part] != 0) & 1);
    nan |= as<Signed>(above > 0xffe00000);
  }
  return lanes_of(nan) == 0;
}

template <HostOp Op>
CUVETTE_LEVEL bool double_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  const Mode mode = wave.s.mode;
  const bool agree = mode.round_f32() == mode.round_f16_f64() &&
                     mode.denorm_in_f32() == mode.denorm_in_f16_f64() &&
                     mode.denorm_out_f32() == mode.denorm_out_f16_f64();
  if (!agree) return run_lanes(p, wave, slice);
  DoubleInputs in;
  take_doubles<Op>(p, wave, in);
  const uint64_t exec = wave.s.exec();
  Bits low[kParts], high[kParts];
  const bool good = exec == ~uint64_t{0} ? double_parts<Op, true>(in, exec, low, high)
                                         : double_parts<Op, false>(in, exec, low, high);
  if (!good) [[unlikely]] {
    // The general handler is to say what the invalid operations of this row are.
    slice.leave_without_invalid();
    run_lanes(p, wave, slice);
    slice.enter();
    return true;
  }
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    put<false>(dst, part, exec, low[part]);
    put<false>(dst + kLanes, part, exec, high[part]);
  }
  return true;
}

/// A lane that is NaN or subnormal, all ones.
CUVETTE_INLINE Signed64 special64(Bits x) {
  const Wide magnitude = as<Wide>(x) & 0x7fffffffffffffff;
  return as<Signed64>(as<Signed64>(magnitude) > 0x7ff0000000000000) |
         (as<Signed64>(as<Signed64>(magnitude) < 0x0010000000000000) &
          as<Signed64>(as<Signed64>(magnitude) > 0));
}
CUVETTE_INLINE Signed64 sign64(Bits x) {
  return as<Signed64>(as<Signed64>(x) < 0);
}
/// As ordered() and number() of plain_order.h.
CUVETTE_INLINE Signed64 ordered64(Bits x) {
  return as<Signed64>(x) ^ (sign64(x) & 0x7fffffffffffffff);
}
CUVETTE_INLINE Signed64 number64(Bits x) {
  const Signed64 sign = sign64(x);
  return ((as<Signed64>(x) & 0x7fffffffffffffff) ^ sign) - sign;
}
CUVETTE_INLINE uint64_t lanes_of64(Signed64 first, Signed64 second) {
  return lanes_of(as<Signed>(low_of({as<Bits>(first), as<Bits>(second)})));
}

template <HostOp Op>
CUVETTE_INLINE Bits extreme64(Bits a, Bits b) {
  const Signed64 x = ordered64(a);
  const Signed64 y = ordered64(b);
  const Signed64 chosen = Op == HostOp::Min ? (x < y ? x : y) : (x > y ? x : y);
  return as<Bits>(ordered64(as<Bits>(chosen)));
}

template <HostOp Op>
CUVETTE_LEVEL bool extreme64_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  DoubleInputs in;
  take_doubles<Op>(p, wave, in);
  const uint64_t exec = wave.s.exec();
  Bits low[kParts], high[kParts];
  Signed64 odd{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Pair a = double_operand<false>(in, 0, part, exec);
    const Pair b = double_operand<false>(in, 1, part, exec);
    odd |= special64(a.first) | special64(a.second) | special64(b.first) | special64(b.second);
    const Pair d = {extreme64<Op>(a.first, b.first), extreme64<Op>(a.second, b.second)};
    low[part] = low_of(d);
    high[part] = high_of(d);
  }
  if (lanes_of(as<Signed>(odd)) != 0) [[unlikely]]
    return run_lanes(p, wave, slice);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    put<false>(dst, part, exec, low[part]);
    put<false>(dst + kLanes, part, exec, high[part]);
  }
  return true;
}

/// Accepted: FloatTest.
template <unsigned Accepted>
CUVETTE_LEVEL bool order64_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  DoubleInputs in;
  take_doubles<HostOp::Min>(p, wave, in);
  const uint64_t exec = wave.s.exec();
  uint64_t less = 0, greater = 0;
  Signed64 odd{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Pair a = double_operand<false>(in, 0, part, exec);
    const Pair b = double_operand<false>(in, 1, part, exec);
    odd |= special64(a.first) | special64(a.second) | special64(b.first) | special64(b.second);
    const Signed64 a1 = number64(a.first), a2 = number64(a.second);
    const Signed64 b1 = number64(b.first), b2 = number64(b.second);
    less |= lanes_of64(as<Signed64>(a1 < b1), as<Signed64>(a2 < b2)) << (part * kWidth);
    greater |= lanes_of64(as<Signed64>(a1 > b1), as<Signed64>(a2 > b2)) << (part * kWidth);
  }
  if (lanes_of(as<Signed>(odd)) != 0) [[unlikely]]
    return run_lanes(p, wave, slice);
  finish_order<Accepted>(p, wave, less, greater);
  return true;
}

template <size_t... Accepted>
constexpr auto order64_table(std::index_sequence<Accepted...>) {
  return std::array<Prepared::Run, sizeof...(Accepted)>{order64_row<Accepted>...};
}

}  // namespace
}  // namespace cuvette::wave::lanes
