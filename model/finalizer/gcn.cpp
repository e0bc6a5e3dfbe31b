// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Instructions of extension amd:gcn (hsail_gcn.md): each becomes the machine instruction that
// it stands for.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/gcn_table.h"
#include "hsail/matrix_table.h"
#include "hsail/validate_inst.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;
using llvm::Intrinsic::ID;

namespace {

constexpr ID kNo = llvm::Intrinsic::not_intrinsic;

/// The instruction as LLVM has it, or as text where it has none, with $0 for the result.
struct MachineRow {
  Opcode opcode;
  Type type;
  ID intrinsic;
  const char* overloads;  ///< operands whose types the intrinsic is declared for: "0" is the result
  const char* text;
};

constexpr MachineRow kMachineRows[] = {
    {Opcode::kGcnMadu, Type::kB32, kNo, "", "v_mad_u64_u32 $0, vcc, $1, $2, $3"},
    {Opcode::kGcnMads, Type::kB32, kNo, "", "v_mad_i64_i32 $0, vcc, $1, $2, $3"},
    {Opcode::kGcnMax3, Type::kS32, kNo, "", "v_max3_i32 $0, $1, $2, $3"},
    {Opcode::kGcnMax3, Type::kU32, kNo, "", "v_max3_u32 $0, $1, $2, $3"},
    {Opcode::kGcnMax3, Type::kF32, kNo, "", "v_max3_f32 $0, $1, $2, $3"},
    {Opcode::kGcnMin3, Type::kS32, kNo, "", "v_min3_i32 $0, $1, $2, $3"},
    {Opcode::kGcnMin3, Type::kU32, kNo, "", "v_min3_u32 $0, $1, $2, $3"},
    {Opcode::kGcnMin3, Type::kF32, kNo, "", "v_min3_f32 $0, $1, $2, $3"},
    {Opcode::kGcnMed3, Type::kS32, kNo, "", "v_med3_i32 $0, $1, $2, $3"},
    {Opcode::kGcnMed3, Type::kU32, kNo, "", "v_med3_u32 $0, $1, $2, $3"},
    {Opcode::kGcnMed3, Type::kF32, kNo, "", "v_med3_f32 $0, $1, $2, $3"},
    {Opcode::kGcnFldexp, Type::kF16, llvm::Intrinsic::ldexp, "12", ""},
    {Opcode::kGcnFldexp, Type::kF32, llvm::Intrinsic::ldexp, "12", ""},
    {Opcode::kGcnFldexp, Type::kF64, llvm::Intrinsic::ldexp, "12", ""},
    {Opcode::kGcnFrexpExp, Type::kF16, llvm::Intrinsic::amdgcn_frexp_exp, "01", ""},
    {Opcode::kGcnFrexpExp, Type::kF32, llvm::Intrinsic::amdgcn_frexp_exp, "01", ""},
    {Opcode::kGcnFrexpExp, Type::kF64, llvm::Intrinsic::amdgcn_frexp_exp, "01", ""},
    {Opcode::kGcnFrexpMant, Type::kF16, llvm::Intrinsic::amdgcn_frexp_mant, "1", ""},
    {Opcode::kGcnFrexpMant, Type::kF32, llvm::Intrinsic::amdgcn_frexp_mant, "1", ""},
    {Opcode::kGcnFrexpMant, Type::kF64, llvm::Intrinsic::amdgcn_frexp_mant, "1", ""},
    {Opcode::kGcnTrigPreop, Type::kF64, llvm::Intrinsic::amdgcn_trig_preop, "1", ""},
    {Opcode::kGcnBfm, Type::kB32, kNo, "", "v_bfm_b32 $0, $1, $2"},
    {Opcode::kGcnMsad, Type::kB32, llvm::Intrinsic::amdgcn_msad_u8, "", ""},
    {Opcode::kGcnQsad, Type::kB64, llvm::Intrinsic::amdgcn_qsad_pk_u16_u8, "", ""},
    {Opcode::kGcnMqsad, Type::kB64, llvm::Intrinsic::amdgcn_mqsad_pk_u16_u8, "", ""},
    {Opcode::kGcnMqsad4, Type::kB32, llvm::Intrinsic::amdgcn_mqsad_u32_u8, "", ""},
    {Opcode::kGcnSadw, Type::kB32, llvm::Intrinsic::amdgcn_sad_u16, "", ""},
    {Opcode::kGcnSadd, Type::kB32, kNo, "", "v_sad_u32 $0, $1, $2, $3"},
    {Opcode::kGcnMax, Type::kS32, kNo, "", "v_max_i32 $0, $1, $2"},
    {Opcode::kGcnMax, Type::kU32, kNo, "", "v_max_u32 $0, $1, $2"},
    {Opcode::kGcnMax, Type::kF16, kNo, "", "v_max_f16 $0, $1, $2"},
    {Opcode::kGcnMax, Type::kF32, kNo, "", "v_max_f32 $0, $1, $2"},
    {Opcode::kGcnMax, Type::kF64, kNo, "", "v_max_f64 $0, $1, $2"},
    {Opcode::kGcnMin, Type::kS32, kNo, "", "v_min_i32 $0, $1, $2"},
    {Opcode::kGcnMin, Type::kU32, kNo, "", "v_min_u32 $0, $1, $2"},
    {Opcode::kGcnMin, Type::kF16, kNo, "", "v_min_f16 $0, $1, $2"},
    {Opcode::kGcnMin, Type::kF32, kNo, "", "v_min_f32 $0, $1, $2"},
    {Opcode::kGcnMin, Type::kF64, kNo, "", "v_min_f64 $0, $1, $2"},
};

const MachineRow* find_row(const Inst& inst) {
  for (const MachineRow& row : kMachineRows)
    if (row.opcode == inst.opcode && row.type == inst.type) return &row;
  return nullptr;
}

bool flushes(const Inst& inst) {
  return (inst.modifier & hsail::kAluFtz) != 0;
}

}  // namespace

