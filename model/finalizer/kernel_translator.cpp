// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/kernel_translator.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/limits.h"
#include "finalizer/llvm_target.h"
#include "hsail/control_directives.h"
#include "hsail/gcn_table.h"
#include "hsail/inst_table.h"
#include "hsail/matrix_table.h"
#include "hsail/mipmap_table.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Inst;
using hsail::Kind;
using hsail::Opcode;

namespace {

constexpr uint64_t kGroupLimit = 65536;  // LDS of one compute unit
constexpr unsigned kWavesize = 64;       // of every target

}  // namespace

KernelTranslator::KernelTranslator(const hsail::Module& module, CodeRef kernel, Symbols& symbols,
                                   llvm::Module& out, const TargetId& target)
    : module_(module),
      kernel_(kernel),
      symbols_(symbols),
      out_(out),
      target_(target),
      context_(out.getContext()),
      b_(out.getContext()),
      functions_(std::make_shared<Functions>()),
      kernel_name_(symbols.names().of(kernel)) {}

std::array<KernelTranslator::Handler, hsail::kOpcodeCount> KernelTranslator::make_handlers() {
  using K = KernelTranslator;
  constexpr std::pair<Opcode, Handler> kRows[] = {
      {Opcode::kNop, &K::nop},
      {Opcode::kAbs, &K::unary},
      {Opcode::kAdd, &K::binary},
      {Opcode::kBorrow, &K::borrow_carry},
      {Opcode::kCarry, &K::borrow_carry},
      {Opcode::kCopySign, &K::copy_sign},
      {Opcode::kFract, &K::float_fract},
      {Opcode::kMad24Hi, &K::mul24},
      {Opcode::kMul24Hi, &K::mul24},
      {Opcode::kBitInsert, &K::bit_insert},
      {Opcode::kBitMask, &K::bit_mask},
      {Opcode::kBitRev, &K::bit_reverse},
      {Opcode::kLastBit, &K::last_bit},
      {Opcode::kClass, &K::classify},
      {Opcode::kBitAlign, &K::align_words},
      {Opcode::kByteAlign, &K::align_words},
      {Opcode::kWorkItemFlatAbsId, &K::dispatch_query},
      {Opcode::kGroupStaticSize, &K::base_pointer},
      {Opcode::kGroupTotalSize, &K::base_pointer},
      {Opcode::kCeil, &K::float_unary},
      {Opcode::kDiv, &K::divide},
      {Opcode::kFloor, &K::float_unary},
      {Opcode::kFma, &K::float_fma},
      {Opcode::kMad, &K::mad},
      {Opcode::kMax, &K::binary},
      {Opcode::kMin, &K::binary},
      {Opcode::kMul, &K::binary},
      {Opcode::kMulHi, &K::mul_hi},
      {Opcode::kNeg, &K::unary},
      {Opcode::kRem, &K::integer_divide},
      {Opcode::kRint, &K::float_unary},
      {Opcode::kSqrt, &K::float_unary},
      {Opcode::kSub, &K::binary},
      {Opcode::kTrunc, &K::float_unary},
      {Opcode::kMad24, &K::mul24},
      {Opcode::kMul24, &K::mul24},
      {Opcode::kShl, &K::shift},
      {Opcode::kShr, &K::shift},
      {Opcode::kAnd, &K::bitwise},
      {Opcode::kNot, &K::bitwise},
      {Opcode::kOr, &K::bitwise},
      {Opcode::kXor, &K::bitwise},
      {Opcode::kPopCount, &K::pop_count},
      {Opcode::kBitExtract, &K::bit_extract},
      {Opcode::kBitSelect, &K::bit_select},
      {Opcode::kFirstBit, &K::first_bit},
      {Opcode::kCombine, &K::combine},
      {Opcode::kExpand, &K::expand},
      {Opcode::kLda, &K::load_address},
      {Opcode::kMov, &K::move},
      {Opcode::kCmov, &K::conditional_move},
      {Opcode::kNrcp, &K::float_native},
      {Opcode::kNrsqrt, &K::float_native},
      {Opcode::kNsqrt, &K::float_native},
      {Opcode::kNexp2, &K::float_native},
      {Opcode::kNlog2, &K::float_native},
      {Opcode::kNsin, &K::float_trigonometric},
      {Opcode::kNcos, &K::float_trigonometric},
      {Opcode::kNfma, &K::float_fma},
      {Opcode::kShuffle, &K::shuffle},
      {Opcode::kUnpackHi, &K::interleave},
      {Opcode::kUnpackLo, &K::interleave},
      {Opcode::kPack, &K::pack},
      {Opcode::kUnpack, &K::unpack},
      {Opcode::kLerp, &K::lerp},
      {Opcode::kPackCvt, &K::pack_convert},
      {Opcode::kUnpackCvt, &K::unpack_convert},
      {Opcode::kSad, &K::sum_of_differences},
      {Opcode::kSadHi, &K::sum_of_differences},
      {Opcode::kCmp, &K::compare},
      {Opcode::kCvt, &K::convert},
      {Opcode::kLd, &K::load},
      {Opcode::kSt, &K::store},
      {Opcode::kAtomic, &K::atomic},
      {Opcode::kAtomicNoRet, &K::atomic},
      {Opcode::kMemFence, &K::memory_fence},
      {Opcode::kBr, &K::br},
      {Opcode::kCbr, &K::cbr},
      {Opcode::kSbr, &K::sbr},
      {Opcode::kBarrier, &K::barrier},
      {Opcode::kWaveBarrier, &K::barrier},
      {Opcode::kClearDetectExcept, &K::detect_instruction},
      {Opcode::kGetDetectExcept, &K::detect_instruction},
      {Opcode::kSetDetectExcept, &K::detect_instruction},
      {Opcode::kRdImage, &K::read_image},
      {Opcode::kLdImage, &K::load_image},
      {Opcode::kStImage, &K::store_image},
      {Opcode::kQueryImage, &K::image_query},
      {Opcode::kQuerySampler, &K::image_query},
      {Opcode::kImageFence, &K::image_fence},
      {Opcode::kInitFbar, &K::fbarrier},
      {Opcode::kJoinFbar, &K::fbarrier},
      {Opcode::kWaitFbar, &K::fbarrier},
      {Opcode::kArriveFbar, &K::fbarrier},
      {Opcode::kLeaveFbar, &K::fbarrier},
      {Opcode::kReleaseFbar, &K::fbarrier},
      {Opcode::kLdf, &K::fbarrier},
      {Opcode::kRet, &K::ret},
      {Opcode::kCall, &K::call},
      {Opcode::kScall, &K::switch_call},
      {Opcode::kIcall, &K::indirect_call},
      {Opcode::kAlloca, &K::allocate},
      {Opcode::kSegmentP, &K::segment_test},
      {Opcode::kFtos, &K::segment_conversion},
      {Opcode::kStof, &K::segment_conversion},
      {Opcode::kNullPtr, &K::null_pointer},
      {Opcode::kSignal, &K::signal},
      {Opcode::kSignalNoRet, &K::signal},
      {Opcode::kAddQueueWriteIndex, &K::queue_index},
      {Opcode::kCasQueueWriteIndex, &K::queue_index},
      {Opcode::kLdQueueReadIndex, &K::queue_index},
      {Opcode::kLdQueueWriteIndex, &K::queue_index},
      {Opcode::kStQueueReadIndex, &K::queue_index},
      {Opcode::kStQueueWriteIndex, &K::queue_index},
      {Opcode::kPacketCompletionSig, &K::packet_handle},
      {Opcode::kPacketId, &K::packet_handle},
      {Opcode::kClock, &K::packet_handle},
      {Opcode::kCuId, &K::hardware_query},
      {Opcode::kMaxCuId, &K::hardware_query},
      {Opcode::kWaveId, &K::hardware_query},
      {Opcode::kMaxWaveId, &K::hardware_query},
      {Opcode::kDebugTrap, &K::debug_trap},
      {Opcode::kActiveLaneCount, &K::lane_query},
      {Opcode::kActiveLaneId, &K::lane_query},
      {Opcode::kActiveLaneMask, &K::lane_query},
      {Opcode::kActiveLanePermute, &K::lane_permute},
      {Opcode::kCurrentWorkGroupSize, &K::dispatch_dimension},
      {Opcode::kGridGroups, &K::dispatch_dimension},
      {Opcode::kGridSize, &K::dispatch_dimension},
      {Opcode::kWorkGroupId, &K::dispatch_dimension},
      {Opcode::kWorkGroupSize, &K::dispatch_dimension},
      {Opcode::kWorkItemAbsId, &K::dispatch_dimension},
      {Opcode::kWorkItemId, &K::dispatch_dimension},
      {Opcode::kCurrentWorkItemFlatId, &K::dispatch_query},
      {Opcode::kDim, &K::dispatch_query},
      {Opcode::kWorkItemFlatId, &K::dispatch_query},
      {Opcode::kLaneId, &K::lane_id},
      {Opcode::kGroupBasePtr, &K::base_pointer},
      {Opcode::kKernargBasePtr, &K::base_pointer},
  };
  std::array<Handler, hsail::kOpcodeCount> handlers{};
  for (const auto& [opcode, handler] : kRows) handlers[static_cast<size_t>(opcode)] = handler;
  return handlers;
}

