// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of extension cuvette:mfma (docs/reference/hsail_mfma.md).
#include <algorithm>
#include <stdexcept>

#include <llvm/IR/Intrinsics.h>

#include "finalizer/kernel_translator.h"
#include "hsail/matrix_table.h"

namespace cuvette::finalizer {

using hsail::Inst;

/// One intrinsic, which LLVM names like the machine instruction. It ignores EXEC as the machine
/// does; that all work-items execute it is the kernel's promise.
void KernelTranslator::matrix(const Inst& inst) {
  const hsail::MatrixInst& x = *hsail::matrix_inst(inst.opcode);
  const std::string problem = hsail::matrix_target_problem(module_, inst, target_.name);
  if (!problem.empty()) return fail(problem);
  const auto id = llvm::Function::lookupIntrinsicID("llvm.amdgcn." + std::string(x.machine));
  if (id == llvm::Intrinsic::not_intrinsic) {
    throw std::logic_error("LLVM has no intrinsic for " + std::string(x.machine));
  }
  llvm::FunctionType* type = llvm::Intrinsic::getType(context_, id);
  const auto source = [&](size_t index) {
    Value* value = read(inst, index, hsail::operand_type(inst, index));
    return b_.CreateBitCast(value, type->getParamType(static_cast<unsigned>(index) - 1));
  };
  std::vector<Value*> arguments = {source(1), source(2), matrix_accumulators(inst, x.results())};
  if (x.sparse) arguments.push_back(source(4));
  const hsail::MatrixModifiers modifiers = hsail::matrix_modifiers(module_, inst);
  arguments.push_back(i32(modifiers.cbsz));
  arguments.push_back(i32(modifiers.abid));
  if (!x.sparse) arguments.push_back(i32(x.has_neg() ? modifiers.neg : modifiers.blgp));
  Value* result = b_.CreateCall(llvm::Intrinsic::getDeclaration(&out_, id), arguments);
  const std::vector<hsail::OperandRef> destinations = elements(inst, 0);
  for (size_t i = 0; i < destinations.size(); ++i) {
    Value* part = destinations.size() == 1 ? result : b_.CreateExtractElement(result, i);
    write_ref(destinations[i], part, inst.type);
  }
}

/// C: a vector of all values of a work-item, or the only one.
llvm::Value* KernelTranslator::matrix_accumulators(const Inst& inst, unsigned count) {
  const std::vector<hsail::OperandRef> parts = elements(inst, 3);
  if (count == 1) return read_ref(parts[0], inst.type);
  if (parts.size() == 1) return b_.CreateVectorSplat(count, read_ref(parts[0], inst.type));
  Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(llvm_type(inst.type), count));
  for (size_t i = 0; i < parts.size(); ++i) {
    all = b_.CreateInsertElement(all, read_ref(parts[i], inst.type), i);
  }
  return all;
}

}  // namespace cuvette::finalizer
