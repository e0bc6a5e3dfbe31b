// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/validator.h"

#include <algorithm>
#include <map>
#include <set>

#include "hsail/constant_expression.h"
#include "hsail/control_directives.h"
#include "hsail/image_constant.h"
#include "hsail/inst_table.h"
#include "hsail/link.h"
#include "hsail/matrix_table.h"
#include "hsail/text.h"
#include "hsail/validate_inst.h"

namespace cuvette::hsail {

namespace {

class Validator {
 public:
  explicit Validator(const Module& module) : m_(module) {}

  std::vector<base::Error> run() {
    const ModuleHeader* header = m_.header();
    if (header == nullptr) {
      report({}, "the module has no module directive");
      return std::move(errors_);
    }
    header_ = header;
    CodeRef ref = 1;
    while (ref < m_.code.size()) {
      const CodeEntry& e = m_.code[ref];
      same_name(ref);
      if (is_executable(e.kind)) {
        executable(ref);
        ref = std::max(ref + 1, e.as<Executable>().next_module_entry);
        continue;
      }
      if (e.kind == Kind::kVariable) module_variable(e);
      if (e.kind == Kind::kPragma) pragma(e);
      if (e.kind == Kind::kExtension || e.kind == Kind::kExtensionVersion) {
        if (const Finding f = check_extension(m_, e)) report(f.at, f.what);
      }
      ++ref;
    }
    for (const Finding& f : check_indirect(m_)) report(f.at, f.what);
    if (errors_.empty()) {  // these walk along calls and read values
      for (const Finding& f : check_limits(m_)) report(f.at, f.what);
      definitions();
    }
    return std::move(errors_);
  }

 private:
  void report(Position at, const std::string& what) {
    if (errors_.size() >= kMaxErrors) return;
    base::Location where;
    where.file = m_.file;
    where.line = at.line;
    where.column = at.column;
    where.offset = at.offset;
    errors_.emplace_back(what, where);
  }

  /// Name and linkage of what has one at module scope.
  static std::pair<std::string, Linkage> symbol(const CodeEntry& e) {
    if (const auto* v = std::get_if<Variable>(&e.body)) return {v->name, v->linkage};
    if (const auto* f = std::get_if<Fbarrier>(&e.body)) return {f->name, f->linkage};
    if (const auto* x = std::get_if<Executable>(&e.body)) return {x->name, x->linkage};
    return {};
  }

  /// 4.3.2, 4.3.3, 4.3.8, 4.12: whatever has the name of something before is the same thing.
  void same_name(CodeRef ref) {
    const auto [name, linkage] = symbol(m_.code[ref]);
    if (name.empty()) return;
    const auto [before, fresh] = names_.emplace(name, ref);
    if (fresh) return;
    const std::string where = place_text(m_.code[before->second].at);
    if (linkage != symbol(m_.code[before->second]).second) {
      report(m_.code[ref].at, "'" + name + "' has another linkage at " + where);
    } else if (!is_compatible(m_, before->second, ref)) {
      report(m_.code[ref].at, "'" + name + "' is not what it is at " + where);
    }
  }

  /// 4.12.2: what module linkage declares is defined in the module.
  void definitions() {
    std::map<std::string, bool> defined;
    for (CodeRef ref = 1; ref < m_.code.size(); ++ref) {
      const auto [name, linkage] = symbol(m_.code[ref]);
      if (!name.empty() && linkage == Linkage::kModule)
        defined[name] |= is_definition(m_.code[ref]);
    }
    for (const auto& [name, has] : defined) {
      if (has) continue;
      report(m_.code[names_.at(name)].at,
             "'" + name + "' of module linkage is declared and not defined in the module");
    }
  }
  static bool is_definition(const CodeEntry& e) {
    if (const auto* v = std::get_if<Variable>(&e.body)) return v->is_definition();
    if (const auto* f = std::get_if<Fbarrier>(&e.body))
      return (f->modifier & kVariableDefinition) != 0;
    const auto* x = std::get_if<Executable>(&e.body);
    return x == nullptr || x->is_definition() || e.kind == Kind::kSignature;
  }

