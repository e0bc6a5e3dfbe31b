// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatch queries (HSAIL PRM 11.1) from the AQL packet and the launch registers.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

namespace {

// Offsets in the kernel dispatch packet (HSA system architecture, kernel dispatch packet format).
constexpr unsigned kSetupOffset = 2;
constexpr unsigned kWorkGroupSizeOffset = 4;  // three of 16 bits
constexpr unsigned kGridSizeOffset = 12;      // three of 32 bits
constexpr unsigned kGroupBytesOffset = 28;
constexpr unsigned kCompletionSignalOffset = 56;

/// SIMM16 of S_GETREG: a field of a hardware register (Vega ISA 5.8).
constexpr unsigned register_field(unsigned id, unsigned offset, unsigned bits) {
  return id | offset << 6 | (bits - 1) << 11;
}
constexpr unsigned kHwId = 4;
constexpr unsigned kXccId = 20;
constexpr unsigned kCuBits = 4;

constexpr llvm::Intrinsic::ID kWorkItemId[] = {llvm::Intrinsic::amdgcn_workitem_id_x,
                                               llvm::Intrinsic::amdgcn_workitem_id_y,
                                               llvm::Intrinsic::amdgcn_workitem_id_z};
constexpr llvm::Intrinsic::ID kWorkGroupId[] = {llvm::Intrinsic::amdgcn_workgroup_id_x,
                                                llvm::Intrinsic::amdgcn_workgroup_id_y,
                                                llvm::Intrinsic::amdgcn_workgroup_id_z};

}  // namespace

llvm::Value* KernelTranslator::packet_field(unsigned offset, unsigned bits) {
  Value* packet = intrinsic(llvm::Intrinsic::amdgcn_dispatch_ptr, {}, {});
  Value* at = b_.CreateConstGEP1_32(b_.getInt8Ty(), packet, offset);
  llvm::LoadInst* value =
      b_.CreateAlignedLoad(b_.getIntNTy(bits), at, llvm::Align(offset % 4 == 0 ? 4 : 2));
  value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return b_.CreateZExt(value, b_.getInt32Ty());
}

/// Values of 64 bits about the dispatch, and the clock (11.4): a counter that never goes back.
void KernelTranslator::packet_handle(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  Value* result = nullptr;
  if (inst.opcode == Opcode::kPacketId) {
    result = intrinsic(llvm::Intrinsic::amdgcn_dispatch_id, {}, {});
  } else if (inst.opcode == Opcode::kClock) {
    result = intrinsic(llvm::Intrinsic::amdgcn_s_memrealtime, {}, {});
  } else {
    Value* packet = intrinsic(llvm::Intrinsic::amdgcn_dispatch_ptr, {}, {});
    Value* at = b_.CreateConstGEP1_32(b_.getInt8Ty(), packet, kCompletionSignalOffset);
    result = b_.CreateAlignedLoad(b_.getInt64Ty(), at, llvm::Align(8));
  }
  write(inst, 0, result, Type::kU64);
}

llvm::Value* KernelTranslator::work_item_id(unsigned dimension) {
  return intrinsic(kWorkItemId[dimension], {}, {});
}

llvm::Value* KernelTranslator::work_group_id(unsigned dimension) {
  return intrinsic(kWorkGroupId[dimension], {}, {});
}

llvm::Value* KernelTranslator::work_group_size(unsigned dimension) {
  const auto& required = limits_.required_workgroup;
  if (required[0] != 0) return i32(required[dimension]);
  return packet_field(kWorkGroupSizeOffset + 2 * dimension, 16);
}

llvm::Value* KernelTranslator::grid_size(unsigned dimension) {
  return packet_field(kGridSizeOffset + 4 * dimension, 32);
}

/// The last work-group of a dimension may be partial.
llvm::Value* KernelTranslator::current_work_group_size(unsigned dimension) {
  Value* size = work_group_size(dimension);
  if (limits_.whole_workgroups) return size;
  Value* before = b_.CreateMul(work_group_id(dimension), size);
  Value* rest = b_.CreateSub(grid_size(dimension), before);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, size);
}

void KernelTranslator::dispatch_dimension(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const std::optional<uint64_t> number = immediate(inst, 1);
  if (!number || *number > 2) return fail("the dimension must be a constant from 0 to 2");
  const auto dimension = static_cast<unsigned>(*number);
  Value* result = nullptr;
  switch (inst.opcode) {
    case Opcode::kCurrentWorkGroupSize:
      result = current_work_group_size(dimension);
      break;
    case Opcode::kGridGroups: {
      // ceil(grid / group) without overflow: grid is at least 1.
      Value* last = b_.CreateSub(grid_size(dimension), i32(1));
      Value* size = work_group_size(dimension);
      size = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, i32(1));
      result = b_.CreateAdd(b_.CreateUDiv(last, size), i32(1));
      break;
    }
    case Opcode::kGridSize:
      result = grid_size(dimension);
      break;
    case Opcode::kWorkGroupId:
      result = work_group_id(dimension);
      break;
    case Opcode::kWorkGroupSize:
      result = work_group_size(dimension);
      break;
    case Opcode::kWorkItemAbsId:
      result = b_.CreateAdd(b_.CreateMul(work_group_id(dimension), work_group_size(dimension)),
                            work_item_id(dimension));
      break;
    default:
      result = work_item_id(dimension);
      break;
  }
  write(inst, 0, result, Type::kU32);
}

