// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/brig.h"
#include "hsail/inst_table.h"
#include "hsail_support.h"
#include "hsailasm.h"

// Our judgement of HSAIL text against that of HSAILasm (HSAIL-Tools, HSAIL 1.0): what both accept,
// what both refuse, and whether our text means the same to it.
namespace cuvette::hsail {
namespace {

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new testing::Ledger);

/// The tables of 18.7 whose instructions are all supported.
struct OperandTable {
  const char* id;
  std::vector<Opcode> opcodes;
};
const OperandTable kOperandTables[] = {
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
    {"BR-210",
     {Opcode::kAddQueueWriteIndex, Opcode::kCasQueueWriteIndex, Opcode::kLdQueueReadIndex,
      Opcode::kLdQueueWriteIndex, Opcode::kStQueueReadIndex, Opcode::kStQueueWriteIndex}},
};

class AsmOracle : public testing::HsailAsm {
 protected:
  /// Opcodes whose BRIG has been compared.
  static std::set<Opcode>& compared_opcodes() {
    static std::set<Opcode> opcodes;
    return opcodes;
  }
  /// In a complete run every opcode of every operand table has been compared.
  static void TearDownTestSuite() {
    for (const OperandTable& table : kOperandTables) {
      const bool all = std::all_of(table.opcodes.begin(), table.opcodes.end(),
                                   [](Opcode o) { return compared_opcodes().count(o) != 0; });
      if (all) testing::Ledger::cover(table.id);
      if (GTEST_FLAG_GET(filter) == "*") EXPECT_TRUE(all) << table.id;
    }
  }
  /// Our BRIG of the text is the one HSAILasm made, byte for byte.
  static bool same_brig(const std::string& text, const std::vector<uint8_t>& theirs) {
    const auto ours = write_brig(parse_text(text, "ours").module);
    return ours.ok() && *ours == theirs;
  }
};

/// Without comments, and constants by their bits only: the other tool writes b32 constants as
/// integers.
Module comparable(const Module& m) {
  for (CodeRef i = 1; i < m.code.size(); ++i) {
    if (m.code[i].kind == Kind::kComment) ADD_FAILURE() << "comments are not compared";
  }
  Module copy = m;
  for (Operand& op : copy.operands) {
    if (op.kind == Kind::kOperandConstantBytes) op.type = Type::kNone;
  }
  return copy;
}

TEST_F(AsmOracle, DemoKernelsMeanTheSame) {
  for (const char* kernel : testing::kDemoKernels) {
    SCOPED_TRACE(kernel);
    auto text = base::read_text(testing::kernel_path(kernel));
    ASSERT_TRUE(text.ok());
    ASSERT_FALSE(assembled(*text).empty()) << log();
    const auto ours = parse_text(testing::without_comments(*text), "ours");
    ASSERT_TRUE(ours.ok());
    const auto brig = assembled(print(ours.module));
    ASSERT_FALSE(brig.empty()) << log();
    const auto theirs = parse_text(disassembled(brig), "theirs");
    ASSERT_TRUE(theirs.ok()) << theirs.errors[0].str();
    EXPECT_TRUE(same_module(comparable(ours.module), comparable(theirs.module)))
        << print(theirs.module);
  }
}

// --- Instructions made from the table ---

std::string reg(Type t, unsigned n) {
  return std::string("$") + register_letter(register_kind(t)) + std::to_string(n);
}

std::string operand_text(Role role, const Inst& inst, unsigned n, unsigned vector) {
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
      return "1";
    default:
      return "";
  }
}

/// One instruction of the row with given types, registers only, without optional modifiers.
std::string instruction(const InstRow& row, Type type, Type source,
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

std::string module_with(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n@l:\n\t" + body + "\n};\n";
}

bool we_accept(const std::string& text) {
  const auto outcome = parse_text(text, "t");
  return outcome.ok() && validate(outcome.module).empty();
}

std::string all_messages(const std::string& text) {
  auto outcome = parse_text(text, "ours");
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  std::string joined;
  for (const auto& e : outcome.errors) joined += e.str() + "\n";
  return joined;
}

