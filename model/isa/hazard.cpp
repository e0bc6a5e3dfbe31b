// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/hazard.h"

#include <algorithm>

#include "isa/hazard_parts.h"
#include "isa/tables.h"

namespace cuvette::isa {
namespace {

constexpr unsigned kHwregMode = 1, kHwregTrapsts = 3;
constexpr unsigned kVskipBit = 28;
constexpr unsigned kWideDwords = 3;  // "more than 64 bits"

unsigned hwreg_id(const Instruction& in) {
  return static_cast<unsigned>(parts::hwreg_field(in) & 0x3f);
}

bool covers_vskip(const Instruction& in) {
  const uint64_t field = parts::hwreg_field(in);
  const uint64_t offset = field >> 6 & 0x1f, size = (field >> 11 & 0x1f) + 1;
  return hwreg_id(in) == kHwregMode && offset <= kVskipBit && kVskipBit < offset + size;
}

bool is(const Instruction& in, SemanticId id) {
  return in.row->semantic == id;
}
bool is_setreg(const Instruction& in) {
  return is(in, SemanticId::s_setreg_b32) || is(in, SemanticId::s_setreg_imm32_b32);
}
bool is_getreg(const Instruction& in) {
  return is(in, SemanticId::s_getreg_b32);
}
bool is_acc_read(const Instruction& in) {
  return is(in, SemanticId::v_accvgpr_read_b32);
}
bool is_acc_write(const Instruction& in) {
  return is(in, SemanticId::v_accvgpr_write_b32);
}
bool is_valu(const Instruction& in) {
  if (in.row->unit != Unit::Valu && in.row->unit != Unit::Trans) return false;
  return in.target != Target::Gfx908 || (!is_acc_read(in) && !is_acc_write(in));
}
bool is_memory(const Instruction& in) {
  return in.row->unit == Unit::Vmem || in.row->unit == Unit::Flat;
}
bool is_lds(const Instruction& in) {
  return in.row->unit == Unit::Lds || in.row->unit == Unit::Gds;
}
bool is_gds(const Instruction& in) {
  return in.row->unit == Unit::Gds || in.mem.gds;
}
bool is_vector(const Instruction& in) {
  return is_valu(in) || is_acc_read(in) || is_acc_write(in) || in.row->has(kMatrix) ||
         is_memory(in) || is_lds(in) || in.row->unit == Unit::Export;
}
/// True if the next instruction fetched may be another one than the following, or there is none.
bool leaves(const Instruction& in) {
  return in.row->has(kBranch) || is(in, SemanticId::s_endpgm);
}
bool is_cmpx(const Instruction& in) {
  return in.row->format == Format::Vopc && in.row->has(kWritesExec);
}
bool is_dot(const Instruction& in) {
  return is_valu(in) && in.row->mnemonic.substr(0, 5) == "v_dot";
}
bool is_readlane(const Instruction& in) {
  return is(in, SemanticId::v_readlane_b32);
}
bool is_writelane(const Instruction& in) {
  return is(in, SemanticId::v_writelane_b32);
}
bool is_matrix(const Instruction& in, Type a) {
  return in.row->has(kMatrix) && in.row->matrix.a == a;
}
bool is_xdl(const Instruction& in) {
  return in.row->has(kMatrix) && !is_matrix(in, Type::F32) && !is_matrix(in, Type::F64);
}

/// True if the operand of that role is a scalar register: neither constant nor left out.
bool is_register(const Instruction& in, Role role) {
  for (unsigned i = 0; i < 4; ++i) {
    if (in.row->src[i].role == role) return in.src[i].kind == OperandKind::Sgpr;
  }
  return false;
}

bool writes_wide(const Instruction& in) {
  if (!is_memory(in) || (!in.row->has(kStore) && !in.row->has(kAtomic))) return false;
  unsigned dwords = 0;
  for (const RegisterRange& range : parts::store_data(in)) dwords += range.count;
  return dwords >= kWideDwords;
}

/// The manuals exempt buffer stores whose offset is in an SGPR and image stores with a 256-bit
/// resource (Vega ISA 4.5, case 8), which no target here has.
bool is_wide_store(const Instruction& in) {
  return writes_wide(in) && in.row->format != Format::Mimg && !is_register(in, Role::Soffset);
}

/// V_READFIRSTLANE and the like are not "placed": only a destination part other than the lowest, or
/// a part smaller than the register, moves the result.
bool places_result(const Instruction& in) {
  if (!is_valu(in)) return false;
  if (in.encoding == Encoding::Sdwa) {
    return in.row->format != Format::Vopc && in.mod.sdwa_dst != SdwaSelect::Dword;
  }
  return in.row->format != Format::Vop3p && (in.mod.op_sel & 8) != 0;
}

bool reads_lds_through_m0(const Instruction& in) {
  // Loads to LDS have a bit for it, or an opcode.
  const bool loads_to_lds = in.row->mnemonic.find("_load_lds_") != std::string_view::npos;
  return in.mem.lds || loads_to_lds || in.row->format == Format::Vintrp ||
         parts::has_special(in, kLdsDirect) ||
         in.row->mnemonic.find("addtid") != std::string_view::npos ||
         in.row->mnemonic.find("_lds_dword") != std::string_view::npos;
}

}  // namespace

std::string_view name_of(HazardClass c) {
  constexpr std::string_view kNames[] = {"required", "conservative", "seed-only"};
  return kNames[static_cast<unsigned>(c)];
}

std::string_view harm_of(InstructionClass c) {
  if (c != InstructionClass::ScratchNegativeOffset) return {};
  return "page fault on silicon, negative offset from an SGPR base";
}

HazardRuleList hazard_rules() {
  return {kHazardRules, kHazardRuleCount};
}

bool belongs(const Instruction& in, InstructionClass c) {
  using C = InstructionClass;
  const Row& row = *in.row;
  switch (c) {
    case C::SetReg:
      return is_setreg(in);
    case C::SetRegVskip:
      return is_setreg(in) && covers_vskip(in);
    case C::SetRegTrapsts:
      return is_setreg(in) && hwreg_id(in) == kHwregTrapsts;
    case C::SetVskip:
      return is(in, SemanticId::s_setvskip);
    case C::GetReg:
      return is_getreg(in);
    case C::GetRegVskip:
      return is_getreg(in) && covers_vskip(in);
    case C::Vector:
      return is_vector(in);
    case C::VectorButMatrix:
      return is_vector(in) && !row.has(kMatrix);
    case C::Valu:
    case C::OtherValu:
      return is_valu(in);
    case C::NonValu:
      return !is_valu(in);
    case C::Anything:
      return true;
    case C::LaneAccess:
      return is_readlane(in) || is_writelane(in);
    case C::LaneFamily:
      return is_readlane(in) || is_writelane(in) || is(in, SemanticId::v_readfirstlane_b32);
    case C::Readlane:
      return is_readlane(in);
    case C::ReadFirstLane:
      return is(in, SemanticId::v_readfirstlane_b32);
    case C::DivFmas:
      return is(in, SemanticId::v_div_fmas_f32) || is(in, SemanticId::v_div_fmas_f64);
    case C::WideStore:
      return is_wide_store(in);
    case C::WideStoreSoffset:
      return writes_wide(in) && is_register(in, Role::Soffset);
    case C::Vmem:
      return is_memory(in);
    case C::MemoryOrLds:
      return is_memory(in) || is_lds(in) || row.unit == Unit::Export;
    case C::Salu:
      return row.unit == Unit::Salu;
    case C::GdsOrMessage:
      return is_gds(in) || row.unit == Unit::Message ||
             (is(in, SemanticId::s_ttracedata) && in.target != Target::Gfx942);
    case C::LdsThroughM0:
      return reads_lds_through_m0(in);
    case C::Movrel:
      return row.mnemonic.substr(0, 9) == "s_movrels" || row.mnemonic.substr(0, 9) == "s_movreld";
    case C::Dpp:
      return in.encoding == Encoding::Dpp;
    case C::ReturnFromTrap:
      return row.mnemonic.substr(0, 5) == "s_rfe";
    case C::Cmpx:
      return is_cmpx(in);
    case C::PlacedResult:
      return places_result(in);
    case C::Transcendental:
      return row.unit == Unit::Trans;
    case C::NonTranscendental:
      return is_valu(in) && row.unit != Unit::Trans;
    case C::Dot:
      return is_dot(in);
    case C::NonDotValu:
      return is_valu(in) && !is_dot(in);
    case C::Matrix:
      return row.has(kMatrix);
    case C::Xdl:
      return is_xdl(in);
    case C::XdlMfma:
      return is_xdl(in) && !row.has(kSparse);
    case C::Smfmac:
      return row.has(kSparse);
    case C::Sgemm:
      return is_matrix(in, Type::F32);
    case C::Dgemm:
      return is_matrix(in, Type::F64);
    case C::SgemmOrDgemm:
      return is_matrix(in, Type::F32) || is_matrix(in, Type::F64);
    case C::NonDgemm:
      return row.has(kMatrix) && !is_matrix(in, Type::F64);
    case C::Dgemm16:
      return is_matrix(in, Type::F64) && row.matrix.m == 16;
    case C::Dgemm4:
      return is_matrix(in, Type::F64) && row.matrix.m == 4;
    case C::AccRead:
      return is_acc_read(in);
    case C::AccWrite:
      return is_acc_write(in);
    case C::AccMove:
      return is_acc_read(in) || is_acc_write(in);
    case C::BranchVcc:
      return row.has(kBranch) && row.has(kReadsVcc);
    case C::InstructionCacheInvalidate:
      return is(in, SemanticId::s_icache_inv);
    case C::MatrixOrMove:
      return row.has(kMatrix) ||
             (in.target == Target::Gfx908 && (is_acc_read(in) || is_acc_write(in)));
    case C::Fetched:
      return !is(in, SemanticId::s_nop) && !leaves(in);
    case C::FlatMemory:
      return row.unit == Unit::Flat;
    case C::ScalarMemory:
      return row.unit == Unit::Smem;
    case C::ScratchNegativeOffset:
      return row.format == Format::Scratch && in.mem.offset < 0 && is_register(in, Role::Saddr);
  }
  return false;
}

bool starts(const Instruction& in, const HazardRule& rule) {
  if (!rule.on(in.target) || !belongs(in, rule.first)) return false;
  if (rule.passes != 0 && passes_on(*in.row, in.target) != rule.passes) return false;
  return rule.mnemonic.empty() || in.row->mnemonic == rule.mnemonic;
}

unsigned result_wait_states(const Instruction& first, const Instruction& second) {
  unsigned states = 0;
  for (const HazardRule& rule : hazard_rules()) {
    // SrcC, which the second may write again, is no result.
    if (rule.severity == HazardClass::Conservative || rule.wait_states == 0 ||
        rule.relation == HazardRelation::AccumulatorRewritten) {
      continue;
    }
    if (!starts(first, rule) || !belongs(second, rule.second)) continue;
    if (!related(rule.relation, first, second, nullptr)) continue;
    states = std::max<unsigned>(states, rule.wait_states);
  }
  return states;
}

unsigned wait_states_of(const Instruction& in) {
  return is(in, SemanticId::s_nop) ? static_cast<unsigned>(in.src[0].value & 0xf) + 1 : 1;
}

}  // namespace cuvette::isa
