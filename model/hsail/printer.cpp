// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/inst_table.h"
#include "hsail/literal.h"
#include "hsail/print_constant.h"
#include "hsail/text.h"

namespace cuvette::hsail {

namespace {

class Printer {
 public:
  explicit Printer(const Module& module, FloatNotation floats = FloatNotation::kBits)
      : m_(module), floats_(floats) {}

  std::string module() {
    CodeRef ref = 1;
    while (ref < m_.code.size()) ref = entry(ref, "");
    return std::move(out_);
  }

  std::string statement(CodeRef ref) {
    const CodeEntry& e = m_.code[ref];
    if (const auto* inst = std::get_if<Inst>(&e.body)) return instruction(*inst);
    if (const auto* v = std::get_if<Variable>(&e.body)) return variable(*v) + initializer(*v) + ";";
    if (const auto* l = std::get_if<Label>(&e.body)) return l->name + ":";
    if (const auto* x = std::get_if<Executable>(&e.body)) return executable_head(e.kind, *x, ref);
    return directive(e);
  }

 private:
  /// Prints the entry and what belongs to it; the next entry's index.
  CodeRef entry(CodeRef ref, const std::string& indent) {
    const CodeEntry& e = m_.code[ref];
    if (is_executable(e.kind)) return executable(ref);
    if (e.kind == Kind::kArgBlockStart || e.kind == Kind::kArgBlockEnd) {
      out_ += indent + (e.kind == Kind::kArgBlockStart ? "{\n" : "}\n");
      return ref + 1;
    }
    out_ += (e.kind == Kind::kLabel ? "" : indent) + statement(ref) + "\n";
    return ref + 1;
  }

  CodeRef executable(CodeRef ref) {
    const CodeEntry& e = m_.code[ref];
    const Executable& x = e.as<Executable>();
    out_ += "\n" + executable_head(e.kind, x, ref);
    if (e.kind == Kind::kSignature || !x.is_definition()) {
      out_ += ";\n";
      return x.next_module_entry;
    }
    out_ += "\n{\n";
    std::string indent = "\t";
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry;) {
      if (m_.code[i].kind == Kind::kArgBlockEnd) indent.pop_back();
      const bool opens = m_.code[i].kind == Kind::kArgBlockStart;
      i = entry(i, indent);
      if (opens) indent += '\t';
    }
    out_ += "};\n";
    return x.next_module_entry;
  }

  std::string executable_head(Kind kind, const Executable& x, CodeRef ref) {
    std::string text;
    if (kind != Kind::kSignature) {
      if (!x.is_definition()) text += "decl ";
      if (x.linkage == Linkage::kProgram) text += "prog ";
    }
    text += kind == Kind::kKernel             ? "kernel "
            : kind == Kind::kFunction         ? "function "
            : kind == Kind::kIndirectFunction ? "indirect function "
                                              : "signature ";
    text += x.name;
    if (kind != Kind::kKernel) text += arguments(ref + 1, x.out_arg_count);
    return text + arguments(x.first_in_arg, x.in_arg_count);
  }

  std::string arguments(CodeRef first, unsigned count) {
    std::string text = "(";
    for (unsigned i = 0; i < count; ++i) {
      text += i == 0 ? "\n\t" : ",\n\t";
      text += variable(m_.code[first + i].as<Variable>());
    }
    return text + ")";
  }

  std::string variable(const Variable& v) {
    std::string text;
    const bool module_scope = v.linkage == Linkage::kProgram || v.linkage == Linkage::kModule;
    if (module_scope && !v.is_definition()) text += "decl ";
    if (v.linkage == Linkage::kProgram) text += "prog ";
    if (v.segment == Segment::kGlobal && v.allocation == Allocation::kAgent)
      text += "alloc(agent) ";
    if (alignment_bytes(v.align) != type_bytes(v.type)) {
      text += "align(" + std::to_string(alignment_bytes(v.align)) + ") ";
    }
    if ((v.modifier & kVariableConst) != 0) text += "const ";
    text += name(v.segment);
    text += "_";
    text += name(v.type);
    if (!v.name.empty()) text += " " + v.name;
    if (v.is_array) text += v.dim == 0 ? "[]" : "[" + std::to_string(v.dim) + "]";
    return text;
  }

  std::string initializer(const Variable& v) {
    if (v.init == 0) return "";
    return " = " + print_constant(m_, v.init, v.is_array ? Type::kNone : v.type, floats_);
  }