void KernelTranslator::gcn(const Inst& inst) {
  const std::string problem = hsail::gcn_target_problem(module_, inst, target_.name);
  if (!problem.empty()) return fail(problem);
  switch (inst.opcode) {
    case Opcode::kGcnAtomic:
    case Opcode::kGcnAtomicNoRet:
      return atomic(inst);
    case Opcode::kGcnLd:
    case Opcode::kGcnSt:
      return gcn_region_access(inst);
    case Opcode::kGcnAtomicAppend:
    case Opcode::kGcnAtomicConsume:
      return gcn_count(inst);
    case Opcode::kGcnRegionAlloc:
      return;
    case Opcode::kGcnSleep:
    case Opcode::kGcnPriority:
      return gcn_schedule(inst);
    case Opcode::kGcnB4xchg:
    case Opcode::kGcnB32xchg:
      return gcn_exchange(inst);
    case Opcode::kGcnDivRelaxed:
    case Opcode::kGcnDivRelaxedNarrow:
      return gcn_divide(inst);
    default:
      if (find_row(inst) == nullptr) return unsupported(inst, "");
      return gcn_arithmetic(inst);
  }
}

/// Operand `index`, four values as a vector; subnormals flushed where the instruction says so.
llvm::Value* KernelTranslator::gcn_source(const Inst& inst, size_t index) {
  const Type type = hsail::operand_type(inst, index);
  const std::vector<hsail::OperandRef> parts = elements(inst, index);
  if (parts.size() == 1) {
    Value* value = read(inst, index, type);
    return flushes(inst) && hsail::is_float(type) ? flush_tiny(value) : value;
  }
  Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(llvm_type(type), parts.size()));
  for (size_t i = 0; i < parts.size(); ++i)
    all = b_.CreateInsertElement(all, read_ref(parts[i], type), i);
  return all;
}

void KernelTranslator::gcn_write(const Inst& inst, Value* value) {
  const Type type = hsail::operand_type(inst, 0);
  const std::vector<hsail::OperandRef> parts = elements(inst, 0);
  if (parts.size() == 1) return write(inst, 0, value, type);
  for (size_t i = 0; i < parts.size(); ++i)
    write_ref(parts[i], b_.CreateExtractElement(value, i), type);
}

void KernelTranslator::gcn_arithmetic(const Inst& inst) {
  std::vector<Value*> sources;
  for (size_t i = 1; i < inst.operands.size(); ++i) sources.push_back(gcn_source(inst, i));
  Value* result = gcn_machine(inst, sources);
  if (flushes(inst) && result->getType()->isFloatingPointTy()) {
    Value* twice = nullptr;
    if (inst.opcode == Opcode::kGcnFldexp) {
      sources[1] = b_.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, sources[1], i32(1));
      twice = gcn_machine(inst, sources);
    }
    result = flush_tiny(result, twice);
  }
  gcn_write(inst, result);
}