/// New in HSAIL 1.1 and 1.2, unknown to the oracle, or dropped since.
bool newer_than_oracle(Opcode opcode, Type type) {
  const bool dropped =  // 1.0 had 64-bit forms of these
      type == Type::kU64 && (opcode == Opcode::kGridSize || opcode == Opcode::kWorkItemAbsId);
  return dropped || opcode == Opcode::kGroupStaticSize || opcode == Opcode::kGroupTotalSize ||
         (opcode == Opcode::kCmov && type == Type::kB128);
}

constexpr Type kScalars[] = {Type::kU8,  Type::kU16, Type::kU32, Type::kU64, Type::kS8,  Type::kS16,
                             Type::kS32, Type::kS64, Type::kF16, Type::kF32, Type::kF64, Type::kB1,
                             Type::kB8,  Type::kB16, Type::kB32, Type::kB64, Type::kB128};

/// Every scalar type on every opcode: both accept or both refuse, and what both accept comes back
/// equal.
TEST_F(AsmOracle, TypesOfEveryInstruction) {
  size_t compared = 0;
  size_t accepted = 0;
  Opcode last = Opcode::kGroupTotalSize;
  AtomicOp last_atomic = AtomicOp::kXor;
  for (const InstRow& row : inst_rows()) {
    if (is_call(row.opcode)) continue;
    if (row.opcode == last && row.atomic == last_atomic)
      continue;  // one row per instruction is enough
    last = row.opcode;
    last_atomic = row.atomic;
    const bool typed = row.types != 0;
    const bool two = row.source_types != 0;
    for (const Type t : kScalars) {
      for (const Type s : kScalars) {
        if (!typed && t != Type::kU8) continue;
        if (!two && s != Type::kU8) continue;
        const std::string text = instruction(row, typed ? t : Type::kNone, two ? s : Type::kNone);
        if (newer_than_oracle(row.opcode, t)) continue;
        // Pairs that differ in both types from everything allowed say nothing new.
        const bool near =
            !two || (row.types & type_bit(t)) != 0 || (row.source_types & type_bit(s)) != 0;
        if (!near) continue;
        const std::string module = module_with(text);
        const bool ours = we_accept(module);
        const auto brig = assembled(module);
        const bool theirs = !brig.empty();
        ++compared;
        EXPECT_EQ(ours, theirs) << text << "\n" << log() << all_messages(module);
        if (!ours || !theirs) continue;
        ++accepted;
        const auto mine = parse_text(module, "ours");
        const auto back = parse_text(disassembled(brig), "theirs");
        EXPECT_TRUE(back.ok() && same_module(mine.module, back.module)) << text;
        EXPECT_TRUE(same_brig(module, brig)) << text;
        compared_opcodes().insert(row.opcode);
      }
    }
  }
  std::cout << "compared with HSAILasm: " << compared << " instructions, both accept " << accepted
            << "\n";
}

