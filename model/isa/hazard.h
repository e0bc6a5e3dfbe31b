// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

// Data hazards that a program has to keep clear of (Vega ISA 4.5, MI100 ISA 4.5 and 7.2, CDNA3 ISA
// tables 11, 12 and 37): pairs of instructions that need wait states between them. The rules are
// data, model/isa/tables/hazards.csv; this header says what its words mean. Nothing here executes.
namespace cuvette::isa {

/// Class of instructions that a rule names. On gfx908, V_ACCVGPR_* are not Valu: they have own
/// rules.
enum class InstructionClass : uint8_t {
  SetReg,            ///< S_SETREG_B32, S_SETREG_IMM32_B32
  SetRegVskip,       ///< S_SETREG of MODE that covers VSKIP
  SetRegTrapsts,     ///< S_SETREG of TRAPSTS
  SetVskip,          ///< S_SETVSKIP
  GetReg,            ///< S_GETREG_B32
  GetRegVskip,       ///< S_GETREG of MODE that covers VSKIP
  Vector,            ///< everything that VSKIP skips
  VectorButMatrix,   ///< Vector without Matrix
  Valu,              ///< vector ALU, transcendental unit included, matrix core not
  NonValu,           ///< not Valu
  OtherValu,         ///< Valu
  LaneAccess,        ///< V_READLANE, V_WRITELANE
  LaneFamily,        ///< these and V_READFIRSTLANE
  Readlane,          ///< V_READLANE
  ReadFirstLane,     ///< V_READFIRSTLANE
  DivFmas,           ///< V_DIV_FMAS_F32, V_DIV_FMAS_F64
  WideStore,         ///< write data of more than 64 bits, as far as the manuals name them
  WideStoreSoffset,  ///< buffer stores of that width whose offset is in a scalar register
  Vmem,              ///< MUBUF, MTBUF, MIMG, FLAT, GLOBAL, SCRATCH
  MemoryOrLds,       ///< Vmem, LDS, GDS, exports
  Salu,
  GdsOrMessage,  ///< GDS, GWS, S_SENDMSG, S_TTRACEDATA
  LdsThroughM0,  ///< LDS DMA, DS_*_ADDTID, VINTRP, LDS_DIRECT
  Movrel,        ///< S_MOVRELS, S_MOVRELD
  Dpp,
  ReturnFromTrap,  ///< S_RFE_B64, S_RFE_RESTORE_B64
  Cmpx,            ///< V_CMPX: compares that write EXEC
  PlacedResult,    ///< result moved by OP_SEL or SDWA
  Transcendental,
  NonTranscendental,  ///< Valu without Transcendental
  Dot,                ///< V_DOT*
  NonDotValu,         ///< Valu without Dot
  Matrix,
  Xdl,      ///< matrix, neither F32 nor F64 sources
  XdlMfma,  ///< Xdl without V_SMFMAC
  Smfmac,
  Sgemm,  ///< matrix, F32 sources
  Dgemm,  ///< matrix, F64 sources
  SgemmOrDgemm,
  NonDgemm,
  Dgemm16,                     ///< V_MFMA_F64_16X16X4
  Dgemm4,                      ///< V_MFMA_F64_4X4X4
  AccRead,                     ///< V_ACCVGPR_READ
  AccWrite,                    ///< V_ACCVGPR_WRITE
  AccMove,                     ///< either
  MatrixOrMove,                ///< Matrix, or on gfx908 AccMove
  BranchVcc,                   ///< S_CBRANCH_VCCZ, S_CBRANCH_VCCNZ
  InstructionCacheInvalidate,  ///< S_ICACHE_INV
  Fetched,                     ///< neither S_NOP nor a jump or the end of the program
  FlatMemory,                  ///< instructions of unit Flat, which may be in LDS
  ScalarMemory,
  ScratchNegativeOffset,  ///< SCRATCH with an SGPR base and a negative immediate offset
  Anything,
};

/// Relation that has to hold between the first and the second instruction.
enum class HazardRelation : uint8_t {
  Any,                    ///< the two follow each other
  SameHardwareRegister,   ///< the same id in both, whatever bits
  ZeroFlagOperand,        ///< VCC written and VCCZ a source, or EXEC and EXECZ
  LaneSelect,             ///< scalar result is the lane select
  VccWritten,             ///< first writes VCC
  ExecWritten,            ///< first writes EXEC
  M0Written,              ///< first writes M0
  VccAlias,               ///< VCC written by implication, read by its number as a constant
  StoreData,              ///< second writes the VGPRs of the first one's write data
  ScalarOperand,          ///< scalar result is an operand
  ScalarConstant,         ///< scalar result is a vector operand that is no carry
  CarryIn,                ///< scalar result is the carry or select
  ExecConstant,           ///< second names EXEC as a source
  Source0,                ///< vector result is source 0
  RegisterRead,           ///< vector result is read
  RegisterWritten,        ///< vector result is written again
  RegisterTouched,        ///< vector result is read or written again
  Accumulator,            ///< result is SrcC, any overlap
  AccumulatorExact,       ///< result is SrcC: same registers, same number of passes
  AccumulatorPasses,      ///< the same registers, another number of passes
  AccumulatorOverlap,     ///< result and SrcC overlap, other registers
  AccumulatorRewritten,   ///< second writes the VGPRs of the first one's SrcC
  SourceAB,               ///< result is SrcA or SrcB
  SourceABOrIndex,        ///< or the index operand of V_SMFMAC
  SameOpcodeAccumulator,  ///< result is SrcC, and the row is the same: dot products
  SameOpcodeSourceAB,     ///< result is SrcA or SrcB, and the row is the same
  OtherOpcodeTouches,     ///< result is read or written by another row
  ValuBeforeFirst,        ///< a VALU right before the first wrote what the second reads
  UntilJump,     ///< Any, but it wants instructions between, however long, or a taken branch
  CountersZero,  ///< only S_WAITCNT of both counters to zero helps
  LgkmZero,      ///< only S_WAITCNT lgkmcnt(0) helps
  Itself,        ///< the first is a hazard alone, whatever follows
};

/// required: LLVM 19 keeps it or the manual's table states it plainly; conservative: LLVM keeps
/// more than the manual asks; seed-only: stated by a manual, but no compiler keeps it
/// (docs/reference/hazards.md).
enum class HazardClass : uint8_t { Required, Conservative, SeedOnly };
/// "required", "conservative", "seed-only".
std::string_view name_of(HazardClass c);
/// Harm that a rule about one instruction warns of: "page fault on silicon, ...". Empty for others.
std::string_view harm_of(InstructionClass c);

/// Row of model/isa/tables/hazards.csv. Texts live for the whole program.
struct HazardRule {
  std::string_view id;      ///< row of tests/ledger/isa_hazards.csv, or that with a suffix
  uint8_t targets;          ///< bit index_of(t) per target
  std::string_view source;  ///< document and section: "MI100 4.5"
  InstructionClass first;
  uint8_t passes;             ///< of the first, 4 clocks each; 0: any
  std::string_view mnemonic;  ///< of the first; empty: any
  InstructionClass second;
  HazardRelation relation;
  uint8_t wait_states;  ///< needed between them; 0: rule states that none is needed
  HazardClass severity;

