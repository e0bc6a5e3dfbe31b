// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cross-lane instructions (HSAIL PRM 9.4) on wavefronts of 64.
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

/// A bit for each active lane whose condition holds.
llvm::Value* KernelTranslator::active_lanes(Value* condition) {
  return intrinsic(llvm::Intrinsic::amdgcn_ballot, {b_.getInt64Ty()}, {condition});
}

void KernelTranslator::lane_query(const Inst& inst) {
  const bool id = inst.opcode == Opcode::kActiveLaneId;
  if (!require_operands(inst, id ? 1 : 2)) return;
  Value* lanes = active_lanes(id ? b_.getTrue() : read(inst, 1, Type::kB1));
  if (id) {
    Value* low = b_.CreateTrunc(lanes, b_.getInt32Ty());
    Value* high = b_.CreateTrunc(b_.CreateLShr(lanes, 32), b_.getInt32Ty());
    Value* count = intrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {low, i32(0)});
    return write(inst, 0, intrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {high, count}),
                 Type::kU32);
  }
  if (inst.opcode == Opcode::kActiveLaneCount) {
    Value* count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
    return write(inst, 0, b_.CreateTrunc(count, b_.getInt32Ty()), Type::kU32);
  }
  // 256 bits in four registers.
  for (hsail::OperandRef part : elements(inst, 0)) {
    write_ref(part, lanes, Type::kB64);
    lanes = b_.getInt64(0);
  }
}

/// Each lane takes the value of another one, or the identity where that one is not active.
void KernelTranslator::lane_permute(const Inst& inst) {
  if (!require_operands(inst, 5)) return;
  Value* source = read(inst, 1, inst.type);
  Value* lane = b_.CreateAnd(read(inst, 2, Type::kU32), 63);
  Value* identity = read(inst, 3, inst.type);
  Value* all = active_lanes(b_.getTrue());
  Value* active =
      b_.CreateTrunc(b_.CreateLShr(all, b_.CreateZExt(lane, b_.getInt64Ty())), b_.getInt1Ty());
  const unsigned bits = hsail::type_bits(inst.type);
  llvm::Type* wide = b_.getIntNTy(std::max(32u, bits));
  Value* whole = b_.CreateZExt(source, wide);
  Value* moved = llvm::Constant::getNullValue(wide);
  for (unsigned at = 0; at < wide->getIntegerBitWidth(); at += 32) {
    Value* part = b_.CreateTrunc(b_.CreateLShr(whole, at), b_.getInt32Ty());
    part = intrinsic(llvm::Intrinsic::amdgcn_ds_bpermute, {}, {b_.CreateShl(lane, 2), part});
    moved = b_.CreateOr(moved, b_.CreateShl(b_.CreateZExt(part, wide), at));
  }
  moved = b_.CreateTrunc(moved, source->getType());
  Value* use_identity = b_.CreateOr(read(inst, 4, Type::kB1), b_.CreateNot(active));
  write(inst, 0, b_.CreateSelect(use_identity, identity, moved), inst.type);
}

}  // namespace cuvette::finalizer
