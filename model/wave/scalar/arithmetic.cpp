// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "wave/scalar/scalar.h"

// SOP2 and the arithmetic of SOPK (Vega ISA 5.3, 5.6, 12.1, 12.2).
namespace cuvette::wave::scalar {
namespace {

uint32_t with_carry(uint64_t sum, bool& scc) {
  scc = sum >> 32 != 0;
  return base::lo32(sum);
}

uint32_t add_u32(uint32_t a, uint32_t b, bool& scc) {
  return with_carry(uint64_t{a} + b, scc);
}
uint32_t addc_u32(uint32_t a, uint32_t b, bool& scc) {
  return with_carry(uint64_t{a} + b + scc, scc);
}
uint32_t sub_u32(uint32_t a, uint32_t b, bool& scc) {
  scc = b > a;
  return a - b;
}
uint32_t subb_u32(uint32_t a, uint32_t b, bool& scc) {
  const uint64_t taken = uint64_t{b} + scc;
  scc = taken > a;
  return base::lo32(a - taken);
}
uint32_t add_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t d = a + b;
  scc = base::bit(~(a ^ b) & (a ^ d), 31);
  return d;
}
uint32_t sub_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t d = a - b;
  scc = base::bit((a ^ b) & (a ^ d), 31);
  return d;
}
uint32_t absdiff_i32(uint32_t a, uint32_t b, bool& scc) {
  const uint32_t d = a - b;
  return result_and_scc(base::bit(d, 31) ? 0u - d : d, scc);
}

int32_t as_signed(uint32_t v) {
  return static_cast<int32_t>(v);
}
uint32_t min_i32(uint32_t a, uint32_t b, bool& scc) {
  scc = as_signed(a) < as_signed(b);
  return scc ? a : b;
}
uint32_t min_u32(uint32_t a, uint32_t b, bool& scc) {
  scc = a < b;
  return scc ? a : b;
}
uint32_t max_i32(uint32_t a, uint32_t b, bool& scc) {
  scc = as_signed(a) > as_signed(b);
  return scc ? a : b;
}
uint32_t max_u32(uint32_t a, uint32_t b, bool& scc) {
  scc = a > b;
  return scc ? a : b;
}

template <class T>
T select(T a, T b, bool& scc) {
  return scc ? a : b;
}
template <class T>
T bit_and(T a, T b, bool& scc) {
  return result_and_scc<T>(a & b, scc);
}
template <class T>
T bit_or(T a, T b, bool& scc) {
  return result_and_scc<T>(a | b, scc);
}
template <class T>
T bit_xor(T a, T b, bool& scc) {
  return result_and_scc<T>(a ^ b, scc);
}
template <class T>
T bit_andn2(T a, T b, bool& scc) {
  return result_and_scc<T>(a & ~b, scc);
}
template <class T>
T bit_orn2(T a, T b, bool& scc) {
  return result_and_scc<T>(a | ~b, scc);
}
template <class T>
T bit_nand(T a, T b, bool& scc) {
  return result_and_scc<T>(~(a & b), scc);
}
template <class T>
T bit_nor(T a, T b, bool& scc) {
  return result_and_scc<T>(~(a | b), scc);
}
template <class T>
T bit_xnor(T a, T b, bool& scc) {
  return result_and_scc<T>(~(a ^ b), scc);
}

template <class T>
inline constexpr T kShiftMask = std::numeric_limits<T>::digits - 1;

template <class T>
T shift_left(T a, T b, bool& scc) {
  return result_and_scc<T>(a << (b & kShiftMask<T>), scc);
}
template <class T>
T shift_right(T a, T b, bool& scc) {
  return result_and_scc<T>(a >> (b & kShiftMask<T>), scc);
}
template <class T>
T shift_right_signed(T a, T b, bool& scc) {
  using Signed = std::make_signed_t<T>;
  return result_and_scc(static_cast<T>(static_cast<Signed>(a) >> (b & kShiftMask<T>)), scc);
}
template <class T>
T field_mask(T a, T b, bool&) {
  const T ones = (T{1} << (a & kShiftMask<T>)) - 1;
  return ones << (b & kShiftMask<T>);
}

/// S1: offset in the low bits, width in bits 22:16. A width beyond the register takes all bits.
template <class T>
T field(T a, T b) {
  const unsigned width = static_cast<unsigned>(base::bits(b, 22, 16));
  return static_cast<T>((a >> (b & kShiftMask<T>)) & base::low_mask(width));
}
template <class T>
T field_unsigned(T a, T b, bool& scc) {
  return result_and_scc(field(a, b), scc);
}
template <class T>
T field_signed(T a, T b, bool& scc) {
  // A field that reaches past the top takes its missing bits from the sign of the source.
  using Signed = std::make_signed_t<T>;
  const T shifted = static_cast<T>(static_cast<Signed>(a) >> (b & kShiftMask<T>));
  const unsigned width = static_cast<unsigned>(base::bits(b, 22, 16));
  if (width == 0) return result_and_scc(T{0}, scc);
  if (width >= std::numeric_limits<T>::digits) return result_and_scc(shifted, scc);
  return result_and_scc(static_cast<T>(base::sign_extend(shifted, width)), scc);
}

