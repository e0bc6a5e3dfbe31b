// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/lane0.h"

#include <array>
#include <bit>
#include <type_traits>
#include <utility>

namespace cuvette::wave::lanes {
namespace {

using S = isa::SemanticId;

constexpr uint64_t kAll = ~uint64_t{0};

/// Writes a number that has a stride. False: a lane would wrap around.
bool put_walking(const Prepared& p, WaveState& wave, uint32_t number) {
  if (number > ~uint32_t{0} - (kLanes - 1) * p.stride) return false;
  *Prepared::row(wave, p.dst) = number;
  return true;
}
bool put_walking_pair(const Prepared& p, WaveState& wave, uint64_t number) {
  if (!put_walking(p, wave, base::lo32(number))) return false;
  Prepared::row(wave, p.dst)[kLanes] = base::hi32(number);
  return true;
}

bool lane0_move(const Prepared& p, WaveState& wave, HostSlice&) {
  *Prepared::row(wave, p.dst) = lane0_word(p, wave, 0);
  return true;
}

/// When neither source nor result wraps around between lanes, all lanes carry or none does.
template <CarryOp Op>
bool lane0_sum(const Prepared& p, WaveState& wave, HostSlice&) {
  constexpr bool kIn = Op == CarryOp::Addc || Op == CarryOp::Subb || Op == CarryOp::Subbrev;
  constexpr bool kSum = Op == CarryOp::Add || Op == CarryOp::Addc;
  constexpr bool kReverse = Op == CarryOp::Subrev || Op == CarryOp::Subbrev;
  const uint64_t carries = kIn ? p.mask_source(wave) : 0;
  if (carries != 0 && carries != kAll) return false;
  const uint64_t a = lane0_word(p, wave, kReverse ? 1 : 0);
  const uint64_t b = lane0_word(p, wave, kReverse ? 0 : 1) + (carries & 1);
  const uint64_t d = kSum ? a + b : a - b;
  if (!put_walking(p, wave, base::lo32(d))) return false;
  if (p.mask_out >= 0) p.write_mask(wave, base::hi32(d) != 0 ? kAll : 0);
  return true;
}

// Shifts left by constants.
bool lane0_shift(const Prepared& p, WaveState& wave, HostSlice&) {
  return put_walking(p, wave, lane0_word(p, wave, 1) << (lane0_word(p, wave, 0) & 31));
}
bool lane0_pair_shift(const Prepared& p, WaveState& wave, HostSlice&) {
  return put_walking_pair(p, wave, lane0_pair(p, wave, 1) << (lane0_word(p, wave, 0) & 31));
}
bool lane0_shift_add(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint32_t shifted = lane0_word(p, wave, 0) << (lane0_word(p, wave, 1) & 31);
  return put_walking(p, wave, shifted + lane0_word(p, wave, 2));
}
bool lane0_add_shift(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint32_t sum = lane0_word(p, wave, 0) + lane0_word(p, wave, 1);
  return put_walking(p, wave, sum << (lane0_word(p, wave, 2) & 31));
}
bool lane0_add3(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint32_t sum = lane0_word(p, wave, 0) + lane0_word(p, wave, 1);
  return put_walking(p, wave, sum + lane0_word(p, wave, 2));
}
/// Shifts of less than 8. When neither half of the sum wraps around between lanes, all lanes carry
/// alike.
bool lane0_pair_shift_add(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint64_t shifted = lane0_pair(p, wave, 0) << (lane0_word(p, wave, 1) & 7);
  return put_walking_pair(p, wave, shifted + lane0_pair(p, wave, 2));
}

/// What has no bit where the other operand may have one in any lane.
bool lane0_join(const Prepared& p, WaveState& wave, HostSlice&) {
  const auto [above, below] = lane0_join_of(p, wave);
  const uint64_t last = below + uint64_t{kLanes - 1} * p.stride;
  if (static_cast<int>(std::bit_width(last)) > std::countr_zero(above)) return false;
  return put_walking(p, wave, above | below);
}

bool lane0_sign(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint32_t first = lane0_word(p, wave, 1), last = first + (kLanes - 1) * p.stride;
  if ((first ^ last) >> 31 != 0) return false;
  *Prepared::row(wave, p.dst) = base::bit(first, 31) ? ~uint32_t{0} : 0;
  return true;
}

bool lane0_mask(const Prepared& p, WaveState& wave, HostSlice&) {
  const uint32_t first = lane0_word(p, wave, 1);
  const uint64_t last = first + uint64_t{kLanes - 1} * p.stride;
  return last <= lane0_word(p, wave, 0) && put_walking(p, wave, first);
}

template <class T>
T lane0_number(const Prepared& p, const WaveState& wave, unsigned s) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(lane0_pair(p, wave, s));
  } else {
    return static_cast<T>(lane0_word(p, wave, s));
  }
}