base::Status KernelTranslator::run() {
  auto layout = hsail::kernel_layout(module_, kernel_);
  if (!layout) return layout.error();
  layout_ = std::move(layout).value();
  const auto& header = module_.code[kernel_].as<hsail::Executable>();
  end_ = std::min(header.next_module_entry, static_cast<CodeRef>(module_.code.size()));
  if (layout_.group.bytes > kGroupLimit)
    return error_at(module_, module_.code[kernel_].at,
                    "static group memory of " + header.name + " exceeds 65536 bytes");
  create_function();
  if (auto s = read_control_directives(); !s.ok()) return s;
  translate_body();
  translate_later();
  if (error_) return *error_;
  set_attributes();
  add_limits_note(out_, kernel_name_, limits_);
  return {};
}

void KernelTranslator::translate_body() {
  const bool kernel = function_->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
  if (kernel || any_kernel_) checks_stack_ = has_dynamic_stack();
  create_private_variables();
  if (kernel) {
    start_stack();
    start_detection();
  }
  create_blocks();
  const auto& header = module_.code[kernel_].as<hsail::Executable>();
  if (header.first_code_block_entry != 0)
    for (CodeRef ref = header.first_code_block_entry; ref < end_ && !error_; ++ref)
      translate_entry(ref);
  if (!error_ && b_.GetInsertBlock()->getTerminator() == nullptr) b_.CreateRetVoid();
  if (!error_) free_at_returns();
  if (!error_) check_frame();
}

