// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rules of declarations, definitions and directives (HSAIL PRM 4.3, 4.13.3, 7.1, 13, 16.2.1):
// each rule with texts on both sides of it, and in BRIG wherever BRIG can say the same.
#include "brig_bytes.h"
#include "brig_support.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::brig_of;
using testing::Bytes;
using testing::entry_at;

const std::string kLarge = "module &m:1:2:$full:$large:$near;\n";
const std::string kSmall = "module &m:1:2:$full:$small:$near;\n";
const std::string kBase = "module &m:1:2:$base:$large:$near;\n";
const std::string kImagesModule = kLarge + "extension \"IMAGE\";\n";
const std::string kSampler = "samp(coord = normalized, filter = linear, addressing = repeat)";

Outcome judged_module(const Bytes& bytes) {
  return parse_module(bytes.data(), bytes.size(), "t");
}
Outcome judged_module(const std::string& text) {
  return judged_module(Bytes(text.begin(), text.end()));
}

/// `text` has one error, at the place that is marked ~. In BRIG the same rule is broken, unless
/// BRIG has no words for it.
void expect_refused(const char* id, std::string text) {
  SCOPED_TRACE(text);
  const size_t mark = text.find('~');
  ASSERT_NE(mark, std::string::npos);
  text.erase(mark, 1);
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark), '\n');
  const size_t line_start = text.rfind('\n', mark - 1);
  const Outcome outcome = judged_module(text);
  ASSERT_EQ(outcome.errors.size(), 1u) << (outcome.ok() ? "accepted" : outcome.errors[1].str());
  const base::Error& e = outcome.errors[0];
  EXPECT_EQ(e.id, id) << e.str();
  EXPECT_EQ(e.where.line, static_cast<uint32_t>(line) + 1) << e.str();
  EXPECT_EQ(e.where.column, mark - line_start) << e.str();
  const Bytes brig = brig_of(text);
  if (brig.empty()) return;
  const Outcome in_brig = judged_module(brig);
  ASSERT_FALSE(in_brig.ok());
  EXPECT_EQ(in_brig.errors[0].id, id) << in_brig.errors[0].str();
  EXPECT_NE(in_brig.errors[0].where.offset, 0u);
}

/// `text` is valid, and stays itself in BRIG and when it is printed.
void expect_accepted(const std::string& text) {
  SCOPED_TRACE(text);
  const Outcome outcome = judged_module(text);
  ASSERT_TRUE(outcome.ok()) << outcome.errors[0].str();
  EXPECT_EQ(testing::brig_problem(outcome.module), "");
}

// --- Qualifiers (4.3.4, 4.3.10, 19.2) ---

TEST(Declarations, QualifiersBelongToWhatTheyStandBefore) {
  for (const char* text : {
           "~const kernel &k(){};",
           "~align(4) kernel &k(){};",
           "~alloc(agent) kernel &k(){};",
           "prog ~const kernel &k(){};",
           "~const indirect function &f()(){};",
           "~align(16) function &f()(){};",
           "decl prog ~align(16) function &f()();",
           "~const fbarrier &f;",
           "~align(4) fbarrier &f;",
           "~alloc(agent) fbarrier &f;",
           "~align(8) signature &s()();",
           "~prog signature &s()();",
           "~decl signature &s()();",
           "~decl prog signature &s()();",
           "kernel &k(~const kernarg_u32 %a){};",
           "kernel &k(~alloc(agent) kernarg_u32 %a){};",
           "kernel &k(~prog kernarg_u32 %a){};",
           "kernel &k(~decl kernarg_u32 %a){};",
           "kernel &k(align(8) ~const kernarg_u32 %a){};",
           "function &f()(~const arg_u32 %a){};",
           "function &f(~prog arg_u32 %a)(){};",
           "signature &s()(~const arg_u32);",
           "kernel &k(){ align(4) ~prog global_u32 %x; };",
           "kernel &k(){ const ~decl global_u32 %x; };",
           "function &f()(){}; kernel &k(){ { align(4) ~decl arg_u32 %a; call &f()(); } };",
       }) {
    expect_refused("syntax", kLarge + text);
  }
}

