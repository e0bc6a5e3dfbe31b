// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/brig_check.h"

#include <algorithm>
#include <map>

#include "hsail/brig_layout.h"
#include "hsail/image_constant.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

std::string structure(Kind kind) {
  return std::string(structure_name(kind));
}

bool is_constant(Kind kind) {
  return kind == Kind::kOperandConstantBytes || kind == Kind::kOperandConstantExpression ||
         kind == Kind::kOperandConstantOperandList || kind == Kind::kOperandConstantImage ||
         kind == Kind::kOperandConstantSampler;
}

/// A prefix, then a letter, then letters, digits and dots (4.6.1).
bool is_identifier(const std::string& name, char prefix) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return name.size() > 1 && name[0] == prefix && letter(name[1]) &&
         std::all_of(name.begin() + 1, name.end(),
                     [&](char c) { return letter(c) || c == '.' || (c >= '0' && c <= '9'); });
}

bool may_stand_in_instruction(Kind kind) {
  switch (kind) {
    case Kind::kOperandAddress:
    case Kind::kOperandCodeList:
    case Kind::kOperandCodeRef:
    case Kind::kOperandOperandList:
    case Kind::kOperandRegister:
    case Kind::kOperandWavesize:
      return true;
    default:
      return is_constant(kind);
  }
}

bool may_stand_in_pragma(Kind kind) {
  return is_constant(kind) || kind == Kind::kOperandRegister || kind == Kind::kOperandCodeRef ||
         kind == Kind::kOperandString || kind == Kind::kOperandWavesize;
}

bool may_stand_in_list(const Operand& list, const Operand& element) {
  const bool packed = is_packed(list.type) && !list.is_array;
  switch (list.kind) {
    case Kind::kOperandConstantExpression:
      return element.kind == Kind::kOperandCodeRef || element.kind == Kind::kOperandConstantBytes;
    case Kind::kOperandOperandList:
      return element.kind == Kind::kOperandRegister || element.kind == Kind::kOperandWavesize ||
             is_constant(element.kind);
    default:
      if (element.kind == Kind::kOperandConstantOperandList) {
        // Packed constants, and arrays in an aggregate (18.6.8).
        return !packed && (list.type == Type::kNone ? element.type != Type::kNone
                                                    : is_packed(element.type) && !element.is_array);
      }
      return is_constant(element.kind) ||
             (list.type == Type::kNone &&
              (element.kind == Kind::kOperandAlign || element.kind == Kind::kOperandZero));
  }
}

Problem constant_problem(const Operand& op) {
  if (op.type == Type::kNone || is_bit(op.type) || is_image(op.type) || op.type == Type::kSamp) {
    return {Rule::kBrigOperand, structure(op.kind) + ": type '" + std::string(name(op.type)) +
                                    "' is not the type of a constant"};
  }
  const size_t size = type_bytes(op.type);
  const bool fits =
      op.is_array ? !op.bytes.empty() && op.bytes.size() % size == 0 : op.bytes.size() == size;
  if (!fits) {
    return {Rule::kBrigOperand, structure(op.kind) + ": " + std::to_string(op.bytes.size()) +
                                    " bytes are no constant of type '" +
                                    std::string(name(op.type)) + "'" +
                                    (op.is_array ? " array" : "")};
  }
  const bool zero = std::all_of(op.bytes.begin(), op.bytes.end(), [](char c) { return c == 0; });
  if (!is_signal(op.type) || zero) return {};
  return {Rule::kSignalConstant, "the only signal constant is 0"};
}

class Checker {
 public:
  explicit Checker(const Module& module) : m_(module) {}

  BrigFinding run() {
    collect_globals();
    while (at_ < m_.code.size() && !finding_) {
      const CodeEntry& e = m_.code[at_];
      if (is_executable(e.kind)) {
        executable();
      } else {
        module_entry(e);
        ++at_;
      }
    }
    if (!finding_ && !header_)
      report(Rule::kModuleHeader, "the module has no module directive", {});
    return finding_;
  }

 private:
  using Scope = std::map<std::string, CodeRef>;

  void report(Rule rule, const std::string& what, Position at) {
    if (!finding_) finding_ = {{rule, what}, at.offset};
  }
  void report(Rule rule, const std::string& what) {
    report(rule, what, at_ < m_.code.size() ? m_.code[at_].at : Position{});
  }

