// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What declarations, definitions and directives may say (HSAIL PRM 4.3, 4.13.3, 7.1, 13, 16.2.1):
// each rule with texts on both sides of it, and in BRIG wherever BRIG can say the same.
#include "brig_bytes.h"
#include "brig_support.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::brig_of;
using testing::Bytes;

const std::string kLarge = "module &m:1:2:$full:$large:$near;\n";

Outcome judged(const Bytes& bytes) {
  return parse_module(bytes.data(), bytes.size(), "t");
}
Outcome judged(const std::string& text) {
  return judged(Bytes(text.begin(), text.end()));
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
  const Outcome outcome = judged(text);
  ASSERT_EQ(outcome.errors.size(), 1u) << (outcome.ok() ? "accepted" : outcome.errors[1].str());
  const base::Error& e = outcome.errors[0];
  EXPECT_EQ(e.id, id) << e.str();
  EXPECT_EQ(e.where.line, static_cast<uint32_t>(line) + 1) << e.str();
  EXPECT_EQ(e.where.column, mark - line_start) << e.str();
  const Bytes brig = brig_of(text);
  if (brig.empty()) return;
  const Outcome in_brig = judged(brig);
  ASSERT_FALSE(in_brig.ok());
  EXPECT_EQ(in_brig.errors[0].id, id) << in_brig.errors[0].str();
  EXPECT_NE(in_brig.errors[0].where.offset, 0u);
}

/// `text` is valid, and stays itself in BRIG and when it is printed.
void expect_accepted(const std::string& text) {
  SCOPED_TRACE(text);
  const Outcome outcome = judged(text);
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

}  // namespace
}  // namespace cuvette::hsail
