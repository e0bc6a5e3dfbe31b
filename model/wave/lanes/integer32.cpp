// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "wave/lanes/families.h"
#include "wave/lanes/integer_ops.h"

// 32-bit integers, logic, shifts and bit fields (Vega ISA 12.6, 12.7, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

uint32_t reverse_bits(uint32_t v) {
  v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1);
  v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  v = ((v >> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
  v = ((v >> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8);
  return (v >> 16) | (v << 16);
}

uint32_t find_high_one(uint32_t v) {
  return v == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(v));
}
uint32_t find_low_one(uint32_t v) {
  return v == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(v));
}
/// Leading bits equal to the sign; -1 when all are.
uint32_t find_sign_change(uint32_t v) {
  return find_high_one(v ^ static_cast<uint32_t>(as_i32(v) >> 31));
}

constexpr uint32_t field_mask(uint32_t width) {
  return (1u << (width & 31)) - 1;
}

/// Vega ISA leaves the sign extension out of V_BFE_I32 (isa_notes erratum 4).
uint32_t extract_signed(uint32_t v, uint32_t offset, uint32_t width) {
  const unsigned bits = width & 31;
  if (bits == 0) return 0;
  return as_u32(base::sign_extend(static_cast<uint32_t>(as_i32(v) >> (offset & 31)), bits));
}

template <class T>
T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

int64_t wide(uint32_t v) {
  return v;
}
uint32_t clamp_u32(int64_t exact) {
  return saturate<uint32_t>(exact);
}
uint32_t clamp_i32(int64_t exact) {
  return static_cast<uint32_t>(saturate<int32_t>(exact));
}

constexpr auto kAdd = [](uint32_t a, uint32_t b) { return a + b; };
constexpr auto kSub = [](uint32_t a, uint32_t b) { return a - b; };

constexpr Entry kEntries[] = {
    {S::v_not_b32, row32<1, [](uint32_t a) { return ~a; }>},
    {S::v_bfrev_b32, row32<1, reverse_bits>},
    {S::v_ffbh_u32, row32<1, find_high_one>},
    {S::v_ffbl_b32, row32<1, find_low_one>},
    {S::v_ffbh_i32, row32<1, find_sign_change>},

    {S::v_and_b32, row32<2, [](uint32_t a, uint32_t b) { return a & b; }>},
    {S::v_or_b32, row32<2, [](uint32_t a, uint32_t b) { return a | b; }>},
    {S::v_xor_b32, row32<2, [](uint32_t a, uint32_t b) { return a ^ b; }>},
    {S::v_xnor_b32, row32<2, [](uint32_t a, uint32_t b) { return ~(a ^ b); }>},
    {S::v_lshlrev_b32, row32<2, [](uint32_t a, uint32_t b) { return b << (a & 31); }>},
    {S::v_lshrrev_b32, row32<2, [](uint32_t a, uint32_t b) { return (b >> (a & 31)); }>},
    {S::v_ashrrev_i32,
     row32<2, [](uint32_t a, uint32_t b) { return as_u32(as_i32(b) >> (a & 31)); }>},
    {S::v_min_i32, row32<2, [](uint32_t a, uint32_t b) { return as_i32(a) < as_i32(b) ? a : b; }>},
    {S::v_max_i32, row32<2, [](uint32_t a, uint32_t b) { return as_i32(a) >= as_i32(b) ? a : b; }>},
    {S::v_min_u32, row32<2, [](uint32_t a, uint32_t b) { return a < b ? a : b; }>},
    {S::v_max_u32, row32<2, [](uint32_t a, uint32_t b) { return a >= b ? a : b; }>},
    {S::v_bfm_b32, row32<2, [](uint32_t a, uint32_t b) { return field_mask(a) << (b & 31); }>},
    // The pseudo-code of V_BCNT forgets the addend S1 that the operand list has.
    {S::v_bcnt_u32_b32,
     row32<2, [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(std::popcount(a)) + b; }>},

    {S::v_add_u32,
     row32_clamp<2, kAdd, [](uint32_t a, uint32_t b) { return clamp_u32(wide(a) + wide(b)); }>},
    {S::v_sub_u32,
     row32_clamp<2, kSub, [](uint32_t a, uint32_t b) { return clamp_u32(wide(a) - wide(b)); }>},
    {S::v_subrev_u32,
     row32_clamp<2, [](uint32_t a, uint32_t b) { return b - a; },
                 [](uint32_t a, uint32_t b) { return clamp_u32(wide(b) - wide(a)); }>},
    {S::v_add_i32,
     row32_clamp<2, kAdd,
                 [](uint32_t a, uint32_t b) { return clamp_i32(int64_t{as_i32(a)} + as_i32(b)); }>},
    {S::v_sub_i32,
     row32_clamp<2, kSub,
                 [](uint32_t a, uint32_t b) { return clamp_i32(int64_t{as_i32(a)} - as_i32(b)); }>},

    {S::v_bfe_u32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a >> (b & 31)) & field_mask(c); }>},
    {S::v_bfe_i32, row32<3, extract_signed>},
    {S::v_bfi_b32, row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); }>},
    {S::v_min3_i32,
     row32<3, [](uint32_t a, uint32_t b,
                 uint32_t c) { return as_u32(std::min({as_i32(a), as_i32(b), as_i32(c)})); }>},
    {S::v_max3_i32,
     row32<3, [](uint32_t a, uint32_t b,
                 uint32_t c) { return as_u32(std::max({as_i32(a), as_i32(b), as_i32(c)})); }>},
    {S::v_med3_i32,
     row32<3, [](uint32_t a, uint32_t b,
                 uint32_t c) { return as_u32(median(as_i32(a), as_i32(b), as_i32(c))); }>},
    {S::v_min3_u32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return std::min({a, b, c}); }>},
    {S::v_max3_u32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return std::max({a, b, c}); }>},
    {S::v_med3_u32, row32<3, median<uint32_t>>},
    {S::v_lshl_add_u32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; }>},
    {S::v_add_lshl_u32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); }>},
    {S::v_add3_u32, row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }>},
    {S::v_lshl_or_b32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; }>},
    {S::v_and_or_b32, row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; }>},
    {S::v_or3_b32, row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; }>},
    {S::v_xad_u32, row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; }>},
};

}  // namespace

EntryList integer32() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