  void module_variable(const CodeEntry& e) {
    const Variable& v = e.as<Variable>();
    if (v.segment != Segment::kGlobal && v.segment != Segment::kReadonly &&
        v.segment != Segment::kGroup && v.segment != Segment::kPrivate) {
      report(e.at, "a module variable cannot be in segment '" + std::string(name(v.segment)) + "'");
    }
    variable(e, v);
  }

  /// 4.3.8, 4.3.10, 4.10.
  void variable(const CodeEntry& e, const Variable& v) {
    const bool initialised = v.init != 0;
    const bool constant_segment = v.segment == Segment::kGlobal || v.segment == Segment::kReadonly;
    if (alignment_bytes(v.align) < type_bytes(v.type)) {
      report(e.at, "the alignment of '" + v.name + "' is below the natural one, " +
                       std::to_string(type_bytes(v.type)));
    }
    if (header_->profile == Profile::kBase && element_type(v.type) == Type::kF64) {
      report(e.at, "type 'f64' is not available in the base profile");
    }
    if (initialised && !(constant_segment && v.is_definition())) {
      report(e.at, "only definitions in global and readonly segments have initialisers");
    }
    if ((v.modifier & kVariableConst) != 0) {
      if (!constant_segment) {
        report(e.at, "'const' is for global and readonly variables");
      } else if (v.is_definition() && !initialised) {
        report(e.at, "the constant '" + v.name + "' needs an initialiser");
      }
    }
    if (v.allocation == Allocation::kAgent && !constant_segment) {
      report(e.at, "'alloc(agent)' is for global variables");
    }
    if (v.is_array && v.dim == 0 && v.is_definition()) {
      report(e.at, "the array '" + v.name + "' needs a size or an initialiser");
    }
    if (v.dim > kLargestVariable / std::max(1u, type_bytes(v.type))) {
      report(e.at, "'" + v.name + "' is larger than 1 GiB");
      return;
    }
    if (initialised) initializer(e, v);
  }

  /// 4.8.4: typed constants, align and zero; something besides align.
  std::string aggregate_problem(const Operand& op) const {
    bool values = false;
    for (const OperandRef ref : op.elements) {
      const Operand& item = m_.operand(ref);
      if (item.kind == Kind::kOperandAlign) continue;
      values = true;
      if (item.kind == Kind::kOperandConstantBytes || item.kind == Kind::kOperandZero) continue;
      if (is_opaque_constant(item)) {
        const std::string problem = opaque_constant_problem(item);
        if (!problem.empty()) return problem;
        continue;
      }
      const std::string problem = item_problem(item);
      if (!problem.empty()) return problem;
    }
    return values ? "" : "an aggregate needs at least one value";
  }

  /// A constant expression, or an array with one or of handles.
  std::string item_problem(const Operand& item) const {
    if (item.kind == Kind::kOperandConstantExpression) return expression_problem(m_, item);
    if (item.kind != Kind::kOperandConstantOperandList || !item.is_array) {
      return "an aggregate has typed constants, align and zero";
    }
    for (const OperandRef ref : item.elements) {
      const Operand& element = m_.operand(ref);
      if (element.type != item.type) return "the elements of an array have its type";
      if (element.kind == Kind::kOperandConstantBytes) continue;
      const std::string problem = is_opaque_constant(element) ? opaque_constant_problem(element)
                                                              : expression_problem(m_, element);
      if (!problem.empty()) return problem;
    }
    return "";
  }

  void pragma(const CodeEntry& e) {
    for (const OperandRef ref : e.as<Pragma>().operands) {
      const Operand& op = m_.operand(ref);
      std::string problem;
      if (op.kind == Kind::kOperandConstantExpression) {
        problem = expression_problem(m_, op);
      } else if (op.kind == Kind::kOperandConstantOperandList) {
        problem = op.is_array ? item_problem(op) : aggregate_problem(op);
      }
      if (!problem.empty()) report(e.at, problem);
    }
  }