/// The LLVM arguments only describe the kernarg segment to the code object's metadata; code reads
/// it through the segment pointer. By reference with explicit alignment gives any layout HSAIL asks
/// for.
void KernelTranslator::create_function() {
  std::vector<llvm::Type*> types(layout_.kernarg.places.size(),
                                 llvm::PointerType::get(context_, kConstantSpace));
  function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                     llvm::GlobalValue::ExternalLinkage, kernel_name_, out_);
  function_->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  function_->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  std::vector<llvm::Metadata*> names;
  std::vector<llvm::Metadata*> type_names;
  for (size_t i = 0; i < layout_.kernarg.places.size(); ++i) {
    const hsail::Place& slot = layout_.kernarg.places[i];
    const auto& variable = module_.code[slot.variable].as<hsail::Variable>();
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), slot.bytes);
    auto index = static_cast<unsigned>(i);
    function_->addParamAttr(index, llvm::Attribute::getWithByRefType(context_, type));
    function_->addParamAttr(
        index, llvm::Attribute::getWithAlignment(context_, llvm::Align(variable_align(variable))));
    names.push_back(
        llvm::MDString::get(context_, variable.name.empty() ? "" : variable.name.substr(1)));
    // Arrays have no HSAIL type name of their own; their size says enough.
    const std::string_view type_name = variable.is_array ? "" : hsail::name(variable.type);
    type_names.push_back(llvm::MDString::get(context_, {type_name.data(), type_name.size()}));
  }
  function_->setMetadata("kernel_arg_name", llvm::MDNode::get(context_, names));
  function_->setMetadata("kernel_arg_type", llvm::MDNode::get(context_, type_names));
  entry_ = llvm::BasicBlock::Create(context_, "entry", function_);
  b_.SetInsertPoint(entry_);
}

base::Status KernelTranslator::read_control_directives() {
  using hsail::ControlDirective;
  for (CodeRef ref = kernel_ + 1; ref < end_; ++ref) {
    if (module_.code[ref].kind != Kind::kControl) continue;
    const auto& control = module_.code[ref].as<hsail::Control>();
    const bool breaks = control.control == ControlDirective::kEnableBreakExceptions;
    if (!breaks && control.control != ControlDirective::kEnableDetectExceptions) continue;
    // Bits above the five exceptions are ignored.
    const uint64_t chosen = module_.constant(control.operands[0]) & 0x1f;
    (breaks ? break_ : detect_) |= static_cast<uint32_t>(chosen);
  }
  auto limits = hsail::launch_limits(module_, kernel_, kWavesize);
  if (!limits) return limits.error();
  limits_ = std::move(limits).value();
  return {};
}

