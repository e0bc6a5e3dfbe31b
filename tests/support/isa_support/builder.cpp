// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa_support/builder.h"

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/fields.h"
#include "isa/registers.h"

namespace cuvette::isa::test {
namespace {

constexpr uint32_t kLiteralBits = 0x3f8ccccd;
constexpr uint32_t kHalfLiteralBits = 0x3d00;

bool is_half(Type type) {
  return type == Type::F16 || type == Type::I16 || type == Type::U16 || type == Type::B16;
}

Operand make(OperandKind kind, unsigned index, uint64_t value = 0) {
  Operand operand;
  operand.kind = kind;
  operand.index = static_cast<uint16_t>(index);
  operand.value = value;
  return operand;
}

/// Literals with the value of an inline constant of some type, and their neighbours.
constexpr uint64_t kLiteralCorners[] = {0,          1,          64,         65,         0xffffffff,
                                        0xfffffff0, 0xffffffef, 0x3f800000, 0x3e22f983, 0x3c00,
                                        0x3118,     0x3ff00000, 0x80000000, 0xfff0,     0x12343c00};

uint64_t literal_as_i64(uint64_t value) {
  return static_cast<uint64_t>(base::sign_extend(value, 32));
}

bool is_vector_register(Role role) {
  switch (role) {
    case Role::Vdst:
    case Role::Vsrc1:
    case Role::Addr:
    case Role::Data0:
    case Role::Data1:
    case Role::Vdata:
    case Role::Export0:
    case Role::Export1:
    case Role::Export2:
    case Role::Export3:
      return true;
    default:
      return false;
  }
}

bool is_vector_source(Role role) {
  return role == Role::Src0 || role == Role::Src1 || role == Role::Src2;
}

bool is_memory(Format format) {
  return format == Format::Smem || format >= Format::Ds;
}

}  // namespace

Builder::Builder(const Row& row, Target target, Encoding encoding)
    : row_(row), target_(target), encoding_(encoding) {
  exists_ = rule_of(row, target, form_of(encoding)) != nullptr;
  bool always_literal = false, takes_literal = false;
  const bool short_form = row.format <= Format::Vopc && row.format != Format::Smem;
  for (const OperandSpec& spec : row.src) {
    always_literal |= spec.role == Role::Imm32;
    takes_literal |= spec.role == Role::Ssrc0 || spec.role == Role::Src0;
  }
  // A lane source or a register pair to swap cannot be a constant.
  takes_literal &= row.semantic != SemanticId::v_readfirstlane_b32 && !row.src[0].write;
  // The literal and VCC share the one constant of a vector instruction (MI100 ISA 6.2.1).
  takes_literal &= !reads_vcc();
  if (encoding == Encoding::Literal) exists_ &= always_literal || (takes_literal && short_form);
  if (encoding == Encoding::Native) exists_ &= !always_literal;
}

/// Tuples start at even registers on unified targets (MI200 rule; LLVM checks it).
unsigned Builder::even(unsigned index, unsigned dwords) const {
  return unified_vgprs(target_) && dwords > 1 ? index & ~1u : index;
}

bool Builder::reads_vcc() const {
  for (const OperandSpec& spec : row_.src) {
    if (spec.role == Role::VccIn || spec.role == Role::Vcc) return true;
  }
  return false;
}

void Builder::set_plain(const OperandSpec& spec, unsigned position, Operand& operand) const {
  const unsigned vector_index = 8 + 36 * position;
  switch (spec.role) {
    case Role::None:
    case Role::Vcc:
      return;
    case Role::Sdst:
      operand = make(OperandKind::Sgpr, 4);
      return;
    case Role::Ssrc0:
    case Role::Sreg0:
      operand = make(OperandKind::Sgpr, 8);
      return;
    case Role::Ssrc1:
      operand = make(OperandKind::Sgpr, 12);
      return;
    case Role::SdstMask:
    case Role::VccIn:
      operand = make(OperandKind::Sgpr, kVccLo);
      return;
    case Role::Adst:
      operand = make(OperandKind::Agpr, 4);
      return;
    case Role::Asrc0:
      operand = make(OperandKind::Agpr, 8);
      return;
    case Role::Sbase:
      operand = make(OperandKind::Sgpr, 16);
      return;
    case Role::Srsrc:
      operand = make(OperandKind::Sgpr, 24);
      return;
    case Role::Ssamp:
      operand = make(OperandKind::Sgpr, 40);
      return;
    case Role::Sdata:
      operand = spec.dwords == 0 ? make(OperandKind::Immediate, 0, 5) : make(OperandKind::Sgpr, 48);
      return;
    case Role::Saddr:
      operand = make(OperandKind::Off, 0);
      return;
    case Role::Soffset:
      operand = make(OperandKind::Sgpr, 80);
      return;
    case Role::Imm32:
      operand = make(OperandKind::Literal, 0, is_half(spec.type) ? kHalfLiteralBits : kLiteralBits);
      return;
    case Role::ExportTarget:
      operand = make(OperandKind::Immediate, 0, 0);
      return;
    case Role::Hwreg:
      operand = make(OperandKind::Immediate, 0, 0xf801);
      return;
    default:
      break;
  }
  const bool lane = row_.semantic == SemanticId::v_readlane_b32 && spec.role == Role::Src1;
  const bool interpolated = is_vector_source(spec.role) && spec.dwords == 0;
  if (lane || (row_.semantic == SemanticId::v_writelane_b32 && is_vector_source(spec.role))) {
    operand = make(spec.role == Role::Src1 ? OperandKind::Inline : OperandKind::Sgpr,
                   spec.role == Role::Src1 ? 133 : 8);
  } else if (interpolated) {
    operand = make(OperandKind::Immediate, 0, 1);
  } else if (is_vector_register(spec.role) || is_vector_source(spec.role)) {
    const bool accumulator = row_.has(kMatrix) && !unified_vgprs(target_) &&
                             (spec.role == Role::Vdst || spec.role == Role::Src2);
    operand = make(accumulator ? OperandKind::Agpr : OperandKind::Vgpr, vector_index);
  } else {
    operand = make(OperandKind::Immediate, 0, spec.role == Role::Attribute ? 6 : 1);
  }
}

Instruction Builder::plain() const {
  Instruction in;
  in.row = &row_;
  in.target = target_;
  in.encoding = encoding_;
  for (unsigned i = 0; i < 2; ++i) set_plain(row_.dst[i], 5 * i, in.dst[i]);
  for (unsigned i = 0; i < 4; ++i) set_plain(row_.src[i], i + 1, in.src[i]);
  const bool accumulator_move = row_.format == Format::Vop3pMai && !row_.has(kMatrix);
  in.mod.op_sel_hi = row_.format == Format::Vop3p || accumulator_move ? 7 : 0;
  if (encoding_ == Encoding::Dpp) in.mod.dpp_ctrl = unified_vgprs(target_) ? 0x153 : 0x111;
  if (encoding_ == Encoding::Literal && row_.src[0].role != Role::None &&
      row_.src[0].role != Role::Imm32) {
    bool always = false;
    for (const OperandSpec& spec : row_.src) always |= spec.role == Role::Imm32;
    if (!always)
      in.src[0] = make(OperandKind::Literal, 0,
                       is_half(row_.src[0].type) ? kPlainHalfLiteral : kPlainLiteral);
    if (!always && row_.src[0].type == Type::F64) in.src[0].value <<= 32;
    in.src[0].type = row_.src[0].type;
  }
  switch (row_.format) {
    case Format::Smem:
      in.mem.imm = row_.src[1].role != Role::None || row_.src[0].role == Role::Sbase;
      in.mem.offset = 0x10;
      for (unsigned i = 0; i < 4; ++i) {
        if (row_.src[i].role == Role::Soffset) in.src[i] = make(OperandKind::Immediate, 0, 0x10);
      }
      if (!in.mem.imm) in.mem.offset = 0;
      break;
    case Format::Ds:
      in.mem.gds = row_.unit == Unit::Gds;
      break;
    case Format::Mubuf:
      in.mem.lds = row_.has(kLdsDma) && row_.has(kStore);
      [[fallthrough]];
    case Format::Mtbuf:
      in.mem.offen = row_.src[0].role == Role::Addr || row_.src[1].role == Role::Addr;
      in.mem.dfmt = row_.format == Format::Mtbuf ? 4 : 0;
      break;
    case Format::Mimg:
      in.mem.dmask = row_.has(kAtomic) && row_.src[0].dwords == 2 ? 3 : 1;
      break;
    case Format::Exp:
      in.mem.export_enable = 0xf;
      break;
    default:
      break;
  }
  // A result that only comes with GLC.
  const bool memory_atomic =
      is_memory(row_.format) && row_.has(kAtomic) && row_.format != Format::Ds;
  if (memory_atomic) in.dst[0] = Operand{};
  return in;
}

std::vector<Operand> Builder::corners(const OperandSpec& spec) const {
  std::vector<Operand> out;
  const unsigned dwords = spec.dwords == 0 ? 1 : spec.dwords;
  const auto sgpr = [&](unsigned code) { out.push_back(make(OperandKind::Sgpr, code)); };
  // LLVM has no spelling for float constants of 16-bit integer operands.
  const bool integer_half = is_half(spec.type) && spec.type != Type::F16;
  const auto inline_constants = [&] {
    for (unsigned code : {128u, 192u, 193u, 208u, 240u, 247u, 248u}) {
      if (integer_half && code >= 240) continue;
      out.push_back(make(OperandKind::Inline, code));
    }
  };
  const unsigned align = dwords >= 4 ? 4 : dwords;
  switch (spec.role) {
    case Role::Sdst:
      for (unsigned code : {0u, (102 - dwords) / align * align, unsigned{kTtmp0}}) sgpr(code);
      if (dwords <= 2) {
        for (uint16_t code : {kFlatScratchLo, kXnackMaskLo, kVccLo, kExecLo}) sgpr(code);
      }
      if (dwords == 1) sgpr(kM0);
      break;
    case Role::Sreg0:
      for (uint16_t code : {uint16_t{0}, kVccLo, kTtmp0}) sgpr(code);
      break;
    case Role::Ssrc0:
    case Role::Ssrc1:
      if (encoding_ != Encoding::Native) break;
      for (uint16_t code : {uint16_t{0}, kVccLo, kExecLo, kTtmp0, kFlatScratchLo}) sgpr(code);
      if (dwords == 1) sgpr(kM0);
      inline_constants();
      for (uint16_t code : {kSharedBase, kPrivateLimit, kVccz, kExecz, kScc}) {
        out.push_back(make(OperandKind::Special, code));
      }
      break;
    case Role::SdstMask: {
      const bool field = encoding_ == Encoding::Vop3 || row_.format == Format::Vop3b ||
                         (encoding_ == Encoding::Sdwa && row_.format == Format::Vopc);
      if (field) {
        for (uint16_t code : {uint16_t{0}, uint16_t{100}, kTtmp0, kFlatScratchLo}) sgpr(code);
      }
      break;
    }
    case Role::VccIn:
      if (encoding_ == Encoding::Vop3) {
        for (uint16_t code : {uint16_t{0}, uint16_t{100}, kTtmp0}) sgpr(code);
      }
      break;
    case Role::Adst:
    case Role::Asrc0:
      for (unsigned index : {0u, 255u}) out.push_back(make(OperandKind::Agpr, index));
      break;
    case Role::Sbase:
    case Role::Srsrc:
    case Role::Ssamp:
      sgpr(0);
      sgpr(dwords == 8 ? 92 : 96);
      break;
    case Role::Sdata:
      if (spec.dwords == 0) break;
      sgpr(0);
      sgpr((102 - dwords) / align * align);
      break;
    case Role::Soffset:
      if (row_.format == Format::Smem) break;  // with the immediate bits, see variants
      for (uint16_t code : {uint16_t{0}, uint16_t{101}, kM0}) sgpr(code);
      inline_constants();
      break;
    case Role::Saddr:
      sgpr(0);
      sgpr(100);
      break;
    case Role::Simm16:
    case Role::Label:
      for (uint64_t value : {0u, 64u, 65u, 0x7fffu, 0x8000u, 0xffffu}) {
        out.push_back(make(OperandKind::Immediate, 0, value));
      }
      break;
    case Role::Hwreg:
      for (uint64_t value : {0x0801u, 0x1842u, 0xf803u, 0xf804u, 0xf80fu, 0x283fu}) {
        out.push_back(make(OperandKind::Immediate, 0, value));
      }
      break;
    case Role::Message:
      for (uint64_t value : {2u, 3u, 0x22u, 0x133u, 4u, 0x1fu, 0xfu, 10u}) {
        out.push_back(make(OperandKind::Immediate, 0, value));
      }
      break;
    case Role::Waitcnt:
      for (uint64_t value : {0u, 0xcf7fu, 0x0f70u, 0xc07fu, 0xcf0fu, 0x4f72u}) {
        out.push_back(make(OperandKind::Immediate, 0, value));
      }
      break;
    case Role::GprIdx:
      for (uint64_t value : {0u, 15u, 8u}) out.push_back(make(OperandKind::Immediate, 0, value));
      break;
    case Role::Attribute:
      for (uint64_t value : {0u, 31u}) out.push_back(make(OperandKind::Immediate, 0, value));
      break;
    case Role::Imm32:
      for (uint64_t value : {0u, 1u, is_half(spec.type) ? 0xffffu : 0xffffffffu})
        out.push_back(make(OperandKind::Literal, 0, value));
      break;
    default:
      break;
  }
  const bool vector_source =
      is_vector_source(spec.role) || (spec.role == Role::Vsrc1 && encoding_ == Encoding::Vop3);
  if ((!is_vector_register(spec.role) && !vector_source) || spec.dwords == 0) return out;

  const bool lane_read = row_.semantic == SemanticId::v_readlane_b32 ||
                         row_.semantic == SemanticId::v_readfirstlane_b32;
  const bool scalar_only =
      (row_.semantic == SemanticId::v_readlane_b32 && spec.role == Role::Src1) ||
      (row_.semantic == SemanticId::v_writelane_b32 && vector_source);
  const bool accumulator = row_.has(kMatrix) && !unified_vgprs(target_) &&
                           (spec.role == Role::Vdst || spec.role == Role::Src2);
  const bool whole_accumulator = row_.has(kMatrix) && unified_vgprs(target_) &&
                                 (spec.role == Role::Vdst || spec.role == Role::Src2);
  if (!scalar_only) {
    const OperandKind kind = accumulator ? OperandKind::Agpr : OperandKind::Vgpr;
    if (!row_.has(kMatrix)) {
      out.push_back(make(kind, 0));
      const bool even_only = row_.unit == Unit::Gds && unified_vgprs(target_);
      out.push_back(make(kind, even(256 - dwords, even_only ? 2 : dwords)));
    } else if (!whole_accumulator && !accumulator) {
      out.push_back(make(OperandKind::Agpr, 4));
    }
  }
  const bool constants = vector_source && encoding_ != Encoding::Dpp && !lane_read && dwords <= 2 &&
                         row_.src[1].role != Role::Attribute && !row_.src[0].write &&
                         (!row_.has(kMatrix) || spec.role == Role::Src2) &&
                         encoding_ != Encoding::Literal &&
                         row_.semantic != SemanticId::v_accvgpr_write_b32;
  if (!constants || row_.has(kSparse)) return out;
  if (encoding_ != Encoding::Sdwa) inline_constants();
  // V_WRITELANE has a scalar register in source 0 already.
  const bool second = row_.semantic == SemanticId::v_writelane_b32 && spec.role == Role::Src1;
  if (!reads_vcc() && !row_.has(kMatrix) && !second) {
    sgpr(0);
    sgpr(dwords == 2 ? 100 : 101);
    sgpr(kVccLo);
  }
  return out;
}

std::vector<Instruction> Builder::instructions() const {
  std::vector<Instruction> out;
  const Instruction base = plain();
  out.push_back(base);
  for (unsigned i = 0; i < 2; ++i) {
    if (base.dst[i].kind == OperandKind::None) continue;
    for (const Operand& operand : corners(row_.dst[i])) {
      out.push_back(base);
      out.back().dst[i] = operand;
      if (row_.dst[i].role == Role::SdstMask && reads_vcc()) out.back().dst[i] = operand;
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    if (base.src[i].kind == OperandKind::None) continue;
    // The literal of a literal encoding stays.
    if (encoding_ == Encoding::Literal && base.src[i].kind == OperandKind::Literal &&
        row_.src[i].role != Role::Imm32) {
      for (uint64_t value : kLiteralCorners) {
        out.push_back(base);
        out.back().src[i].value = row_.src[i].type == Type::F64   ? value << 32
                                  : row_.src[i].type == Type::I64 ? literal_as_i64(value)
                                                                  : value;
      }
      continue;
    }
    for (const Operand& operand : corners(row_.src[i])) {
      out.push_back(base);
      out.back().src[i] = operand;
      if (row_.format == Format::Scratch && row_.src[i].role == Role::Saddr &&
          target_ != Target::Gfx942) {
        out.back().src[0] = make(OperandKind::Off, 0);  // either address, not both
      }
    }
  }
  return out;
}

std::vector<Instruction> Builder::variants(const Instruction& base, bool all) const {
  std::vector<Instruction> out;
  if (!all) return out;
  const Form form = form_of(encoding_);
  const Layout layout = layout_of(row_, form);
  const OpcodeField opcode = opcode_field(row_.format, form);
  uint64_t taken = opcode.prefix_mask | base::low_mask(opcode.width) << opcode.lo;
  const auto take = [&](Role role) {
    const Field field = field_of(layout, role);
    if (role != Role::None) taken |= base::low_mask(field.width) << field.lo;
  };
  for (const OperandSpec& spec : row_.dst) take(spec.role);
  for (const OperandSpec& spec : row_.src) take(spec.role);
  if (layout == Layout::VopExtended) taken |= 0x1ff;
  const uint64_t word = base::join32(base.words[0], base.words[1]);
  const unsigned bits = base.length == 2 && base.encoding != Encoding::Literal ? 64 : 32;
  for (unsigned i = 0; i < bits; ++i) {
    if (base::bit(taken, i)) continue;
    const uint64_t flipped = word ^ uint64_t { 1 } << i;
    const uint32_t words[2] = {base::lo32(flipped),
                               bits == 32 ? base.words[1] : base::hi32(flipped)};
    const Decoded decoded = decode(target_, words, 2);
    if (decoded.status == DecodeStatus::Legal && decoded.instruction.row == &row_) {
      out.push_back(decoded.instruction);
    }
  }
  return out;
}

}  // namespace cuvette::isa::test