TEST(Declarations, QualifiersStandOnceEachAndInOrder) {
  for (const char* text : {
           "align(64) ~align(2) global_u8 &y;",
           "const ~const global_u8 &y = 1;",
           "decl ~decl prog global_u8 &y;",
           "prog ~prog global_u8 &y;",
           "alloc(agent) ~alloc(agent) global_u8 &y;",
           "prog ~decl global_u32 &x;",
           "const ~prog global_u32 &x = 1;",
           "const ~align(4) global_u32 &x = 1;",
           "align(4) ~alloc(agent) global_u32 &x;",
           "kernel &k(align(8) ~align(4) kernarg_u32 %a){};",
           "kernel &k(){ const ~align(4) global_u32 %x = 1; };",
       }) {
    expect_refused("syntax", kLarge + text);
  }
  for (const char* text : {
           "prog alloc(agent) align(8) const global_u32 &x = 1;",
           "decl prog alloc(agent) align(8) const global_u32 &x;",
           "align(8) const readonly_u32 &x = 1;",
           "decl prog fbarrier &f; prog fbarrier &f; fbarrier &g;",
           "decl prog kernel &k(align(16) kernarg_u32 %a);",
           "prog indirect function &f(align(8) arg_u32 %r)(arg_u32 %a){};",
           "signature &s()(align(8) arg_u32);",
           "kernel &k(){ alloc(agent) align(8) const global_u32 %x = 1; };",
       }) {
    expect_accepted(kLarge + text);
  }
}

TEST(Declarations, AgentAllocationIsForGlobalVariables) {
  for (const char* text : {
           "alloc(agent) ~readonly_u32 &x;",
           "decl prog alloc(agent) ~readonly_u32 &x;",
           "alloc(agent) ~private_u32 &x;",
           "kernel &k(){ alloc(agent) ~readonly_u32 %x; };",
           "kernel &k(){ alloc(agent) ~spill_u32 %x; };",
       }) {
    expect_refused("agent-allocation", kLarge + text);
  }
  expect_accepted(kLarge + "alloc(agent) global_u32 &x;");
  expect_accepted(kLarge + "readonly_u32 &x;");
}

// --- Places of definitions (4.3.5, 4.3.6) ---

TEST(Declarations, ArgBlocksBeginWithTheirDefinitions) {
  const std::string function = kLarge + "function &v()(arg_u32 %a){};\n";
  for (const char* text : {
           "kernel &k(){ { nop; ~arg_u32 %a; call &v()(%a); } };",
           "kernel &k(){ { @l: ~arg_u32 %a; call &v()(%a); } };",
       }) {
    expect_refused("statement-order", function + text);
  }
  expect_accepted(function +
                  "kernel &k(){ { arg_u32 %a; st_arg_u32 1, [%a]; call &v()(%a); } nop;\n"
                  "{ arg_u32 %a; @l: st_arg_u32 1, [%a]; call &v()(%a); } };");
}

// --- Types of variables, arguments and constants (4.13.3, 7.1.7, 7.1.8, 13.1.2, 16.2.1) ---

TEST(Declarations, ImageTypesNeedTheExtension) {
  const std::string with_sampler = "&x[] = {" + kSampler + "};";
  for (const std::string& text : {
           std::string("~global_roimg &x;"),
           std::string("decl prog ~readonly_samp &x[4];"),
           std::string("kernel &k(~kernarg_roimg %x){};"),
           std::string("decl prog kernel &k(~kernarg_rwimg %x);"),
           std::string("function &f()(~arg_samp %x){};"),
           std::string("function &f(~arg_woimg %x)(){};"),
           std::string("signature &f()(~arg_samp);"),
           std::string("kernel &k(){ ~global_samp %x; };"),
           "alloc(agent) ~global_b8 " + with_sampler,
           "pragma \"x\", ~" + kSampler + ";",
           "pragma \"x\", ~{" + kSampler + "};",
       }) {
    expect_refused("image-extension", kLarge + text);
  }
  for (const std::string& text : {
           std::string("global_roimg &x; kernel &k(kernarg_samp %a){ global_samp %x; };"),
           std::string("function &f(arg_woimg %x)(arg_samp %a){}; signature &s()(arg_samp);"),
           "alloc(agent) global_b8 " + with_sampler,
           "pragma \"x\", " + kSampler + ";",
       }) {
    expect_accepted(kImagesModule + text);
  }
}