uint32_t mul_i32(uint32_t a, uint32_t b, bool&) {
  return a * b;
}
uint32_t mul_hi_u32(uint32_t a, uint32_t b, bool&) {
  return base::hi32(uint64_t{a} * b);
}
uint32_t mul_hi_i32(uint32_t a, uint32_t b, bool&) {
  return base::hi32(static_cast<uint64_t>(int64_t{as_signed(a)} * as_signed(b)));
}
template <unsigned kShift>
uint32_t shift_add(uint32_t a, uint32_t b, bool& scc) {
  return with_carry((uint64_t{a} << kShift) + b, scc);
}
uint32_t pack_ll(uint32_t a, uint32_t b, bool&) {
  return (a & 0xffff) | b << 16;
}
uint32_t pack_lh(uint32_t a, uint32_t b, bool&) {
  return (a & 0xffff) | (b & 0xffff0000);
}
uint32_t pack_hh(uint32_t a, uint32_t b, bool&) {
  return a >> 16 | (b & 0xffff0000);
}

/// S_BFM_B64: 32-bit operands, 64-bit result.
Outcome bfm_b64(WaveState& wave, const isa::Instruction& i) {
  const uint64_t width = read_scalar32(wave, i.src[0]);
  const uint64_t offset = read_scalar32(wave, i.src[1]);
  write_scalar64(wave, i.dst[0], field_mask(width, offset, wave.s.scc));
  return {};
}

Outcome movk(WaveState& wave, const isa::Instruction& i) {
  write_scalar32(wave, i.dst[0], static_cast<uint32_t>(signed_simm16(i)));
  return {};
}
Outcome cmovk(WaveState& wave, const isa::Instruction& i) {
  return wave.s.scc ? movk(wave, i) : Outcome{};
}
/// SOPK with the register as first operand and as destination.
template <auto F>
Outcome accumulate(WaveState& wave, const isa::Instruction& i) {
  const isa::Operand& d = sopk_register(i);
  const uint32_t k = static_cast<uint32_t>(signed_simm16(i));
  write_scalar32(wave, d, F(read_scalar32(wave, d), k, wave.s.scc));
  return {};
}

using U32 = uint32_t;
using U64 = uint64_t;

constexpr Entry kEntries[] = {
    entry32<add_u32>(Id::s_add_u32),
    entry32<sub_u32>(Id::s_sub_u32),
    entry32<add_i32>(Id::s_add_i32),
    entry32<sub_i32>(Id::s_sub_i32),
    entry32<addc_u32>(Id::s_addc_u32),
    entry32<subb_u32>(Id::s_subb_u32),
    entry32<min_i32>(Id::s_min_i32),
    entry32<min_u32>(Id::s_min_u32),
    entry32<max_i32>(Id::s_max_i32),
    entry32<max_u32>(Id::s_max_u32),
    entry32<select<U32>>(Id::s_cselect_b32),
    entry64<select<U64>>(Id::s_cselect_b64),
    entry32<bit_and<U32>>(Id::s_and_b32),
    entry64<bit_and<U64>>(Id::s_and_b64),
    entry32<bit_or<U32>>(Id::s_or_b32),
    entry64<bit_or<U64>>(Id::s_or_b64),
    entry32<bit_xor<U32>>(Id::s_xor_b32),
    entry64<bit_xor<U64>>(Id::s_xor_b64),
    entry32<bit_andn2<U32>>(Id::s_andn2_b32),
    entry64<bit_andn2<U64>>(Id::s_andn2_b64),
    entry32<bit_orn2<U32>>(Id::s_orn2_b32),
    entry64<bit_orn2<U64>>(Id::s_orn2_b64),
    entry32<bit_nand<U32>>(Id::s_nand_b32),
    entry64<bit_nand<U64>>(Id::s_nand_b64),
    entry32<bit_nor<U32>>(Id::s_nor_b32),
    entry64<bit_nor<U64>>(Id::s_nor_b64),
    entry32<bit_xnor<U32>>(Id::s_xnor_b32),
    entry64<bit_xnor<U64>>(Id::s_xnor_b64),
    entry32<shift_left<U32>>(Id::s_lshl_b32),
    entry64<shift_left<U64>>(Id::s_lshl_b64),
    entry32<shift_right<U32>>(Id::s_lshr_b32),
    entry64<shift_right<U64>>(Id::s_lshr_b64),
    entry32<shift_right_signed<U32>>(Id::s_ashr_i32),
    entry64<shift_right_signed<U64>>(Id::s_ashr_i64),
    entry32<field_mask<U32>>(Id::s_bfm_b32),
    {Id::s_bfm_b64, bfm_b64},
    entry32<mul_i32>(Id::s_mul_i32),
    entry32<field_unsigned<U32>>(Id::s_bfe_u32),
    entry32<field_signed<U32>>(Id::s_bfe_i32),
    entry64<field_unsigned<U64>>(Id::s_bfe_u64),
    entry64<field_signed<U64>>(Id::s_bfe_i64),
    entry32<absdiff_i32>(Id::s_absdiff_i32),
    entry32<mul_hi_u32>(Id::s_mul_hi_u32),
    entry32<mul_hi_i32>(Id::s_mul_hi_i32),
    entry32<shift_add<1>>(Id::s_lshl1_add_u32),
    entry32<shift_add<2>>(Id::s_lshl2_add_u32),
    entry32<shift_add<3>>(Id::s_lshl3_add_u32),
    entry32<shift_add<4>>(Id::s_lshl4_add_u32),
    entry32<pack_ll>(Id::s_pack_ll_b32_b16),
    entry32<pack_lh>(Id::s_pack_lh_b32_b16),
    entry32<pack_hh>(Id::s_pack_hh_b32_b16),
    {Id::s_movk_i32, movk},
    {Id::s_cmovk_i32, cmovk},
    {Id::s_addk_i32, accumulate<add_i32>},
    {Id::s_mulk_i32, accumulate<mul_i32>},
};

}  // namespace

EntryList arithmetic_entries() {
  return kEntries;
}

}  // namespace cuvette::wave::scalar