  static bool is_opaque_constant(const Operand& op) {
    return op.kind == Kind::kOperandConstantImage || op.kind == Kind::kOperandConstantSampler;
  }

  /// 7.1.7, 7.1.8: a constant of the variable's type, or an array of such.
  std::string handle_problem(const Variable& v, const Operand& init) const {
    if (v.is_array) {
      if (init.kind != Kind::kOperandConstantOperandList || !init.is_array || init.type != v.type) {
        return "expected an array constant of its type";
      }
      for (const OperandRef ref : init.elements) {
        const std::string problem = one_handle_problem(v, m_.operand(ref));
        if (!problem.empty()) return problem;
      }
      return "";
    }
    return one_handle_problem(v, init);
  }
  static std::string one_handle_problem(const Variable& v, const Operand& constant) {
    if (!is_opaque_constant(constant) || constant.type != v.type) {
      return "expected a constant of type '" + std::string(name(v.type)) + "'";
    }
    return opaque_constant_problem(constant);
  }

  /// Whether an initialiser has a value that agents have for themselves.
  bool needs_agent(const Operand& init) const {
    if (init.kind == Kind::kOperandConstantExpression) return is_agent_expression(m_, init);
    return is_opaque_constant(init) ||
           std::any_of(init.elements.begin(), init.elements.end(),
                       [&](OperandRef ref) { return needs_agent(m_.operand(ref)); });
  }

  uint64_t constant_size(const Operand& op) const {
    if (op.kind == Kind::kOperandConstantBytes) return op.bytes.size();
    if (op.kind == Kind::kOperandZero) return op.offset;
    if (op.kind != Kind::kOperandConstantOperandList) return type_bytes(op.type);
    uint64_t size = 0;
    for (const OperandRef ref : op.elements) {
      const Operand& item = m_.operand(ref);
      const uint64_t n = std::max(1u, alignment_bytes(item.align));
      size = item.kind == Kind::kOperandAlign ? (size + n - 1) / n * n : size + constant_size(item);
    }
    return size;
  }

  /// 18.6.1: whether a constant of that kind and type may stand for the variable.
  std::string initializer_problem(const Variable& v, const Operand& init) const {
    if (is_image(v.type) || v.type == Type::kSamp) return handle_problem(v, init);
    if (init.kind == Kind::kOperandConstantOperandList && init.is_array) {
      const bool fits = v.is_array && init.type == v.type && is_integer(v.type);
      return fits ? item_problem(init) : "expected a constant of its type";
    }
    if (init.kind == Kind::kOperandConstantOperandList) {
      if (!v.is_array || !is_bit(v.type)) {
        return "an aggregate initialises arrays of bit types only";
      }
      return aggregate_problem(init);
    }
    if (init.kind == Kind::kOperandConstantExpression) {
      const std::string problem = expression_problem(m_, init);
      if (!problem.empty()) return problem;
    }
    if (v.is_array) {
      return init.is_array && init.type == v.type ? "" : "expected an array constant of its type";
    }
    const bool same_size = !init.is_array && type_bits(init.type) == type_bits(v.type);
    const bool fits = is_bit(v.type) ? same_size && (v.type != Type::kB128 || is_packed(init.type))
                      : is_integer(v.type) ? same_size && is_integer(init.type)
                                           : !init.is_array && init.type == v.type;
    return fits ? ""
                : "a constant of type '" + std::string(name(init.type)) + "' is not valid here";
  }

  void initializer(const CodeEntry& e, const Variable& v) {
    const Operand& init = m_.operand(v.init);
    const std::string problem = initializer_problem(v, init);
    if (!problem.empty()) return report(e.at, "the initialiser of '" + v.name + "': " + problem);
    const bool program = v.segment == Segment::kGlobal && v.allocation != Allocation::kAgent;
    if (program && needs_agent(init)) {
      report(e.at, "the initialiser of '" + v.name +
                       "' has constants that differ between agents, which need alloc(agent)");
    }
    const uint64_t size = constant_size(init);
    const uint64_t wanted = type_bytes(v.type) * (v.is_array ? v.dim : 1);
    if (size != wanted) {
      report(e.at, "the initialiser of '" + v.name + "' has " + std::to_string(size) +
                       " bytes, the variable has " + std::to_string(wanted));
    }
  }

