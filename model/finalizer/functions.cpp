// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Functions and calls (HSAIL PRM chapter 10). Input arguments are only stored before a call and
// only loaded in the function, output arguments the other way round (10.2), so both sides can work
// on the caller's variables.
#include <map>

#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Inst;
using hsail::Kind;
using hsail::Type;

namespace {

constexpr unsigned kKernargParameter = 0;
constexpr unsigned kPrivateParameter = 1;
constexpr unsigned kGroupParameter = 2;
constexpr unsigned kFirstArgument = 3;  // output, then inputs

constexpr unsigned kMostNested = 256;

}  // namespace

KernelTranslator::KernelTranslator(const KernelTranslator& caller, CodeRef function)
    : module_(caller.module_),
      kernel_(function),
      symbols_(caller.symbols_),
      out_(caller.out_),
      target_(caller.target_),
      context_(caller.context_),
      b_(caller.context_),
      layout_(caller.layout_),
      checks_stack_(caller.checks_stack_),
      any_kernel_(caller.any_kernel_),
      functions_(caller.functions_),
      kernel_name_(caller.kernel_name_),
      limits_(caller.limits_),
      detect_(caller.detect_),
      break_(caller.break_) {
  end_ = module_.code[function].as<hsail::Executable>().next_module_entry;
}

llvm::FunctionType* KernelTranslator::function_type(CodeRef executable) {
  const auto& header = module_.code[executable].as<hsail::Executable>();
  auto* pointer = llvm::PointerType::get(context_, kPrivateSpace);
  std::vector<llvm::Type*> types(kFirstArgument + header.out_arg_count + header.in_arg_count,
                                 pointer);
  types[kKernargParameter] = b_.getInt64Ty();
  types[kGroupParameter] = b_.getInt32Ty();
  return llvm::FunctionType::get(b_.getVoidTy(), types, false);
}

void KernelTranslator::bind_parameters() {
  const auto& header = module_.code[kernel_].as<hsail::Executable>();
  kernarg_ = function_->getArg(kKernargParameter);
  module_private_ = function_->getArg(kPrivateParameter);
  group_segment_ = function_->getArg(kGroupParameter);
  unsigned next = kFirstArgument;
  for (CodeRef i = 0; i < header.out_arg_count; ++i)
    private_variables_[kernel_ + 1 + i] = function_->getArg(next++);
  for (CodeRef i = 0; i < header.in_arg_count; ++i)
    private_variables_[header.first_in_arg + i] = function_->getArg(next++);
  entry_ = llvm::BasicBlock::Create(context_, "entry", function_);
  b_.SetInsertPoint(entry_);
}

/// Its own translation comes later and fills it.
llvm::Function* KernelTranslator::indirect_function(CodeRef ref) {
  llvm::Function*& shared = symbols_.indirect_function(module_, ref);
  if (shared == nullptr) {
    shared = llvm::Function::Create(function_type(ref), llvm::GlobalValue::ExternalLinkage,
                                    symbols_.names().of(ref), out_);
    shared->setVisibility(llvm::GlobalValue::ProtectedVisibility);
    set_function_attributes(*shared);
  }
  functions_->any_handle = true;
  return shared;
}

/// The declaration is there before the body, so that recursion finds it. An indirect function that
/// is called directly is one like all others: what its caller enables goes with the call (13.5).
llvm::Function* KernelTranslator::function_for(CodeRef ref) {
  llvm::Function*& made = functions_->made[ref];
  if (made != nullptr) return made;
  made = llvm::Function::Create(
      function_type(ref), llvm::GlobalValue::InternalLinkage,
      // A name that nothing of the program has.
      kernel_name_ + ">" + module_.code[ref].as<hsail::Executable>().name.substr(1), out_);
  llvm::Function* result = made;
  set_function_attributes(*result);
  if (functions_->nested < kMostNested) {
    translate_function(ref);
  } else {
    functions_->later.push_back(ref);
  }
  return result;
}

/// With what it calls, but for calls that are nested deeper than the host's stack should have to
/// be: those follow where nothing waits for them.
void KernelTranslator::translate_function(CodeRef ref) {
  ++functions_->nested;
  KernelTranslator translator(*this, ref);
  translator.function_ = functions_->made.at(ref);
  translator.bind_parameters();
  translator.translate_body();
  --functions_->nested;
  if (translator.error_ && !error_) error_ = translator.error_;
}

void KernelTranslator::translate_later() {
  while (!functions_->later.empty() && !error_) {
    const CodeRef ref = functions_->later.back();
    functions_->later.pop_back();
    translate_function(ref);
  }
}

