// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/operands.h"
#include "isa/text_parts.h"

namespace cuvette::isa::parts {
namespace {

constexpr const char* kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                    "WORD_0", "WORD_1", "DWORD"};
constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

/// Sources that modifiers can belong to.
unsigned count_sources(const Row& row) {
  unsigned n = 0;
  for (const OperandSpec& spec : row.src) {
    switch (spec.role) {
      case Role::Src0:
      case Role::Src1:
      case Role::Vsrc1:
      case Role::Src2:
        ++n;
        break;
      default:
        break;
    }
  }
  return n;
}

/// " name:[1,0]" from the lowest `count` bits.
void append_bits(std::string& out, const char* name, unsigned bits, unsigned count) {
  out += ' ';
  out += name;
  out += ":[";
  for (unsigned i = 0; i < count; ++i) {
    if (i != 0) out += ',';
    out += (bits >> i & 1) != 0 ? '1' : '0';
  }
  out += ']';
}

void append_clamp_omod(std::string& out, const Modifiers& mod) {
  constexpr const char* kOmod[] = {"", " mul:2", " mul:4", " div:2"};
  if (mod.clamp) out += " clamp";
  out += kOmod[mod.omod & 3];
}

void append_vop3p(std::string& out, const Instruction& in) {
  const Modifiers& mod = in.mod;
  const unsigned n = count_sources(*in.row);
  const unsigned all = (1u << n) - 1;
  if ((mod.op_sel & all) != 0) append_bits(out, "op_sel", mod.op_sel, n);
  if (is_mix(*in.row)) {
    if ((mod.op_sel_hi & all) != 0) append_bits(out, "op_sel_hi", mod.op_sel_hi, n);
  } else {
    if ((mod.op_sel_hi & all) != all) append_bits(out, "op_sel_hi", mod.op_sel_hi, n);
    if ((mod.neg & all) != 0) append_bits(out, "neg_lo", mod.neg, n);
    if ((mod.neg_hi & all) != 0) append_bits(out, "neg_hi", mod.neg_hi, n);
  }
  if (mod.clamp) out += " clamp";
}

void append_matrix(std::string& out, const Instruction& in) {
  const Modifiers& mod = in.mod;
  if (mod.cbsz != 0) out += " cbsz:" + std::to_string(mod.cbsz);
  if (mod.abid != 0) out += " abid:" + std::to_string(mod.abid);
  if (mod.blgp == 0) return;
  // F64 on gfx942: the field negates A, B and C.
  if (in.target == Target::Gfx942 && in.row->matrix.c == Type::F64) {
    append_bits(out, "neg", mod.blgp, 3);
  } else {
    out += " blgp:" + std::to_string(mod.blgp);
  }
}

void append_vop3(std::string& out, const Instruction& in) {
  const Modifiers& mod = in.mod;
  if (in.row->src[1].role == Role::Attribute) {
    if ((mod.op_sel & 1) != 0) out += " high";
  } else if (mod.op_sel != 0) {
    // The sources, then the destination half (bit 3).
    // Stochastic rounding has two bits for the destination byte instead, shown one by one.
    const bool byte = in.row->semantic == SemanticId::v_cvt_sr_fp8_f32 ||
                      in.row->semantic == SemanticId::v_cvt_sr_bf8_f32;
    const unsigned n = byte ? 3 : count_sources(*in.row);
    const unsigned sources = mod.op_sel & ((1u << n) - 1);
    append_bits(out, "op_sel", sources | (mod.op_sel >> 3 & 1u) << n, n + 1);
  }
  append_clamp_omod(out, mod);
}

void append_sdwa(std::string& out, const Instruction& in) {
  const Modifiers& mod = in.mod;
  if (in.row->dst[0].role == Role::None) return;
  if (in.row->format != Format::Vopc) {
    append_clamp_omod(out, mod);
    const Type type = in.row->src[0].type;
    const bool whole = type == Type::Fp8 || type == Type::Bf8;  // no destination select
    if (!whole) {
      out += " dst_sel:";
      out += kSelects[static_cast<unsigned>(mod.sdwa_dst)];
      out += " dst_unused:";
      out += kUnused[static_cast<unsigned>(mod.sdwa_unused)];
    }
  }
  for (unsigned i = 0; i < count_sources(*in.row); ++i) {
    out += i == 0 ? " src0_sel:" : " src1_sel:";
    out += kSelects[static_cast<unsigned>(mod.sdwa_src[i])];
  }
}

void append_dpp_ctrl(std::string& out, unsigned ctrl) {
  const std::string low = std::to_string(ctrl & 0xf);
  if (ctrl <= 0xff) {
    out += " quad_perm:[";
    for (unsigned i = 0; i < 4; ++i) {
      if (i != 0) out += ',';
      out += std::to_string(ctrl >> (2 * i) & 3);
    }
    out += ']';
    return;
  }
  switch (ctrl >> 4) {
    case 0x10:
      out += " row_shl:" + low;
      return;
    case 0x11:
      out += " row_shr:" + low;
      return;
    case 0x12:
      out += " row_ror:" + low;
      return;
    case 0x15:
      out += " row_newbcast:" + low;
      return;
    default:
      break;
  }
  switch (ctrl) {
    case 0x130:
      out += " wave_shl:1";
      break;
    case 0x134:
      out += " wave_rol:1";
      break;
    case 0x138:
      out += " wave_shr:1";
      break;
    case 0x13c:
      out += " wave_ror:1";
      break;
    case 0x140:
      out += " row_mirror";
      break;
    case 0x141:
      out += " row_half_mirror";
      break;
    case 0x142:
      out += " row_bcast:15";
      break;
    case 0x143:
      out += " row_bcast:31";
      break;
    default:
      break;
  }
}

void append_dpp(std::string& out, const Modifiers& mod) {
  append_dpp_ctrl(out, mod.dpp_ctrl);
  out += " row_mask:";
  append_hex(out, mod.dpp_row_mask);
  out += " bank_mask:";
  append_hex(out, mod.dpp_bank_mask);
  if (mod.dpp_bound_ctrl) out += " bound_ctrl:1";
}

}  // namespace