  void executable(CodeRef ref) {
    const CodeEntry& e = m_.code[ref];
    const Executable& x = e.as<Executable>();
    for (CodeRef i = ref + 1; i < x.first_code_block_entry; ++i) {
      if (m_.code[i].kind != Kind::kVariable) continue;
      const Variable& v = m_.code[i].as<Variable>();
      const bool last = i + 1 == x.first_code_block_entry;
      if (alignment_bytes(v.align) < type_bytes(v.type)) {
        report(m_.code[i].at, "the alignment of '" + v.name + "' is below the natural one, " +
                                  std::to_string(type_bytes(v.type)));
      }
      if (v.is_array && v.dim == 0 && (e.kind == Kind::kKernel || !last)) {
        report(m_.code[i].at, "the array '" + v.name + "' needs a size");
      }
      if (v.dim > kLargestVariable / std::max(1u, type_bytes(v.type))) {
        report(m_.code[i].at, "'" + v.name + "' is larger than 1 GiB");
      }
    }
    if (x.out_arg_count > 1) report(e.at, "a function has at most one output argument");
    code_block(x);
  }

  /// Marks which arg block each entry is in: 0 outside.
  std::map<CodeRef, unsigned> label_blocks(const Executable& x) const {
    std::map<CodeRef, unsigned> blocks;
    unsigned count = 0;
    unsigned current = 0;
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      if (m_.code[i].kind == Kind::kArgBlockStart) current = ++count;
      if (m_.code[i].kind == Kind::kArgBlockEnd) current = 0;
      if (m_.code[i].kind == Kind::kLabel) blocks[i] = current;
    }
    return blocks;
  }

  void code_block(const Executable& x) {
    const auto labels = label_blocks(x);
    enum { kControls, kDefinitions, kStatements } stage = kControls;
    unsigned blocks = 0;
    unsigned block = 0;
    unsigned calls = 0;
    std::set<CodeRef> unused;  // of the arg block, by its call
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const CodeEntry& e = m_.code[i];
      if (is_instruction(e.kind) || e.kind == Kind::kLabel) stage = kStatements;
      switch (e.kind) {
        case Kind::kArgBlockStart:
          stage = kStatements;
          block = ++blocks;
          calls = 0;
          break;
        case Kind::kArgBlockEnd:
          if (calls != 1) report(e.at, "an arg block has exactly one call");
          for (const CodeRef v : unused) {
            report(m_.code[v].at, "'" + m_.code[v].as<Variable>().name +
                                      "' is no argument of the call of its arg block");
          }
          unused.clear();
          block = 0;
          break;
        case Kind::kPragma:
          pragma(e);
          break;
        case Kind::kControl:
          if (stage != kControls) {
            report(e.at, "control directives stand at the start of the code block");
          }
          control(e);
          break;
        case Kind::kVariable:
        case Kind::kFbarrier:
          if (block == 0 && stage == kStatements) {
            report(e.at, "definitions stand before the first statement");
          }
          stage = std::max(stage, kDefinitions);
          if (e.kind == Kind::kVariable) local_variable(e, block != 0);
          if (e.kind == Kind::kVariable && block != 0) unused.insert(i);
          break;
        default:
          break;
      }
      if (!is_instruction(e.kind)) continue;
      if (const Finding f = check_inst(m_, *header_, e)) report(f.at, f.what);
      const Inst& inst = e.as<Inst>();
      if (is_matrix(inst.opcode) && !has_extension(m_, kMatrixExtension)) {
        report(e.at, "'" + inst_name(inst) + "' needs the extension \"cuvette:mfma\"");
      }
      if (is_call(inst.opcode)) {
        ++calls;
        if (block == 0) report(e.at, "a call stands in an arg block");
        call(e);
        actual_arguments(e, &unused);
      }
      formal_access(x, e);
      if ((inst.opcode == Opcode::kRet || inst.opcode == Opcode::kAlloca) && block != 0)
        report(e.at, "'" + std::string(name(inst.opcode)) + "' cannot stand in an arg block");
      branches(e, labels, block);
    }
    registers(x);
    if (const Finding f = check_matrix_block(m_, x)) report(f.at, f.what);
    for (const Finding& f : check_actual_arguments(m_, x)) report(f.at, f.what);
  }

