// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "wave/execute.h"
#include "wave/executor/micro_op.h"
#include "wave/operand.h"

// The shape of a scalar instruction's behaviour, shared by the files of this folder. Each of them
// has a table SemanticId -> Handler; execute_scalar looks the handler up.
namespace cuvette::wave::scalar {

using Id = isa::SemanticId;
using Handler = Outcome (*)(WaveState&, const isa::Instruction&);

/// Row of a table of behaviours.
struct Entry {
  Id id;
  Handler handler;
  MicroOp::Run quick = nullptr;  ///< the same for operands that the decoder has located
};

using EntryList = std::span<const Entry>;

EntryList arithmetic_entries();  ///< SOP2 and SOPK arithmetic, shifts, bit fields
EntryList move_entries();        ///< SOP1: moves, bit counting, EXEC saving
EntryList compare_entries();     ///< SOPC, S_CMPK
EntryList control_entries();     ///< SOPP, program counter, fork and join
EntryList register_entries();    ///< S_GETREG, S_SETREG, GPR indexing, VSKIP

/// Null when the instruction is no scalar one.
Handler find_handler(Id id);
/// Entry::quick, where there is one.
MicroOp::Run find_quick(Id id);
/// Kind of the handler's micro-op.
MicroKind micro_kind_of(Id id);

/// The immediate of SOPK and SOPP: the low half of the first word in both formats (Vega ISA 13).
inline uint16_t simm16(const isa::Instruction& i) {
  return static_cast<uint16_t>(i.words[0]);
}
inline int32_t signed_simm16(const isa::Instruction& i) {
  return static_cast<int16_t>(simm16(i));
}

/// The register field of SOPK, a source for S_CMPK, S_SETREG and S_CBRANCH_I_FORK.
inline const isa::Operand& sopk_register(const isa::Instruction& i) {
  if (i.dst[0].kind == isa::OperandKind::Sgpr) return i.dst[0];
  for (const isa::Operand& operand : i.src) {
    if (operand.kind == isa::OperandKind::Sgpr) return operand;
  }
  return i.dst[0];
}

/// Target of a relative branch; PC is already behind the instruction.
inline uint64_t branch_target(const WaveState& wave, const isa::Instruction& i) {
  return wave.s.pc + static_cast<uint64_t>(int64_t{signed_simm16(i)} * 4);
}

/// The program counter has 48 bits and counts dwords.
inline void set_pc(WaveState& wave, uint64_t address) {
  wave.s.pc = address & 0xfffffffffffcu;
}

/// D = F(S0, S1, SCC): F may change SCC.
template <auto F>
Outcome binary32(WaveState& wave, const isa::Instruction& i) {
  const uint32_t a = read_scalar32(wave, i.src[0]);
  const uint32_t b = read_scalar32(wave, i.src[1]);
  const uint32_t d = F(a, b, wave.s.scc);
  write_scalar32(wave, i.dst[0], d);
  return {};
}

/// As binary32 on pairs; the second operand may be narrower (shift counts).
template <auto F>
Outcome binary64(WaveState& wave, const isa::Instruction& i) {
  const uint64_t a = read_scalar64(wave, i.src[0]);
  const uint64_t b = i.src[1].dwords == 2 ? read_scalar64(wave, i.src[1])
                                          : uint64_t{read_scalar32(wave, i.src[1])};
  const uint64_t d = F(a, b, wave.s.scc);
  write_scalar64(wave, i.dst[0], d);
  return {};
}

template <auto F>
bool quick_binary32(const MicroOp& p, WaveState& wave, Context& c) {
  p.put<uint32_t>(wave, F(p.get<uint32_t>(c, 0), p.get<uint32_t>(c, 1), wave.s.scc));
  return true;
}
template <auto F>
bool quick_binary64(const MicroOp& p, WaveState& wave, Context& c) {
  const uint64_t b = p.src_dwords[1] == 2 ? p.get<uint64_t>(c, 1) : p.get<uint32_t>(c, 1);
  p.put<uint64_t>(wave, F(p.get<uint64_t>(c, 0), b, wave.s.scc));
  return true;
}
template <auto F>
constexpr Entry entry32(Id id) {
  return {id, binary32<F>, quick_binary32<F>};
}
template <auto F>
constexpr Entry entry64(Id id) {
  return {id, binary64<F>, quick_binary64<F>};
}

template <class T>
T result_and_scc(T value, bool& scc) {
  scc = value != 0;
  return value;
}

}  // namespace cuvette::wave::scalar