void append_vector_source(std::string& out, const Instruction& in, unsigned i) {
  const Operand& operand = in.src[i];
  // In VOP3 interpolation the source is in the second field, behind the attribute.
  const bool shifted = in.row->src[i].role == Role::Src1 && in.row->src[1].role == Role::Attribute;
  const unsigned bit = shifted ? 1 : in.row->src[i].role == Role::Src2 ? 2 : i;
  const bool packed = in.row->format == Format::Vop3p && !is_mix(*in.row);
  const bool neg = !packed && bit < 3 && (in.mod.neg >> bit & 1) != 0;
  const bool abs = !packed && bit < 3 && (in.mod.abs >> bit & 1) != 0;
  const bool sext = bit < 2 && (in.mod.sext >> bit & 1) != 0;
  const bool constant = operand.kind == OperandKind::Inline || operand.kind == OperandKind::Literal;
  const bool word = neg && constant && !abs;
  if (word) {
    out += "neg(";
  } else if (neg) {
    out += '-';
  }
  if (abs) out += '|';
  if (sext) out += "sext(";
  append_operand(out, operand);
  if (sext) out += ')';
  if (abs) out += '|';
  if (word) out += ')';
}

void append_vector_modifiers(std::string& out, const Instruction& in) {
  switch (in.encoding) {
    case Encoding::Sdwa:
      append_sdwa(out, in);
      return;
    case Encoding::Dpp:
      append_dpp(out, in.mod);
      return;
    case Encoding::Vop3:
      append_vop3(out, in);
      return;
    default:
      break;
  }
  switch (in.row->format) {
    case Format::Vop3a:
    case Format::Vop3b:
      append_vop3(out, in);
      break;
    case Format::Vop3p:
      append_vop3p(out, in);
      break;
    case Format::Vop3pMai:
      if (in.row->has(kMatrix)) append_matrix(out, in);
      break;
    default:
      break;
  }
}

}  // namespace cuvette::isa::parts