  std::string directive(const CodeEntry& e) {
    switch (e.kind) {
      case Kind::kModule: {
        const auto& h = e.as<ModuleHeader>();
        return "module " + h.name + ":" + std::to_string(h.major) + ":" + std::to_string(h.minor) +
               (h.profile == Profile::kFull ? ":$full" : ":$base") +
               (h.machine_model == MachineModel::kLarge ? ":$large" : ":$small") +
               (h.default_round == Round::kFloatZero   ? ":$zero;"
                : h.default_round == Round::kFloatNear ? ":$near;"
                                                       : ":$default;");
      }
      case Kind::kExtension:
        return "extension " + quote_string(e.as<Extension>().name) + ";";
      case Kind::kExtensionVersion: {
        const auto& x = e.as<Extension>();
        return "extension " + quote_string(x.name) + ":" + std::to_string(x.major) + ":" +
               std::to_string(x.minor) + ";";
      }
      case Kind::kFbarrier: {
        const auto& f = e.as<Fbarrier>();
        return std::string((f.modifier & kVariableDefinition) == 0 ? "decl " : "") +
               (f.linkage == Linkage::kProgram ? "prog " : "") + "fbarrier " + f.name + ";";
      }
      case Kind::kComment:
        return e.as<Comment>().text;
      case Kind::kLoc: {
        const auto& l = e.as<Loc>();
        // Without a name in the text it is that of the last one.
        const bool named = !l.file.empty() || !loc_file_.empty();
        loc_file_ = l.file;
        return "loc " + std::to_string(l.line) + " " + std::to_string(l.column) +
               (named ? " " + quote_string(l.file) : "") + ";";
      }
      case Kind::kControl: {
        const auto& c = e.as<Control>();
        std::string text(name(c.control));
        const Type type = c.control == ControlDirective::kMaxFlatGridSize ||
                                  c.control == ControlDirective::kRequiredGridSize
                              ? Type::kU64
                              : Type::kU32;
        for (size_t i = 0; i < c.operands.size(); ++i) {
          text += (i == 0 ? " " : ", ") + operand(c.operands[i], type);
        }
        return text + ";";
      }
      case Kind::kPragma: {
        std::string text = "pragma";
        const auto& operands = e.as<Pragma>().operands;
        for (size_t i = 0; i < operands.size(); ++i) {
          const Operand& op = m_.operand(operands[i]);
          const bool number = op.kind == Kind::kOperandConstantBytes && op.type == Type::kU64;
          text += (i == 0 ? " " : ", ") + operand(operands[i], number ? Type::kU64 : Type::kNone);
        }
        return text + ";";
      }
      default: {
        const uint32_t words = e.as<Marker>().pad_words;
        return words == 0 ? "pad;" : "pad " + std::to_string(words) + ";";
      }
    }
  }

  std::string operand(OperandRef ref, Type type) {
    const Operand& op = m_.operand(ref);
    switch (op.kind) {
      case Kind::kOperandRegister:
        return std::string("$") + register_letter(op.reg_kind) + std::to_string(op.reg_num);
      case Kind::kOperandWavesize:
        return "WAVESIZE";
      case Kind::kOperandString:
        return quote_string(op.bytes);
      case Kind::kOperandCodeRef:
        return code_name(op.symbol);
      case Kind::kOperandCodeList: {
        std::string text;
        for (size_t i = 0; i < op.codes.size(); ++i) {
          text += (i == 0 ? "" : ", ") + code_name(op.codes[i]);
        }
        return text;
      }
      case Kind::kOperandOperandList: {
        std::string text = "(";
        for (size_t i = 0; i < op.elements.size(); ++i) {
          text += (i == 0 ? "" : ", ") + operand(op.elements[i], type);
        }
        return text + ")";
      }
      case Kind::kOperandAddress:
        return address(op);
      default:
        return print_constant(m_, ref, type, floats_);
    }
  }

  std::string code_name(CodeRef ref) const {
    const CodeEntry& e = m_.code[ref];
    if (const auto* x = std::get_if<Executable>(&e.body)) return x->name;
    if (const auto* v = std::get_if<Variable>(&e.body)) return v->name;
    if (const auto* l = std::get_if<Label>(&e.body)) return l->name;
    if (const auto* f = std::get_if<Fbarrier>(&e.body)) return f->name;
    if (const auto* h = std::get_if<ModuleHeader>(&e.body)) return h->name;
    return "?";
  }

  std::string address(const Operand& op) {
    std::string text;
    if (op.symbol != 0) text += "[" + code_name(op.symbol) + "]";
    const bool negative = static_cast<int64_t>(op.offset) < 0;
    const std::string offset = std::to_string(negative ? 0 - op.offset : op.offset);
    if (op.reg != 0) {
      text += "[" + operand(op.reg, Type::kNone);
      if (op.offset != 0) text += (negative ? "-" : "+") + offset;
      text += "]";
    } else if (op.offset != 0 || op.symbol == 0) {
      text += std::string("[") + (negative ? "-" : "") + offset + "]";
    }
    return text;
  }

  std::string vector_suffix(const Inst& inst) const {
    for (const OperandRef ref : inst.operands) {
      const Operand& op = m_.operand(ref);
      if (op.kind == Kind::kOperandOperandList) return "_v" + std::to_string(op.elements.size());
    }
    return {};
  }

  /// Coordinates may be a list where the data is not.
  std::string vector_suffix_of_data(const Inst& inst) const {
    const Operand& data = m_.operand(inst.operands[0]);
    return data.kind == Kind::kOperandOperandList ? "_v" + std::to_string(data.elements.size())
                                                  : "";
  }

