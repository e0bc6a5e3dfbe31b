// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "hsail/inst_table.h"
#include "hsail/validate_inst.h"

// Use of the arguments of a call in its arg block (HSAIL PRM 10.2).
namespace cuvette::hsail {

namespace {

struct Access {
  CodeRef variable = 0;
  Opcode opcode = Opcode::kNop;
  bool after_call = false;
  Position at;
};

struct ArgBlock {
  std::vector<Access> accesses;
  std::set<CodeRef> inputs;
  std::set<CodeRef> outputs;
  bool called = false;
  bool straight = true;  ///< no labels: the order of the text is that of execution

  void call(const Module& m, const Inst& inst) {
    called = true;
    if (inst.operands.size() < 3) return;
    for (const CodeRef v : m.operand(inst.operands[0]).codes) outputs.insert(v);
    for (const CodeRef v : m.operand(inst.operands[2]).codes) inputs.insert(v);
  }

  void check(const Module& m, std::vector<Finding>* findings) const {
    for (const Access& a : accesses) {
      const auto* v = std::get_if<Variable>(&m.code[a.variable].body);
      if (v == nullptr) continue;  // BRIG may name anything; told elsewhere
      const bool late = straight && a.after_call;
      const bool early = straight && !a.after_call;
      if (inputs.count(a.variable) != 0 && (a.opcode != Opcode::kSt || late)) {
        findings->push_back(
            {Rule::kArgumentAccess,
             "'" + v->name + "' is an input argument of the call: only stored, before it", a.at});
      } else if (outputs.count(a.variable) != 0 && (a.opcode != Opcode::kLd || early)) {
        findings->push_back(
            {Rule::kArgumentAccess,
             "'" + v->name + "' is the output argument of the call: only loaded, after it", a.at});
      }
    }
  }
};

}  // namespace

std::vector<Finding> check_actual_arguments(const Module& module, const Executable& x) {
  std::vector<Finding> findings;
  ArgBlock block;
  for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry; ++ref) {
    const CodeEntry& e = module.code[ref];
    if (e.kind == Kind::kArgBlockStart) block = {};
    if (e.kind == Kind::kLabel) block.straight = false;
    if (e.kind == Kind::kArgBlockEnd) block.check(module, &findings);
    const auto* inst = std::get_if<Inst>(&e.body);
    if (inst == nullptr) continue;
    if (is_call(inst->opcode)) block.call(module, *inst);
    if (inst->segment != Segment::kArg || inst->operands.size() != 2) continue;
    const CodeRef variable = module.operand(inst->operands[1]).symbol;
    if (variable != 0) block.accesses.push_back({variable, inst->opcode, block.called, e.at});
  }
  return findings;
}

}  // namespace cuvette::hsail