void KernelTranslator::dispatch_query(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  Value* result = nullptr;
  if (inst.opcode == Opcode::kDim) {
    result = b_.CreateAnd(packet_field(kSetupOffset, 16), 3);
  } else if (inst.opcode == Opcode::kWorkItemFlatAbsId) {
    // x + y * grid_x + z * grid_x * grid_y, which may exceed 32 bits
    llvm::Type* wide = b_.getInt64Ty();
    auto id = [&](unsigned d) {
      Value* group = b_.CreateMul(work_group_id(d), work_group_size(d));
      return b_.CreateZExt(b_.CreateAdd(group, work_item_id(d)), wide);
    };
    auto size = [&](unsigned d) { return b_.CreateZExt(grid_size(d), wide); };
    Value* row = b_.CreateAdd(id(1), b_.CreateMul(id(2), size(1)));
    result = b_.CreateAdd(id(0), b_.CreateMul(row, size(0)));
    return write(inst, 0, result, inst.type);
  } else {
    const bool current = inst.opcode == Opcode::kCurrentWorkItemFlatId;
    auto size = [&](unsigned d) {
      return current ? current_work_group_size(d) : work_group_size(d);
    };
    Value* row = b_.CreateAdd(work_item_id(1), b_.CreateMul(work_item_id(2), size(1)));
    result = b_.CreateAdd(work_item_id(0), b_.CreateMul(row, size(0)));
  }
  write(inst, 0, result, Type::kU32);
}

/// Waves take consecutive flat ids (2.6), so the place in the wave is the lane id.
void KernelTranslator::lane_id(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  Value* low = intrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {i32(0xffffffff), i32(0)});
  Value* lane = intrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {i32(0xffffffff), low});
  write(inst, 0, lane, Type::kU32);
}

llvm::Value* KernelTranslator::hardware_field(unsigned id, unsigned offset, unsigned bits) {
  return intrinsic(llvm::Intrinsic::amdgcn_s_getreg, {}, {i32(register_field(id, offset, bits))});
}

/// 11.4: where the wavefront is. The number of a compute unit joins die, shader engine and place in
/// the engine, whether or not the machine has all of them; that of a wavefront goes through the
/// SIMDs in turn.
void KernelTranslator::hardware_query(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  const unsigned engine_bits = target_.engine_bits;
  const unsigned die_bits = target_.die_bits;
  Value* result = nullptr;
  switch (inst.opcode) {
    case Opcode::kMaxCuId:
      result = i32((1u << (kCuBits + engine_bits + die_bits)) - 1);
      break;
    case Opcode::kMaxWaveId:
      result = i32(4 * target_.simd_waves - 1);
      break;
    case Opcode::kWaveId:
      result =
          b_.CreateOr(b_.CreateShl(hardware_field(kHwId, 0, 4), 2), hardware_field(kHwId, 4, 2));
      break;
    default:
      result = hardware_field(kHwId, 13, engine_bits);
      if (die_bits != 0)
        result =
            b_.CreateOr(result, b_.CreateShl(hardware_field(kXccId, 0, die_bits), engine_bits));
      result = b_.CreateOr(b_.CreateShl(result, kCuBits), hardware_field(kHwId, 8, kCuBits));
      break;
  }
  write(inst, 0, result, Type::kU32);
}

/// 11.4.2: a trap handler that knows S_TRAP 3 hears of it; then the wavefront halts, which makes an
/// error of the queue. The value is in a register.
void KernelTranslator::debug_trap(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  halt(read(inst, 0, Type::kU32));
}

void KernelTranslator::halt(Value* reason) {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {reason->getType()}, false);
  auto* assembly = llvm::InlineAsm::get(type, "s_trap 3\n\ts_sethalt 1 ; $0", "v",
                                        /*hasSideEffects=*/true);
  b_.CreateCall(assembly, {reason});
}

llvm::Value* KernelTranslator::current_flat_id() {
  Value* row =
      b_.CreateAdd(work_item_id(1), b_.CreateMul(work_item_id(2), current_work_group_size(1)));
  return b_.CreateAdd(work_item_id(0), b_.CreateMul(row, current_work_group_size(0)));
}

void KernelTranslator::base_pointer(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  if (inst.opcode == Opcode::kGroupBasePtr) return write(inst, 0, i32(0), Type::kU32);
  if (inst.opcode == Opcode::kGroupStaticSize)
    return write(inst, 0, group_static_size(), Type::kU32);
  if (inst.opcode == Opcode::kGroupTotalSize)
    return write(inst, 0, packet_field(kGroupBytesOffset, 32), Type::kU32);
  write(inst, 0, b_.CreatePtrToInt(kernarg_base(), b_.getInt64Ty()), Type::kU64);
}

}  // namespace cuvette::finalizer
