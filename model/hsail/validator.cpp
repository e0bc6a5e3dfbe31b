// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/validator.h"

#include <algorithm>
#include <map>
#include <set>

#include "hsail/control_directives.h"
#include "hsail/inst_table.h"
#include "hsail/link.h"
#include "hsail/matrix_table.h"
#include "hsail/text.h"
#include "hsail/validate_inst.h"
#include "hsail/vendor_instructions.h"

namespace cuvette::hsail {

namespace {

class Validator {
 public:
  explicit Validator(const Module& module) : m_(module) {}

  Verdict run() {
    const ModuleHeader* header = m_.header();
    if (header == nullptr) {
      report(Rule::kModuleHeader, {}, "the module has no module directive");
      return std::move(out_);
    }
    header_ = header;
    ExtensionCheck extensions(m_);
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
      if (e.kind == Kind::kLoc) location(e);
      if (e.kind == Kind::kPragma) {
        for (const Finding& f : check_pragma(m_, e)) report(f);
      }
      if (e.kind == Kind::kExtension || e.kind == Kind::kExtensionVersion) {
        if (const Finding f = extensions.run(e)) report(f);
      }
      ++ref;
    }
    for (const Finding& f : check_indirect(m_)) report(f);
    if (out_.errors.empty()) {  // these walk along calls and read values
      for (const Finding& f : check_limits(m_)) report(f);
      definitions();
    }
    return std::move(out_);
  }