/// Packed types and controls on every opcode that has a packed form, but cvt (new in HSAIL 1.1).
TEST_F(AsmOracle, PackedForms) {
  const Type every_control[] = {Type::kU8x4, Type::kS16x4, Type::kF16x2, Type::kF64x2};
  const Type scalars[] = {Type::kU32, Type::kS32, Type::kU64, Type::kS64,  Type::kF16,
                          Type::kF32, Type::kF64, Type::kU8,  Type::kU8x4, Type::kU16x2};
  std::vector<Type> all;
  for (unsigned n = 1; n < 128; ++n) {
    const Type t = static_cast<Type>(n);
    if (is_packed(t) && !name(t).empty()) all.push_back(t);
  }
  ASSERT_EQ(all.size(), 24u);
  std::set<std::string> texts;
  for (const InstRow& row : inst_rows()) {
    const bool packed = std::any_of(all.begin(), all.end(), [&](Type t) {
      return (row.types & type_bit(t)) != 0 || (row.source_types & type_bit(t)) != 0;
    });
    if (!packed || row.opcode == Opcode::kCvt) continue;
    std::vector<std::string> controls{""};
    if (row.syntax == Syntax::kArith || row.syntax == Syntax::kCmp) {
      for (unsigned i = 1; i <= static_cast<unsigned>(Pack::kPSat); ++i) {
        controls.push_back("_" + std::string(name(static_cast<Pack>(i))));
      }
    }
    for (const std::string& control : controls) {
      for (const Type t : every_control) {
        if (row.source_types == 0) texts.insert(instruction(row, t, Type::kNone, control));
        if (row.syntax == Syntax::kCmp) {
          Inst shape;
          shape.type = t;
          texts.insert(instruction(row, condition_type(shape), t, control));
        }
      }
    }
    const std::string usual = (row.modifiers & kModPackOne) != 0                    ? "_p"
                              : (row.modifiers & (kModPackTwo | kModPackPair)) != 0 ? "_pp"
                                                                                    : "";
    for (const Type t : all) {
      Inst shape;
      shape.type = t;
      if (row.source_types == 0) texts.insert(instruction(row, t, Type::kNone, usual));
      if (row.syntax == Syntax::kCmp) {
        texts.insert(instruction(row, condition_type(shape), t, usual));
        texts.insert(instruction(row, t, t, usual));
      }
      if (row.syntax != Syntax::kTwoTypes) continue;
      for (const Type s : scalars) {
        texts.insert(instruction(row, t, s));
        texts.insert(instruction(row, s, t));
      }
    }
  }
  size_t accepted = 0;
  for (const std::string& text : texts) {
    const std::string module = module_with(text);
    const bool ours = we_accept(module);
    const auto brig = assembled(module);
    EXPECT_EQ(ours, !brig.empty()) << text << "\n" << log() << all_messages(module);
    if (!ours || brig.empty()) continue;
    ++accepted;
    EXPECT_TRUE(same_brig(module, brig)) << text;
    const auto mine = parse_text(module, "ours");
    const auto back = parse_text(disassembled(brig), "theirs");
    EXPECT_TRUE(back.ok() && same_module(mine.module, back.module)) << text;
    compared_opcodes().insert(*find_opcode(text.substr(0, text.find('_'))));
  }
  std::cout << "packed forms compared with HSAILasm: " << texts.size() << ", both accept "
            << accepted << "\n";
  EXPECT_GT(accepted, 500u);
}

