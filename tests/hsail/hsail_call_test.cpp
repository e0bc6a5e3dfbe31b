// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_calls.h"
#include "hsail_case.h"

// Functions (HSAIL PRM chapter 10), alloca, segment conversions: the interpreter against plain
// code.
namespace cuvette::hsail {
namespace {

using namespace testing;

/// Kernel &k of `text` on `items` work-items with one word each.
std::vector<uint32_t> words_of(const std::string& text, uint32_t items, uint64_t handle = 0) {
  const auto m = load_text(text, "call.hsail");
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().str());
  if (!m.ok()) return {};
  TestMemory memory;
  const uint64_t out = memory.add(4 * items);
  Kernarg arguments;
  arguments.add(out);
  if (handle != 0) arguments.add(handle);
  Machine machine(*m, memory, {});
  const auto status = machine.run(dispatch(*m, "&k", {items, 1, 1}, {64, 1, 1}, arguments));
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().str());
  EXPECT_TRUE(machine.undefined_uses().empty());
  return memory.values<uint32_t>(out);
}

TEST(Calls, EveryProgram) {
  for (const auto& program : hsail_calls::programs()) {
    SCOPED_TRACE(program.name);
    const auto words = words_of(program.text, hsail_calls::kItems);
    ASSERT_EQ(words.size(), size_t{hsail_calls::kItems});
    for (uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], program.expected(i)) << i;
    if (!HasFailure()) Ledger::cover(program.ids);
  }
}

TEST(Calls, IndirectFunctions) {
  const std::string text = hsail_calls::indirect_program();
  const auto m = load_text(text, "icall.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  std::map<std::string, uint64_t> handles;
  for (CodeRef i = 1; i < m->code.size(); ++i) {
    if (m->code[i].kind == Kind::kIndirectFunction) {
      handles[m->code[i].as<Executable>().name] = function_handle(i, m->machine_model());
    }
  }
  TestMemory memory;
  const uint64_t out = memory.add(4 * hsail_calls::kItems);
  const uint64_t table =
      memory.add_values(std::vector<uint64_t>{handles["&twice"], handles["&square"]});
  const Dispatch d =
      dispatch(*m, "&k", {hsail_calls::kItems, 1, 1}, {64, 1, 1}, Kernarg().add(out).add(table));
  run(*m, memory, d);
  const auto words = memory.values<uint32_t>(out);
  for (uint32_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(words[i], hsail_calls::indirect_expected(i)) << i;
  }
  // A value that is no handle, and a function with other arguments.
  for (const auto& [handle, what] :
       {std::pair<uint64_t, std::string>{5, "no handle of an indirect function"},
        {handles["&wide"], "whose arguments are not those of the signature"}}) {
    const uint64_t bad = memory.add_values(std::vector<uint64_t>{handle, handle});
    Machine machine(*m, memory, {});
    const auto status =
        machine.run(dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out).add(bad)));
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().str().find(what), std::string::npos) << status.error().str();
  }
  if (!HasFailure()) Ledger::cover("HI-266");
  if (!HasFailure()) testing::Ledger::cover("HL-066");
}

TEST(Calls, WhatStopsADispatch) {
  const auto failure = [](const std::string& functions, const std::string& body) {
    const auto m = load_text("module &m:1:0:$full:$large:$default;\n" + functions +
                                 "prog kernel &k()\n{\n" + body + "};\n",
                             "stop.hsail");
    if (!m.ok()) return m.error().str();
    TestMemory memory;
    Machine machine(*m, memory, {});
    const auto status = machine.run(dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg()));
    return status.ok() ? std::string("no error") : status.error().str();
  };
  EXPECT_NE(failure("decl prog function &f()();\n", "\t{\n\t\tcall &f()();\n\t}\n")
                .find("function '&f' is not defined"),
            std::string::npos);
  EXPECT_NE(failure("function &f()()\n{\n\t{\n\t\tcall &f()();\n\t}\n};\n",
                    "\t{\n\t\tcall &f()();\n\t}\n")
                .find("nested calls"),
            std::string::npos);
  EXPECT_NE(failure("function &f()()\n{\n};\n", "\t{\n\t\tscall_u32 3 ()() [&f, &f];\n\t}\n")
                .find("scall index beyond the list of functions"),
            std::string::npos);
  EXPECT_NE(failure("", "\talloca_u32 $s0, 2000000;\n").find("bytes of private memory"),
            std::string::npos);
  EXPECT_NE(failure("", "\talloca_u32 $s0, 8;\n\tst_private_u32 1, [$s0+8];\n")
                .find("outside the private segment of 8 bytes"),
            std::string::npos);
}

