// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "wave/lanes/plain.h"
#include "wave/lanes/plain_sources.h"

// 32-bit integer rows of plain.h on one host level (behaviour: integer32.cpp, integer_wide.cpp,
// integer_compare.cpp, moves.cpp).
namespace cuvette::wave::lanes {
namespace {

CUVETTE_INLINE Bits smaller(Bits a, Bits b, bool is_signed) {
  if (is_signed) return as<Signed>(a) < as<Signed>(b) ? a : b;
  return a < b ? a : b;
}
CUVETTE_INLINE Bits larger(Bits a, Bits b, bool is_signed) {
  if (is_signed) return as<Signed>(a) >= as<Signed>(b) ? a : b;
  return a >= b ? a : b;
}

template <IntegerOp Op>
CUVETTE_INLINE Bits integer(Bits a, Bits b, Bits c) {
  if constexpr (Op == IntegerOp::Mov) return a;
  if constexpr (Op == IntegerOp::Not) return ~a;
  if constexpr (Op == IntegerOp::And) return a & b;
  if constexpr (Op == IntegerOp::Or) return a | b;
  if constexpr (Op == IntegerOp::Xor) return a ^ b;
  if constexpr (Op == IntegerOp::Xnor) return ~(a ^ b);
  if constexpr (Op == IntegerOp::Lshlrev) return b << (a & 31);
  if constexpr (Op == IntegerOp::Lshrrev) return b >> (a & 31);
  if constexpr (Op == IntegerOp::Ashrrev) return as<Bits>(as<Signed>(b) >> as<Signed>(a & 31));
  if constexpr (Op == IntegerOp::MinI) return smaller(a, b, true);
  if constexpr (Op == IntegerOp::MaxI) return larger(a, b, true);
  if constexpr (Op == IntegerOp::MinU) return smaller(a, b, false);
  if constexpr (Op == IntegerOp::MaxU) return larger(a, b, false);
  if constexpr (Op == IntegerOp::Add) return a + b;
  if constexpr (Op == IntegerOp::Sub) return a - b;
  if constexpr (Op == IntegerOp::Subrev) return b - a;
  if constexpr (Op == IntegerOp::MulLo) return a * b;
  if constexpr (Op == IntegerOp::MulU24) return (a & 0xffffff) * (b & 0xffffff);
  if constexpr (Op == IntegerOp::MadU24) return (a & 0xffffff) * (b & 0xffffff) + c;
  if constexpr (Op == IntegerOp::LshlAdd) return (a << (b & 31)) + c;
  if constexpr (Op == IntegerOp::AddLshl) return (a + b) << (c & 31);
  if constexpr (Op == IntegerOp::Add3) return a + b + c;
  if constexpr (Op == IntegerOp::LshlOr) return (a << (b & 31)) | c;
  if constexpr (Op == IntegerOp::AndOr) return (a & b) | c;
  if constexpr (Op == IntegerOp::Or3) return a | b | c;
  if constexpr (Op == IntegerOp::Xad) return (a ^ b) + c;
  if constexpr (Op == IntegerOp::Bfi) return (a & b) | (~a & c);
  if constexpr (Op == IntegerOp::BfeU) {
    return (a >> (b & 31)) & ((broadcast(1) << (c & 31)) - 1);
  }
  return a;
}

template <IntegerOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE void integer_parts(const Prepared& p, WaveState& wave, uint64_t exec) {
  constexpr unsigned kSources = sources_of(Op);
  PlainSource in[3]{};
  CUVETTE_UNROLL
  for (unsigned s = 0; s < kSources; ++s) in[s] = source_of<Shape>(p, wave, s);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    Bits x[3]{};
    for (unsigned s = 0; s < kSources; ++s) x[s] = take(in[s], part);
    put<Full>(dst, part, exec, integer<Op>(x[0], x[1], x[2]));
  }
}

template <IntegerOp Op, SourceShape Shape>
CUVETTE_LEVEL bool integer_row(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t exec = wave.s.exec();
  if (exec == ~uint64_t{0}) [[likely]] {
    integer_parts<Op, Shape, true>(p, wave, exec);
  } else {
    integer_parts<Op, Shape, false>(p, wave, exec);
  }
  return true;
}

/// Sums and differences with carry: the carry out of a lane is a comparison.
template <CarryOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE void carry_parts(const Prepared& p, WaveState& wave, uint64_t exec) {
  constexpr bool kIn = Op == CarryOp::Addc || Op == CarryOp::Subb || Op == CarryOp::Subbrev;
  constexpr bool kSum = Op == CarryOp::Add || Op == CarryOp::Addc;
  constexpr bool kReverse = Op == CarryOp::Subrev || Op == CarryOp::Subbrev;
  const uint64_t carries = kIn ? p.mask_source(wave) : 0;
  const PlainSource in_a = source_of<Shape>(p, wave, kReverse ? 1 : 0);
  const PlainSource in_b = source_of<Shape>(p, wave, kReverse ? 0 : 1);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  uint64_t out = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits a = take(in_a, part);
    const Bits b = take(in_b, part);
    Bits d = kSum ? a + b : a - b;
    Signed leaves = kSum ? d < a : a < b;
    if constexpr (kIn) {
      const Bits carry = keep(mask_of(carries, part * kWidth), broadcast(1));
      // At most one of the two steps leaves the range.
      leaves |= kSum ? as<Signed>(d + carry < d) : as<Signed>(d < carry);
      d = kSum ? d + carry : d - carry;
    }
    out |= lanes_of(leaves) << (part * kWidth);
    put<Full>(dst, part, exec, d);
  }
  p.write_mask(wave, out & exec);
}