TEST(Declarations, SignalTypesAreThoseOfTheMachineModel) {
  const auto texts = [](const std::string& type) {
    return std::vector<std::string>{
        "~global_" + type + " &s;",
        "decl prog ~readonly_" + type + " &s[];",
        "kernel &k(~kernarg_" + type + " %s){};",
        "function &f()(~arg_" + type + " %a){};",
        "signature &f(~arg_" + type + ")();",
        "kernel &k(){ ~private_" + type + " %s; };",
        "~global_" + type + " &x = " + type + "(0);",
        "~global_" + type + " &x[] = " + type + "[](" + type + "(0));",
        "~global_b8 &x[] = {u32(1), " + type + "(0)};",
        "pragma \"x\", ~" + type + "(0);",
    };
  };
  for (const std::string& text : texts("sig32")) expect_refused("machine-model", kLarge + text);
  for (const std::string& text : texts("sig64")) expect_refused("machine-model", kSmall + text);
  const auto unmarked = [](std::string text) { return text.erase(text.find('~'), 1); };
  for (const std::string& text : texts("sig64")) expect_accepted(kLarge + unmarked(text));
  for (const std::string& text : texts("sig32")) expect_accepted(kSmall + unmarked(text));
}

TEST(Declarations, HandlesHaveTheirSegments) {
  for (const char* text : {
           "~group_roimg &i;",
           "~private_samp &i;",
           "decl prog ~group_rwimg &i[4];",
           "kernel &k(){ ~spill_samp %x; };",
           "kernel &k(){ ~private_roimg %x; };",
           "kernel &k(){ ~group_woimg %x[2]; };",
       }) {
    expect_refused("handle-segment", kImagesModule + text);
  }
  expect_accepted(kImagesModule +
                  "function &f()(arg_samp %a){}; readonly_roimg &r; global_samp &s;\n"
                  "kernel &k(kernarg_roimg %i){ readonly_samp %r; { arg_samp %a; ld_global_samp "
                  "$d0, [&s]; st_arg_samp $d0, [%a]; call &f()(%a); } };");
  expect_accepted(kLarge + "group_sig64 &s;");
}

TEST(Declarations, BaseProfileHasNoDoublePrecision) {
  for (const char* text : {
           "~global_f64 &x;",
           "kernel &k(~kernarg_f64 %a){};",
           "function &f(~arg_f64 %a)(){};",
           "function &f()(~arg_f64x2 %a[2]){};",
           "signature &s()(~arg_f64);",
           "kernel &k(){ ~private_f64 %a; };",
           "~global_b64 &x = 1.0;",
           "~global_b128 &x = f64x2(1.0, 2.0);",
           "~global_b8 &x[] = {f64(1.0)};",
           "~global_b8 &x[] = {u8(1), f64[](1.0, 2.0)};",
           "pragma \"x\", ~1.0;",
           "pragma \"x\", ~{f64(1.0)};",
           "kernel &k(){ ~mov_b64 $d0, 1.0; };",
           "kernel &k(){ ~mov_b128 $q0, f64x2(1.0, 2.0); };",
           "kernel &k(){ ~combine_v2_b128_b64 $q0, ($d0, 1.0); };",
       }) {
    expect_refused("base-profile", kBase + text);
  }
  for (const char* text : {
           "global_f32 &x; global_b32 &y = 1.0f; global_b64 &z = 0x3ff0000000000000;",
           "kernel &k(kernarg_f32 %a){ mov_b64 $d0, 1; mov_b32 $s0, 1.0f; };",
           "pragma \"x\", 1.0f;",
       }) {
    expect_accepted(kBase + text);
  }
}

// --- Directives (13.1, 13.2, 13.4) and strings (4.5) ---

TEST(Declarations, ExtensionVersions) {
  for (const char* text : {
           "~extension \"IMAGE\":2:0;",
           "~extension \"IMAGE\":7:7;",
           "~extension \"IMAGE\":1:5;",
           "~extension \"IMAGE\":0:1;",
           "extension \"IMAGE\":~4294967296:0;",
           "extension \"IMAGE\":1:~4294967296;",
           "extension \"\":~4294967296:0;",
       }) {
    expect_refused("extension-version", kLarge + text);
  }
  for (const char* text : {
           "extension \"IMAGE\";",
           "extension \"IMAGE\":1:0;",
           "extension \"IMAGE\":1:1;",
           "extension \"IMAGE\":1:2;",
           "extension \"amd:gcn\":1:0;",
           "extension \"\":4294967295:4294967295;",
       }) {
    expect_accepted(kLarge + text);
  }
}