TEST(Calls, SegmentConversions) {
  // One work-item; see Case for the registers.
  const Case cases[] = {
      {"HI-302", "nullptr_u64 $d8;", {}, 'd', 0},
      {"HI-302", "nullptr_kernarg_u64 $d8;", {}, 'd', 0},
      {"HI-302", "nullptr_group_u32 $s8;", {}, 's', 0xffffffff},
      {"HI-302", "nullptr_private_u32 $s8;", {}, 's', 0xffffffff},
      // There and back; null stays null.
      {"HI-124 HI-123", "stof_group_u64_u32 $d4, 12; ftos_group_u32_u64 $s8, $d4;", {}, 's', 12},
      {"HI-124 HI-123",
       "stof_private_nonull_u64_u32 $d4, $s0; ftos_private_nonull_u32_u64 $s8, $d4;",
       {40},
       's',
       40},
      {"HI-124", "nullptr_group_u32 $s4; stof_group_u64_u32 $d8, $s4;", {}, 'd', 0},
      {"HI-123", "ftos_private_u32_u64 $s8, 0;", {}, 's', 0xffffffff},
      {"HI-122", "stof_group_u64_u32 $d4, 0; segmentp_group_b1_u64 $c8, $d4;", {}, 'c', 1},
      {"HI-122", "stof_group_u64_u32 $d4, 0; segmentp_private_b1_u64 $c8, $d4;", {}, 'c', 0},
      {"HI-122",
       "stof_private_u64_u32 $d4, 0; segmentp_global_nonull_b1_u64 $c8, $d4;",
       {},
       'c',
       0},
      {"HI-122", "segmentp_global_b1_u64 $c8, $d10;", {}, 'c', 1},
      {"HI-122", "segmentp_private_b1_u64 $c8, 0;", {}, 'c', 1},  // null is in every segment
      // Flat accesses reach the segments.
      {"HI-152 HI-165",
       "lda_group_u32 $s4, [%scratch][4]; stof_group_u64_u32 $d4, $s4; st_u32 $s0, [$d4]; "
       "ld_group_u32 $s8, [%scratch][4];",
       {77},
       's',
       77},
      {"HI-152 HI-181",
       "st_group_u32 5, [%scratch]; stof_group_u64_u32 $d4, 0; "
       "atomic_add_rlx_wg_u32 $s4, [$d4], 2; ld_group_u32 $s8, [%scratch];",
       {},
       's',
       7},
      {"HI-268",
       "alloca_align(16)_u32 $s4, 24; alloca_align(16)_u32 $s5, 8; st_private_u32 $s0, [$s4+20]; "
       "st_private_u32 1, [$s5]; ld_private_u32 $s8, [$s4+20];",
       {99},
       's',
       99},
      {"HI-268", "alloca_align(64)_u32 $s4, $s0; and_b32 $s8, $s4, 63;", {5}, 's', 0},
      {"HI-268",
       "alloca_align(4)_u32 $s4, 4; stof_private_u64_u32 $d4, $s4; st_u32 $s0, [$d4]; "
       "ld_private_u32 $s8, [$s4];",
       {123},
       's',
       123},
  };
  for (const Case& c : cases) check(c);
}

TEST(Calls, UndefinedConversionsAreNoted) {
  const auto why = [](const std::string& body) {
    const CaseResult r = execute(body, {});
    return r.undefined.size() == 1 ? r.undefined[0].why : "";
  };
  EXPECT_EQ(why("ftos_group_u32_u64 $s8, $d10;"), "flat address outside the segment");
  EXPECT_EQ(why("segmentp_group_nonull_b1_u64 $c8, 0;"), "null where nonull promises none");
  EXPECT_EQ(why("stof_group_nonull_u64_u32 $d8, 0xffffffff;"), "null where nonull promises none");
}

}  // namespace
}  // namespace cuvette::hsail
