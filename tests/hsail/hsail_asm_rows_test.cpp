// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_asm_oracle.h"

// Packed, call and special instructions against HSAILasm.
namespace cuvette::hsail {
namespace {

using namespace testing;

class AsmRows : public AsmOracle {};

/// Packed types and controls on every opcode that has a packed form, but cvt (new in HSAIL 1.1).
TEST_F(AsmRows, PackedForms) {
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
  size_t number = 0;
  size_t judged = 0;
  size_t accepted = 0;
  for (const std::string& text : texts) {
    const std::string module = module_with(text);
    const bool ours = we_accept(module);
    if (!compared(number++, ours)) continue;
    ++judged;
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
  std::cout << "packed forms compared with HSAILasm: " << judged << ", both accept " << accepted
            << "\n";
  EXPECT_GT(accepted, 500u);
}

/// Calls, segment conversions, signals, queues and fbarriers.
TEST_F(AsmRows, FunctionsAndSpecialInstructions) {
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
      "{ arg_u32 %r; arg_u32 %x; arg_u32 %y; call &f(%r)(%x); }",
      "{ arg_u32 %r; arg_u32 %x; call &g(%r)(%x, %x); }",
      "{ arg_u32 %r; call &f(%r)(%r); }",
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
        "function &g(arg_u32 %r)(arg_u32 %x, arg_u32 %y)\n{\n};\n"
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

}  // namespace
}  // namespace cuvette::hsail