TEST(Declarations, LocCountsFromOne) {
  for (const char* text :
       {"~loc 0;", "~loc 1 0;", "~loc 0 1 \"a.cl\";", "~loc 4294967296;", "kernel &k(){ ~loc 0; };",
        "kernel &k(){ { ~loc 1 0; call &f()(); } };"}) {
    expect_refused("loc", kLarge + "function &f()(){};\n" + text);
  }
  expect_accepted(kLarge + "loc 1; loc 4294967295 4294967295;");
}

TEST(Declarations, PragmaOperands) {
  for (const char* text : {"pragma \"x\", ~@l;", "pragma \"x\", ~$s0;",
                           "pragma \"x\", 1, ~$d0; kernel &k(){ @l: };"}) {
    expect_refused("pragma-operand", kLarge + text);
  }
  for (const char* text : {
           "kernel &k(){ pragma \"x\", $s0, @l; @l: };",
           "pragma \"x\", nullptr;",
           "pragma \"x\", nullptr_group, nullptr_private, nullptr_kernarg;",
           "global_u32 &x; pragma \"x\", addr(&x), addr(&x + 4);",
           "global_u32 &x; kernel &k(){ pragma \"x\", addr(&x); };",
           "pragma \"x\", u32(nullptr_group), &m;",
       }) {
    expect_accepted(kLarge + text);
  }
  const Outcome taken = judged_module(kLarge + "pragma \"x\", nullptr;");
  ASSERT_TRUE(taken.ok());
  EXPECT_NE(print(taken.module).find("pragma \"x\", u64(nullptr);"), std::string::npos)
      << print(taken.module);
}

/// Operands that the parser refuses have to be refused in BRIG, too.
TEST(Declarations, PragmaOperandsInBrig) {
  const Outcome parsed =
      judged_module(kLarge + "pragma \"x\", 1; kernel &k(){ @l: pragma \"y\", $s0, @l; };");
  ASSERT_TRUE(parsed.ok());
  std::vector<Pragma> pragmas;
  for (const CodeEntry& e : parsed.module.code) {
    if (e.kind == Kind::kPragma) pragmas.push_back(e.as<Pragma>());
  }
  ASSERT_EQ(pragmas.size(), 2u);
  for (const size_t taken : {1, 2}) {  // a register, a label
    Module changed = parsed.module;
    changed.operands[pragmas[0].operands[1]] = changed.operands[pragmas[1].operands[taken]];
    const auto brig = write_brig(changed);
    ASSERT_TRUE(brig.ok());
    const Outcome outcome = judged_module(*brig);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.errors[0].id, "pragma-operand") << outcome.errors[0].str();
    EXPECT_EQ(outcome.errors[0].where.offset, entry_at(*brig, 1, 0x100c));
  }
}

TEST(Declarations, HexadecimalEscapes) {
  const Outcome outcome = judged_module(kLarge + "pragma \"\\X41\\x42\";");
  ASSERT_TRUE(outcome.ok()) << outcome.errors[0].str();
  EXPECT_NE(print(outcome.module).find("pragma \"AB\";"), std::string::npos);
  expect_refused("string-escape", kLarge + "pragma ~\"\\X\";");
}

/// A character has eight bits.
TEST(Declarations, ValuesOfEscapes) {
  for (const char* good : {"\\377", "\\1012", "\\xff", "\\x00000000ff"})
    expect_accepted(kLarge + "pragma \"" + good + "\";");
  for (const char* bad : {"\\400", "\\777", "\\x100", "\\x123", "\\x1000000000000000041"})
    expect_refused("string-escape", kLarge + "pragma ~\"" + bad + "\";");
}