/// All lanes are between the first and the last one. `Number`: which source they are.
template <class T, CompareOp Op, unsigned Number>
bool lane0_compare(const Prepared& p, WaveState& wave, HostSlice&) {
  using Bits = std::make_unsigned_t<T>;
  const T first = lane0_number<T>(p, wave, Number);
  const T bound = lane0_number<T>(p, wave, 1 - Number);
  const T last = static_cast<T>(static_cast<Bits>(first) + Bits{kLanes - 1} * p.stride);
  if (last < first) return false;
  const bool same = holds(Op, first, bound);
  if (same != holds(Op, last, bound)) return false;
  const bool between = first < bound && bound < last;
  if (between && (Op == CompareOp::Eq || Op == CompareOp::Ne)) return false;
  p.write_mask(wave, same ? kAll : 0);
  return true;
}

/// A source that is a constant, and the sources that are shifted by it.
struct Amount {
  int8_t source = -1;  ///< none
  uint32_t least = 0, most = 31;
  uint8_t shifted = 0;  ///< bit per source
};
struct Lane0Entry {
  S semantic;
  Lane0Row row;
  Amount amount = {};
};
using K = Lane0Kind;
constexpr int8_t kStill = Lane0Row::kStill;
constexpr Lane0Entry kLane0[] = {
    {S::v_mov_b32, {K::Sum, lane0_move, {0, kStill, kStill}}},
    {S::v_add_u32, {K::Sum, lane0_sum<CarryOp::Add>, {0, 0, kStill}}},
    {S::v_sub_u32, {K::Sum, lane0_sum<CarryOp::Sub>, {0, kStill, kStill}}},
    {S::v_subrev_u32, {K::Sum, lane0_sum<CarryOp::Subrev>, {kStill, 0, kStill}}},
    {S::v_add_i32, {K::Sum, lane0_sum<CarryOp::Add>, {0, 0, kStill}}},
    {S::v_sub_i32, {K::Sum, lane0_sum<CarryOp::Sub>, {0, kStill, kStill}}},
    {S::v_add_co_u32, {K::Sum, lane0_sum<CarryOp::Add>, {0, 0, kStill}}},
    {S::v_sub_co_u32, {K::Sum, lane0_sum<CarryOp::Sub>, {0, kStill, kStill}}},
    {S::v_subrev_co_u32, {K::Sum, lane0_sum<CarryOp::Subrev>, {kStill, 0, kStill}}},
    {S::v_addc_co_u32, {K::Sum, lane0_sum<CarryOp::Addc>, {0, 0, kStill}}},
    {S::v_subb_co_u32, {K::Sum, lane0_sum<CarryOp::Subb>, {0, kStill, kStill}}},
    {S::v_subbrev_co_u32, {K::Sum, lane0_sum<CarryOp::Subbrev>, {kStill, 0, kStill}}},
    {S::v_add3_u32, {K::Sum, lane0_add3, {0, 0, 0}}},
    {S::v_lshlrev_b32, {K::Sum, lane0_shift, {kStill, 0, kStill}}, {0, 0, 31, 0b010}},
    {S::v_lshl_add_u32, {K::Sum, lane0_shift_add, {0, kStill, 0}}, {1, 0, 31, 0b001}},
    {S::v_add_lshl_u32, {K::Sum, lane0_add_shift, {0, 0, kStill}}, {2, 0, 31, 0b011}},
    {S::v_lshlrev_b64, {K::PairSum, lane0_pair_shift, {kStill, 0, kStill}}, {0, 0, 31, 0b010}},
    {S::v_lshl_add_u64, {K::PairSum, lane0_pair_shift_add, {0, kStill, 0}}, {1, 0, 7, 0b001}},
    {S::v_or_b32, {K::Join, lane0_join, {kStill, 0, kStill}}},
    {S::v_lshl_or_b32, {K::Join, lane0_join, {kStill, kStill, 0}}, {1, 0, 31, 0}},
    {S::v_ashrrev_i32, {K::Sign, lane0_sign}, {0, 31, 31, 0}},
    {S::v_and_b32, {K::Mask, lane0_mask, {kStill, 0, kStill}}, {0, 1, 0xffffffff, 0}},
};