void KernelTranslator::create_private_variables() {
  const auto allocate = [&](uint64_t bytes, uint64_t align) {
    auto* slot = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), bytes), kPrivateSpace);
    slot->setAlignment(llvm::Align(std::max<uint64_t>(4, align)));
    return slot;
  };
  if (module_private_ == nullptr) module_private_ = allocate_module_private();
  const auto& header = module_.code[kernel_].as<hsail::Executable>();
  for (CodeRef ref = header.first_code_block_entry; ref < end_; ++ref) {
    if (module_.code[ref].kind != Kind::kVariable) continue;
    const auto& variable = module_.code[ref].as<hsail::Variable>();
    if (variable.segment != hsail::Segment::kPrivate &&
        variable.segment != hsail::Segment::kSpill && variable.segment != hsail::Segment::kArg)
      continue;
    const uint64_t bytes = hsail::variable_bytes(variable);
    if (bytes > (uint64_t{1} << 20)) {
      at_ = module_.code[ref].at;
      fail("private variable " + variable.name + " is larger than 1 MiB");
      return;
    }
    private_variables_[ref] = allocate(bytes, variable_align(variable));
  }
}

void KernelTranslator::create_blocks() {
  for (CodeRef ref = kernel_ + 1; ref < end_; ++ref)
    if (module_.code[ref].kind == Kind::kLabel)
      blocks_[ref] =
          llvm::BasicBlock::Create(context_, module_.code[ref].as<hsail::Label>().name, function_);
}

void KernelTranslator::translate_entry(CodeRef ref) {
  static const std::array<Handler, hsail::kOpcodeCount> kHandlers = make_handlers();
  const hsail::CodeEntry& entry = module_.code[ref];
  if (entry.kind == Kind::kLabel) {
    llvm::BasicBlock* next = blocks_.at(ref);
    if (b_.GetInsertBlock()->getTerminator() == nullptr) b_.CreateBr(next);
    next->moveAfter(b_.GetInsertBlock());
    b_.SetInsertPoint(next);
    return;
  }
  if (!hsail::is_instruction(entry.kind)) return;
  at_ = entry.at;
  // Code behind a branch and before a label is unreachable but must still be well formed.
  if (b_.GetInsertBlock()->getTerminator() != nullptr)
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function_));
  const auto& inst = entry.as<Inst>();
  if (hsail::is_matrix(inst.opcode)) return matrix(inst);
  if (hsail::is_gcn(inst.opcode)) return gcn(inst);
  if (hsail::is_mipmap(inst.opcode)) return mipmap(inst);
  const auto index = static_cast<size_t>(inst.opcode);
  if (index >= kHandlers.size() || kHandlers[index] == nullptr) return unsupported(inst, "");
  if (hsail::applies_to_elements(inst)) return packed(inst, kHandlers[index]);
  note_exceptions(inst);
  (this->*kHandlers[index])(inst);
}

llvm::BasicBlock* KernelTranslator::label_block(CodeRef label) {
  auto found = blocks_.find(label);
  if (found != blocks_.end()) return found->second;
  fail("branch to a label outside of the kernel");
  return entry_;
}

void KernelTranslator::br(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  b_.CreateBr(label_block(module_.operand(inst.operands[0]).symbol));
}

void KernelTranslator::cbr(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* condition = read(inst, 0, hsail::Type::kB1);
  auto* next = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(condition, label_block(module_.operand(inst.operands[1]).symbol), next);
  b_.SetInsertPoint(next);
}

/// An index beyond the list is undefined (8.1); it takes the first label here.
void KernelTranslator::sbr(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* index = read(inst, 0, inst.type);
  const std::vector<CodeRef>& labels = module_.operand(inst.operands[1]).codes;
  if (labels.empty()) return fail("sbr without labels");
  auto* choice =
      b_.CreateSwitch(index, label_block(labels[0]), static_cast<unsigned>(labels.size()));
  for (size_t i = 1; i < labels.size(); ++i)
    choice->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(index->getType(), i)),
                    label_block(labels[i]));
}

void KernelTranslator::ret(const Inst&) {
  b_.CreateRetVoid();
}

