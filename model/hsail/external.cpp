// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/external.h"

#include <algorithm>
#include <set>

#include "hsail/layout.h"
#include "hsail/machine_model.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

const Variable* variable_at(const Module& m, CodeRef entry) {
  return std::get_if<Variable>(&m.code[entry].body);
}

/// Every name that an operand, and what it is made of, refers to.
void collect(const Module& m, OperandRef ref, std::set<CodeRef>* symbols) {
  const Operand& operand = m.operand(ref);
  if (operand.symbol != 0) symbols->insert(operand.symbol);
  for (const OperandRef element : operand.elements) collect(m, element, symbols);
}

/// Symbols that the code and the initialisers of a program refer to. Functions that nothing reaches
/// do not count, and a call without a target is reported by the linker.
std::set<CodeRef> referenced(const Module& m) {
  std::set<CodeRef> symbols;
  std::set<CodeRef> executables;
  for (CodeRef i = 1; i < m.code.size(); ++i) {
    if (const Variable* v = variable_at(m, i); v != nullptr && v->init != 0) {
      collect(m, v->init, &symbols);
    }
    const bool root = m.code[i].kind == Kind::kKernel || m.code[i].kind == Kind::kIndirectFunction;
    if (!root || !m.code[i].as<Executable>().is_definition()) continue;
    const auto found = reachable(m, i);
    if (found.ok()) executables.insert(found->begin(), found->end());
  }
  for (const CodeRef executable : executables) {
    const Executable& x = m.code[executable].as<Executable>();
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const auto* inst = std::get_if<Inst>(&m.code[i].body);
      if (inst == nullptr) continue;
      for (const OperandRef o : inst->operands) collect(m, o, &symbols);
    }
  }
  return symbols;
}

/// Reason why a name cannot be an external one.
std::string refusal(const Module& m, const std::string& name) {
  for (CodeRef i = 1; i < m.code.size(); ++i) {
    const auto* x = std::get_if<Executable>(&m.code[i].body);
    if (x != nullptr && x->name == name) return "it is no variable";
    const Variable* v = variable_at(m, i);
    if (v == nullptr || v->name != name) continue;
    if (v->segment != Segment::kGlobal && v->segment != Segment::kReadonly) {
      return "it is in segment '" + std::string(hsail::name(v->segment)) + "'";
    }
    if (v->linkage != Linkage::kProgram) return "it has module linkage";
    return "the program defines it";
  }
  return "the program does not declare it";
}

}  // namespace

bool is_external(const Module& m, CodeRef entry) {
  const Variable* v = variable_at(m, entry);
  if (v == nullptr || v->linkage != Linkage::kProgram || v->is_definition()) return false;
  if (v->segment != Segment::kGlobal && v->segment != Segment::kReadonly) return false;
  return std::none_of(m.code.begin(), m.code.end(), [&](const CodeEntry& e) {
    const auto* other = std::get_if<Variable>(&e.body);
    return other != nullptr && other->is_definition() && other->linkage == Linkage::kProgram &&
           other->name == v->name;
  });
}

base::Result<VariableAddresses> place_externals(const Module& m,
                                                const hsa::ExternalVariables& externals) {
  VariableAddresses addresses;
  std::set<std::string> used;
  std::set<CodeRef> needed;
  bool have_needed = false;
  for (CodeRef i = 1; i < m.code.size(); ++i) {
    if (!is_external(m, i)) continue;
    const Variable& v = m.code[i].as<Variable>();
    const auto found = externals.find(v.name);
    if (found == externals.end()) {
      if (!have_needed) needed = referenced(m);
      have_needed = true;
      if (needed.count(i) == 0) continue;
      const Position& at = m.code[i].at;
      return base::Error("variable '" + v.name +
                             "' has no definition in the program, expected one, or 'externals' to "
                             "say where it lies",
                         {m.file_of(at), at.line, at.column, at.offset});
    }
    const hsa::ExternalVariable& external = found->second;
    const uint64_t bytes = variable_bytes(v);
    if (external.bytes < bytes) {
      return base::Error("external variable '" + v.name + "' has " +
                             std::to_string(external.bytes) + " bytes there, expected " +
                             std::to_string(bytes),
                         external.where);
    }
    const uint64_t alignment = std::max(1u, alignment_bytes(v.align));
    if (external.address % alignment != 0) {
      return base::Error("external variable '" + v.name + "' does not lie at a multiple of " +
                             std::to_string(alignment) + " bytes",
                         external.where);
    }
    if (m.machine_model() == MachineModel::kSmall &&
        external.address > hsa::kSmallModelEnd - std::max<uint64_t>(bytes, 1)) {
      return base::Error("external variable '" + v.name +
                             "' lies at or above 4 GiB, expected 32-bit addresses (small machine "
                             "model)",
                         external.where);
    }
    used.insert(v.name);
    addresses[i] = external.address;
  }
  for (const auto& [name, external] : externals) {
    if (used.count(name) != 0) continue;
    return base::Error("'" + name + "' cannot be an external variable: " + refusal(m, name) +
                           ", expected a declaration such as 'decl prog global_u32 " + name +
                           "' without definition",
                       external.where);
  }
  return addresses;
}

}  // namespace cuvette::hsail
