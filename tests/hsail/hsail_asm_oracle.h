// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>

#include "hsail/brig.h"
#include "hsail/inst_table.h"
#include "hsail_support.h"
#include "hsailasm.h"
#include "test_vectors.h"

/// Shared by the tests that hold our judgement of HSAIL text against that of HSAILasm.
namespace cuvette::hsail::testing {

/// The tables of 18.7 whose instructions are all supported.
struct OperandTable {
  const char* id;
  std::vector<Opcode> opcodes;
};
inline const OperandTable kOperandTables[] = {
    {"BR-185",
     {Opcode::kAbs, Opcode::kAdd, Opcode::kBorrow, Opcode::kCarry, Opcode::kDiv, Opcode::kMax,
      Opcode::kMin, Opcode::kMul, Opcode::kMulHi, Opcode::kNeg, Opcode::kRem, Opcode::kSub}},
    {"BR-186", {Opcode::kMad}},
    {"BR-187", {Opcode::kMad24, Opcode::kMad24Hi, Opcode::kMul24, Opcode::kMul24Hi}},
    {"BR-188", {Opcode::kShl, Opcode::kShr}},
    {"BR-189", {Opcode::kAnd, Opcode::kNot, Opcode::kOr, Opcode::kPopCount, Opcode::kXor}},
    {"BR-190",
     {Opcode::kBitExtract, Opcode::kBitInsert, Opcode::kBitMask, Opcode::kBitRev,
      Opcode::kBitSelect, Opcode::kFirstBit, Opcode::kLastBit}},
    {"BR-191", {Opcode::kCombine, Opcode::kExpand, Opcode::kLda, Opcode::kMov}},
    {"BR-192",
     {Opcode::kShuffle, Opcode::kUnpackLo, Opcode::kUnpackHi, Opcode::kPack, Opcode::kUnpack}},
    {"BR-193", {Opcode::kCmov}},
    {"BR-194",
     {Opcode::kAdd, Opcode::kCeil, Opcode::kDiv, Opcode::kFloor, Opcode::kFma, Opcode::kFract,
      Opcode::kMax, Opcode::kMin, Opcode::kMul, Opcode::kRint, Opcode::kSqrt, Opcode::kSub,
      Opcode::kTrunc}},
    {"BR-195", {Opcode::kMad}},
    {"BR-196", {Opcode::kAbs, Opcode::kClass, Opcode::kCopySign, Opcode::kNeg}},
    {"BR-197",
     {Opcode::kNcos, Opcode::kNexp2, Opcode::kNfma, Opcode::kNlog2, Opcode::kNrcp, Opcode::kNrsqrt,
      Opcode::kNsin, Opcode::kNsqrt}},
    {"BR-198",
     {Opcode::kBitAlign, Opcode::kByteAlign, Opcode::kLerp, Opcode::kPackCvt, Opcode::kUnpackCvt,
      Opcode::kSad, Opcode::kSadHi}},
    {"BR-199", {Opcode::kSegmentP}},
    {"BR-200", {Opcode::kFtos, Opcode::kStof}},
    {"BR-201", {Opcode::kCmp}},
    {"BR-202", {Opcode::kCvt}},
    {"BR-203",
     {Opcode::kLd, Opcode::kSt, Opcode::kAtomic, Opcode::kAtomicNoRet, Opcode::kSignal,
      Opcode::kSignalNoRet, Opcode::kMemFence}},
    {"BR-204",
     {Opcode::kRdImage, Opcode::kLdImage, Opcode::kStImage, Opcode::kQueryImage,
      Opcode::kQuerySampler, Opcode::kImageFence}},
    {"BR-205", {Opcode::kBr, Opcode::kCbr, Opcode::kSbr}},
    {"BR-206",
     {Opcode::kBarrier, Opcode::kWaveBarrier, Opcode::kInitFbar, Opcode::kJoinFbar,
      Opcode::kWaitFbar, Opcode::kArriveFbar, Opcode::kLeaveFbar, Opcode::kReleaseFbar,
      Opcode::kLdf, Opcode::kActiveLaneCount, Opcode::kActiveLaneId, Opcode::kActiveLaneMask,
      Opcode::kActiveLanePermute}},
    {"BR-207", {Opcode::kCall, Opcode::kScall, Opcode::kIcall, Opcode::kRet, Opcode::kAlloca}},
    {"BR-208",
     {Opcode::kCurrentWorkGroupSize, Opcode::kCurrentWorkItemFlatId, Opcode::kDim,
      Opcode::kGridGroups, Opcode::kGridSize, Opcode::kPacketCompletionSig, Opcode::kPacketId,
      Opcode::kWorkGroupId, Opcode::kWorkGroupSize, Opcode::kWorkItemAbsId,
      Opcode::kWorkItemFlatAbsId, Opcode::kWorkItemFlatId, Opcode::kWorkItemId}},
    {"BR-209", {Opcode::kClearDetectExcept, Opcode::kGetDetectExcept, Opcode::kSetDetectExcept}},
    {"BR-211",
     {Opcode::kClock, Opcode::kCuId, Opcode::kDebugTrap, Opcode::kGroupBasePtr,
      Opcode::kKernargBasePtr, Opcode::kLaneId, Opcode::kMaxCuId, Opcode::kMaxWaveId, Opcode::kNop,
      Opcode::kNullPtr, Opcode::kWaveId}},
    {"BR-210",
     {Opcode::kAddQueueWriteIndex, Opcode::kCasQueueWriteIndex, Opcode::kLdQueueReadIndex,
      Opcode::kLdQueueWriteIndex, Opcode::kStQueueReadIndex, Opcode::kStQueueWriteIndex}},
};

/// Opcodes whose BRIG has been compared.
inline std::set<Opcode>& compared_opcodes() {
  static std::set<Opcode> opcodes;
  return opcodes;
}

/// True if the n-th of many texts is given to HSAILasm: all that we take, one in sixteen of
/// the others.
inline bool compared(size_t n, bool ours) {
  return ours || test::chosen(n, 16);
}

class AsmOracle : public HsailAsm {
 protected:
  /// Our BRIG of the text is the one HSAILasm made, byte for byte.
  static bool same_brig(const std::string& text, const std::vector<uint8_t>& theirs) {
    const auto ours = write_brig(parse_text(text, "ours").module);
    return ours.ok() && *ours == theirs;
  }
};

// --- Instructions made from the table ---

inline std::string reg(Type t, unsigned n) {
  return std::string("$") + register_letter(register_kind(t)) + std::to_string(n);
}

inline std::string operand_text(Role role, const Inst& inst, unsigned n, unsigned vector) {
  const auto list = [&](Type t) {
    std::string text = "(";
    for (unsigned i = 0; i < vector; ++i) text += (i == 0 ? "" : ", ") + reg(t, n + i);
    return text + ")";
  };
  switch (role) {
    case Role::kDest:
    case Role::kSource:
    case Role::kDestMany:
    case Role::kSourceMany:
      return reg(inst.type, n);
    case Role::kSourceOther:
      return reg(inst.source_type, n);
    case Role::kU32:
      return reg(Type::kU32, n);
    case Role::kCondition:
      return reg(condition_type(inst), n);
    case Role::kSelector:
      return "0x1b";
    case Role::kDestVector:
      return list(inst.type);
    case Role::kSourceVector:
      return list(inst.source_type);
    case Role::kAddress:
      return inst.segment == Segment::kGroup || inst.segment == Segment::kPrivate ? "[$s30]"
                                                                                  : "[$d30]";
    case Role::kLabel:
      return "@l";
    case Role::kLabels:
      return "[@l]";
    case Role::kDimension:
    case Role::kByte:
    case Role::kExceptions:
      return "1";
    default:
      return "";
  }
}

/// One instruction of the row with given types, registers only, without optional modifiers.
inline std::string instruction(const InstRow& row, Type type, Type source,
                               const std::string& control = "") {
  Inst inst;
  inst.opcode = row.opcode;
  inst.type = type;
  inst.source_type = source;
  inst.atomic_op = row.atomic;
  std::string text(name(row.opcode));
  unsigned vector = 0;
  switch (row.syntax) {
    case Syntax::kCmp:
      text += "_eq";
      break;
    case Syntax::kVector:
      vector = row.opcode == Opcode::kCombine ? type_bits(type) / std::max(1u, type_bits(source))
                                              : type_bits(source) / std::max(1u, type_bits(type));
      vector = std::min(std::max(vector, 2u), 4u);
      text += "_v" + std::to_string(vector);
      break;
    case Syntax::kLane:
      if (row.opcode == Opcode::kActiveLaneMask) {
        vector = 4;
        text += "_v4";
      }
      break;
    case Syntax::kLoad:
    case Syntax::kStore:
    case Syntax::kAddress:
      text += "_global";
      inst.segment = Segment::kGlobal;
      break;
    case Syntax::kAtomic:
      text += "_" + std::string(name(row.atomic)) + "_global_rlx_agent";
      inst.segment = Segment::kGlobal;
      break;
    case Syntax::kFence:
      text += "_scar_wg";
      break;
    default:
      break;
  }
  text += control;
  if (type != Type::kNone) text += "_" + std::string(name(type));
  if (source != Type::kNone) text += "_" + std::string(name(source));
  const std::string roles(row.operands);
  for (unsigned i = 0; i < roles.size(); ++i) {
    const Role role = static_cast<Role>(roles[i]);
    text += i == 0 || role == Role::kLabels ? " " : ", ";
    text += operand_text(role, inst, 4 * i, vector);
  }
  return text + ";";
}

inline std::string module_with(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n@l:\n\t" + body + "\n};\n";
}

inline bool we_accept(const std::string& text) {
  const auto outcome = parse_text(text, "t");
  return outcome.ok() && validate(outcome.module).empty();
}

inline std::string all_messages(const std::string& text) {
  auto outcome = parse_text(text, "ours");
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  std::string joined;
  for (const auto& e : outcome.errors) joined += e.str() + "\n";
  return joined;
}

/// In a complete run every opcode of every operand table has been compared.
class EveryTableIsCompared : public ::testing::Environment {
 public:
  explicit EveryTableIsCompared(const std::set<Opcode>& compared) : compared_(compared) {}
  void TearDown() override {
    for (const OperandTable& table : kOperandTables) {
      const bool all = std::all_of(table.opcodes.begin(), table.opcodes.end(),
                                   [&](Opcode o) { return compared_.count(o) != 0; });
      if (all) Ledger::cover(table.id);
      if (GTEST_FLAG_GET(filter) == "*") {
        EXPECT_TRUE(all) << table.id;
      }
    }
  }

 private:
  const std::set<Opcode>& compared_;
};

}  // namespace cuvette::hsail::testing