llvm::Value* KernelTranslator::gcn_machine(const Inst& inst, llvm::ArrayRef<Value*> sources) {
  const MachineRow& row = *find_row(inst);
  // The exponent of an F16 has 16 bits.
  const bool narrow = inst.opcode == Opcode::kGcnFrexpExp && inst.type == Type::kF16;
  llvm::Type* result = narrow ? b_.getInt16Ty() : llvm_type(hsail::operand_type(inst, 0));
  if (row.intrinsic == kNo) return gcn_assembly(row.text, result, sources);
  std::vector<llvm::Type*> types;
  for (const char* o = row.overloads; *o != 0; ++o)
    types.push_back(*o == '0' ? result : sources[static_cast<size_t>(*o - '1')]->getType());
  return intrinsic(row.intrinsic, types, sources);
}

/// One vector instruction. LLVM counts no wait states around text: these are as many as any
/// instruction of the targets needs before a result that it reads here (MI100 ISA 4.5; with matrix
/// instructions those of 16 passes, 7.2), and behind it before one that moves lanes.
llvm::Value* KernelTranslator::gcn_assembly(const std::string& instruction, llvm::Type* result,
                                            llvm::ArrayRef<Value*> sources) {
  const bool matrices = hsail::has_extension(module_, hsail::kMatrixExtension);
  const std::string before = matrices ? "s_nop 15\n\ts_nop 3\n\t" : "s_nop 0\n\t";
  std::string constraints = "=&v";
  std::vector<llvm::Type*> types;
  for (Value* source : sources) {
    constraints += ",v";
    types.push_back(source->getType());
  }
  constraints += ",~{vcc}";
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* assembly = llvm::InlineAsm::get(type, before + instruction + "\n\ts_nop 1", constraints,
                                        /*hasSideEffects=*/false);
  llvm::CallInst* call = b_.CreateCall(assembly, sources);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// docs/reference/hsail_gcn.md says what is computed.
void KernelTranslator::gcn_divide(const Inst& inst) {
  Value* dividend = gcn_source(inst, 1);
  Value* divisor = gcn_source(inst, 2);
  llvm::Type* type = dividend->getType();
  const auto power = [&](int exponent) {
    return llvm::ConstantFP::get(
        context_, llvm::scalbn(llvm::APFloat(1.0f), exponent, llvm::APFloat::rmNearestTiesToEven));
  };
  Value* factor = nullptr;
  if (inst.opcode == Opcode::kGcnDivRelaxed) {
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
    factor = b_.CreateSelect(b_.CreateFCmpOLT(size, power(-96)), power(32), power(0));
    factor = b_.CreateSelect(b_.CreateFCmpOGT(size, power(96)), power(-32), factor);
    divisor = b_.CreateFMul(divisor, factor);
  }
  Value* result =
      b_.CreateFMul(dividend, intrinsic(llvm::Intrinsic::amdgcn_rcp, {type}, {divisor}));
  if (factor != nullptr) result = b_.CreateFMul(result, factor);
  gcn_write(inst, flushes(inst) ? flush_tiny(result) : result);
}

/// LLVM 19 has no region memory. M0 says how much there is and needs one wait state; the data of a
/// store is read by the time that EXP_CNT falls. Vectors go element by element.
void KernelTranslator::gcn_region_access(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const std::optional<Sum> sum = address_sum(inst, 1, inst.segment);
  if (!sum) return;
  // An indirect function does not know its kernel.
  const uint64_t size = any_kernel_ ? hsail::region_limit(target_.name) : layout_.region_bytes;
  const bool loads = inst.opcode == Opcode::kGcnLd;
  const unsigned bytes = hsail::type_bytes(inst.type);
  const std::string width = loads && bytes < 4 ? "u" : "b";
  const std::string name =
      std::string(loads ? "ds_read_" : "ds_write_") + width + std::to_string(8 * bytes);
  llvm::Type* whole = b_.getIntNTy(8 * bytes);
  llvm::Type* moved = bytes < 4     ? static_cast<llvm::Type*>(b_.getInt32Ty())
                      : bytes == 16 ? llvm::FixedVectorType::get(b_.getInt32Ty(), 4)
                                    : whole;
  const std::vector<hsail::OperandRef> parts = elements(inst, 0);
  std::vector<Value*> values;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<Value*> arguments{b_.CreateAdd(address_value(*sum, inst.segment), i32(i * bytes))};
    if (!loads) {
      Value* value = b_.CreateBitCast(read_ref(parts[i], inst.type), whole);
      arguments.push_back(bytes < 4 ? b_.CreateZExt(value, moved) : b_.CreateBitCast(value, moved));
    }
    const std::string text = "s_mov_b32 m0, " + std::to_string(size) + "\n\ts_nop 0\n\t" + name +
                             " $0, $1 gds\n\t" + "s_waitcnt expcnt(0) lgkmcnt(0)";
    std::vector<llvm::Type*> types;
    types.reserve(arguments.size());
    for (Value* argument : arguments) types.push_back(argument->getType());
    auto* type = llvm::FunctionType::get(loads ? moved : b_.getVoidTy(), types, false);
    auto* assembly =
        llvm::InlineAsm::get(type, text, std::string(loads ? "=v" : "v") + ",v,~{m0},~{memory}",
                             /*hasSideEffects=*/true);
    Value* value = b_.CreateCall(assembly, arguments);
    if (loads)
      values.push_back(bytes < 4 ? b_.CreateTrunc(value, whole) : b_.CreateBitCast(value, whole));
  }
  for (size_t i = 0; i < values.size(); ++i) write_ref(parts[i], values[i], inst.type);
}

