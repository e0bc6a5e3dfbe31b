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
  SetReg,
  SetRegVskip,    ///< S_SETREG of MODE that covers VSKIP
  SetRegTrapsts,  ///< S_SETREG of TRAPSTS
  SetVskip,
  GetReg,
  GetRegVskip,  ///< S_GETREG of MODE that covers VSKIP
  Vector,       ///< everything that VSKIP skips
  VectorButMatrix,
  Valu,        ///< vector ALU, transcendental unit included, matrix core not
  NonValu,     ///< not Valu
  OtherValu,   ///< Valu
  LaneAccess,  ///< V_READLANE, V_WRITELANE
  LaneFamily,  ///< these and V_READFIRSTLANE
  Readlane,
  ReadFirstLane,
  DivFmas,
  WideStore,         ///< write data of more than 64 bits, as far as the manuals name them
  WideStoreSoffset,  ///< buffer stores of that width whose offset is in a scalar register
  Vmem,              ///< MUBUF, MTBUF, MIMG, FLAT, GLOBAL, SCRATCH
  MemoryOrLds,
  Salu,
  GdsOrMessage,  ///< GDS, GWS, S_SENDMSG, S_TTRACEDATA
  LdsThroughM0,  ///< LDS DMA, DS_*_ADDTID, VINTRP, LDS_DIRECT
  Movrel,
  Dpp,
  ReturnFromTrap,
  Cmpx,
  PlacedResult,  ///< result moved by OP_SEL or SDWA
  Transcendental,
  NonTranscendental,
  Dot,
  NonDotValu,
  Matrix,
  Xdl,      ///< matrix, neither F32 nor F64 sources
  XdlMfma,  ///< Xdl without V_SMFMAC
  Smfmac,
  Sgemm,  ///< matrix, F32 sources
  Dgemm,  ///< matrix, F64 sources
  SgemmOrDgemm,
  NonDgemm,
  Dgemm16,  ///< V_MFMA_F64_16X16X4
  Dgemm4,   ///< V_MFMA_F64_4X4X4
  AccRead,
  AccWrite,
  AccMove,
  MatrixOrMove,  ///< Matrix, or on gfx908 AccMove
  BranchVcc,
  InstructionCacheInvalidate,
  Fetched,  ///< neither S_NOP nor a jump or the end of the program
  FlatMemory,
  ScalarMemory,
  ScratchNegativeOffset,  ///< SCRATCH with an SGPR base and a negative immediate offset
  Anything,
};

/// Relation that has to hold between the first and the second instruction.
enum class HazardRelation : uint8_t {
  Any,
  SameHardwareRegister,
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
  RegisterTouched,        ///< either
  Accumulator,            ///< result is SrcC, any overlap
  AccumulatorExact,       ///< result is SrcC: same registers, same number of passes
  AccumulatorPasses,      ///< the same registers, another number of passes
  AccumulatorOverlap,     ///< result and SrcC overlap, other registers
  AccumulatorRewritten,   ///< second writes the SrcC of the first
  SourceAB,               ///< result is SrcA or SrcB
  SourceABOrIndex,        ///< or the index operand of V_SMFMAC
  SameOpcodeAccumulator,  ///< dot products
  SameOpcodeSourceAB,
  OtherOpcodeTouches,
  ValuBeforeFirst,  ///< a VALU right before the first wrote what the second reads
  UntilJump,        ///< Any, but it wants instructions between, however long, or a taken branch
  CountersZero,     ///< only S_WAITCNT of both counters to zero helps
  LgkmZero,         ///< only S_WAITCNT lgkmcnt(0) helps
  Itself,           ///< the first is a hazard alone, whatever follows
};

/// required: LLVM 19 keeps it or the manual's table states it plainly; conservative: LLVM keeps
/// more than the manual asks; seed-only: stated by a manual, but no compiler keeps it
/// (docs/reference/hazards.md).
enum class HazardClass : uint8_t { Required, Conservative, SeedOnly };
std::string_view name_of(HazardClass c);
/// Harm that a rule about one instruction warns of: "page fault on silicon: ...". Empty for others.
std::string_view harm_of(InstructionClass c);

struct HazardRule {
  std::string_view id;      ///< row of tests/ledger/isa_hazards.csv, or that with a suffix
  uint8_t targets;          ///< bit per target
  std::string_view source;  ///< document
  InstructionClass first;
  uint8_t passes;             ///< of the first; 0: any
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

struct HazardRuleList {
  const HazardRule* first;
  uint32_t count;
  const HazardRule* begin() const { return first; }
  const HazardRule* end() const { return first + count; }
};
HazardRuleList hazard_rules();
/// Most wait states any rule asks for.
inline constexpr unsigned kMostWaitStates = 19;

bool belongs(const Instruction& in, InstructionClass c);
/// May `in` be the first instruction of the rule: class, passes and mnemonic.
bool starts(const Instruction& in, const HazardRule& rule);
/// Relation of an instruction that starts a rule to a later one of the rule's second class.
/// `before` is the instruction issued right before the first, null when there is none; only
/// ValuBeforeFirst asks for it.
bool related(HazardRelation relation, const Instruction& first, const Instruction& second,
             const Instruction* before);
/// Wait states after matrix instruction `first` before `second`, which may touch its result, is
/// issued: what the rules about results ask for, LLVM's own additions (Conservative) left out.
unsigned result_wait_states(const Instruction& first, const Instruction& second);
/// Wait states that an instruction itself gives to those behind it: 1, or SIMM16 + 1 for S_NOP.
unsigned wait_states_of(const Instruction& in);

}  // namespace cuvette::isa
