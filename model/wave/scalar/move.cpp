// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "wave/scalar/scalar.h"

// SOP1 without control transfer (Vega ISA 5.5, 5.6, 12.3).
namespace cuvette::wave::scalar {
namespace {

/// D = F(S0, SCC) with operand type T and result type R.
template <auto F, class T, class R>
Outcome unary(WaveState& wave, const isa::Instruction& i) {
  T a;
  if constexpr (sizeof(T) == 8) {
    a = read_scalar64(wave, i.src[0]);
  } else {
    a = read_scalar32(wave, i.src[0]);
  }
  const R d = F(a, wave.s.scc);
  if constexpr (sizeof(R) == 8) {
    write_scalar64(wave, i.dst[0], d);
  } else {
    write_scalar32(wave, i.dst[0], d);
  }
  return {};
}

template <auto F, class T, class R>
bool quick_unary(const MicroOp& p, WaveState& wave, Context& c) {
  p.put<R>(wave, F(p.get<T>(c, 0), wave.s.scc));
  return true;
}

using U32 = uint32_t;
using U64 = uint64_t;

template <class T>
T copy(T a, bool&) {
  return a;
}
template <class T>
T invert(T a, bool& scc) {
  return result_and_scc<T>(~a, scc);
}

/// Bit 0 of every quad whose four bits are not all zero, at the quad's own position.
uint64_t live_quads(uint64_t a) {
  return (a | a >> 1 | a >> 2 | a >> 3) & 0x1111111111111111u;
}
template <class T>
T whole_quads(T a, bool& scc) {
  return result_and_scc(static_cast<T>(live_quads(a) * 15), scc);
}
template <class T>
T quad_mask(T a, bool& scc) {
  const uint64_t live = live_quads(a);
  uint64_t d = 0;
  for (unsigned quad = 0; quad < 16; ++quad) d |= base::bits(live, quad * 4, quad * 4) << quad;
  return result_and_scc(static_cast<T>(d), scc);
}
template <class T>
T reverse(T a, bool&) {
  T d = 0;
  for (int n = 0; n < std::numeric_limits<T>::digits; ++n) {
    d = static_cast<T>(d << 1 | (a & 1));
    a >>= 1;
  }
  return d;
}
template <class T>
U32 count_zeros(T a, bool& scc) {
  return result_and_scc(static_cast<U32>(std::popcount(static_cast<T>(~a))), scc);
}
template <class T>
U32 count_ones(T a, bool& scc) {
  return result_and_scc(static_cast<U32>(std::popcount(a)), scc);
}
inline constexpr U32 kNone = 0xffffffff;
template <class T>
U32 first_one(T a, bool&) {
  return a == 0 ? kNone : static_cast<U32>(std::countr_zero(a));
}
template <class T>
U32 first_zero(T a, bool& scc) {
  return first_one(static_cast<T>(~a), scc);
}
template <class T>
U32 leading_zeros(T a, bool&) {
  return a == 0 ? kNone : static_cast<U32>(std::countl_zero(a));
}
/// Number of bits from the top that equal the sign bit; -1 when all do.
template <class T>
U32 leading_signs(T a, bool& scc) {
  const T sign = static_cast<T>(T{0} - (a >> (std::numeric_limits<T>::digits - 1)));
  return leading_zeros(static_cast<T>(a ^ sign), scc);
}
U32 extend_i8(U32 a, bool&) {
  return static_cast<U32>(base::sign_extend(a, 8));
}
U32 extend_i16(U32 a, bool&) {
  return static_cast<U32>(base::sign_extend(a, 16));
}
U32 absolute(U32 a, bool& scc) {
  return result_and_scc(base::bit(a, 31) ? 0u - a : a, scc);
}
U64 replicate(U32 a, bool&) {
  U64 d = 0;
  for (unsigned n = 0; n < 32; ++n) d |= U64{base::bit(a, n)} * 3 << 2 * n;
  return d;
}

Outcome cmov_b32(WaveState& wave, const isa::Instruction& i) {
  if (wave.s.scc) write_scalar32(wave, i.dst[0], read_scalar32(wave, i.src[0]));
  return {};
}
Outcome cmov_b64(WaveState& wave, const isa::Instruction& i) {
  if (wave.s.scc) write_scalar64(wave, i.dst[0], read_scalar64(wave, i.src[0]));
  return {};
}

template <bool kValue>
Outcome bitset_b32(WaveState& wave, const isa::Instruction& i) {
  const U32 mask = U32{1} << (read_scalar32(wave, i.src[0]) & 31);
  const U32 old = read_scalar32(wave, i.dst[0]);
  write_scalar32(wave, i.dst[0], kValue ? old | mask : old & ~mask);
  return {};
}
template <bool kValue>
Outcome bitset_b64(WaveState& wave, const isa::Instruction& i) {
  const U64 mask = U64{1} << (read_scalar32(wave, i.src[0]) & 63);
  const U64 old = read_scalar64(wave, i.dst[0]);
  write_scalar64(wave, i.dst[0], kValue ? old | mask : old & ~mask);
  return {};
}

/// EXEC and SCC = F(S0, EXEC).
template <auto F>
void combine_exec(WaveState& wave, U64 a) {
  const U64 exec = wave.s.exec();
  wave.s.set_exec(F(a, exec));
  wave.s.scc = wave.s.exec() != 0;
}
/// D = EXEC, EXEC = F(S0, EXEC). S0 is read before D is written; D may be S0.
template <auto F>
Outcome save_exec(WaveState& wave, const isa::Instruction& i) {
  const U64 a = read_scalar64(wave, i.src[0]);
  write_scalar64(wave, i.dst[0], wave.s.exec());
  combine_exec<F>(wave, a);
  return {};
}
template <auto F>
bool quick_save_exec(const MicroOp& p, WaveState& wave, Context& c) {
  const U64 a = p.get<U64>(c, 0);
  p.put(wave, wave.s.exec());
  combine_exec<F>(wave, a);
  return true;
}
template <auto F>
constexpr Entry save_exec_entry(Id id) {
  return {id, save_exec<F>, quick_save_exec<F>};
}
/// EXEC = D = F(S0, EXEC).
template <auto F>
Outcome write_exec(WaveState& wave, const isa::Instruction& i) {
  const U64 result = F(read_scalar64(wave, i.src[0]), wave.s.exec());
  write_scalar64(wave, i.dst[0], result);
  wave.s.set_exec(result);
  wave.s.scc = result != 0;
  return {};
}
U64 exec_and(U64 a, U64 exec) {
  return a & exec;
}
U64 exec_or(U64 a, U64 exec) {
  return a | exec;
}
U64 exec_xor(U64 a, U64 exec) {
  return a ^ exec;
}
U64 exec_andn2(U64 a, U64 exec) {
  return a & ~exec;
}
U64 exec_orn2(U64 a, U64 exec) {
  return a | ~exec;
}
U64 exec_nand(U64 a, U64 exec) {
  return ~(a & exec);
}
U64 exec_nor(U64 a, U64 exec) {
  return ~(a | exec);
}
U64 exec_xnor(U64 a, U64 exec) {
  return ~(a ^ exec);
}
U64 exec_andn1(U64 a, U64 exec) {
  return ~a & exec;
}
U64 exec_orn1(U64 a, U64 exec) {
  return ~a | exec;
}

/// The SGPR an index of M0 away from `operand`; nothing above the allocation, and never another
/// kind of register (MI100 ISA 3.6.1).
bool relative_code(const WaveState& wave, const isa::Operand& operand, unsigned dwords,
                   unsigned& code) {
  const U64 sum = U64{operand.index} + wave.s.m0();
  const U64 last = sum + dwords - 1;
  if (operand.kind != isa::OperandKind::Sgpr || last > isa::kLastSgpr) return false;
  if (last >= wave.alloc.sgprs) return false;
  code = static_cast<unsigned>(sum);
  return true;
}
Outcome movrels_b32(WaveState& wave, const isa::Instruction& i) {
  unsigned code = 0;
  relative_code(wave, i.src[0], 1, code);
  write_scalar32(wave, i.dst[0], read_code(wave, code));
  return {};
}
Outcome movrels_b64(WaveState& wave, const isa::Instruction& i) {
  unsigned code = 0;
  relative_code(wave, i.src[0], 2, code);
  write_scalar64(wave, i.dst[0], read_code64(wave, code));
  return {};
}
Outcome movreld_b32(WaveState& wave, const isa::Instruction& i) {
  unsigned code = 0;
  const U32 value = read_scalar32(wave, i.src[0]);
  if (relative_code(wave, i.dst[0], 1, code)) write_code(wave, code, value);
  return {};
}
Outcome movreld_b64(WaveState& wave, const isa::Instruction& i) {
  unsigned code = 0;
  const U64 value = read_scalar64(wave, i.src[0]);
  if (relative_code(wave, i.dst[0], 2, code)) write_code64(wave, code, value);
  return {};
}

constexpr Entry kEntries[] = {
    {Id::s_mov_b32, unary<copy<U32>, U32, U32>, quick_unary<copy<U32>, U32, U32>},
    {Id::s_mov_b64, unary<copy<U64>, U64, U64>, quick_unary<copy<U64>, U64, U64>},
    {Id::s_cmov_b32, cmov_b32},
    {Id::s_cmov_b64, cmov_b64},
    {Id::s_not_b32, unary<invert<U32>, U32, U32>, quick_unary<invert<U32>, U32, U32>},
    {Id::s_not_b64, unary<invert<U64>, U64, U64>, quick_unary<invert<U64>, U64, U64>},
    {Id::s_wqm_b32, unary<whole_quads<U32>, U32, U32>, quick_unary<whole_quads<U32>, U32, U32>},
    {Id::s_wqm_b64, unary<whole_quads<U64>, U64, U64>, quick_unary<whole_quads<U64>, U64, U64>},
    {Id::s_brev_b32, unary<reverse<U32>, U32, U32>, quick_unary<reverse<U32>, U32, U32>},
    {Id::s_brev_b64, unary<reverse<U64>, U64, U64>, quick_unary<reverse<U64>, U64, U64>},
    {Id::s_bcnt0_i32_b32, unary<count_zeros<U32>, U32, U32>,
     quick_unary<count_zeros<U32>, U32, U32>},
    {Id::s_bcnt0_i32_b64, unary<count_zeros<U64>, U64, U32>,
     quick_unary<count_zeros<U64>, U64, U32>},
    {Id::s_bcnt1_i32_b32, unary<count_ones<U32>, U32, U32>, quick_unary<count_ones<U32>, U32, U32>},
    {Id::s_bcnt1_i32_b64, unary<count_ones<U64>, U64, U32>, quick_unary<count_ones<U64>, U64, U32>},
    {Id::s_ff0_i32_b32, unary<first_zero<U32>, U32, U32>, quick_unary<first_zero<U32>, U32, U32>},
    {Id::s_ff0_i32_b64, unary<first_zero<U64>, U64, U32>, quick_unary<first_zero<U64>, U64, U32>},
    {Id::s_ff1_i32_b32, unary<first_one<U32>, U32, U32>, quick_unary<first_one<U32>, U32, U32>},
    {Id::s_ff1_i32_b64, unary<first_one<U64>, U64, U32>, quick_unary<first_one<U64>, U64, U32>},
    {Id::s_flbit_i32_b32, unary<leading_zeros<U32>, U32, U32>,
     quick_unary<leading_zeros<U32>, U32, U32>},
    {Id::s_flbit_i32_b64, unary<leading_zeros<U64>, U64, U32>,
     quick_unary<leading_zeros<U64>, U64, U32>},
    {Id::s_flbit_i32, unary<leading_signs<U32>, U32, U32>,
     quick_unary<leading_signs<U32>, U32, U32>},
    {Id::s_flbit_i32_i64, unary<leading_signs<U64>, U64, U32>,
     quick_unary<leading_signs<U64>, U64, U32>},
    {Id::s_sext_i32_i8, unary<extend_i8, U32, U32>, quick_unary<extend_i8, U32, U32>},
    {Id::s_sext_i32_i16, unary<extend_i16, U32, U32>, quick_unary<extend_i16, U32, U32>},
    {Id::s_bitset0_b32, bitset_b32<false>},
    {Id::s_bitset0_b64, bitset_b64<false>},
    {Id::s_bitset1_b32, bitset_b32<true>},
    {Id::s_bitset1_b64, bitset_b64<true>},
    save_exec_entry<exec_and>(Id::s_and_saveexec_b64),
    save_exec_entry<exec_or>(Id::s_or_saveexec_b64),
    save_exec_entry<exec_xor>(Id::s_xor_saveexec_b64),
    save_exec_entry<exec_andn2>(Id::s_andn2_saveexec_b64),
    save_exec_entry<exec_orn2>(Id::s_orn2_saveexec_b64),
    save_exec_entry<exec_nand>(Id::s_nand_saveexec_b64),
    save_exec_entry<exec_nor>(Id::s_nor_saveexec_b64),
    save_exec_entry<exec_xnor>(Id::s_xnor_saveexec_b64),
    save_exec_entry<exec_andn1>(Id::s_andn1_saveexec_b64),
    save_exec_entry<exec_orn1>(Id::s_orn1_saveexec_b64),
    {Id::s_andn1_wrexec_b64, write_exec<exec_andn1>},
    {Id::s_andn2_wrexec_b64, write_exec<exec_andn2>},
    {Id::s_quadmask_b32, unary<quad_mask<U32>, U32, U32>, quick_unary<quad_mask<U32>, U32, U32>},
    {Id::s_quadmask_b64, unary<quad_mask<U64>, U64, U64>, quick_unary<quad_mask<U64>, U64, U64>},
    {Id::s_movrels_b32, movrels_b32},
    {Id::s_movrels_b64, movrels_b64},
    {Id::s_movreld_b32, movreld_b32},
    {Id::s_movreld_b64, movreld_b64},
    {Id::s_abs_i32, unary<absolute, U32, U32>, quick_unary<absolute, U32, U32>},
    {Id::s_bitreplicate_b64_b32, unary<replicate, U32, U64>, quick_unary<replicate, U32, U64>},
};

}  // namespace

EntryList move_entries() {
  return kEntries;
}

}  // namespace cuvette::wave::scalar