/// One access for a wavefront, which adds its active lanes to the number or takes them off. M0 has
/// the address, that of the first lane.
void KernelTranslator::gcn_count(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Address at = address(inst, 1, inst.segment);
  if (error_) return;
  const ID id = inst.opcode == Opcode::kGcnAtomicAppend ? llvm::Intrinsic::amdgcn_ds_append
                                                        : llvm::Intrinsic::amdgcn_ds_consume;
  Value* before = intrinsic(id, {at.pointer->getType()}, {at.pointer, b_.getFalse()});
  write(inst, 0, before, inst.type);
}

void KernelTranslator::gcn_exchange(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const auto pattern = static_cast<uint32_t>(immediate(inst, 2).value_or(64));  // or WAVESIZE
  const bool quads = inst.opcode == Opcode::kGcnB4xchg;
  const uint32_t offset = quads ? 0x8000 | (pattern & 0xff) : pattern & 0x7fff;
  Value* value = read(inst, 1, inst.type);
  write(inst, 0, intrinsic(llvm::Intrinsic::amdgcn_ds_swizzle, {}, {value, i32(offset)}),
        inst.type);
}

/// `body` where the condition holds, which is that of all lanes.
template <class Body>
void KernelTranslator::where(Value* condition, Body body) {
  auto* then = llvm::BasicBlock::Create(context_, "", function_);
  auto* next = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(condition, then, next);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

/// S_SLEEP has a time of 7 bits and S_SETPRIO a priority of 2, both part of the instruction. One in
/// a register is that of the first lane: a time is slept in powers of two.
void KernelTranslator::gcn_schedule(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  const bool sleeps = inst.opcode == Opcode::kGcnSleep;
  const ID id = sleeps ? llvm::Intrinsic::amdgcn_s_sleep : llvm::Intrinsic::amdgcn_s_setprio;
  llvm::Type* word = b_.getInt32Ty();
  const auto emit = [&](uint32_t value) {
    llvm::Value* argument = sleeps ? b_.getInt32(value) : b_.getInt16(static_cast<uint16_t>(value));
    intrinsic(id, {}, {argument});
  };
  const uint32_t mask = sleeps ? 127 : 3;
  const bool constant = module_.operand(inst.operands[0]).kind != hsail::Kind::kOperandRegister;
  if (constant) return emit(static_cast<uint32_t>(immediate(inst, 0).value_or(64)) & mask);
  Value* value =
      intrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {word}, {read(inst, 0, Type::kU32)});
  value = b_.CreateAnd(value, mask);
  if (!sleeps) {
    for (uint32_t k = 0; k <= mask; ++k) where(b_.CreateICmpEQ(value, i32(k)), [&] { emit(k); });
    return;
  }
  for (uint32_t bit = 1; bit <= mask; bit *= 2)
    where(b_.CreateICmpNE(b_.CreateAnd(value, bit), i32(0)), [&] { emit(bit); });
}

}  // namespace cuvette::finalizer
