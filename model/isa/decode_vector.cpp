// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/decode_parts.h"
#include "isa/operands.h"
#include "isa/registers.h"

namespace cuvette::isa::parts {
namespace {

constexpr unsigned kAllOnesDpp = 0xf;

void set_vcc(Operand& operand) {
  operand.kind = OperandKind::Sgpr;
  operand.index = kVccLo;
}

/// True if C and D of a matrix row live in AccVGPRs: on gfx908 always, later by the acc_cd
/// bit (MI100 ISA 5; bit 15). A and B have a bit each in both.
bool matrix_acc_cd(const Work& work) {
  return !unified_vgprs(work.in.target) || work.bit(15);
}

void vector_only(const Work& work, unsigned code, Operand& operand) {
  if (code < kFirstVgpr) {
    work.findings.refuse(kWrongClass);
    return;
  }
  set_vector_register(code - kFirstVgpr, false, work.in.target, operand, work.findings);
}

void source(const Work& work, unsigned code, Operand& operand) {
  if (code >= kFirstVgpr) {
    set_vector_register(code - kFirstVgpr, false, work.in.target, operand, work.findings);
  } else {
    set_scalar_source(code, work.literal, true, operand, work.findings);
  }
}

/// A and B have an AccVGPR bit each, the index of sparse rows never is one, C goes with the
/// destination and may be an inline constant.
void matrix_source(const Work& work, unsigned i, Operand& operand) {
  const bool sparse_index = i == 2 && work.in.row->has(kSparse);
  const unsigned code = get(work.word, field_of(work.layout, work.in.row->src[i].role));
  if (code >= kFirstVgpr) {
    const bool acc = i < 2 ? work.bit(59 + i) : !sparse_index && matrix_acc_cd(work);
    set_vector_register(code - kFirstVgpr, acc, work.in.target, operand, work.findings);
  } else if (i == 2 && !sparse_index && (is_inline_integer(code) || is_inline_float(code))) {
    operand.kind = OperandKind::Inline;
    operand.index = static_cast<uint16_t>(code);
    operand.value = inline_value(code, operand.type);
  } else {
    work.findings.refuse(kWrongClass);
  }
}

/// SDWA of gfx9 takes scalar registers and constants where the S bit is set.
void sdwa_source(const Work& work, unsigned code, bool scalar, Operand& operand) {
  if (scalar) {
    set_scalar_source(code, nullptr, true, operand, work.findings);
  } else {
    set_vector_register(code, false, work.in.target, operand, work.findings);
  }
}

void interpolation_source(const Work& work, unsigned code, Operand& operand) {
  if (operand.dwords == 0) {  // v_interp_mov: P10, P20 or P0
    operand.kind = OperandKind::Immediate;
    operand.value = code;
    if (operand.value > 2) work.findings.reserve("parameter", "undefined result");
  } else if (work.form == Form::Native && work.layout == Layout::Vintrp) {
    set_vector_register(code, false, work.in.target, operand, work.findings);
  } else {
    vector_only(work, code, operand);
  }
}

void attribute(const Work& work, unsigned code, Operand& operand) {
  operand.kind = OperandKind::Immediate;
  operand.value = code;
  const bool vop3 = work.layout == Layout::Vop3Interp;
  // VINTRP: channel in the lower bits; VOP3: attribute, channel, high half.
  work.in.mem.attribute = static_cast<uint8_t>(vop3 ? code & 0x3f : code >> 2);
  work.in.mem.attribute_channel = static_cast<uint8_t>(vop3 ? (code >> 6) & 3 : code & 3);
}

void mask_destination(const Work& work, Operand& operand) {
  if (work.form == Form::Sdwa && work.in.row->format == Format::Vopc) {
    if (work.bit(47)) {
      const uint32_t code = work.bits(46, 40);
      if (code == kVccLo) work.findings.reserve("sdst", "VCC");
      set_scalar_register(code, operand, work.findings);
    } else {
      if (work.bits(46, 40) != 0) work.findings.reserve("unused bits", "ignored");
      set_vcc(operand);
    }
  } else if (work.layout == Layout::Vop3 || work.layout == Layout::Vop3b) {
    const Field field = field_of(work.layout, Role::SdstMask);
    set_scalar_register(get(work.word, field), operand, work.findings);
  } else {
    set_vcc(operand);
  }
}

bool scalar_lane_source(const Row& row, Role role) {
  // V_READLANE: lane select is scalar; V_WRITELANE: both sources are (Vega ISA 6).
  if (row.semantic == SemanticId::v_readlane_b32) return role == Role::Src1;
  return row.semantic == SemanticId::v_writelane_b32;
}

bool vector_lane_source(const Row& row, Role role) {
  return role == Role::Src0 && (row.semantic == SemanticId::v_readlane_b32 ||
                                row.semantic == SemanticId::v_readfirstlane_b32);
}

void vector_operand(const Work& work, unsigned i, Role role, Operand& operand) {
  const Row& row = *work.in.row;
  const unsigned code = get(work.word, field_of(work.layout, role));
  const Target target = work.in.target;
  switch (role) {
    case Role::None:
      return;
    case Role::Vdst:
      set_vector_register(code, row.has(kMatrix) && matrix_acc_cd(work), target, operand,
                          work.findings);
      return;
    case Role::Sdst:
      set_scalar_register(code & 0x7f, operand, work.findings);
      if (code > 0x7f) work.findings.refuse(kWrongClass);
      return;
    case Role::SdstMask:
      mask_destination(work, operand);
      return;
    case Role::Adst:
      set_vector_register(code, true, target, operand, work.findings);
      return;
    case Role::Asrc0:
      if (code < kFirstVgpr) work.findings.refuse(kWrongClass);
      set_vector_register(code & 0xff, true, target, operand, work.findings);
      return;
    case Role::Vcc:
      set_vcc(operand);
      return;
    case Role::VccIn:
      if (work.layout == Layout::Vop3 || work.layout == Layout::Vop3b) {
        if (code < kExecLo) {
          set_scalar_register(code, operand, work.findings);
        } else {
          work.findings.refuse(kWrongClass);
        }
      } else {
        set_vcc(operand);
      }
      return;
    case Role::Imm32:
      operand.kind = OperandKind::Literal;
      operand.value = literal_value(*work.literal, operand.type);
      return;
    case Role::Attribute:
      attribute(work, code, operand);
      return;
    default:
      break;
  }
  if (row.has(kMatrix)) {
    matrix_source(work, i, operand);
  } else if (work.layout == Layout::Vintrp ||
             (work.layout == Layout::Vop3Interp && role == Role::Src1)) {
    interpolation_source(work, code, operand);
  } else if (work.form == Form::Sdwa) {
    sdwa_source(work, code, work.bit(role == Role::Src0 ? 55 : 63), operand);
  } else if (work.form == Form::Dpp || field_of(work.layout, role).width == 8) {
    set_vector_register(code, false, target, operand, work.findings);
  } else if (row.src[0].write || operand.dwords > 2 ||
             (work.layout == Layout::Vop3Interp && role == Role::Src2)) {
    vector_only(work, code, operand);
  } else if (vector_lane_source(row, role)) {
    if (code == kLdsDirect) {
      source(work, code, operand);
    } else {
      vector_only(work, code, operand);
    }
  } else if (scalar_lane_source(row, role)) {
    if (code < kFirstVgpr) {
      set_scalar_source(code, nullptr, false, operand, work.findings);
    } else {
      work.findings.refuse(kWrongClass);
    }
  } else {
    source(work, code, operand);
  }
}

void vop3_modifiers(const Work& work) {
  Modifiers& mod = work.in.mod;
  if (work.layout != Layout::Vop3b) {
    mod.abs = static_cast<uint8_t>(work.bits(10, 8));
    mod.op_sel = static_cast<uint8_t>(work.bits(14, 11));
  }
  mod.clamp = work.bit(15);
  mod.omod = static_cast<uint8_t>(work.bits(60, 59));
  mod.neg = static_cast<uint8_t>(work.bits(63, 61));
}

void vop3p_modifiers(const Work& work) {
  Modifiers& mod = work.in.mod;
  mod.neg_hi = static_cast<uint8_t>(work.bits(10, 8));
  if (is_mix(*work.in.row)) mod.abs = mod.neg_hi;  // one field; lanes look at neg_hi
  mod.op_sel = static_cast<uint8_t>(work.bits(13, 11));
  mod.clamp = work.bit(15);
  mod.op_sel_hi = static_cast<uint8_t>(work.bits(60, 59) | (work.bits(14, 14) << 2));
  mod.neg = static_cast<uint8_t>(work.bits(63, 61));
}

void matrix_modifiers(const Work& work) {
  Modifiers& mod = work.in.mod;
  mod.cbsz = static_cast<uint8_t>(work.bits(10, 8));
  mod.abid = static_cast<uint8_t>(work.bits(14, 11));
  mod.blgp = static_cast<uint8_t>(work.bits(63, 61));
}

bool set_select(const Work& work, unsigned lo, SdwaSelect& select) {
  const uint32_t value = work.bits(lo + 2, lo);
  if (value > static_cast<uint32_t>(SdwaSelect::Dword)) {
    work.findings.refuse("SDWA select 7 is reserved");
    return false;
  }
  select = static_cast<SdwaSelect>(value);
  return true;
}

void sdwa_modifiers(const Work& work) {
  const Row& row = *work.in.row;
  Modifiers& mod = work.in.mod;
  if (row.dst[0].role == Role::None) return;
  if (row.format != Format::Vopc) {
    set_select(work, 40, mod.sdwa_dst);
    const uint32_t unused = work.bits(44, 43);
    if (unused > static_cast<uint32_t>(SdwaUnused::Preserve)) {
      work.findings.reserve("dst_unused", "as UNUSED_PAD");
    } else {
      mod.sdwa_unused = static_cast<SdwaUnused>(unused);
    }
    mod.clamp = work.bit(45);
    mod.omod = static_cast<uint8_t>(work.bits(47, 46));
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (row.src[i].role != Role::Src0 && row.src[i].role != Role::Vsrc1) continue;
    const unsigned lo = 48 + 8 * i;
    set_select(work, lo, mod.sdwa_src[i]);
    mod.sext = static_cast<uint8_t>(mod.sext | (work.bits(lo + 3, lo + 3) << i));
    mod.neg = static_cast<uint8_t>(mod.neg | (work.bits(lo + 4, lo + 4) << i));
    mod.abs = static_cast<uint8_t>(mod.abs | (work.bits(lo + 5, lo + 5) << i));
  }
}

bool wide_operands(const Row& row) {
  return row.dst[0].dwords == 2 || row.src[0].dwords == 2;
}

/// Vega ISA 13 (DPP_CTRL); row_newbcast from gfx90a on, there the only one for 64-bit operands.
bool legal_dpp_ctrl(unsigned ctrl, Target target, const Row& row) {
  const bool newbcast = unified_vgprs(target) && ctrl >= 0x150 && ctrl <= 0x15f;
  if (newbcast) return true;
  if (wide_operands(row)) return false;
  return ctrl <= 0xff || (ctrl >= 0x101 && ctrl <= 0x10f) || (ctrl >= 0x111 && ctrl <= 0x11f) ||
         (ctrl >= 0x121 && ctrl <= 0x12f) || ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 ||
         ctrl == 0x13c || (ctrl >= 0x140 && ctrl <= 0x143);
}

void dpp_modifiers(const Work& work) {
  Modifiers& mod = work.in.mod;
  mod.dpp_ctrl = static_cast<uint16_t>(work.bits(48, 40));
  if (!legal_dpp_ctrl(mod.dpp_ctrl, work.in.target, *work.in.row)) {
    work.findings.refuse("reserved dpp_ctrl");
  }
  mod.dpp_bound_ctrl = work.bit(51);
  mod.neg = static_cast<uint8_t>(work.bits(52, 52) | (work.bits(54, 54) << 1));
  mod.abs = static_cast<uint8_t>(work.bits(53, 53) | (work.bits(55, 55) << 1));
  mod.dpp_bank_mask = static_cast<uint8_t>(work.bits(59, 56) & kAllOnesDpp);
  mod.dpp_row_mask = static_cast<uint8_t>(work.bits(63, 60) & kAllOnesDpp);
}

}  // namespace

void decode_vector(const Work& work) {
  Instruction& in = work.in;
  const Row& row = *in.row;
  if (work.form == Form::Sdwa) {
    sdwa_modifiers(work);
  } else if (work.form == Form::Dpp) {
    dpp_modifiers(work);
  } else if (row.format == Format::Vop3p) {
    vop3p_modifiers(work);
  } else if (row.format == Format::Vop3pMai) {
    if (row.has(kMatrix)) {
      matrix_modifiers(work);
    } else {
      // No meaning, but assemblers set these bits as for other packed instructions.
      in.mod.op_sel_hi = static_cast<uint8_t>(work.bits(60, 59) | (work.bits(14, 14) << 2));
    }
  } else if (work.layout == Layout::Vop3 || work.layout == Layout::Vop3b ||
             work.layout == Layout::Vop3Interp) {
    vop3_modifiers(work);
  }
  for (unsigned i = 0; i < 2 && row.dst[i].role != Role::None; ++i) {
    vector_operand(work, i, row.dst[i].role, in.dst[i]);
  }
  for (unsigned i = 0; i < 4 && row.src[i].role != Role::None; ++i) {
    vector_operand(work, i, row.src[i].role, in.src[i]);
  }
  if (work.layout == Layout::Vop3Interp && work.bit(40)) in.mod.op_sel |= 1;
}

}  // namespace cuvette::isa::parts