/// Calls, segment conversions, signals, queues and fbarriers.
TEST_F(AsmOracle, FunctionsAndSpecialInstructions) {
  const char* const bodies[] = {
      "{ arg_u32 %r; arg_u32 %x; st_arg_u32 1, [%x]; call &f(%r)(%x); ld_arg_u32 $s0, [%r]; }",
      "{ arg_u32 %r; arg_u32 %x; scall_u32 $s0 (%r)(%x) [&f, &i, &f]; }",
      "{ arg_u32 %r; arg_u32 %x; scall_width(all)_u64 7 (%r)(%x) [&i]; }",
      "{ arg_u32 %r; arg_u32 %x; scall_s32 $s0 (%r)(%x) [&f]; }",
      "{ arg_u32 %r; arg_u32 %x; icall_u64 $d0 (%r)(%x) &s; }",
      "{ arg_u32 %r; arg_u32 %x; icall_width(64)_u64 $d0 (%r)(%x) &s; }",
      "{ arg_u32 %r; arg_u32 %x; icall_u32 $s0 (%r)(%x) &s; }",
      "{ arg_u32 %r; arg_s32 %x; call &f(%r)(%x); }",
      "{ arg_u32 %r; align(8) arg_u32 %x; call &f(%r)(%x); }",
      "{ arg_u32 %r; arg_u32 %x[2]; call &f(%r)(%x); }",
      "{ arg_u32 %r; call &f(%r)(); }",
      "{ arg_u32 %n; arg_u32 %a[7]; call &v()(%n, %a); }",
      "{ arg_u32 %n; arg_u32 %a; call &v()(%n, %a); }",
      "{ arg_u32 %r; arg_u32 %x; alloca_u32 $s0, 4; call &f(%r)(%x); }",
      "{ arg_u32 %r; arg_u32 %x; ret; call &f(%r)(%x); }",
      "alloca_u32 $s0, 24;",
      "alloca_align(256)_u32 $s0, $s1;",
      "alloca_u64 $d0, 24;",
      "segmentp_global_b1_u64 $c0, $d0;",
      "segmentp_private_nonull_b1_u64 $c0, $d0;",
      "segmentp_group_b1_u64 $c0, 5;",
      "segmentp_readonly_b1_u64 $c0, $d0;",
      "segmentp_group_b1_u32 $c0, $s0;",
      "segmentp_b1_u64 $c0, $d0;",
      "stof_private_u64_u32 $d0, $s0;",
      "stof_group_nonull_u64_u32 $d0, $s0;",
      "stof_group_u32_u32 $s0, $s0;",
      "stof_global_u64_u64 $d0, $d0;",
      "ftos_group_u32_u64 $s0, $d0;",
      "ftos_private_nonull_u32_u64 $s0, 0;",
      "ftos_group_u64_u64 $d0, $d0;",
      "nullptr_u64 $d0;",
      "nullptr_u32 $s0;",
      "nullptr_group_u32 $s0;",
      "nullptr_kernarg_u64 $d0;",
      "nullptr_spill_u32 $s0;",
      "nullptr_global_u64 $d0;",
      "initfbar &fb;",
      "initfbar $s0;",
      "releasefbar &fb;",
      "joinfbar &fb;",
      "joinfbar_width(all) $s0;",
      "joinfbar_width(128) $s0;",
      "waitfbar &fb;",
      "arrivefbar_width(WAVESIZE) &fb;",
      "leavefbar &fb;",
      "waitfbar &k;",
      "ldf_u32 $s0, &fb;",
      "ldf_u64 $d0, &fb;",
      "packetid_u64 $d0;",
      "packetid_u32 $s0;",
      "packetcompletionsig_sig64 $d0;",
      "packetcompletionsig_sig32 $d0;",
      "clock_u64 $d0;",
      "clock_u32 $s0;",
      "mov_sig64 $d0, $d1;",
      "mov_sig32 $d0, $d1;",
      "ld_global_sig64 $d0, [$d1];",
      "st_global_sig64 $d0, [$d1];",
      "ld_global_sig32 $d0, [$d1];",
      "ld_global_roimg $d0, [$d1];",
      "ldqueuereadindex_scacq_u64 $d0, [$d1+8];",
      "ldqueuewriteindex_global_rlx_u64 $d0, [$d1];",
      "ldqueuewriteindex_global_screl_u64 $d0, [$d1];",
      "stqueuereadindex_global_screl_u64 [$d1], 5;",
      "stqueuewriteindex_rlx_u64 [$d1], $d2;",
      "stqueuewriteindex_scar_u64 [$d1], $d2;",
      "addqueuewriteindex_global_scar_u64 $d0, [$d1], WAVESIZE;",
      "addqueuewriteindex_group_scar_u64 $d0, [$s1], 1;",
      "casqueuewriteindex_screl_u64 $d0, [$d1], 1, $d3;",
      "casqueuewriteindex_screl_u32 $s0, [$d1], 1, 2;",
  };
  std::vector<std::string> all(std::begin(bodies), std::end(bodies));
  for (const std::string op :
       {"ld", "and", "or", "xor", "exch", "add", "sub", "cas", "max", "st", "wait_eq", "wait_ne",
        "wait_lt", "wait_gte", "wait_gt", "waittimeout_eq", "waittimeout_gte"}) {
    const size_t sources = op == "ld" ? 0 : op == "cas" || op.rfind("waitt", 0) == 0 ? 2 : 1;
    for (const std::string order : {"rlx", "scacq", "screl", "scar"}) {
      for (const std::string type : {"b64", "u64", "s64", "b32"}) {
        std::string rest = "_" + op + "_" + order + "_" + type + "_sig64 ";
        const std::string tail = sources == 0 ? "" : sources == 1 ? ", $d2" : ", $d2, 7";
        all.push_back("signal" + rest + (type == "b32" ? "$s0" : "$d0") + ", $d1" + tail + ";");
        all.push_back("signalnoret" + rest + "$d1" + tail + ";");
      }
    }
  }
  size_t accepted = 0;
  for (const std::string& body : all) {
    const std::string module =
        "module &m:1:0:$full:$large:$default;\nfbarrier &fb;\nsignature &s(arg_u32)(arg_u32 %q);\n"
        "prog indirect function &i(arg_u32 %r)(arg_u32 %x)\n{\n};\n"
        "function &f(arg_u32 %r)(arg_u32 %x)\n{\n\tld_arg_u32 $s0, [%x];\n"
        "\tst_arg_u32 $s0, [%r];\n};\nfunction &v()(arg_u32 %n, arg_u32 %a[])\n{\n};\n"
        "prog kernel &k()\n{\n\t" +
        body + "\n};\n";
    const bool ours = we_accept(module);
    const auto brig = assembled(module);
    EXPECT_EQ(ours, !brig.empty()) << body << "\n" << log() << all_messages(module);
    if (!ours || brig.empty()) continue;
    ++accepted;
    EXPECT_TRUE(same_brig(module, brig)) << body;
    const auto mine = parse_text(module, "ours");
    const auto back = parse_text(disassembled(brig), "theirs");
    EXPECT_TRUE(back.ok() && same_module(mine.module, back.module)) << body;
    const size_t start = body[0] == '{' ? body.find("call") : 0;
    const size_t first = start > 0 && body[start - 1] != ' ' ? start - 1 : start;
    const auto opcode = find_opcode(body.substr(first, body.find_first_of(" _&", first) - first));
    if (opcode) compared_opcodes().insert(*opcode);
  }
  std::cout << "compared with HSAILasm: " << all.size() << " special instructions, both accept "
            << accepted << "\n";
  EXPECT_GT(accepted, 80u);
}