 private:
  void report(const Finding& finding) {
    std::vector<base::Error>& list = finding.machine ? out_.machine : out_.errors;
    if (list.size() < kMaxErrors) list.push_back(finding_error(m_, finding));
  }
  void report(Rule rule, Position at, const std::string& what) { report({rule, what, at}); }

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
    names_.emplace(name, ref);
    const auto [before, fresh] = known_.emplace(name, ref);
    if (fresh) return;
    const std::string where = place_text(m_.code[before->second].at);
    if (linkage != symbol(m_.code[before->second]).second) {
      report(Rule::kLinkageMismatch, m_.code[ref].at,
             "'" + name + "' has another linkage at " + where);
    } else if (!is_compatible(m_, before->second, ref)) {
      report(Rule::kDeclarationMismatch, m_.code[ref].at,
             "'" + name + "' is not what it is at " + where);
    } else if (says_more(m_, before->second, ref)) {
      before->second = ref;
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
      report(Rule::kDefinitionMissing, m_.code[names_.at(name)].at,
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

  /// 13.2.
  void location(const CodeEntry& e) {
    const Loc& loc = e.as<Loc>();
    if (loc.line != 0 && loc.column != 0) return;
    report(Rule::kLoc, e.at, "line and column of 'loc' count from 1");
  }

  void module_variable(const CodeEntry& e) {
    const Variable& v = e.as<Variable>();
    if (v.segment != Segment::kGlobal && v.segment != Segment::kReadonly &&
        v.segment != Segment::kGroup && v.segment != Segment::kPrivate) {
      report(Rule::kVariableSegment, e.at,
             "a module variable cannot be in segment '" + std::string(name(v.segment)) + "'");
    }
    variable(e, v);
  }

  /// 4.3.8, 4.3.10, 4.10.
  void variable(const CodeEntry& e, const Variable& v) {
    const bool initialised = v.init != 0;
    const bool constant_segment = v.segment == Segment::kGlobal || v.segment == Segment::kReadonly;
    if (alignment_bytes(v.align) < type_bytes(v.type)) {
      report(Rule::kVariableAlignment, e.at,
             "the alignment of '" + v.name + "' is below the natural one, " +
                 std::to_string(type_bytes(v.type)));
    }
    const Problem type = variable_type_problem(m_, v);
    if (type) report(type.rule, e.at, type.what);
    if (initialised && !(constant_segment && v.is_definition())) {
      report(Rule::kInitialiserPlace, e.at,
             "only definitions in global and readonly segments have initialisers");
    }
    if ((v.modifier & kVariableConst) != 0) {
      if (!constant_segment) {
        report(Rule::kConstVariable, e.at, "'const' is for global and readonly variables");
      } else if (v.is_definition() && !initialised) {
        report(Rule::kConstVariable, e.at, "the constant '" + v.name + "' needs an initialiser");
      }
    }
    if (v.allocation == Allocation::kAgent && !constant_segment) {
      report(Rule::kAgentAllocation, e.at, "'alloc(agent)' is for global variables");
    }
    if (v.is_array && v.dim == 0 && v.is_definition()) {
      report(Rule::kArraySize, e.at, "the array '" + v.name + "' needs a size or an initialiser");
    }
    if (size_limit(e.at, v) || !initialised) return;
    if (const Problem constant = constant_type_problem(m_, v.init); constant && !type) {
      report(constant.rule, e.at, constant.what);
    }
    for (const Finding& f : check_initializer(m_, e)) report(f);
  }

  /// True if a variable has too many bytes: for any machine, or for those here.
  bool size_limit(const Position& at, const Variable& v) {
    const uint64_t bytes = std::max(1u, type_bytes(v.type));
    if (v.dim > UINT64_MAX / bytes) {
      report(Rule::kArraySize, at, "'" + v.name + "' has more than 2^64 - 1 bytes");
    } else if (v.dim > kLargestVariable / bytes) {
      report(Finding::of_machine(Rule::kLimit, "'" + v.name + "' is larger than 1 GiB", at));
    } else {
      return false;
    }
    return true;
  }

  void executable(CodeRef ref) {
    const CodeEntry& e = m_.code[ref];
    const Executable& x = e.as<Executable>();
    for (CodeRef i = ref + 1; i < x.first_code_block_entry; ++i) {
      if (m_.code[i].kind != Kind::kVariable) continue;
      const Variable& v = m_.code[i].as<Variable>();
      // Variadic is the last input argument only (10.2, 10.4).
      const bool last = x.in_arg_count != 0 && i + 1 == x.first_code_block_entry;
      if (const Problem p = variable_type_problem(m_, v)) report(p.rule, m_.code[i].at, p.what);
      if (alignment_bytes(v.align) < type_bytes(v.type)) {
        report(Rule::kVariableAlignment, m_.code[i].at,
               "the alignment of '" + v.name + "' is below the natural one, " +
                   std::to_string(type_bytes(v.type)));
      }
      if (v.is_array && v.dim == 0 && (e.kind == Kind::kKernel || !last)) {
        report(Rule::kArraySize, m_.code[i].at, "the array '" + v.name + "' needs a size");
      }
      size_limit(m_.code[i].at, v);
    }
    if (x.out_arg_count > 1)
      report(Rule::kOutputArguments, e.at, "a function has at most one output argument");
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
    bool begun = false;        // a statement of the arg block came
    std::set<CodeRef> unused;  // of the arg block, by its call
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const CodeEntry& e = m_.code[i];
      if (is_instruction(e.kind) || e.kind == Kind::kLabel) {
        stage = kStatements;
        begun = true;
      }
      switch (e.kind) {
        case Kind::kArgBlockStart:
          stage = kStatements;
          block = ++blocks;
          calls = 0;
          begun = false;
          break;
        case Kind::kArgBlockEnd:
          if (calls != 1) report(Rule::kArgBlock, e.at, "an arg block has exactly one call");
          for (const CodeRef v : unused) {
            report(Rule::kArgumentVariable, m_.code[v].at,
                   "'" + m_.code[v].as<Variable>().name +
                       "' is no argument of the call of its arg block");
          }
          unused.clear();
          block = 0;
          break;
        case Kind::kPragma:
          for (const Finding& f : check_pragma(m_, e)) report(f);
          break;
        case Kind::kLoc:
          location(e);
          break;
        case Kind::kControl:
          if (stage != kControls) {
            report(Rule::kStatementOrder, e.at,
                   "control directives stand at the start of the code block");
          }
          control(e);
          break;
        case Kind::kVariable:
        case Kind::kFbarrier:
          if (block != 0 ? begun : stage == kStatements) {
            report(Rule::kStatementOrder, e.at, "definitions stand before the first statement");
          }
          stage = std::max(stage, kDefinitions);
          if (e.kind == Kind::kVariable) local_variable(e, block != 0);
          if (e.kind == Kind::kVariable && block != 0) unused.insert(i);
          break;
        default:
          break;
      }
      if (!is_instruction(e.kind)) continue;
      if (const Finding f = check_inst(m_, *header_, e)) {
        report(f);
      } else if (const Finding unnamed = check_unnamed_address(m_, e)) {
        report(unnamed);
      }
      const Inst& inst = e.as<Inst>();
      if (is_matrix(inst.opcode) && !has_extension(m_, kMatrixExtension)) {
        report(Rule::kMatrixExtension, e.at,
               "'" + inst_name(inst) + "' needs the extension \"cuvette:mfma\"");
      }
      amd_extension(e, inst);
      if (is_call(inst.opcode)) {
        ++calls;
        if (block == 0) report(Rule::kArgBlock, e.at, "a call stands in an arg block");
        call(e);
        actual_arguments(e, &unused);
      }
      formal_access(x, e);
      if ((inst.opcode == Opcode::kRet || inst.opcode == Opcode::kAlloca) && block != 0)
        report(Rule::kArgBlockStatement, e.at,
               "'" + std::string(name(inst.opcode)) + "' cannot stand in an arg block");
      branches(e, labels, block);
    }
    registers(x);
    if (const Finding f = check_matrix_block(m_, x)) report(f);
    for (const Finding& f : check_actual_arguments(m_, x)) report(f);
  }

  /// One message for a module that does not declare an extension of AMD.
  void amd_extension(const CodeEntry& e, const Inst& inst) {
    const VendorInst* const vendor = find_vendor_inst(inst.opcode);
    if (vendor == nullptr || amd_told_.count(vendor->extension) != 0) return;
    const std::string problem = vendor_problem(m_, *vendor, inst_name(inst));
    if (problem.empty()) return;
    amd_told_.insert(vendor->extension);
    report(vendor_rule(vendor->extension), e.at, problem);
  }

  void local_variable(const CodeEntry& e, bool in_arg_block) {
    const Variable& v = e.as<Variable>();
    const bool arg = v.segment == Segment::kArg;
    if (arg != in_arg_block || v.segment == Segment::kKernarg) {
      report(Rule::kVariableSegment, e.at,
             "a variable in segment '" + std::string(name(v.segment)) + "' cannot be defined here");
    }
    variable(e, v);
  }

  void branches(const CodeEntry& e, const std::map<CodeRef, unsigned>& labels, unsigned block) {
    const auto check = [&](CodeRef target, Position at) {
      const auto found = labels.find(target);
      if (found == labels.end()) {
        report(Rule::kBranchTarget, at, "the branch target is no label of this code block");
      } else if (found->second != block) {
        report(Rule::kArgBlockStatement, at, "a branch cannot enter or leave an arg block");
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
          return report(Rule::kArgumentVariable, e.at,
                        "the arguments of a call are variables in segment 'arg'");
        }
      }
    }
    const Operand& target = m_.operand(inst.operands[direct ? 1 : 3]);
    std::vector<CodeRef> callees = target.codes;
    if (inst.opcode != Opcode::kScall) callees = {target.symbol};
    if (callees.empty()) return report(Rule::kCallTarget, e.at, "scall needs a list of functions");
    for (const CodeRef callee : callees) {
      const Kind kind = m_.code[callee].kind;
      const bool signature = inst.opcode == Opcode::kIcall;
      if (signature ? kind != Kind::kSignature
                    : kind != Kind::kFunction && kind != Kind::kIndirectFunction) {
        return report(Rule::kCallTarget, e.at,
                      signature ? "icall needs a signature" : "a call needs a function");
      }
      if (!arguments(e, callee)) return;
      if (same_sizes(callees[0], callee)) continue;
      return report(Rule::kArgumentMatch, e.at,
                    "the functions of an scall have the same formal arguments, those of '" +
                        m_.code[callee].as<Executable>().name + "' are others");
    }
  }