base::Status KernelTranslator::run_indirect() {
  const auto& header = module_.code[kernel_].as<hsail::Executable>();
  end_ = header.next_module_entry;
  auto reached = hsail::reachable(module_, kernel_);
  if (!reached) return reached.error();
  any_kernel_ = true;
  function_ = indirect_function(kernel_);
  if (!function_->empty())
    return error_at(module_, module_.code[kernel_].at, "second definition of " + header.name);
  bind_parameters();
  if (auto s = read_control_directives(); !s.ok()) return s;
  translate_body();
  translate_later();
  if (error_) return *error_;
  return {};
}

/// Group memory of the running kernel, for indirect functions and the functions they call: its
/// static size in bits 30:0, and in bit 31 whether the words of detected
/// exceptions are at its end.
llvm::Value* KernelTranslator::group_segment() {
  if (any_kernel_) return group_segment_;
  return i32(layout_.group.bytes | uint64_t{layout_.detected.has_value()} << 31);
}

llvm::Value* KernelTranslator::group_static_size() {
  if (!any_kernel_) return i32(layout_.group.bytes);
  return b_.CreateAnd(group_segment_, i32(0x7fffffff));
}

llvm::Value* KernelTranslator::kernarg_base() {
  if (kernarg_ == nullptr) return intrinsic(llvm::Intrinsic::amdgcn_kernarg_segment_ptr, {}, {});
  return b_.CreateIntToPtr(kernarg_, llvm::PointerType::get(context_, kConstantSpace));
}

std::vector<llvm::Value*> KernelTranslator::call_arguments(const Inst& inst) {
  std::vector<Value*> arguments{b_.CreatePtrToInt(kernarg_base(), b_.getInt64Ty()), module_private_,
                                group_segment()};
  for (size_t list : {0, 2})
    for (CodeRef variable : module_.operand(inst.operands[list]).codes) {
      auto found = private_variables_.find(variable);
      if (found == private_variables_.end()) {
        fail("an argument of the call is no variable of its arg block");
        return {};
      }
      arguments.push_back(found->second);
    }
  return arguments;
}

void KernelTranslator::call(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const std::vector<Value*> arguments = call_arguments(inst);
  llvm::Function* callee = function_for(module_.operand(inst.operands[1]).symbol);
  if (!error_) b_.CreateCall(callee, arguments);
}

/// A cascade of direct calls (10.7.2). An index beyond the list is undefined; it calls the first.
void KernelTranslator::switch_call(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  Value* index = read(inst, 1, inst.type);
  const std::vector<CodeRef>& callees = module_.operand(inst.operands[3]).codes;
  const std::vector<Value*> arguments = call_arguments(inst);
  if (error_) return;
  auto* join = llvm::BasicBlock::Create(context_, "", function_);
  // Uniform or not applies to the function, not to the index (HSAIL PRM 2.12.2).
  std::map<llvm::Function*, llvm::BasicBlock*> ways;
  std::vector<llvm::BasicBlock*> way_of;
  const auto before = b_.saveIP();
  for (const CodeRef callee : callees) {
    llvm::Function* const function = function_for(callee);
    llvm::BasicBlock*& way = ways[function];
    if (way == nullptr) {
      way = llvm::BasicBlock::Create(context_, "", function_, join);
      b_.SetInsertPoint(way);
      b_.CreateCall(function, arguments);
      b_.CreateBr(join);
    }
    way_of.push_back(way);
  }
  b_.restoreIP(before);
  auto* choice = b_.CreateSwitch(index, way_of[0], static_cast<unsigned>(way_of.size()));
  for (size_t i = 1; i < way_of.size(); ++i)
    choice->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(index->getType(), i)),
                    way_of[i]);
  b_.SetInsertPoint(join);
}

/// A code handle is the address of the function.
void KernelTranslator::indirect_call(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  const std::vector<Value*> arguments = call_arguments(inst);
  if (error_) return;
  functions_->any_handle = true;
  // A call of 0 is to fail as one of any other number that is no handle, not to be no call.
  function_->addFnAttr(llvm::Attribute::NullPointerIsValid);
  Value* handle = read(inst, 1, Type::kU64);
  Value* target = b_.CreateIntToPtr(handle, llvm::PointerType::get(context_, kFlatSpace));
  b_.CreateCall(function_type(module_.operand(inst.operands[3]).symbol), target, arguments);
}

}  // namespace cuvette::finalizer