  static const std::string* entry_name(const CodeEntry& e) {
    if (const auto* x = std::get_if<Executable>(&e.body)) return &x->name;
    if (const auto* v = std::get_if<Variable>(&e.body)) return &v->name;
    if (const auto* f = std::get_if<Fbarrier>(&e.body)) return &f->name;
    if (const auto* h = std::get_if<ModuleHeader>(&e.body)) return &h->name;
    if (const auto* l = std::get_if<Label>(&e.body)) return &l->name;
    return nullptr;
  }

  static bool defines(const CodeEntry& e) {
    if (const auto* x = std::get_if<Executable>(&e.body)) return x->is_definition();
    if (const auto* v = std::get_if<Variable>(&e.body)) return v->is_definition();
    if (const auto* f = std::get_if<Fbarrier>(&e.body)) {
      return (f->modifier & kVariableDefinition) != 0;
    }
    return true;
  }

  /// For each name of module scope what references have to refer to (18.5.1.1).
  void collect_globals() {
    for (CodeRef i = 1; i < m_.code.size(); ++i) {
      const std::string* name = entry_name(m_.code[i]);
      if (name == nullptr || !is_identifier(*name, '&')) continue;
      const auto [it, fresh] = globals_.emplace(*name, i);
      if (!fresh && defines(m_.code[i]) && !defines(m_.code[it->second])) it->second = i;
    }
  }

  void declare_global(const std::string& name) {
    const CodeEntry& e = m_.code[at_];
    if (!is_identifier(name, '&')) {
      return report(Rule::kNameForm, "'" + name + "' is not a name, expected & and an identifier");
    }
    const auto [it, fresh] = seen_.emplace(name, at_);
    if (fresh) return;
    const CodeEntry& before = m_.code[it->second];
    if (before.kind != e.kind || (defines(e) && defines(before))) {
      return report(Rule::kNameRepeated, "'" + name + "' is already defined");
    }
    if (defines(e)) it->second = at_;
  }

  void declare(Scope* scope, const std::string& name, char prefix) {
    if (!is_identifier(name, prefix)) {
      return report(Rule::kNameForm,
                    "'" + name + "' is not a name, expected " + prefix + " and an identifier");
    }
    if (!scope->emplace(name, at_).second)
      report(Rule::kNameRepeated, "'" + name + "' is already defined");
  }

  void global_linkage(Linkage linkage) {
    if (linkage != Linkage::kProgram && linkage != Linkage::kModule) {
      report(Rule::kBrigVariable, "the linkage is not valid, expected program or module");
    }
  }

  void module_entry(const CodeEntry& e) {
    switch (e.kind) {
      case Kind::kModule:
        if (header_) return report(Rule::kModuleHeader, "a second module directive");
        if (early_)
          return report(Rule::kModuleHeader,
                        "only comments, loc and pragma stand before the module directive");
        header_ = true;
        module_header(e.as<ModuleHeader>());
        return;
      case Kind::kComment:
      case Kind::kLoc:
      case Kind::kPragma:
        return annotation(e);
      case Kind::kNone:
        return;  // pad stands anywhere
      case Kind::kExtension:
      case Kind::kExtensionVersion:
        early_ = true;
        if (!header_)
          report(Rule::kModuleHeader,
                 "only comments, loc and pragma stand before the module directive");
        if (statements_)
          report(Rule::kExtensionOrder, "extensions stand before the first module statement");
        return;
      case Kind::kVariable: {
        module_statement();
        const Variable& v = e.as<Variable>();
        global_linkage(v.linkage);
        declare_global(v.name);  // its initialiser may have its address
        return variable(e, v);
      }
      case Kind::kFbarrier:
        module_statement();
        global_linkage(e.as<Fbarrier>().linkage);
        return declare_global(e.as<Fbarrier>().name);
      default:
        return report(Rule::kBrigOrder, structure(e.kind) + " cannot stand outside a code block");
    }
  }

  void module_statement() {
    early_ = true;
    statements_ = true;
    if (!header_)
      report(Rule::kModuleHeader,
             "only comments, loc and pragma stand before the module directive");
  }

  void module_header(const ModuleHeader& h) {
    if (h.default_round != Round::kFloatDefault && h.default_round != Round::kFloatNear &&
        h.default_round != Round::kFloatZero) {
      report(Rule::kModuleHeader, "default_float_round is default, near or zero");
    }
    declare_global(h.name);
  }

