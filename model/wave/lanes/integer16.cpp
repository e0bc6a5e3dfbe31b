// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/families.h"
#include "wave/lanes/integer_ops.h"

// 16-bit integers (Vega ISA 12.6, 12.9). CLAMP saturates in the domain of the row's type.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

constexpr auto kAdd = [](int64_t a, int64_t b) { return a + b; };
constexpr auto kSub = [](int64_t a, int64_t b) { return a - b; };
constexpr auto kSubrev = [](int64_t a, int64_t b) { return b - a; };
constexpr auto kMul = [](int64_t a, int64_t b) { return a * b; };
constexpr auto kMad = [](int64_t a, int64_t b, int64_t c) { return a * b + c; };
constexpr auto kMin = [](int64_t a, int64_t b) { return std::min(a, b); };
constexpr auto kMax = [](int64_t a, int64_t b) { return std::max(a, b); };
constexpr auto kMin3 = [](int64_t a, int64_t b, int64_t c) { return std::min({a, b, c}); };
constexpr auto kMax3 = [](int64_t a, int64_t b, int64_t c) { return std::max({a, b, c}); };
constexpr auto kMed3 = [](int64_t a, int64_t b, int64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
};
/// Shifts wrap always: CLAMP has no meaning for them.
template <auto Fn, class T>
CUVETTE_LEVEL void shift16_of(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each16(op, result, [&](unsigned lane) {
    const unsigned count = in.b16(0, lane) & 15;
    return as_u16(Fn(static_cast<T>(in.b16(1, lane)), count));
  });
}
template <auto Fn, class T>
constexpr Row shift16 = lane_row<shift16_of<Fn, T>>;

/// 16 x 16 + 32 bits; op_sel picks the halves of S0 and S1 only.
template <class T16, class T32>
CUVETTE_LEVEL void mad_32_16_of(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  each32(op, result, [&](unsigned lane) {
    const int64_t product =
        int64_t{static_cast<T16>(in.b16(0, lane))} * static_cast<T16>(in.b16(1, lane));
    const int64_t exact = product + static_cast<T32>(in.b32(2, lane));
    return clamp ? static_cast<uint32_t>(saturate<T32>(exact)) : as_u32(exact);
  });
}
template <class T16, class T32>
constexpr Row mad_32_16 = lane_row<mad_32_16_of<T16, T32>>;

uint32_t pack_u16(uint32_t a, uint32_t b) {
  return std::min(a, 0xffffu) | (std::min(b, 0xffffu) << 16);
}
uint32_t pack_i16(uint32_t a, uint32_t b) {
  const auto half = [](uint32_t v) -> uint32_t { return as_u16(saturate<int16_t>(as_i32(v))); };
  return half(a) | (half(b) << 16);
}
/// Each signed half saturated to an unsigned byte.
uint32_t sat_pk_u8(uint32_t v) {
  const auto byte = [](uint32_t half) -> uint32_t {
    return saturate<uint8_t>(as_i16(static_cast<uint16_t>(half)));
  };
  return byte(v & 0xffff) | (byte(v >> 16) << 8);
}

constexpr OtherHalf kKeep = OtherHalf::Keep;

constexpr Entry kEntries[] = {
    {S::v_add_u16, row16<2, uint16_t, kAdd>},
    {S::v_sub_u16, row16<2, uint16_t, kSub>},
    {S::v_subrev_u16, row16<2, uint16_t, kSubrev>},
    {S::v_mul_lo_u16, row16<2, uint16_t, kMul>},
    {S::v_add_i16, row16<2, int16_t, kAdd>},
    {S::v_sub_i16, row16<2, int16_t, kSub>},
    {S::v_lshlrev_b16, shift16<[](int64_t v, unsigned n) { return v << n; }, uint16_t>},
    {S::v_lshrrev_b16, shift16<[](int64_t v, unsigned n) { return (v >> n); }, uint16_t>},
    {S::v_ashrrev_i16, shift16<[](int64_t v, unsigned n) { return (v >> n); }, int16_t>},
    {S::v_min_u16, row16<2, uint16_t, kMin>},
    {S::v_max_u16, row16<2, uint16_t, kMax>},
    {S::v_min_i16, row16<2, int16_t, kMin>},
    {S::v_max_i16, row16<2, int16_t, kMax>},
    {S::v_min3_i16, row16<3, int16_t, kMin3>},
    {S::v_max3_i16, row16<3, int16_t, kMax3>},
    {S::v_med3_i16, row16<3, int16_t, kMed3>},
    {S::v_min3_u16, row16<3, uint16_t, kMin3>},
    {S::v_max3_u16, row16<3, uint16_t, kMax3>},
    {S::v_med3_u16, row16<3, uint16_t, kMed3>},
    {S::v_mad_u16, row16<3, uint16_t, kMad, kKeep>},
    {S::v_mad_i16, row16<3, int16_t, kMad, kKeep>},
    {S::v_mad_legacy_u16, row16<3, uint16_t, kMad>},
    {S::v_mad_legacy_i16, row16<3, int16_t, kMad>},
    {S::v_mad_u32_u16, mad_32_16<uint16_t, uint32_t>},
    {S::v_mad_i32_i16, mad_32_16<int16_t, int32_t>},
    {S::v_cvt_pk_u16_u32, row32<2, pack_u16>},
    {S::v_cvt_pk_i16_i32, row32<2, pack_i16>},
    {S::v_sat_pk_u8_i16, row32<1, sat_pk_u8>},
};

}  // namespace

EntryList integer16() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