  void local_variable(const CodeEntry& e, bool in_arg_block) {
    const Variable& v = e.as<Variable>();
    const bool arg = v.segment == Segment::kArg;
    if (arg != in_arg_block || v.segment == Segment::kKernarg) {
      report(e.at,
             "a variable in segment '" + std::string(name(v.segment)) + "' cannot be defined here");
    }
    variable(e, v);
  }

  void branches(const CodeEntry& e, const std::map<CodeRef, unsigned>& labels, unsigned block) {
    const auto check = [&](CodeRef target, Position at) {
      const auto found = labels.find(target);
      if (found == labels.end()) {
        report(at, "the branch target is no label of this code block");
      } else if (found->second != block) {
        report(at, "a branch cannot enter or leave an arg block");
      }
    };
    const Inst& inst = e.as<Inst>();
    if (inst.opcode != Opcode::kBr && inst.opcode != Opcode::kCbr && inst.opcode != Opcode::kSbr)
      return;
    if (inst.operands.empty()) return;
    const Operand& target = m_.operand(inst.operands.back());
    if (target.kind == Kind::kOperandCodeRef) check(target.symbol, target.at);
    for (const CodeRef c : target.codes) check(c, target.at);
  }

  /// 10.6 to 10.8: functions, or a signature, whose formal arguments match the actual ones.
  void call(const CodeEntry& e) {
    const Inst& inst = e.as<Inst>();
    const bool direct = inst.opcode == Opcode::kCall;
    if (inst.operands.size() != (direct ? 3u : 4u)) return;
    for (const size_t i : {0, 2}) {
      for (const CodeRef code : m_.operand(inst.operands[i]).codes) {
        const auto* v = std::get_if<Variable>(&m_.code[code].body);
        if (v == nullptr || v->segment != Segment::kArg) {
          return report(e.at, "the arguments of a call are variables in segment 'arg'");
        }
      }
    }
    const Operand& target = m_.operand(inst.operands[direct ? 1 : 3]);
    std::vector<CodeRef> callees = target.codes;
    if (inst.opcode != Opcode::kScall) callees = {target.symbol};
    if (callees.empty()) return report(e.at, "scall needs a list of functions");
    for (const CodeRef callee : callees) {
      const Kind kind = m_.code[callee].kind;
      const bool signature = inst.opcode == Opcode::kIcall;
      if (signature ? kind != Kind::kSignature
                    : kind != Kind::kFunction && kind != Kind::kIndirectFunction) {
        return report(e.at, signature ? "icall needs a signature" : "a call needs a function");
      }
      if (!arguments(e, callee)) return;
    }
  }

  /// 10.2: every variable of the arg block is an argument of its call, once.
  void actual_arguments(const CodeEntry& e, std::set<CodeRef>* unused) {
    const Inst& inst = e.as<Inst>();
    for (const size_t list : {0, 2}) {
      if (inst.operands.size() <= list) return;
      for (const CodeRef v : m_.operand(inst.operands[list]).codes) {
        if (unused->erase(v) != 0) continue;
        return report(e.at, "each argument of a call is another variable of its arg block");
      }
    }
  }

  /// 10.2: a function loads its input arguments and stores its output argument.
  void formal_access(const Executable& x, const CodeEntry& e) {
    const Inst& inst = e.as<Inst>();
    if (inst.segment != Segment::kArg || inst.operands.size() != 2) return;
    const CodeRef symbol = m_.operand(inst.operands[1]).symbol;
    const bool input = symbol >= x.first_in_arg && symbol < x.first_in_arg + x.in_arg_count;
    const bool output = symbol < x.first_in_arg && symbol + x.out_arg_count >= x.first_in_arg;
    if (input && inst.opcode != Opcode::kLd) {
      report(e.at, "an input argument of a function is only loaded");
    } else if (output && inst.opcode != Opcode::kSt) {
      report(e.at, "the output argument of a function is only stored");
    }
  }