  /// 18.5.1.3, 18.5.1.10, 18.5.1.13.
  void annotation(const CodeEntry& e) {
    if (const auto* c = std::get_if<Comment>(&e.body)) {
      if (c->text.compare(0, 2, "//") != 0 || c->text.find('\n') != std::string::npos) {
        report(Rule::kBrigComment, "a comment is one line that starts with //");
      }
    } else if (const auto* p = std::get_if<Pragma>(&e.body)) {
      if (p->operands.empty()) {
        return report(Rule::kPragmaOperand, "a pragma without operands, expected its name");
      }
      // Up to 1:1 any operand may be the first one (docs/reference/decisions.md D62).
      const ModuleHeader* const header = m_.header();
      const bool named = header == nullptr || header->minor >= 2;
      if (named && m_.operand(p->operands[0]).kind != Kind::kOperandString) {
        return report(Rule::kPragmaOperand, "the first operand of a pragma is its name, a string");
      }
      for (const OperandRef ref : p->operands) {
        if (ref == 0 || !may_stand_in_pragma(m_.operand(ref).kind)) {
          return report(Rule::kPragmaOperand, "an operand of that kind cannot stand in a pragma");
        }
        if (!inside_ && is_of_code_block(m_.operand(ref))) {
          return report(Rule::kPragmaOperand,
                        "registers and labels have no meaning outside a code block");
        }
        references(ref);
      }
    }
  }

  bool is_of_code_block(const Operand& op) const {
    return op.kind == Kind::kOperandRegister ||
           (op.kind == Kind::kOperandCodeRef && op.symbol < m_.code.size() &&
            m_.code[op.symbol].kind == Kind::kLabel);
  }

  void executable() {
    const CodeEntry& e = m_.code[at_];
    const Executable& x = e.as<Executable>();
    const bool signature = e.kind == Kind::kSignature;
    module_statement();
    const size_t arguments = size_t{at_} + 1;
    const size_t first_in = arguments + x.out_arg_count;
    const size_t block = first_in + x.in_arg_count;
    if (x.first_in_arg != first_in || x.first_code_block_entry != block ||
        x.next_module_entry < block || x.next_module_entry > m_.code.size()) {
      return report(Rule::kBrigExecutable,
                    "the arguments and code block of '" + x.name +
                        "' are not where its entry says (first_in_arg, first_code_block_entry, "
                        "next_module_entry)");
    }
    if (!x.is_definition() && x.next_module_entry != block) {
      return report(Rule::kBrigExecutable,
                    "'" + x.name + "' is a declaration and has a code block");
    }
    if (signature) {
      if (!x.is_definition() || x.linkage != Linkage::kNone || x.next_module_entry != block) {
        return report(Rule::kBrigExecutable,
                      "a signature is a definition without linkage and code block");
      }
    } else {
      global_linkage(x.linkage);
    }
    if (e.kind == Kind::kKernel && x.out_arg_count != 0) {
      return report(Rule::kOutputArguments, "a kernel has no output arguments");
    }
    declare_global(x.name);
    function_.clear();
    const auto end = static_cast<CodeRef>(x.next_module_entry);
    for (++at_; at_ < block && !finding_; ++at_) formal_argument(e, x);
    if (!finding_) code_block(end);
  }

  void formal_argument(const CodeEntry& of, const Executable& x) {
    const CodeEntry& e = m_.code[at_];
    if (e.kind != Kind::kVariable)
      return report(Rule::kBrigExecutable, "expected a formal argument of '" + x.name + "'");
    const Variable& v = e.as<Variable>();
    const Segment segment = of.kind == Kind::kKernel ? Segment::kKernarg : Segment::kArg;
    if (v.segment != segment || v.modifier != kVariableDefinition || v.init != 0) {
      return report(Rule::kBrigVariable,
                    "'" + v.name + "' is not a formal argument: wrong segment or modifier");
    }
    // HSAILasm leaves the arguments of declarations without linkage.
    const bool scoped = of.kind != Kind::kSignature && x.is_definition();
    if (v.linkage != (scoped ? Linkage::kFunction : Linkage::kNone)) {
      return report(Rule::kBrigVariable, "the linkage of the formal argument '" + v.name +
                                             "' is not valid, expected " +
                                             (scoped ? "function" : "none"));
    }
    variable(e, v);
    if (v.name.empty() && of.kind == Kind::kSignature) return;
    declare(&function_, v.name, '%');
  }