void KernelTranslator::nop(const Inst&) {}

/// Attributes the code generator takes the launch state from: everything that neither the kernel
/// nor a function it calls uses is declared absent, so that no hidden argument and no spare
/// register is asked for.
void KernelTranslator::set_attributes() {
  auto& f = *function_;
  set_function_attributes(f);
  f.addFnAttr("uniform-work-group-size", limits_.whole_workgroups ? "true" : "false");
  if (layout_.group.bytes != 0)
    f.addFnAttr("amdgpu-lds-size",
                std::to_string(layout_.group.bytes) + "," + std::to_string(layout_.group.bytes));

  const uint64_t most = limits_.max_flat_workgroup;
  uint64_t flat = most != 0 ? std::min<uint64_t>(most, 1024) : 1024;
  uint64_t least = 1;
  const auto& required = limits_.required_workgroup;
  if (required[0] != 0) {
    const uint64_t exact = required[0] * required[1] * required[2];
    if (exact <= 1024) {
      flat = exact;
      llvm::Metadata* sizes[3];
      for (size_t i = 0; i < 3; ++i) sizes[i] = llvm::ConstantAsMetadata::get(i32(required[i]));
      f.setMetadata("reqd_work_group_size", llvm::MDNode::get(context_, sizes));
    }
  }
  f.addFnAttr("amdgpu-flat-work-group-size", std::to_string(least) + "," + std::to_string(flat));

  std::map<unsigned, const char*> unused = {
      {llvm::Intrinsic::amdgcn_dispatch_ptr, "amdgpu-no-dispatch-ptr"},
      {llvm::Intrinsic::amdgcn_dispatch_id, "amdgpu-no-dispatch-id"},
      {llvm::Intrinsic::amdgcn_workgroup_id_x, "amdgpu-no-workgroup-id-x"},
      {llvm::Intrinsic::amdgcn_workgroup_id_y, "amdgpu-no-workgroup-id-y"},
      {llvm::Intrinsic::amdgcn_workgroup_id_z, "amdgpu-no-workgroup-id-z"},
      {llvm::Intrinsic::amdgcn_workitem_id_x, "amdgpu-no-workitem-id-x"},
      {llvm::Intrinsic::amdgcn_workitem_id_y, "amdgpu-no-workitem-id-y"},
      {llvm::Intrinsic::amdgcn_workitem_id_z, "amdgpu-no-workitem-id-z"},
  };
  std::vector<const llvm::Function*> all{function_};
  for (const auto& [ref, made] : functions_->made) all.push_back(made);
  for (const llvm::Function* one : all)
    for (const llvm::Instruction& i : llvm::instructions(*one))
      if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
        unused.erase(intrinsic->getIntrinsicID());
  if (functions_->any_handle) unused.clear();  // an indirect function may use anything
  for (const auto& [id, attribute] : unused) f.addFnAttr(attribute);
}

/// Attributes shared by kernels and functions.
void KernelTranslator::set_function_attributes(llvm::Function& f) {
  f.addFnAttr("target-cpu", target_.name);
  // The machine tests for apertures before it adds a FLAT instruction's offset, so that an offset
  // that HSAIL counts as part of the address (6.1.1) has to be in the register. LLVM 19 folds it in
  // all the same, except for chips that cannot have one in FLAT; GLOBAL keeps its offsets.
  f.addFnAttr("target-features", target_.features + ",+flat-segment-offset-bug");
  f.addFnAttr("denormal-fp-math", "ieee,ieee");
  f.addFnAttr("amdgpu-ieee", "true");
  f.addFnAttr("amdgpu-dx10-clamp", "true");
  f.addFnAttr("amdgpu-implicitarg-num-bytes", "0");
  f.addFnAttr(llvm::Attribute::NullPointerIsValid);
  f.addFnAttr(llvm::Attribute::NoUnwind);
  f.addFnAttr(llvm::Attribute::Convergent);
  for (const char* attribute :
       {"amdgpu-no-queue-ptr", "amdgpu-no-implicitarg-ptr", "amdgpu-no-hostcall-ptr",
        "amdgpu-no-heap-ptr", "amdgpu-no-multigrid-sync-arg", "amdgpu-no-completion-action",
        "amdgpu-no-default-queue", "amdgpu-no-lds-kernel-id"})
    f.addFnAttr(attribute);
}

}  // namespace cuvette::finalizer
