// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "wave/lanes/plain.h"
#include "wave/lanes/plain_sources.h"

// 64-bit integer rows of plain.h on one host level (behaviour: integer_wide.cpp,
// integer_compare.cpp). A lane's halves are in two registers, which may be the sources.
namespace cuvette::wave::lanes {
namespace {

/// Shifts by a 32-bit count.
template <ShiftOp Op>
CUVETTE_LEVEL bool shift_row(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t exec = wave.s.exec();
  const PlainSource in_count = source_of(p, wave, 0);
  const PlainSource in_low = source_of(p, wave, 1);
  const PlainSource in_high = source_of(p, wave, 1, 1);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits count = take(in_count, part) & 63;
    const Bits low = take(in_low, part);
    const Bits high = take(in_high, part);
    const Bits n = count & 31;
    const Bits rest = 31 - n;  // the other half moves by 32 - n, in two steps as n may be 0
    const Signed far = count >= 32;
    Bits to_low, to_high;
    if constexpr (Op == ShiftOp::Left) {
      to_low = far ? Bits{} : low << n;
      to_high = far ? low << n : (high << n) | (low >> 1 >> rest);
    } else {
      const Bits top =
          Op == ShiftOp::RightSigned ? as<Bits>(as<Signed>(high) >> as<Signed>(n)) : high >> n;
      const Bits fill = Op == ShiftOp::RightSigned ? as<Bits>(as<Signed>(high) >> 31) : Bits{};
      to_high = far ? fill : top;
      to_low = far ? top : (low >> n) | (high << 1 << rest);
    }
    put<false>(dst, part, exec, to_low);
    put<false>(dst + kLanes, part, exec, to_high);
  }
  return true;
}

/// V_LSHL_ADD_U64: shifts up to 7.
CUVETTE_LEVEL inline bool shift_add_row(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t exec = wave.s.exec();
  const PlainSource in_low = source_of(p, wave, 0), in_high = source_of(p, wave, 0, 1);
  const PlainSource in_count = source_of(p, wave, 1);
  const PlainSource add_low = source_of(p, wave, 2), add_high = source_of(p, wave, 2, 1);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits n = take(in_count, part) & 7;
    const Bits low = take(in_low, part);
    const Bits high = (take(in_high, part) << n) | (low >> 1 >> (31 - n));
    const Bits more = take(add_low, part);
    const Bits to_low = (low << n) + more;
    // A comparison that holds is -1.
    const Bits to_high = high + take(add_high, part) - as<Bits>(to_low < more);
    put<false>(dst, part, exec, to_low);
    put<false>(dst + kLanes, part, exec, to_high);
  }
  return true;
}

template <CompareOp Op, bool IsSigned>
CUVETTE_LEVEL bool compare64_row(const Prepared& p, WaveState& wave, HostSlice&) {
  using Number = std::conditional_t<IsSigned, Signed, Bits>;
  // Less or its opposite of operands in one order or the other.
  constexpr bool kSwaps = Op == CompareOp::Gt || Op == CompareOp::Le;
  constexpr bool kNot = Op == CompareOp::Ge || Op == CompareOp::Le || Op == CompareOp::Ne;
  constexpr bool kEqual = Op == CompareOp::Eq || Op == CompareOp::Ne;
  const unsigned a = kSwaps ? 1 : 0, b = kSwaps ? 0 : 1;
  const PlainSource a_low = source_of(p, wave, a), a_high = source_of(p, wave, a, 1);
  const PlainSource b_low = source_of(p, wave, b), b_high = source_of(p, wave, b, 1);
  uint64_t out = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits ah = take(a_high, part), bh = take(b_high, part);
    const Bits al = take(a_low, part), bl = take(b_low, part);
    Signed holds = kEqual ? al == bl : al < bl;
    holds &= ah == bh;
    if constexpr (!kEqual) holds |= as<Number>(ah) < as<Number>(bh);
    out |= lanes_of(holds) << (part * kWidth);
  }
  if constexpr (kNot) out = ~out;
  out &= wave.s.exec();
  p.write_mask(wave, out);
  if (p.writes_exec) wave.s.set_exec(out);
  return true;
}

template <size_t... Op>
constexpr auto compare64_table(std::index_sequence<Op...>) {
  return std::array<std::array<Prepared::Run, 2>, sizeof...(Op)>{
      {{compare64_row<static_cast<CompareOp>(Op), false>,
        compare64_row<static_cast<CompareOp>(Op), true>}...}};
}
template <size_t... Op>
constexpr auto shift_table(std::index_sequence<Op...>) {
  return std::array<Prepared::Run, sizeof...(Op)>{{shift_row<static_cast<ShiftOp>(Op)>...}};
}

}  // namespace
}  // namespace cuvette::wave::lanes