// By type, as IntegerCompare has it, operation, and where the number is.
template <class T, size_t... Op>
constexpr auto compares_of(std::index_sequence<Op...>) {
  return std::array<std::array<Prepared::Run, 2>, sizeof...(Op)>{
      {{lane0_compare<T, static_cast<CompareOp>(Op), 0>,
        lane0_compare<T, static_cast<CompareOp>(Op), 1>}...}};
}
template <class T>
constexpr auto kComparesOf = compares_of<T>(std::make_index_sequence<6>());
constexpr std::array kCompares = {kComparesOf<uint32_t>, kComparesOf<int32_t>,
                                  kComparesOf<uint64_t>, kComparesOf<int64_t>};

/// The same question about operands that have been swapped.
CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::Lt:
      return CompareOp::Gt;
    case CompareOp::Le:
      return CompareOp::Ge;
    case CompareOp::Gt:
      return CompareOp::Lt;
    case CompareOp::Ge:
      return CompareOp::Le;
    default:
      return op;
  }
}

}  // namespace

uint32_t lane0_word(const Prepared& p, const WaveState& wave, unsigned s) {
  return *(base::bit(p.scalars, s) ? p.scalar_source(wave, s) : Prepared::row(wave, p.src[s]));
}
uint64_t lane0_pair(const Prepared& p, const WaveState& wave, unsigned s) {
  if (base::bit(p.scalars, s)) {
    const uint32_t* const from = p.scalar_source(wave, s);
    return base::join32(from[0], from[1]);
  }
  const uint32_t* const from = Prepared::row(wave, p.src[s]);
  return base::join32(from[0], from[kLanes]);
}

Lane0Join lane0_join_of(const Prepared& p, const WaveState& wave) {
  const bool shifts = p.sources == 3;  // V_LSHL_OR_B32
  const unsigned shift = shifts ? lane0_word(p, wave, 1) & 31 : 0;
  return {lane0_word(p, wave, 0) << shift, lane0_word(p, wave, shifts ? 2 : 1)};
}

std::optional<Lane0Compare> lane0_compare_of(const Prepared& p) {
  const auto asks = integer_compare_of(p.instruction->semantic());
  if (!asks || asks->executing || base::bit(p.scalars, 0) == base::bit(p.scalars, 1)) {
    return std::nullopt;
  }
  if (base::bit(p.scalars, 1)) return Lane0Compare{*asks, 0, 1};
  return Lane0Compare{{mirrored(asks->op), asks->is_signed, asks->wide}, 1, 0};
}

Lane0Row lane0_row(const Prepared& prepared) {
  Prepared same = prepared;  // only rows that take their operands where lane0_word() does
  if (plain_row(*prepared.instruction, same) != prepared.run) return {};
  if (const auto compare = lane0_compare_of(prepared)) {
    const auto& [op, is_signed, wide, executing] = compare->asks;
    const auto& rows = kCompares[(wide ? 2 : 0) + (is_signed ? 1 : 0)];
    return {K::Compare, rows[static_cast<size_t>(op)][compare->number]};
  }
  for (const Lane0Entry& entry : kLane0) {
    if (entry.semantic != prepared.instruction->semantic()) continue;
    Lane0Row row = entry.row;
    if (entry.amount.source < 0) return row;
    const isa::Operand& amount = prepared.instruction->src[entry.amount.source];
    if (!base::bit(prepared.scalars, 4u + static_cast<unsigned>(entry.amount.source)) ||
        amount.value < entry.amount.least || amount.value > entry.amount.most) {
      return {};
    }
    const bool low_bits = std::has_single_bit(amount.value + 1);
    if (row.kind == K::Mask && !low_bits) return {};
    for (unsigned s = 0; s < 3; ++s) {
      if (base::bit(entry.amount.shifted, s)) row.shift[s] = static_cast<int8_t>(amount.value);
    }
    return row;
  }
  return {};
}

Lane0Kind lane0_kind(Prepared::Run run) {
  for (const Lane0Entry& entry : kLane0) {
    if (entry.row.run == run) return entry.row.kind;
  }
  for (const auto& operations : kCompares) {
    for (const auto& rows : operations) {
      if (rows[0] == run || rows[1] == run) return K::Compare;
    }
  }
  return K::None;
}

}  // namespace cuvette::wave::lanes