  void code_block(CodeRef end) {
    labels_.clear();
    for (CodeRef i = at_; i < end; ++i) {
      if (m_.code[i].kind == Kind::kLabel) labels_.emplace(m_.code[i].as<Label>().name, i);
    }
    inside_ = true;
    block_ = false;
    for (; at_ < end && !finding_; ++at_) block_entry(m_.code[at_]);
    if (block_) report(Rule::kBrigOrder, "an arg block does not end", m_.code[end - 1].at);
    inside_ = false;
    labels_.clear();
    function_.clear();
    arguments_.clear();
  }

  void block_entry(const CodeEntry& e) {
    switch (e.kind) {
      case Kind::kArgBlockStart:
      case Kind::kArgBlockEnd:
        if (block_ == (e.kind == Kind::kArgBlockStart)) {
          return report(Rule::kBrigOrder,
                        block_ ? "arg blocks do not nest" : "the end of no arg block");
        }
        block_ = !block_;
        return arguments_.clear();
      case Kind::kComment:
      case Kind::kLoc:
      case Kind::kPragma:
        return annotation(e);
      case Kind::kNone:
        return;
      case Kind::kLabel: {
        const std::string& name = e.as<Label>().name;
        if (!is_identifier(name, '@')) {
          return report(Rule::kNameForm,
                        "'" + name + "' is not a name, expected @ and an identifier");
        }
        if (labels_.at(name) != at_)
          report(Rule::kNameRepeated, "'" + name + "' is already defined");
        return;
      }
      case Kind::kControl:
        if (block_)
          return report(Rule::kBrigOrder, "control directives cannot stand in an arg block");
        return control(e.as<Control>());
      case Kind::kFbarrier: {
        const Fbarrier& f = e.as<Fbarrier>();
        if (block_ || f.linkage != Linkage::kFunction || f.modifier != kVariableDefinition) {
          return report(Rule::kBrigVariable,
                        "'" + f.name + "' is not an fbarrier definition of a code block");
        }
        return declare(&function_, f.name, '%');
      }
      case Kind::kVariable: {
        const Variable& v = e.as<Variable>();
        const Linkage linkage = block_ ? Linkage::kArg : Linkage::kFunction;
        if (v.linkage != linkage || !v.is_definition()) {
          return report(Rule::kBrigVariable,
                        "'" + v.name + "' is not a variable definition of its scope");
        }
        variable(e, v);
        return declare(block_ ? &arguments_ : &function_, v.name, '%');
      }
      default:
        break;
    }
    if (!is_instruction(e.kind))
      return report(Rule::kBrigOrder, structure(e.kind) + " cannot stand in a code block");
    for (const OperandRef ref : e.as<Inst>().operands) {
      if (!may_stand_in_instruction(m_.operand(ref).kind)) {
        return report(Rule::kBrigOperand, "an operand of kind " + structure(m_.operand(ref).kind) +
                                              " cannot stand in an instruction");
      }
      references(ref);
    }
  }

  void control(const Control& c) {
    for (const OperandRef ref : c.operands) {
      const Kind kind = m_.operand(ref).kind;
      if (kind != Kind::kOperandConstantBytes && kind != Kind::kOperandWavesize) {
        return report(Rule::kBrigOperand,
                      "the operands of a control directive are constants or WAVESIZE");
      }
    }
  }

  /// 18.5.1.14.
  void variable(const CodeEntry& e, const Variable& v) {
    if (v.type == Type::kNone || v.type == Type::kB1) {
      return report(Rule::kVariableType,
                    "'" + std::string(name(v.type)) + "' is not a type of a variable");
    }
    if (v.segment < Segment::kGlobal || v.segment > Segment::kArg)
      return report(Rule::kBrigVariable, "'" + v.name + "' has no segment");
    if (v.align == Alignment::kNone)
      return report(Rule::kBrigVariable, "'" + v.name + "' has no alignment");
    if (!v.is_array && v.dim != 0) {
      return report(Rule::kBrigVariable, "'" + v.name + "' has a dimension and is no array");
    }
    const bool global = v.segment == Segment::kGlobal && v.allocation == Allocation::kProgram;
    const Allocation wanted = v.segment == Segment::kGlobal || v.segment == Segment::kReadonly
                                  ? Allocation::kAgent
                                  : Allocation::kAutomatic;
    if (!global && v.allocation != wanted) {
      return report(
          v.allocation == Allocation::kAgent ? Rule::kAgentAllocation : Rule::kBrigVariable,
          "the allocation of '" + v.name + "' does not belong to its segment");
    }
    if (v.init != 0) {
      if (!is_constant(m_.operand(v.init).kind)) {
        return report(Rule::kBrigOperand, "the initialiser of '" + v.name + "' is not a constant",
                      e.at);
      }
      references(v.init);
    }
  }