  /// For functions that match the same actual arguments: true if the formal ones are the same, too
  /// (10.7.1). Only sizes can differ, where one of them is variadic (10.4).
  bool same_sizes(CodeRef one, CodeRef other) const {
    const Executable& x = m_.code[one].as<Executable>();
    for (CodeRef i = 1; i <= CodeRef{x.out_arg_count} + x.in_arg_count; ++i) {
      if (m_.code[one + i].as<Variable>().dim != m_.code[other + i].as<Variable>().dim)
        return false;
    }
    return true;
  }

  /// 10.2: every variable of the arg block is an argument of its call, once.
  void actual_arguments(const CodeEntry& e, std::set<CodeRef>* unused) {
    const Inst& inst = e.as<Inst>();
    for (const size_t list : {0, 2}) {
      if (inst.operands.size() <= list) return;
      for (const CodeRef v : m_.operand(inst.operands[list]).codes) {
        if (unused->erase(v) != 0) continue;
        return report(Rule::kArgumentVariable, e.at,
                      "each argument of a call is another variable of its arg block");
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
      report(Rule::kArgumentAccess, e.at, "an input argument of a function is only loaded");
    } else if (output && inst.opcode != Opcode::kSt) {
      report(Rule::kArgumentAccess, e.at, "the output argument of a function is only stored");
    }
  }

  /// True if the actual arguments of a call match those of `callee` (10.2).
  bool arguments(const CodeEntry& e, CodeRef callee) {
    const Inst& inst = e.as<Inst>();
    const Executable& x = m_.code[callee].as<Executable>();
    const std::vector<CodeRef>& out = m_.operand(inst.operands[0]).codes;
    const std::vector<CodeRef>& in = m_.operand(inst.operands[2]).codes;
    if (out.size() != x.out_arg_count || in.size() != x.in_arg_count) {
      report(Rule::kArgumentMatch, e.at,
             "'" + x.name + "' takes " + std::to_string(x.out_arg_count) + " output and " +
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
      report(Rule::kArgumentMatch, e.at,
             "'" + actual.name + "' has not the type of argument " + std::to_string(i + 1) +
                 " of '" + x.name + "'");
      return false;
    }
    return true;
  }

  void control(const CodeEntry& e) {
    if (const Finding f = check_control(m_, e)) return report(f);
    const Control& c = e.as<Control>();
    const bool exceptions = c.control == ControlDirective::kEnableBreakExceptions ||
                            c.control == ControlDirective::kEnableDetectExceptions;
    // 13.5: the bits of exceptions that the profile does not have are 0, others are not looked at.
    if (exceptions && header_->profile == Profile::kBase &&
        (m_.constant(c.operands[0]) & kAllExceptions) != 0) {
      report(Finding::of_machine(Rule::kBaseProfile,
                                 "exception policies are not available in the base profile", e.at));
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
    if (highest[0] > 127) report(Rule::kRegisterBudget, where[0], "control registers end at $c127");
    const int used = highest[1] + 1 + 2 * (highest[2] + 1) + 4 * (highest[3] + 1);
    if (used > 2048) {
      const size_t largest = highest[3] >= 0 ? 3 : highest[2] >= 0 ? 2 : 1;
      report(Rule::kRegisterBudget, where[largest],
             "the code block uses " + std::to_string(used) +
                 " register slots (s + 2 d + 4 q by highest number), at most 2048");
    }
  }

  std::map<std::string, CodeRef> names_;  ///< of module scope, first mention
  std::map<std::string, CodeRef> known_;  ///< the same, what says most of the size
  const Module& m_;
  const ModuleHeader* header_ = nullptr;
  std::set<std::string_view> amd_told_;  ///< extensions
  Verdict out_;
};

}  // namespace

Verdict check(const Module& module) {
  return Validator(module).run();
}

std::vector<base::Error> validate(const Module& module) {
  Verdict verdict = check(module);
  std::vector<base::Error>& all = verdict.errors;
  for (base::Error& e : verdict.machine) {
    if (all.size() < kMaxErrors) all.push_back(std::move(e));
  }
  return std::move(all);
}

base::Error finding_error(const Module& module, const Finding& finding) {
  const Position& at = finding.at;
  return rule_error(finding, {module.file_of(at), at.line, at.column, at.offset});
}

uint64_t constant_value(const Operand& op) {
  uint64_t v = 0;
  for (size_t i = 0; i < op.bytes.size() && i < 8; ++i) {
    v |= uint64_t{static_cast<uint8_t>(op.bytes[i])} << (8 * i);
  }
  return v;
}

}  // namespace cuvette::hsail