  std::string suffixes(const Inst& inst, Syntax syntax) const {
    std::string text;
    const auto add = [&text](std::string_view piece) {
      if (!piece.empty()) text.append("_").append(piece);
    };
    const auto segment = [&] {
      if (inst.segment != Segment::kFlat) add(name(inst.segment));
    };
    const auto align = [&] {
      if (inst.align != Alignment::k1) {
        add("align(" + std::to_string(alignment_bytes(inst.align)) + ")");
      }
    };
    const auto alu = [&] {
      if ((inst.modifier & kAluFtz) != 0) add("ftz");
      if (inst.opcode != Opcode::kCvt || inst.round != default_round(inst)) add(name(inst.round));
      add(inst.opcode == Opcode::kCvt && is_packed(inst.type) ? "pp" : name(inst.pack));
      if ((inst.modifier & kAluIntegerSat) != 0) add("sat");
    };
    const auto equiv = [&] {
      if (inst.equiv_class != 0) add("equiv(" + std::to_string(inst.equiv_class) + ")");
    };
    switch (syntax) {
      case Syntax::kArith:
      case Syntax::kCvt:
        alu();
        break;
      case Syntax::kCmp:
        add(name(inst.compare));
        alu();
        break;
      case Syntax::kVector:
        text += vector_suffix(inst);
        break;
      case Syntax::kLoad:
      case Syntax::kStore:
        text += vector_suffix(inst);
        segment();
        align();
        if ((inst.modifier & kMemConst) != 0) add("const");
        equiv();
        if (inst.width != Width::kNone && inst.width != Width::k1) {
          add("width(" + width_text(inst.width) + ")");
        }
        if ((inst.modifier & kMemNonTemporal) != 0) add("nt");
        break;
      case Syntax::kAddress:
        segment();
        break;
      case Syntax::kSegment:
        segment();
        if ((inst.modifier & kSegCvtNoNull) != 0) add("nonull");
        break;
      case Syntax::kAlloca:
        align();
        break;
      case Syntax::kSignal:
        add(name(inst.atomic_op));
        add(name(inst.order));
        break;
      case Syntax::kQueue:
        segment();
        add(name(inst.order));
        break;
      case Syntax::kAtomic:
        add(name(inst.atomic_op));
        segment();
        add(name(inst.order));
        add(name(inst.scope));
        equiv();
        break;
      case Syntax::kFence:
        add(name(inst.order));
        add(name(inst.scope));
        break;
      case Syntax::kLane:
        text += vector_suffix(inst);
        if (inst.width != Width::k1) add("width(" + width_text(inst.width) + ")");
        break;
      case Syntax::kBranch:
      case Syntax::kBarrier:
      case Syntax::kFbarrier:
        if (inst.width != (syntax == Syntax::kBranch    ? Width::k1
                           : syntax == Syntax::kBarrier ? Width::kAll
                                                        : Width::kWavesize)) {
          add("width(" + width_text(inst.width) + ")");
        }
        break;
      case Syntax::kImage:
        text += vector_suffix_of_data(inst);
        add(name(inst.geometry));
        equiv();
        break;
      case Syntax::kQueryImage:
        add(name(inst.geometry));
        add(name(inst.image_query));
        break;
      case Syntax::kQuerySampler:
        add(name(inst.sampler_query));
        break;
      case Syntax::kMatrix:
      case Syntax::kUntyped:
        return text;
      case Syntax::kPlain:
      case Syntax::kTwoTypes:
      case Syntax::kBare:
      case Syntax::kRegion:
        break;
    }
    add(name(inst.type));
    add(name(inst.source_type));
    add(name(inst.coord_type));
    return text;
  }

  std::string instruction(const Inst& inst) {
    const InstRows rows = inst_rows(inst.opcode);
    std::string text(name(inst.opcode));
    if (rows.first == rows.last) return text + " (not supported)";
    text += suffixes(inst, rows.first->syntax);
    if (is_call(inst.opcode) && inst.operands.size() >= 3) {
      text += "\t" + operand(inst.operands[1], inst.type) + " (" +
              operand(inst.operands[0], Type::kNone) + ") (" +
              operand(inst.operands[2], Type::kNone) + ")";
      if (inst.operands.size() > 3) {
        const std::string last = operand(inst.operands[3], Type::kNone);
        text += inst.opcode == Opcode::kScall ? " [" + last + "]" : " " + last;
      }
      return text + ";";
    }
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      const bool labels = operand_role(inst, i) == Role::kLabels;
      const std::string value = operand(inst.operands[i], operand_type(inst, i));
      text += i == 0 ? "\t" : labels ? " " : ", ";
      text += labels ? "[" + value + "]" : value;
    }
    return text + ";";
  }

  const Module& m_;
  FloatNotation floats_;
  std::string loc_file_;  // of the last `loc`
  std::string out_;
};

}  // namespace

std::string print(const Module& module, FloatNotation floats) {
  return Printer(module, floats).module();
}
std::string print_entry(const Module& module, CodeRef ref) {
  return Printer(module).statement(ref);
}

}  // namespace cuvette::hsail