  /// Whether the actual arguments of a call match those of `callee` (10.2).
  bool arguments(const CodeEntry& e, CodeRef callee) {
    const Inst& inst = e.as<Inst>();
    const Executable& x = m_.code[callee].as<Executable>();
    const std::vector<CodeRef>& out = m_.operand(inst.operands[0]).codes;
    const std::vector<CodeRef>& in = m_.operand(inst.operands[2]).codes;
    if (out.size() != x.out_arg_count || in.size() != x.in_arg_count) {
      report(e.at, "'" + x.name + "' takes " + std::to_string(x.out_arg_count) + " output and " +
                       std::to_string(x.in_arg_count) + " input arguments, found " +
                       std::to_string(out.size()) + " and " + std::to_string(in.size()));
      return false;
    }
    for (size_t i = 0; i < out.size() + in.size(); ++i) {
      const bool output = i < out.size();
      const CodeRef formal_ref =
          static_cast<CodeRef>(output ? callee + 1 + i : x.first_in_arg + (i - out.size()));
      const Variable& actual = m_.code[output ? out[i] : in[i - out.size()]].as<Variable>();
      const Variable& formal = m_.code[formal_ref].as<Variable>();
      const bool variadic = formal.is_array && formal.dim == 0;
      if (actual.type == formal.type && actual.is_array == formal.is_array &&
          actual.align == formal.align && (variadic || actual.dim == formal.dim)) {
        continue;
      }
      report(e.at, "'" + actual.name + "' has not the type of argument " + std::to_string(i + 1) +
                       " of '" + x.name + "'");
      return false;
    }
    return true;
  }

  void control(const CodeEntry& e) {
    if (const Finding f = check_control(m_, e)) return report(f.at, f.what);
    const Control& c = e.as<Control>();
    const bool exceptions = c.control == ControlDirective::kEnableBreakExceptions ||
                            c.control == ControlDirective::kEnableDetectExceptions;
    if (exceptions && header_->profile == Profile::kBase) {
      report(e.at, "exception policies are not available in the base profile");
    }
  }

  /// 4.7: by highest number, not by count.
  void registers(const Executable& x) {
    int highest[4] = {-1, -1, -1, -1};
    Position where[4];
    const auto visit = [&](auto&& self, OperandRef ref) -> void {
      const Operand& op = m_.operand(ref);
      if (op.kind == Kind::kOperandRegister) {
        const auto k = static_cast<size_t>(op.reg_kind) & 3;
        if (op.reg_num > highest[k]) {
          highest[k] = op.reg_num;
          where[k] = op.at;
        }
      }
      if (op.reg != 0) self(self, op.reg);
      if (op.kind == Kind::kOperandOperandList) {
        for (const OperandRef element : op.elements) self(self, element);
      }
    };
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      if (!is_instruction(m_.code[i].kind)) continue;
      for (const OperandRef ref : m_.code[i].as<Inst>().operands) visit(visit, ref);
    }
    if (highest[0] > 127) report(where[0], "control registers end at $c127");
    const int used = highest[1] + 1 + 2 * (highest[2] + 1) + 4 * (highest[3] + 1);
    if (used > 2048) {
      const size_t largest = highest[3] >= 0 ? 3 : highest[2] >= 0 ? 2 : 1;
      report(where[largest], "the code block uses " + std::to_string(used) +
                                 " register slots (s + 2 d + 4 q by highest number), at most 2048");
    }
  }

  std::map<std::string, CodeRef> names_;  ///< of module scope, first mention
  const Module& m_;
  const ModuleHeader* header_ = nullptr;
  std::vector<base::Error> errors_;
};

}  // namespace

std::vector<base::Error> validate(const Module& module) {
  return Validator(module).run();
}

}  // namespace cuvette::hsail