/// Modifiers on every floating-point, comparison, conversion and memory instruction.
TEST_F(AsmOracle, Modifiers) {
  const char* const bodies[] = {
      "add_ftz_f32 $s0, $s1, $s2;",
      "add_up_f32 $s0, $s1, $s2;",
      "add_ftz_down_f64 $d0, $d1, $d2;",
      "add_near_f32 $s0, $s1, $s2;",
      "add_zero_f16 $s0, $s1, $s2;",
      "add_ftz_u32 $s0, $s1, $s2;",
      "add_up_s32 $s0, $s1, $s2;",
      "max_ftz_f32 $s0, $s1, $s2;",
      "max_up_f32 $s0, $s1, $s2;",
      "sqrt_ftz_zero_f32 $s0, $s1;",
      "floor_ftz_f32 $s0, $s1;",
      "floor_near_f32 $s0, $s1;",
      "neg_ftz_f32 $s0, $s1;",
      "abs_ftz_f32 $s0, $s1;",
      "nrcp_ftz_f32 $s0, $s1;",
      "fma_ftz_f32 $s0, $s1, $s2, $s3;",
      "cmp_lt_ftz_b1_f32 $c0, $s0, $s1;",
      "cmp_lt_ftz_b1_u32 $c0, $s0, $s1;",
      "cmp_ltu_b1_f32 $c0, $s0, $s1;",
      "cmp_ltu_b1_s32 $c0, $s0, $s1;",
      "cmp_snan_b1_f64 $c0, $d0, $d1;",
      "cmp_sgtu_u32_f32 $s0, $s1, $s2;",
      "cmp_lt_b1_b1 $c0, $c1, $c2;",
      "cmp_num_b1_f16 $c0, $s0, $s1;",
      "cvt_ftz_f32_f16 $s0, $s1;",
      "cvt_near_f16_f32 $s0, $s1;",
      "cvt_ftz_near_f16_f32 $s0, $s1;",
      "cvt_near_f32_f16 $s0, $s1;",
      "cvt_zeroi_s32_f32 $s0, $s1;",
      "cvt_neari_sat_s32_f32 $s0, $s1;",
      "cvt_sdowni_sat_u8_f64 $s0, $d1;",
      "cvt_ftz_upi_u32_f32 $s0, $s1;",
      "cvt_near_s32_f32 $s0, $s1;",
      "cvt_zeroi_f32_s32 $s0, $s1;",
      "cvt_down_f32_u64 $s0, $d1;",
      "cvt_ftz_f32_s32 $s0, $s1;",
      "cvt_near_s64_s32 $d0, $s1;",
      "cvt_near_b1_f32 $c0, $s1;",
      "cvt_ftz_b1_f32 $c0, $s1;",
      "cvt_near_f32_b1 $s0, $c1;",
      "ld_v2_global_align(8)_const_equiv(3)_width(16)_u32 ($s0, $s1), [$d0];",
      "ld_group_const_u32 $s0, [$s1];",
      "ld_global_const_u32 $s0, [$d1];",
      "ld_const_u32 $s0, [$d1];",
      "ld_global_width(3)_u32 $s0, [$d1];",
      "ld_global_align(512)_u32 $s0, [$d1];",
      "ld_global_equiv(256)_u32 $s0, [$d1];",
      "ld_v2_global_u32 ($s0, $s0), [$d1];",
      "ld_v3_global_f64 ($d0, $d1, $d2), [$d3];",
      "ld_v2_u32 $s0, [$d1];",
      "st_global_width(2)_u32 $s0, [$d1];",
      "st_v4_private_u8 ($s0, 1, WAVESIZE, $s0), [$s1];",
      "st_kernarg_u32 $s0, [$d1];",
      "st_readonly_u32 $s0, [$d1];",
      "ld_kernarg_u32 $s0, [$s1];",
      "ld_group_u32 $s0, [$d1];",
      "ld_u32 $s0, [$d1+4];",
      "ld_u32 $s0, [$s1+4];",
      "st_global_f32 1.0f, [$d1];",
      "st_global_f32 1, [$d1];",
      "st_global_u32 1.0f, [$d1];",
      "st_global_u8 WAVESIZE, [$d1];",
      "st_global_f32 WAVESIZE, [$d1];",
      "lda_group_u32 $s0, [$s1+4];",
      "lda_group_u64 $d0, [$s1];",
      "lda_u64 $d0, [$d1];",
      "lda_spill_u32 $s0, [$s1];",
      "lda_kernarg_u64 $d0, [$d1];",
      "lda_private_u32 $s0, [$s1];",
      "atomic_ld_global_scacq_system_b32 $s0, [$d0];",
      "atomic_ld_global_screl_system_b32 $s0, [$d0];",
      "atomic_add_group_rlx_wg_u32 $s0, [$s1], 1;",
      "atomic_add_group_rlx_agent_u32 $s0, [$s1], 1;",
      "atomic_add_private_rlx_wg_u32 $s0, [$s1], 1;",
      "atomic_add_rlx_agent_u64 $d0, [$d1], $d2;",
      "atomicnoret_st_global_screl_agent_b64 [$d0], 1;",
      "atomicnoret_st_global_scacq_agent_b64 [$d0], 1;",
      "atomicnoret_exch_global_rlx_agent_b32 [$d0], 1;",
      "atomicnoret_cas_global_rlx_agent_b32 [$d0], 1, 2;",
      "atomicnoret_ld_global_rlx_agent_b32 [$d0];",
      "atomic_st_global_rlx_agent_b32 $s0, [$d0], 1;",
      "atomic_wrapinc_global_scar_wave_equiv(2)_u32 $s0, [$d0], 7;",
      "memfence_rlx_wg;",
      "memfence_scacq_wave;",
      "memfence_scar_system;",
      "memfence_scar;",
      "barrier_width(64);",
      "activelaneid_width(all)_u32 $s0;",
      "activelanemask_v2_b64_b1 ($d0, $d1), $c0;",
      "activelanepermute_width(64)_b64 $d0, $d1, $s0, 0, 1;",
      "barrier_width(all);",
      "barrier_width(WAVESIZE);",
      "barrier_width(5);",
      "wavebarrier;",
      "wavebarrier_width(64);",
      "br_width(all) @l;",
      "cbr_width(64)_b1 $c0, @l;",
      "cbr_b32 $s0, @l;",
      "sbr_width(all)_u64 $d0 [@l, @l];",
      "sbr_s32 $s0 [@l];",
      "workitemid_u32 $s0, 3;",
      "workitemid_u32 $s0, $s1;",
      "workitemid_u32 $s0, WAVESIZE;",
      "mov_b32 $s0, 0x1ffffffff;",
      "mov_b64 $d0, 1.0;",
      "mov_b64 $d0, 1.0f;",
      "mov_f32 $s0, 1.0;",
      "mov_b128 $q0, 1;",
      "mov_b128 $q0, u32x4(1, 2, 3, 4);",
      "mov_b32 $s0, u8x4(1, 2, 3, 4);",
      "mov_u32 $s0, u8x4(1, 2, 3, 4);",
      "mov_b32 $s0, u32(7);",
      "mov_s32 $s0, u32(7);",
      "mov_f32 $s0, f32(7.0f);",
      "mov_b1 $c0, 1;",
      "mov_b1 $c0, $s0;",
      "add_u32 $s0, $d1, $s2;",
      "shl_u64 $d0, $d1, $d2;",
      "and_b1 $c0, $c1, 1;",
      "cmov_b32 $s0, $c0, 1, -1;",
      "cmov_b32 $s0, 1, 1, -1;",
      "mov_b32 $s0, -1;",
      "add_f32 $s0, $s1, -0f3f800000;",
      "add_f32 $s0, $s1, -1.5e3f;",
      "add_f16 $s0, $s1, 0x1.8p1h;",
      "combine_v2_b64_b32 $d0, ($s0, 5);",
      "combine_v4_b64_b32 $d0, ($s0, $s1, $s2, $s3);",
      "expand_v2_b32_b64 ($s0, $s1), $d0;",
      "expand_v2_b32_b64 ($s0, $s0), $d0;",
      "bitextract_u64 $d0, $d1, 4, $s2;",
      "bitextract_u64 $d0, $d1, $d2, 4;",
      "mul24_u32 $s0, $s1, 5;",
      "add_pp_s16x2 $s1, $s2, s16x2(-23, 56);",
      "add_pp_s16x2 $s1, $s2, 0xffe90038;",
      "add_pp_s16x2 $s1, $s2, u16x2(23, 56);",
      "add_pp_u8x4 $s1, WAVESIZE, $s3;",
      "add_ftz_up_pp_f32x4 $q1, $q2, $q3;",
      "add_ftz_pp_u8x4 $s1, $s2, $s3;",
      "add_pp_sat_f16x2 $s1, $s2, $s3;",
      "max_up_pp_f16x2 $s1, $s2, $s3;",
      "sqrt_zero_s_f16x2 $s1, $s2;",
      "cmp_ltu_ftz_pp_u32x2_f32x2 $d1, $d2, $d3;",
      "cmp_ltu_pp_u8x4_s8x4 $s1, $s2, $s3;",
      "cmp_lt_pp_u8x8_s8x4 $d1, $s2, $s3;",
      "shuffle_u8x4 $s1, $s2, $s3, $s4;",
      "shuffle_s32x2 $d1, $d2, $d1, WAVESIZE;",
      "shuffle_f16x4 $d1, $d2, $d1, 0x39;",
      "pack_u8x4_u32 $s1, $s2, 7, $s4;",
      "pack_u8x4_s32 $s1, $s2, $s3, 2;",
      "unpack_s32_s8x16 $s1, $q2, 9;",
      "cmov_u8x4 $s1, u8x4(1, 0, 1, 0), $s1, $s2;",
      "cmov_u8x4 $s1, $c0, $s1, $s2;",
      "unpackcvt_f32_u8x4 $s5, $s0, 3;",
      "unpackcvt_f32_u8x4 $s5, $s0, 4;",
      "unpackcvt_f32_u8x4 $s5, $s0, $s1;",
      "packcvt_u8x4_f32 $s1, $s2, $s3, $s9, 1.0f;",
      "sadhi_u16x2_u8x4 $s5, $s0, u8x4(1, 2, 3, 4), $s6;",
      "shl_u8x4 $s1, $s2, 3;",
      "shl_u64x2 $q1, $q2, $d3;",
      "lerp_u8x4 $s1, $s2, 5, $s3;",
      "ncos_f64 $d1, $d0;",
      "nsin_ftz_f32 $s1, $s0;",
  };
  size_t accepted = 0;
  for (const char* body : bodies) {
    const std::string module = module_with(body);
    const bool ours = we_accept(module);
    const auto brig = assembled(module);
    const bool theirs = !brig.empty();
    EXPECT_EQ(ours, theirs) << body << "\n" << log() << all_messages(module);
    if (!ours || !theirs) continue;
    ++accepted;
    EXPECT_TRUE(same_brig(module, brig)) << body;
    const auto mine = parse_text(module, "ours");
    const auto back = parse_text(disassembled(brig), "theirs");
    EXPECT_TRUE(back.ok() && same_module(comparable(mine.module), comparable(back.module)))
        << body << "\n"
        << print(back.module);
  }
  std::cout << "compared with HSAILasm: " << std::size(bodies) << " bodies, both accept "
            << accepted << "\n";
}

}  // namespace
}  // namespace cuvette::hsail