template <CarryOp Op, SourceShape Shape>
CUVETTE_LEVEL bool carry_row(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t exec = wave.s.exec();
  if (exec == ~uint64_t{0}) [[likely]] {
    carry_parts<Op, Shape, true>(p, wave, exec);
  } else {
    carry_parts<Op, Shape, false>(p, wave, exec);
  }
  return true;
}

template <CompareOp Op, bool IsSigned>
CUVETTE_LEVEL bool compare_row(const Prepared& p, WaveState& wave, HostSlice&) {
  using Number = std::conditional_t<IsSigned, Signed, Bits>;
  const PlainSource in_a = source_of(p, wave, 0);
  const PlainSource in_b = source_of(p, wave, 1);
  uint64_t out = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Number a = as<Number>(take(in_a, part));
    const Number b = as<Number>(take(in_b, part));
    Signed holds{};
    if constexpr (Op == CompareOp::Lt) holds = a < b;
    if constexpr (Op == CompareOp::Eq) holds = a == b;
    if constexpr (Op == CompareOp::Le) holds = a <= b;
    if constexpr (Op == CompareOp::Gt) holds = a > b;
    if constexpr (Op == CompareOp::Ne) holds = a != b;
    if constexpr (Op == CompareOp::Ge) holds = a >= b;
    out |= lanes_of(holds) << (part * kWidth);
  }
  out &= wave.s.exec();
  p.write_mask(wave, out);
  if (p.writes_exec) wave.s.set_exec(out);
  return true;
}

CUVETTE_LEVEL inline bool select_row(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t exec = wave.s.exec();
  const uint64_t second = p.mask_source(wave);
  const PlainSource in_a = source_of(p, wave, 0);
  const PlainSource in_b = source_of(p, wave, 1);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits x = blend(mask_of(second, part * kWidth), take(in_a, part), take(in_b, part));
    put<false>(dst, part, exec, x);
  }
  return true;
}

template <IntegerOp Op>
constexpr std::array<Prepared::Run, kSourceShapes> kIntegerRows = {
    integer_row<Op, SourceShape::Any>, integer_row<Op, SourceShape::Registers>,
    integer_row<Op, SourceShape::FirstScalar>};
template <CarryOp Op>
constexpr std::array<Prepared::Run, kSourceShapes> kCarryRows = {
    carry_row<Op, SourceShape::Any>, carry_row<Op, SourceShape::Registers>,
    carry_row<Op, SourceShape::FirstScalar>};

template <size_t... Op>
constexpr auto integer_table(std::index_sequence<Op...>) {
  return std::array{kIntegerRows<static_cast<IntegerOp>(Op)>...};
}
template <size_t... Op>
constexpr auto carry_table(std::index_sequence<Op...>) {
  return std::array{kCarryRows<static_cast<CarryOp>(Op)>...};
}
template <size_t... Op>
constexpr auto compare_table(std::index_sequence<Op...>) {
  return std::array<std::array<Prepared::Run, 2>, sizeof...(Op)>{
      {{compare_row<static_cast<CompareOp>(Op), false>,
        compare_row<static_cast<CompareOp>(Op), true>}...}};
}
}  // namespace
}  // namespace cuvette::wave::lanes
