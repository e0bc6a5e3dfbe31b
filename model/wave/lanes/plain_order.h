// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "wave/lanes/plain_float.h"

// F32 minimum, maximum and comparisons on one host level: on bit patterns, as numbers that are
// neither NaN nor subnormal are ordered like integers and raise nothing. Where an enabled lane has
// another number the general handler does the row.
namespace cuvette::wave::lanes {
namespace {

/// Whether a lane is NaN or subnormal.
CUVETTE_INLINE Signed special(Bits x) {
  const Bits magnitude = x & 0x7fffffff;
  return as<Signed>(magnitude > 0x7f800000) | as<Signed>(magnitude - 1 < 0x007fffff);
}

/// Negative numbers with their magnitude inverted: as integers in order, -0 below +0.
CUVETTE_INLINE Signed ordered(Bits x) {
  return as<Signed>(x ^ (as<Bits>(as<Signed>(x) >> 31) & 0x7fffffff));
}
/// Two's complement of the magnitude: the same, both zeros alike.
CUVETTE_INLINE Signed number(Bits x) {
  const Bits sign = as<Bits>(as<Signed>(x) >> 31);
  return as<Signed>(((x & 0x7fffffff) ^ sign) - sign);
}

/// False, and nothing written, when a number is special.
template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE bool extreme_parts(const FloatInputs& in, uint32_t* dst, uint64_t exec) {
  Bits d[kParts];
  Signed odd{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits a = float_operand<Shape, Full>(in, 0, part, exec);
    const Bits b = float_operand<Shape, Full>(in, 1, part, exec);
    odd |= special(a) | special(b);
    const Signed x = ordered(a);
    const Signed y = ordered(b);
    const Signed chosen = Op == HostOp::Min ? (x < y ? x : y) : (x > y ? x : y);
    d[part] = as<Bits>(ordered(as<Bits>(chosen)));
  }
  if (lanes_of(odd) != 0) [[unlikely]]
    return false;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) put<Full>(dst, part, exec, d[part]);
  return true;
}

template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL bool extreme_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  const uint64_t exec = wave.s.exec();
  const bool done = exec == ~uint64_t{0} ? extreme_parts<Op, Shape, true>(in, dst, exec)
                                         : extreme_parts<Op, Shape, false>(in, dst, exec);
  return done || run_lanes(p, wave, slice);
}

/// Which lanes less or greater hold for, to the mask that a comparison writes.
template <unsigned Accepted>
CUVETTE_INLINE void finish_order(const Prepared& p, WaveState& wave, uint64_t less,
                                 uint64_t greater) {
  uint64_t out = (Accepted & kFloatLess) != 0 ? less : 0;
  if constexpr ((Accepted & kFloatGreater) != 0) out |= greater;
  if constexpr ((Accepted & kFloatEqual) != 0) out |= ~(less | greater);
  out &= wave.s.exec();
  p.write_mask(wave, out);
  if (p.writes_exec) wave.s.set_exec(out);
}

/// Accepted: FloatTest.
template <unsigned Accepted, SourceShape Shape>
CUVETTE_LEVEL bool order_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  FloatInputs in;
  take_inputs<HostOp::Min, Shape>(p, wave, in);
  const uint64_t exec = wave.s.exec();
  uint64_t less = 0, greater = 0;
  Signed odd{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits a = float_operand<Shape, false>(in, 0, part, exec);
    const Bits b = float_operand<Shape, false>(in, 1, part, exec);
    odd |= special(a) | special(b);
    less |= lanes_of(number(a) < number(b)) << (part * kWidth);
    greater |= lanes_of(number(a) > number(b)) << (part * kWidth);
  }
  if (lanes_of(odd) != 0) [[unlikely]]
    return run_lanes(p, wave, slice);
  finish_order<Accepted>(p, wave, less, greater);
  return true;
}

template <HostOp Op>
Prepared::Run extreme_row_of(SourceShape shape) {
  static constexpr std::array<Prepared::Run, kSourceShapes> kRows = {
      extreme_row<Op, SourceShape::Any>, extreme_row<Op, SourceShape::Registers>,
      extreme_row<Op, SourceShape::FirstScalar>};
  return kRows[static_cast<size_t>(shape)];
}

template <unsigned Accepted>
constexpr std::array<Prepared::Run, 2> kOrderRows = {order_row<Accepted, SourceShape::Any>,
                                                     order_row<Accepted, SourceShape::Registers>};
template <size_t... Accepted>
constexpr auto order_table(std::index_sequence<Accepted...>) {
  return std::array{kOrderRows<Accepted>...};
}

}  // namespace
}  // namespace cuvette::wave::lanes
