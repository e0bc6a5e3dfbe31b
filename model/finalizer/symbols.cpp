// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/symbols.h"

#include <algorithm>

#include <llvm/IR/Constants.h>

#include "base/bits.h"
#include "finalizer/llvm_target.h"
#include "hsail/layout.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Kind;

namespace {

constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 28;

/// The bytes of an initialiser (HSAIL PRM 4.10). Errors: forms without fixed bytes.
base::Status append_bytes(const hsail::Module& module, hsail::OperandRef ref, std::string& out) {
  const hsail::Operand& operand = module.operand(ref);
  switch (operand.kind) {
    case Kind::kOperandConstantBytes:
      out += operand.bytes;
      break;
    case Kind::kOperandZero:
      if (operand.offset > kMaxVariableBytes - std::min(kMaxVariableBytes, out.size()))
        return error_at(module, operand.at, "initialiser larger than 256 MiB");
      out.append(operand.offset, '\0');
      break;
    case Kind::kOperandAlign: {
      const uint64_t align = std::max(1u, hsail::alignment_bytes(operand.align));
      out.append(base::align_up(out.size(), align) - out.size(), '\0');
      break;
    }
    case Kind::kOperandConstantOperandList:
      for (hsail::OperandRef element : operand.elements)
        if (auto status = append_bytes(module, element, out); !status) return status;
      break;
    case Kind::kOperandConstantImage:
    case Kind::kOperandConstantSampler:
      return error_at(module, operand.at,
                      "the finalizer does not support image and sampler constants");
    default:
      return error_at(
          module, operand.at,
          "the finalizer does not support this kind of initialiser, expected constants");
  }
  return {};
}

}  // namespace

base::Error error_at(const hsail::Module& module, hsail::Position at, const std::string& what) {
  base::Location where;
  where.file = module.file_of(at);
  where.line = at.line;
  where.column = at.column;
  where.offset = at.offset;
  return base::Error(what, where);
}

uint64_t variable_align(const hsail::Variable& variable) {
  return std::max({1u, hsail::alignment_bytes(variable.align), hsail::type_bytes(variable.type)});
}

base::Status Symbols::define(const hsail::Module& module) {
  for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref) {
    if (module.code[ref].kind != Kind::kVariable) continue;
    const auto& variable = module.code[ref].as<hsail::Variable>();
    if (!variable.is_definition()) continue;
    if (variable.segment != hsail::Segment::kGlobal &&
        variable.segment != hsail::Segment::kReadonly)
      continue;
    if (auto status = define_variable(module, ref); !status) return status;
  }
  return {};
}

base::Status Symbols::define_variable(const hsail::Module& module, hsail::CodeRef ref) {
  const hsail::CodeEntry& entry = module.code[ref];
  const auto& variable = entry.as<hsail::Variable>();
  const bool program = variable.linkage == hsail::Linkage::kProgram;
  if (program && by_name_.count(variable.name) != 0)
    return error_at(module, entry.at, "second definition of program variable " + variable.name);

  const uint64_t bytes = hsail::variable_bytes(variable);
  if (bytes > kMaxVariableBytes)
    return error_at(module, entry.at, "variable " + variable.name + " is larger than 256 MiB");
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(out_.getContext()), bytes);
  llvm::Constant* initialiser = llvm::Constant::getNullValue(type);
  if (variable.init != 0) {
    std::string contents;
    if (auto status = append_bytes(module, variable.init, contents); !status) return status;
    if (contents.size() != bytes)
      return error_at(module, entry.at,
                      "initialiser of " + variable.name + " has " +
                          std::to_string(contents.size()) + " bytes, expected " +
                          std::to_string(bytes));
    initialiser =
        llvm::ConstantDataArray::getRaw(contents, bytes, llvm::Type::getInt8Ty(out_.getContext()));
  }
  const bool constant = variable.init != 0 && (variable.modifier & hsail::kVariableConst) != 0;
  const unsigned address_space =
      variable.segment == hsail::Segment::kReadonly ? kConstantSpace : kGlobalSpace;
  auto* global = new llvm::GlobalVariable(out_, type, constant, llvm::GlobalValue::ExternalLinkage,
                                          initialiser, variable.name.substr(1), nullptr,
                                          llvm::GlobalValue::NotThreadLocal, address_space,
                                          /*isExternallyInitialized=*/!constant);
  // Module linkage: other modules cannot name it, the host finds it in the symbol table all the
  // same.
  if (program)
    global->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  else
    global->setLinkage(llvm::GlobalValue::InternalLinkage);
  global->setAlignment(llvm::Align(variable_align(variable)));
  by_entry_[{&module, ref}] = global;
  if (program) by_name_[variable.name] = global;
  return {};
}

llvm::GlobalVariable* Symbols::find(const hsail::Module& module, hsail::CodeRef variable) const {
  if (auto found = by_entry_.find({&module, variable}); found != by_entry_.end())
    return found->second;
  const auto& entry = module.code[variable].as<hsail::Variable>();
  // A declaration and its definition may stand in the same module (18.5.1.1).
  for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref)
    if (module.code[ref].kind == Kind::kVariable &&
        module.code[ref].as<hsail::Variable>().name == entry.name)
      if (auto found = by_entry_.find({&module, ref}); found != by_entry_.end())
        return found->second;
  if (auto found = by_name_.find(entry.name); found != by_name_.end()) return found->second;
  return nullptr;
}

}  // namespace cuvette::finalizer
