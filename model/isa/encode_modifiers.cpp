// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/encode_parts.h"
#include "isa/operands.h"
#include "isa/registers.h"

namespace cuvette::isa::parts {
namespace {

void sdwa(Build& build) {
  const Row& row = *build.in.row;
  const Modifiers& mod = build.in.mod;
  if (row.dst[0].role == Role::None) return;
  if (row.format == Format::Vopc) {
    const Operand& mask = build.in.dst[0];
    if (mask.kind == OperandKind::Sgpr && mask.index != kVccLo) {
      build.flag(47, true);
      build.put(46, 40, mask.index);
    }
  } else {
    build.put(42, 40, static_cast<unsigned>(mod.sdwa_dst));
    build.put(44, 43, static_cast<unsigned>(mod.sdwa_unused));
    build.flag(45, mod.clamp);
    build.put(47, 46, mod.omod);
  }
  for (unsigned i = 0; i < 2; ++i) {
    const Role role = row.src[i].role;
    if (role != Role::Src0 && role != Role::Vsrc1) continue;
    const unsigned lo = 48 + 8 * i;
    build.put(lo + 2, lo, static_cast<unsigned>(mod.sdwa_src[i]));
    build.flag(lo + 3, base::bit(mod.sext, i));
    build.flag(lo + 4, base::bit(mod.neg, i));
    build.flag(lo + 5, base::bit(mod.abs, i));
    build.flag(lo + 7, build.in.src[i].kind != OperandKind::Vgpr);
  }
}

void dpp(Build& build) {
  const Modifiers& mod = build.in.mod;
  build.put(48, 40, mod.dpp_ctrl);
  build.flag(51, mod.dpp_bound_ctrl);
  build.flag(52, base::bit(mod.neg, 0));
  build.flag(53, base::bit(mod.abs, 0));
  build.flag(54, base::bit(mod.neg, 1));
  build.flag(55, base::bit(mod.abs, 1));
  build.put(59, 56, mod.dpp_bank_mask);
  build.put(63, 60, mod.dpp_row_mask);
}

void vop3(Build& build) {
  const Modifiers& mod = build.in.mod;
  if (build.layout != Layout::Vop3b) {
    build.put(10, 8, mod.abs);
    if (build.layout != Layout::Vop3Interp) build.put(14, 11, mod.op_sel);
  }
  build.flag(15, mod.clamp);
  build.put(60, 59, mod.omod);
  build.put(63, 61, mod.neg);
  if (build.layout == Layout::Vop3Interp && build.in.src[1].value > 0xff) build.flag(40, true);
}

void vop3p(Build& build) {
  const Modifiers& mod = build.in.mod;
  build.put(10, 8, is_mix(*build.in.row) ? mod.abs : mod.neg_hi);
  build.put(13, 11, mod.op_sel);
  build.flag(14, base::bit(mod.op_sel_hi, 2));
  build.flag(15, mod.clamp);
  build.put(60, 59, mod.op_sel_hi);
  build.put(63, 61, mod.neg);
}

void matrix(Build& build) {
  const Instruction& in = build.in;
  if (!in.row->has(kMatrix)) {  // V_ACCVGPR_*
    build.flag(14, base::bit(in.mod.op_sel_hi, 2));
    build.put(60, 59, in.mod.op_sel_hi);
    return;
  }
  build.put(10, 8, in.mod.cbsz);
  build.put(14, 11, in.mod.abid);
  if (unified_vgprs(in.target)) build.flag(15, in.dst[0].kind == OperandKind::Agpr);
  build.flag(59, in.src[0].kind == OperandKind::Agpr);
  build.flag(60, in.src[1].kind == OperandKind::Agpr);
  build.put(63, 61, in.mod.blgp);
}

}  // namespace

void encode_modifiers(Build& build) {
  if (build.form == Form::Sdwa) {
    sdwa(build);
  } else if (build.form == Form::Dpp) {
    dpp(build);
  } else if (build.in.row->format == Format::Vop3p) {
    vop3p(build);
  } else if (build.in.row->format == Format::Vop3pMai) {
    matrix(build);
  } else if (build.form == Form::Vop3 || build.in.row->format == Format::Vop3a ||
             build.in.row->format == Format::Vop3b) {
    vop3(build);
  }
}

}  // namespace cuvette::isa::parts
