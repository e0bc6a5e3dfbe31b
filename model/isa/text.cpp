// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/text.h"

#include "isa/text_parts.h"

namespace cuvette::isa {
namespace {

bool is_memory(Format format) {
  return format == Format::Smem || format >= Format::Ds;
}
bool is_vector(Format format) {
  return format >= Format::Vop2 && format <= Format::Vop3pMai;
}

const char* suffix(const Instruction& in) {
  const Row& row = *in.row;
  if (row.dst[0].role == Role::None && row.src[0].role == Role::None) return "";  // v_nop
  switch (in.encoding) {
    case Encoding::Sdwa:
      return "_sdwa";
    case Encoding::Dpp:
      return "_dpp";
    case Encoding::Vop3:
      return "_e64";
    default:
      break;
  }
  if (row.has(kE64Name)) return "_e64";
  const bool short_form = row.format == Format::Vop1 || row.format == Format::Vop2 ||
                          row.format == Format::Vopc || row.format == Format::Vintrp;
  return short_form && !row.has(kPlainName) ? "_e32" : "";
}

class Printer {
 public:
  explicit Printer(const Instruction& in) : in_(in) {
    out_ = in.row->mnemonic_on(in.target);
    out_ += suffix(in);
  }

  std::string print() {
    for (unsigned i = 0; i < 2; ++i) destination(i);
    for (unsigned i = 0; i < 4; ++i) source(i);
    if (is_memory(in_.row->format)) parts::append_memory_fields(out_, in_);
    if (is_vector(in_.row->format)) parts::append_vector_modifiers(out_, in_);
    return std::move(out_);
  }

 private:
  void separate() {
    if (in_.row->format == Format::Exp && count_ == 1) {
      out_ += ' ';  // the export target stands apart
    } else {
      out_ += count_ == 0 ? " " : ", ";
    }
    ++count_;
  }

  void destination(unsigned i) {
    const Role role = in_.row->dst[i].role;
    const Operand& operand = in_.dst[i];
    if (role == Role::None || operand.kind == OperandKind::None) return;
    // The result of these atomics comes back into the data register, which is shown once.
    if (in_.row->has(kAtomic) && (role == Role::Vdata || role == Role::Sdata)) return;
    separate();
    if (role == Role::Hwreg) {
      parts::append_immediate(out_, in_, role, static_cast<uint32_t>(operand.value));
    } else if (role == Role::ExportTarget) {
      parts::append_export_target(out_, static_cast<unsigned>(operand.value));
    } else {
      parts::append_operand(out_, operand);
    }
  }

  /// Operands that show in the text elsewhere or not at all.
  bool hidden(Role role, const Operand& operand) const {
    if (role == Role::None || role == Role::Vcc || operand.kind == OperandKind::None) return true;
    return in_.row->has(kEndsProgram) && operand.value == 0;
  }

  void source(unsigned i) {
    const Role role = in_.row->src[i].role;
    const Operand& operand = in_.src[i];
    if (hidden(role, operand)) return;
    separate();
    switch (role) {
      case Role::Simm16:
      case Role::Label:
      case Role::Hwreg:
      case Role::Message:
      case Role::Waitcnt:
      case Role::GprIdx:
        parts::append_immediate(out_, in_, role, static_cast<uint32_t>(operand.value));
        break;
      case Role::Imm32:
        if (in_.row->format == Format::Sopk) {
          parts::append_operand(out_, operand);
        } else {
          parts::append_hex(out_, operand.value);
        }
        break;
      case Role::Attribute:
        attribute();
        break;
      case Role::Soffset:
        if (operand.kind == OperandKind::Immediate) {
          parts::append_signed_hex(out_, in_.mem.offset);
        } else {
          parts::append_operand(out_, operand);
        }
        break;
      case Role::Sdata:
        if (operand.kind == OperandKind::Immediate) {
          parts::append_immediate(out_, in_, role, static_cast<uint32_t>(operand.value));
        } else {
          parts::append_operand(out_, operand);
        }
        break;
      case Role::Export0:
      case Role::Export1:
      case Role::Export2:
      case Role::Export3:
        parts::append_export_source(out_, in_, i);
        break;
      case Role::Src0:
      case Role::Src1:
      case Role::Src2:
      case Role::Vsrc1:
        if (operand.kind == OperandKind::Immediate) {
          parameter(static_cast<unsigned>(operand.value));
        } else {
          parts::append_vector_source(out_, in_, i);
        }
        break;
      default:
        parts::append_operand(out_, operand);
        break;
    }
  }

  void attribute() {
    out_ += "attr" + std::to_string(in_.mem.attribute) + '.';
    out_ += "xyzw"[in_.mem.attribute_channel & 3];
  }

  void parameter(unsigned value) {
    constexpr const char* kNames[] = {"p10", "p20", "p0"};
    out_ += value < 3 ? kNames[value] : "invalid_param_" + std::to_string(value);
  }

  const Instruction& in_;
  std::string out_;
  unsigned count_ = 0;
};

}  // namespace

std::string text(const Instruction& instruction) {
  return Printer(instruction).print();
}

}  // namespace cuvette::isa
