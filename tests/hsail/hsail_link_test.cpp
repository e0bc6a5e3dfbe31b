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

/// 4.3.2, 4.3.3, 4.3.8: declarations go together also when no module defines the name.
TEST(Link, DeclarationsOfWhatNobodyDefines) {
  const std::string a = "module &a:1:0:$full:$large:$default;\n";
  const std::string b = "module &b:1:0:$full:$large:$default;\n";
  const struct {
    const char *first, *second;
  } conflicts[] = {
      {"decl prog global_u32 &v;", "decl prog readonly_u32 &v;"},
      {"decl prog global_u32 &v;", "decl prog global_s32 &v;"},
      {"decl prog global_u32 &v;", "decl prog alloc(agent) global_u32 &v;"},
      {"decl prog global_u32 &v[3];", "decl prog global_u32 &v[4];"},
      {"decl prog global_u32 &v[]; decl prog global_u32 &v[3];", "decl prog global_u32 &v[4];"},
      {"decl prog group_u32 &v;", "decl prog function &v()();"},
      {"decl prog fbarrier &v;", "decl prog group_u32 &v;"},
      {"decl prog function &v()();", "decl prog function &v()(arg_u32 %x);"},
      {"decl prog function &v()(arg_u32 %x);", "decl prog function &v()(arg_u64 %x);"},
      {"decl prog function &v()();", "decl prog indirect function &v()();"},
      {"decl prog kernel &v(kernarg_u32 %x);", "decl prog kernel &v(kernarg_u32 %x[2]);"},
  };
  for (const auto& c : conflicts) {
    for (const bool swapped : {false, true}) {
      const std::string error = link_error(a + (swapped ? c.second : c.first) + "\n",
                                           b + (swapped ? c.first : c.second) + "\n");
      EXPECT_NE(error.find("does not match that at line 2 of a.hsail [declaration-mismatch]"),
                std::string::npos)
          << c.first << " " << c.second << ": " << error;
      EXPECT_EQ(error.substr(0, 10), "b.hsail:2:");
    }
  }
  for (const char* same :
       {"decl prog global_u32 &v;", "decl prog alloc(agent) align(8) const global_u32 &v[4];",
        "decl prog readonly_u32 &v[];", "decl prog fbarrier &v;",
        "decl prog function &v(arg_u32 %r)(align(8) arg_u32 %x[2]);"}) {
    EXPECT_EQ(link_error(a + same + "\n", b + same + "\n"), "") << same;
  }
  EXPECT_EQ(link_error(a + "decl prog global_u32 &v[];\n", b + "decl prog global_u32 &v[4];\n"),
            "");
  // Within one module, too.
  const auto module = load_text(
      a + "decl prog global_u32 &v[];\ndecl prog global_u32 &v[3];\ndecl prog global_u32 &v[4];\n",
      "a.hsail");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().str(),
            "a.hsail:4:11: error: '&v' is not what it is at line 3 [declaration-mismatch]");
}

/// 4.3.8, 4.3.9, 10.6.2: of what a kernel uses only global and readonly variables may be defined
/// outside the program.
TEST(Link, UndefinedGroupPrivateAndFbarriers) {
  const std::string a = "module &a:1:0:$full:$large:$default;\n";
  const struct {
    const char *declaration, *use, *what;
    const char *definition, *other;  ///< of program and of module linkage
  } cases[] = {
      {"decl prog group_u32 &v;", "ld_group_u32 $s0, [&v];", "variable", "prog group_u32 &v;",
       "group_u32 &v;"},
      {"decl prog group_u32 &v[];", "lda_group_u32 $s0, [&v][4];", "variable",
       "prog group_u32 &v[8];", "group_u32 &v[8];"},
      {"decl prog private_u32 &v;", "st_private_u32 1, [&v];", "variable", "prog private_u32 &v;",
       "private_u32 &v;"},
      {"decl prog fbarrier &v;", "initfbar &v;", "fbarrier", "prog fbarrier &v;", "fbarrier &v;"},
      {"decl prog fbarrier &v;", "ldf_u32 $s0, &v;", "fbarrier", "prog fbarrier &v;",
       "fbarrier &v;"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.use);
    const std::string in_function = a + c.declaration + "\nfunction &f()()\n{\n" + c.use +
                                    "\n};\nprog kernel &k()\n{\n{\ncall &f()();\n}\n};\n";
    const std::string in_kernel = a + c.declaration + "\nprog kernel &k()\n{\n" + c.use + "\n};\n";
    const std::string b = "module &b:1:0:$full:$large:$default;\n";
    for (const std::string& text : {in_kernel, in_function}) {
      const Module first = module_from(text, "a.hsail");
      for (const bool beside : {false, true}) {
        const Module second = module_from(b + (beside ? c.other : "") + "\n", "b.hsail");
        const auto linked = link({&first, &second});
        ASSERT_TRUE(linked.ok()) << linked.error().str();
        const auto layout = kernel_layout(*linked, linked->find_kernel("&k"));
        ASSERT_FALSE(layout.ok());
        EXPECT_EQ(layout.error().str(),
                  "a.hsail:5:1: error: " + std::string(c.what) + " '&v' is not defined");
      }
      const Module second = module_from(b + c.definition + "\n", "b.hsail");
      const auto linked = link({&first, &second});
      ASSERT_TRUE(linked.ok()) << linked.error().str();
      EXPECT_TRUE(kernel_layout(*linked, linked->find_kernel("&k")).ok());
    }
  }
  // Variables that no kernel uses, and global variables, may stay undefined.
  const Module unused = module_from(a + "decl prog group_u32 &v;\ndecl prog fbarrier &f;\n"
                                        "decl prog global_u32 &g;\nprog kernel &k()\n{\n"
                                        "ld_global_u32 $s0, [&g];\n};\n",
                                    "a.hsail");
  EXPECT_TRUE(kernel_layout(unused, unused.find_kernel("&k")).ok());
}

}  // namespace
}  // namespace cuvette::hsail
