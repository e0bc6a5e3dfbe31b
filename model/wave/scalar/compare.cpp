// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "wave/scalar/scalar.h"

// SOPC comparisons and S_CMPK (Vega ISA 5.5, 12.2, 12.4). The sign of the operands is the template
// argument's: S_CMPK extends its constant as the comparison's type says.
namespace cuvette::wave::scalar {
namespace {

template <class T, class Compare>
Outcome compare(WaveState& wave, const isa::Instruction& i) {
  wave.s.scc = Compare{}(static_cast<T>(read_scalar32(wave, i.src[0])),
                         static_cast<T>(read_scalar32(wave, i.src[1])));
  return {};
}

template <class T, class Compare>
bool quick_compare(const MicroOp& p, WaveState& wave, Context& c) {
  wave.s.scc = Compare{}(p.get<T>(c, 0), p.get<T>(c, 1));
  return true;
}

template <class T, class Compare>
Outcome compare_constant(WaveState& wave, const isa::Instruction& i) {
  T constant;
  if constexpr (std::is_signed_v<T>) {
    constant = signed_simm16(i);
  } else {
    constant = simm16(i);
  }
  wave.s.scc = Compare{}(static_cast<T>(read_scalar32(wave, sopk_register(i))), constant);
  return {};
}

template <class Compare>
Outcome compare64(WaveState& wave, const isa::Instruction& i) {
  wave.s.scc = Compare{}(read_scalar64(wave, i.src[0]), read_scalar64(wave, i.src[1]));
  return {};
}

template <bool kValue>
Outcome bitcmp_b32(WaveState& wave, const isa::Instruction& i) {
  const unsigned position = read_scalar32(wave, i.src[1]) & 31;
  wave.s.scc = base::bit(read_scalar32(wave, i.src[0]), position) == kValue;
  return {};
}
template <bool kValue>
Outcome bitcmp_b64(WaveState& wave, const isa::Instruction& i) {
  const unsigned position = read_scalar32(wave, i.src[1]) & 63;
  wave.s.scc = base::bit(read_scalar64(wave, i.src[0]), position) == kValue;
  return {};
}

using I32 = int32_t;
using U32 = uint32_t;
using Eq = std::equal_to<>;
using Lg = std::not_equal_to<>;
using Gt = std::greater<>;
using Ge = std::greater_equal<>;
using Lt = std::less<>;
using Le = std::less_equal<>;

constexpr Entry kEntries[] = {
    {Id::s_cmp_eq_i32, compare<I32, Eq>, quick_compare<I32, Eq>},
    {Id::s_cmp_lg_i32, compare<I32, Lg>, quick_compare<I32, Lg>},
    {Id::s_cmp_gt_i32, compare<I32, Gt>, quick_compare<I32, Gt>},
    {Id::s_cmp_ge_i32, compare<I32, Ge>, quick_compare<I32, Ge>},
    {Id::s_cmp_lt_i32, compare<I32, Lt>, quick_compare<I32, Lt>},
    {Id::s_cmp_le_i32, compare<I32, Le>, quick_compare<I32, Le>},
    {Id::s_cmp_eq_u32, compare<U32, Eq>, quick_compare<U32, Eq>},
    {Id::s_cmp_lg_u32, compare<U32, Lg>, quick_compare<U32, Lg>},
    {Id::s_cmp_gt_u32, compare<U32, Gt>, quick_compare<U32, Gt>},
    {Id::s_cmp_ge_u32, compare<U32, Ge>, quick_compare<U32, Ge>},
    {Id::s_cmp_lt_u32, compare<U32, Lt>, quick_compare<U32, Lt>},
    {Id::s_cmp_le_u32, compare<U32, Le>, quick_compare<U32, Le>},
    {Id::s_cmp_eq_u64, compare64<Eq>, quick_compare<uint64_t, Eq>},
    {Id::s_cmp_lg_u64, compare64<Lg>, quick_compare<uint64_t, Lg>},
    {Id::s_bitcmp0_b32, bitcmp_b32<false>},
    {Id::s_bitcmp1_b32, bitcmp_b32<true>},
    {Id::s_bitcmp0_b64, bitcmp_b64<false>},
    {Id::s_bitcmp1_b64, bitcmp_b64<true>},
    {Id::s_cmpk_eq_i32, compare_constant<I32, Eq>},
    {Id::s_cmpk_lg_i32, compare_constant<I32, Lg>},
    {Id::s_cmpk_gt_i32, compare_constant<I32, Gt>},
    {Id::s_cmpk_ge_i32, compare_constant<I32, Ge>},
    {Id::s_cmpk_lt_i32, compare_constant<I32, Lt>},
    {Id::s_cmpk_le_i32, compare_constant<I32, Le>},
    {Id::s_cmpk_eq_u32, compare_constant<U32, Eq>},
    {Id::s_cmpk_lg_u32, compare_constant<U32, Lg>},
    {Id::s_cmpk_gt_u32, compare_constant<U32, Gt>},
    {Id::s_cmpk_ge_u32, compare_constant<U32, Ge>},
    {Id::s_cmpk_lt_u32, compare_constant<U32, Lt>},
    {Id::s_cmpk_le_u32, compare_constant<U32, Le>},
};

}  // namespace

EntryList compare_entries() {
  return kEntries;
}

}  // namespace cuvette::wave::scalar
