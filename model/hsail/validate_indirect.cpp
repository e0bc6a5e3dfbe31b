// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Limits of indirect functions towards the kernels that call them (HSAIL PRM 10.8): kernels may
// be finalized before them.
#include <set>

#include "hsail/validate_inst.h"

namespace cuvette::hsail {

namespace {

class IndirectCheck {
 public:
  explicit IndirectCheck(const Module& module) : m_(module) {}

  std::vector<Finding> run() {
    for (CodeRef i = 1; i < m_.code.size(); ++i) {
      if (m_.code[i].kind == Kind::kIndirectFunction) enter(i);
    }
    // The list grows behind the present entry.
    for (size_t i = 0; i < reached_.size(); ++i) executable(reached_[i]);
    return std::move(findings_);
  }

 private:
  void enter(CodeRef function) {
    const auto* x = std::get_if<Executable>(&m_.code[function].body);
    if (x != nullptr && x->is_definition() && seen_.insert(function).second) {
      reached_.push_back(function);
    }
  }

  void executable(CodeRef function) {
    const Executable& x = m_.code[function].as<Executable>();
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const CodeEntry& e = m_.code[i];
      const auto* v = std::get_if<Variable>(&e.body);
      if (v != nullptr && v->segment == Segment::kGroup) {
        refuse(x, e.at, "defines group variable '" + v->name + "'");
      }
      if (const auto* f = std::get_if<Fbarrier>(&e.body)) {
        refuse(x, e.at, "defines fbarrier '" + f->name + "'");
      }
      if (const auto* inst = std::get_if<Inst>(&e.body)) instruction(x, *inst, e.at);
    }
  }

  void instruction(const Executable& x, const Inst& inst, const Position& at) {
    for (const OperandRef ref : inst.operands) {
      const Operand& operand = m_.operand(ref);
      const bool calls = inst.opcode == Opcode::kCall || inst.opcode == Opcode::kScall;
      for (const CodeRef code : operand.codes) {
        if (calls) enter(code);
      }
      if (operand.symbol == 0) continue;
      if (calls) enter(operand.symbol);
      const auto& body = m_.code[operand.symbol].body;
      const auto* v = std::get_if<Variable>(&body);
      const bool counts =
          v != nullptr && (v->segment == Segment::kGroup || v->segment == Segment::kPrivate);
      if (counts && is_module_scope(*v)) refuse(x, at, "refers to '" + v->name + "'");
      const auto* f = std::get_if<Fbarrier>(&body);
      if (f != nullptr && is_module_scope(*f)) refuse(x, at, "refers to '" + f->name + "'");
    }
  }

  template <class T>
  static bool is_module_scope(const T& symbol) {
    return symbol.linkage == Linkage::kProgram || symbol.linkage == Linkage::kModule;
  }

  void refuse(const Executable& x, const Position& at, const std::string& what) {
    findings_.push_back(
        {Rule::kIndirectFunction,
         "'" + x.name + "' " + what +
             ": indirect functions and what they call have no group variables, no fbarriers and no "
             "private variables of module scope",
         at});
  }

  const Module& m_;
  std::set<CodeRef> seen_;
  std::vector<CodeRef> reached_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_indirect(const Module& module) {
  return IndirectCheck(module).run();
}

}  // namespace cuvette::hsail