/// Table 4-1: handles stand for nothing but their own type.
TEST(Declarations, HandlesInVariablesOfBitTypes) {
  expect_refused("constant-type", kLarge + "global_b64 &s = ~sig64(0);");
  expect_refused("constant-type", kSmall + "global_b32 &s = ~sig32(0);");
  expect_refused("constant-type", kLarge + "global_sig64 &s = ~sig64[](sig64(0));");
  expect_refused("constant-type", kImagesModule + "readonly_b64 &s = ~" + kSampler + ";");
  expect_accepted(kLarge +
                  "global_sig64 &s = sig64(0); global_sig64 &t[2] = sig64[](sig64(0), "
                  "sig64(0)); global_b8 &u[8] = {sig64(0)};");
}

/// 7.1.9, 6.8: memory with a name holds handles only when its variable does.
TEST(Declarations, HandlesInMemory) {
  const std::string before = kImagesModule +
                             "kernel &k(kernarg_u64 %o, kernarg_sig64 %s, kernarg_roimg "
                             "%i[2], kernarg_samp %p, kernarg_u64 %a[2]){ ";
  for (const char* bad :
       {"ld_kernarg_sig64 $d0, ~[%o];", "ld_kernarg_roimg $d0, ~[%o];",
        "ld_kernarg_samp $d0, ~[%o];", "ld_kernarg_samp $d0, ~[%i];",
        "ld_kernarg_rwimg $d0, ~[%i];", "ld_kernarg_sig64 $d0, ~[%a][8];",
        "ld_v2_kernarg_sig64 ($d0, $d1), ~[%a];", "ld_kernarg_u64 $d0, ~[%s];",
        "global_u64 %g; st_global_sig64 $d0, ~[%g];", "global_sig64 %g; st_global_u64 $d0, ~[%g];",
        "global_b64 %g; st_global_sig64 $d0, ~[%g];"})
    expect_refused("handle-access", before + bad + " };");
  for (const char* good :
       {"ld_kernarg_sig64 $d0, [%s];", "ld_kernarg_roimg $d0, [%i][8];",
        "ld_kernarg_samp $d0, [%p];", "ld_global_sig64 $d0, [$d1];", "lda_kernarg_u64 $d0, [%s];",
        "global_b64 %g; lda_global_u64 $d0, [%g]; ld_global_roimg $d1, [$d0];",
        "global_b8 %g[8]; ld_global_sig64 $d0, [%g];"}) {
    expect_accepted(before + good + " };");
  }
}

/// 10.2, 10.4: only the last input argument of a function has no size.
TEST(Declarations, ArgumentsWithoutSize) {
  for (const char* bad :
       {"function &f(~arg_u32 %r[])(){};", "decl prog function &f(~arg_u32 %r[])();",
        "signature &s(~arg_u32 %r[])();", "function &f(~arg_u32 %r[])(arg_u32 %x){};",
        "function &f()(~arg_u32 %x[], arg_u32 %y){};"})
    expect_refused("array-size", kLarge + bad);
  for (const char* good :
       {"function &f(arg_u32 %r[2])(arg_u32 %x[]){};", "signature &s()(arg_u32 %x, arg_u32 %y[]);"})
    expect_accepted(kLarge + good);
}

/// 10.7.1: the functions of an scall have the same formal arguments.
TEST(Declarations, FunctionsOfOneScall) {
  const std::string functions =
      kLarge +
      "function &f()(arg_u32 %x[]){}; function &g()(arg_u32 %x[3]){}; "
      "function &h()(arg_u32 %x[]){}; indirect function &i()(arg_u32 %x[3]){}; "
      "kernel &k(){ { arg_u32 %x[3]; ";
  for (const char* bad : {"&f, &g", "&g, &f", "&f, &h, &i"})
    expect_refused("argument-match", functions + "~scall_u32 $s0()(%x)[" + bad + "]; } };");
  for (const char* good : {"&f, &h", "&g, &i", "&g, &g", "&f"})
    expect_accepted(functions + "scall_u32 $s0()(%x)[" + good + "]; } };");
}

// --- Names ---

TEST(Declarations, UnknownFbarriers) {
  expect_refused("name-unknown", kLarge + "kernel &k(){ initfbar ~%f; };");
  expect_refused("name-unknown", kLarge + "kernel &k(){ ldf_u32 $s0, ~&f; };");
  expect_refused("name-kind", kLarge + "kernel &k(){ private_u32 %f; initfbar ~%f; };");
  expect_accepted(kLarge + "kernel &k(){ fbarrier %f; initfbar %f; };");
}

}  // namespace
}  // namespace cuvette::hsail