  bool on(Target t) const { return (targets >> index_of(t) & 1) != 0; }
  /// Rules about S_WAITCNT, which wait states do not satisfy (wave/wait_checker.h).
  bool about_counters() const {
    return relation == HazardRelation::CountersZero || relation == HazardRelation::LgkmZero;
  }
  /// Rules about one instruction, which nothing between it and another mends.
  bool about_one() const { return relation == HazardRelation::Itself; }
};

/// All rules, in table order; they live for the whole program.
struct HazardRuleList {
  const HazardRule* first;
  uint32_t count;
  const HazardRule* begin() const { return first; }
  const HazardRule* end() const { return first + count; }
};
HazardRuleList hazard_rules();
/// Most wait states any rule asks for.
inline constexpr unsigned kMostWaitStates = 19;

/// True if the instruction is of the class on its target.
bool belongs(const Instruction& in, InstructionClass c);
/// May `in` be the first instruction of the rule: class, passes and mnemonic.
bool starts(const Instruction& in, const HazardRule& rule);
/// Relation of an instruction that starts a rule to a later one of the rule's second class.
/// `before` is the instruction issued right before the first, null when there is none; only
/// ValuBeforeFirst asks for it.
bool related(HazardRelation relation, const Instruction& first, const Instruction& second,
             const Instruction* before);
/// Wait states after matrix instruction `first` until `second`, which may touch its result, is
/// issued: what the rules about results ask for, LLVM's own additions (Conservative) left out.
unsigned result_wait_states(const Instruction& first, const Instruction& second);
/// Wait states that an instruction itself gives to those behind it: 1, or SIMM16[3:0] + 1 for
/// S_NOP.
unsigned wait_states_of(const Instruction& in);

}  // namespace cuvette::isa
