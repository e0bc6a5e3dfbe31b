// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/link.h"
#include "hsail_case.h"
#include "hsail_programs.h"

// Modules of one program (HSAIL PRM 4.2.1, 4.12).
namespace cuvette::hsail {
namespace {

using testing::Kernarg;
using testing::Ledger;
using testing::TestMemory;

Module module_from(const std::string& text, const std::string& file) {
  auto m = load_text(text, file);
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().str());
  return m.ok() ? std::move(*m) : Module{};
}

/// The modules linked, or the error.
std::string link_error(const std::string& a, const std::string& b) {
  const Module first = module_from(a, "a.hsail");
  const Module second = module_from(b, "b.hsail");
  const auto linked = link({&first, &second});
  return linked.ok() ? "" : linked.error().str();
}

TEST(Link, CallsAndVariablesAcrossModules) {
  const Module first = module_from(hsail_programs::kFirst, "first.hsail");
  const Module second = module_from(hsail_programs::kSecond, "second.hsail");
  for (const bool swapped : {false, true}) {
    const auto linked = swapped ? link({&second, &first}) : link({&first, &second});
    ASSERT_TRUE(linked.ok()) << linked.error().str();
    EXPECT_EQ(linked->header()->default_round, Round::kFloatNear);
    TestMemory memory;
    VariableAddresses addresses;
    for (const ModuleVariable& v : module_variables(*linked)) {
      addresses[v.variable] =
          memory.add_values(std::vector<uint8_t>(v.initial.begin(), v.initial.end()));
    }
    const uint64_t out = memory.add(4 * 100);
    Machine machine(*linked, memory, addresses);
    const auto status =
        machine.run(testing::dispatch(*linked, "&k", {100, 1, 1}, {64, 1, 1}, Kernarg().add(out)));
    ASSERT_TRUE(status.ok()) << status.error().str();
    const auto words = memory.values<uint32_t>(out);
    for (unsigned i = 0; i < 100; ++i) ASSERT_EQ(words[i], hsail_programs::expected(i)) << i;
  }
  if (!HasFailure()) Ledger::cover("HL-056 HL-141 HL-142 HL-059");
}

TEST(Link, WhatDoesNotGoTogether) {
  const auto header = [](const std::string& name, const std::string& rest) {
    return "module &" + name + ":1:0:" + rest + ";\n";
  };
  const std::string usual = "$full:$large:$default";
  EXPECT_EQ(link_error(header("a", usual), header("b", usual)), "");
  EXPECT_EQ(link_error(header("a", usual), header("a", usual)),
            "b.hsail: error: the program has two modules named '&a' [program-modules]");
  EXPECT_NE(link_error(header("a", usual), header("b", "$full:$small:$default"))
                .find("the machine model is not that"),
            std::string::npos);
  EXPECT_NE(link_error(header("a", usual), header("b", "$base:$large:$default"))
                .find("the profile is not that"),
            std::string::npos);
  EXPECT_NE(link_error(header("a", "$full:$large:$near"), header("b", "$full:$large:$zero"))
                .find("the default rounding is not that"),
            std::string::npos);
  EXPECT_EQ(link_error(header("a", usual), header("b", "$full:$large:$zero")), "");
  // 4.3.8, 4.3.3: one definition, and declarations like it.
  EXPECT_EQ(link_error(header("a", usual) + "prog global_u32 &x;\n",
                       header("b", usual) + "prog global_u32 &x;\n"),
            "b.hsail:2:6: error: second definition of '&x' in the program [definition-repeated]");
  EXPECT_NE(link_error(header("a", usual) + "prog global_u32 &x;\n",
                       header("b", usual) + "decl prog global_s32 &x;\n")
                .find("does not match its definition in a.hsail"),
            std::string::npos);
  EXPECT_EQ(link_error(header("a", usual) + "prog global_u32 &x[4];\n",
                       header("b", usual) + "decl prog global_u32 &x[];\n"),
            "");
  EXPECT_NE(link_error(header("a", usual) + "prog global_u32 &x[4];\n",
                       header("b", usual) + "decl prog global_u32 &x[5];\n")
                .find("does not match"),
            std::string::npos);
  EXPECT_NE(link_error(header("a", usual) + "prog function &f()(arg_u32 %x)\n{\n};\n",
                       header("b", usual) + "decl prog function &f()(arg_u64 %x);\n")
                .find("does not match"),
            std::string::npos);
  EXPECT_NE(link_error(header("a", usual) + "prog function &f()()\n{\n};\n",
                       header("b", usual) + "decl prog global_u32 &f;\n")
                .find("does not match"),
            std::string::npos);
  EXPECT_EQ(link_error(header("a", usual) + "function &f()()\n{\n};\n",
                       header("b", usual) + "function &f()()\n{\n};\n"),
            "");
  if (!HasFailure()) Ledger::cover("HL-072 HL-080");
}

/// 4.2.1: what a kernel reaches has to be defined somewhere.
TEST(Link, UndefinedFunction) {
  const Module first = module_from(hsail_programs::kFirst, "first.hsail");
  const auto linked = link({&first});
  ASSERT_TRUE(linked.ok());
  const auto reached = reachable(*linked, linked->find_kernel("&k"));
  ASSERT_FALSE(reached.ok());
  EXPECT_EQ(reached.error().str(), "first.hsail:30:3: error: function '&scale' is not defined");
  // The position is that of the file the call is in.
  const Module other = module_from("module &z:1:0:$full:$large:$default;\n", "z.hsail");
  const auto both = link({&other, &first});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(reachable(*both, both->find_kernel("&k")).error().str(),
            "first.hsail:30:3: error: function '&scale' is not defined");
  if (!HasFailure()) Ledger::cover("HL-057");
}

}  // namespace
}  // namespace cuvette::hsail