  /// Every entry that an operand names must be the one that its name means at this place.
  void references(OperandRef ref) {
    const Operand& op = m_.operand(ref);
    if (op.symbol != 0 || op.kind == Kind::kOperandCodeRef) {
      resolve(op, op.symbol);
      if (!finding_ && op.kind == Kind::kOperandAddress &&
          m_.code[op.symbol].kind != Kind::kVariable) {
        report(Rule::kBrigOperand, "an address refers to an entry that is no variable", op.at);
      }
    }
    for (const CodeRef code : op.codes) resolve(op, code);
    for (const OperandRef element : op.elements) references(element);
  }

  void resolve(const Operand& op, CodeRef code) {
    const std::string* name = code < m_.code.size() ? entry_name(m_.code[code]) : nullptr;
    if (name == nullptr) {
      return report(Rule::kBrigVisibility,
                    "the operand refers to an entry of hsa_code that has no name", op.at);
    }
    CodeRef found = 0;
    if (const auto label = labels_.find(*name); inside_ && label != labels_.end()) {
      found = label->second;
    }
    for (const Scope* scope : {&arguments_, &function_}) {
      const auto it = scope->find(*name);
      if (found == 0 && inside_ && it != scope->end()) found = it->second;
    }
    if (found == 0 && seen_.count(*name) != 0) found = globals_.at(*name);
    if (found != code) {
      report(Rule::kBrigVisibility,
             "the operand refers to '" + *name +
                 "', which is not visible here or has a definition elsewhere",
             op.at);
    }
  }

  const Module& m_;
  CodeRef at_ = 1;
  bool header_ = false;
  bool early_ = false;       ///< something came that stands behind the module directive
  bool statements_ = false;  ///< a module statement came
  bool inside_ = false;      ///< in a code block
  bool block_ = false;       ///< in an arg block
  Scope globals_, seen_, function_, arguments_, labels_;
  BrigFinding finding_;
};

}  // namespace

Problem operand_problem(const std::vector<Operand>& all, const Operand& op) {
  const auto bad = [](std::string what) { return Problem(Rule::kBrigOperand, std::move(what)); };
  if (op.kind == Kind::kOperandConstantBytes) return constant_problem(op);
  if (op.kind == Kind::kOperandConstantImage || op.kind == Kind::kOperandConstantSampler) {
    Problem problem = opaque_constant_problem(op);
    if (problem) problem.what.insert(0, structure(op.kind) + ": ");
    return problem;
  }
  if (op.kind == Kind::kOperandAlign && op.align == Alignment::kNone) {
    return bad("align of 0 bytes");
  }
  if (op.kind == Kind::kOperandZero && op.offset > kLargestAggregate) {
    return {Rule::kLimit, "an aggregate of more than 2^62 bytes"};
  }
  if (op.reg != 0 && all[op.reg].kind != Kind::kOperandRegister) {
    return bad("the reg of an address refers to " + structure(all[op.reg].kind));
  }
  const bool packed_list =
      op.kind == Kind::kOperandConstantOperandList && is_packed(op.type) && !op.is_array;
  if (packed_list && op.elements.size() != type_bits(op.type) / type_bits(element_type(op.type))) {
    return bad("a packed constant has one operand for each element");
  }
  for (const OperandRef ref : op.elements) {
    if (!may_stand_in_list(op, all[ref])) {
      return bad(structure(op.kind) + " cannot hold " + structure(all[ref].kind));
    }
  }
  const bool bytes = !op.elements.empty() &&
                     std::all_of(op.elements.begin(), op.elements.end(), [&](OperandRef ref) {
                       return all[ref].kind == Kind::kOperandConstantBytes;
                     });
  // 18.6.8; an aggregate may have nothing but bytes.
  if (op.kind == Kind::kOperandConstantOperandList && op.type != Type::kNone && bytes) {
    return bad(structure(op.kind) + " has nothing but bytes, expected one " +
               structure(Kind::kOperandConstantBytes));
  }
  return {};
}

BrigFinding check_structure(const Module& module) {
  return Checker(module).run();
}

}  // namespace cuvette::hsail
