// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simd/simd.h"

// The parts of one instruction both ways of executing it share, and the way that does all 64 lanes
// at once.
namespace cuvette::simd {

/// True for instructions that are the simd's own work and never go to the valu: lane moves, V_NOP,
/// V_SWAP_B32 and the AccVGPR copies.
bool is_own(const isa::Row& row);

/// Dwords of a destination that one pass of the valu writes.
inline constexpr unsigned kDwordsPerPass = 2;

/// Registers of the wave in the file of a vector operand.
inline unsigned limit(const Issue& issue, const isa::Operand& operand) {
  return operand.kind == isa::OperandKind::Agpr ? issue.acc_count : issue.vgpr_count;
}

/// `operand` with M0[7:0] added where M0 and MODE ask for it (MI100 ISA 6.6). `which`: 0 to 2 the
/// sources, 3 the destination.
isa::Operand indexed(const Issue& issue, const isa::Operand& operand, unsigned which);

/// Destinations of an instruction.
struct Destinations {
  bool vector = false;      ///< a vector register, in range
  isa::Operand operand;     ///< of the vector register, indexed
  vrf::RowAddress row;      ///< its first physical row
  bool suppressed = false;  ///< out of range: nothing at all is written (MI100 ISA 3.6.1)
  bool mask = false;        ///< VCC or an SGPR pair
  bool scalar = false;      ///< one SGPR
  uint64_t work = 0;        ///< lanes it works for: of EXEC, those DPP has a source for
  uint64_t lanes = 0;       ///< of them, those whose vector register is written (DPP masks)
  uint64_t stays = 0;       ///< lanes of EXEC whose bit of `mask` stays as it was
};
Destinations destinations(const Issue& issue);

/// Row of register `operand` + `dword` of the wave.
vrf::RowAddress physical(const Issue& issue, const isa::Operand& operand, unsigned dword = 0);

/// Cycles the issue port is taken by an instruction (docs/reference/simd.md, Timing).
unsigned issue_cycles(const Config& config, const isa::Instruction& instruction);

/// Executes the instruction on the rows of `registers`, in place where they are host memory,
/// through ports otherwise, and appends its Retire beats.
void execute_whole(const Issue& issue, isa::Target target, vrf::Vrf& registers, machine::Cycle now,
                   std::vector<Retire>& beats);

}  // namespace cuvette::simd
