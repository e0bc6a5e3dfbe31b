// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_support.h"

// Errors that stop a dispatch, with the place and the words.
namespace cuvette::hsail {
namespace {

using namespace testing;

/// The error of running `body` with one buffer of 64 bytes.
std::string failure(const std::string& body, uint32_t grid = 64, uint32_t workgroup = 64,
                    Machine::Options options = {}) {
  const Module m = module_of(body);
  TestMemory memory;
  const uint64_t out = memory.add(64);
  Machine machine(m, memory, {}, options);
  const auto status =
      machine.run(dispatch(m, "&k", {grid, 1, 1}, {workgroup, 1, 1}, Kernarg().add(out)));
  return status.ok() ? "no error" : status.error().str();
}

TEST(Diagnosis, MemoryAccesses) {
  EXPECT_EQ(failure("\tworkitemabsid_u32 $s0, 0;\n"
                    "\tld_kernarg_u64 $d0, [%out];\n"
                    "\tcvt_u64_u32 $d1, $s0;\n"
                    "\tmad_u64 $d0, $d1, 4, $d0;\n"
                    "\tst_global_u32 $s0, [$d0];\n"),
            "test.hsail:8:2: error: store of 4 bytes to unmapped or read-only address 0x100000040 "
            "(work-group (0,0,0), work-item (16,0,0), kernel &k, 'st_global_u32 $s0, [$d0];')");
  EXPECT_EQ(
      failure("\tld_global_u64 $d0, [16];\n"),
      "test.hsail:4:2: error: load of 8 bytes from unmapped address 0x10 (work-group (0,0,0), "
      "work-item (0,0,0), kernel &k, 'ld_global_u64 $d0, [16];')");
  EXPECT_EQ(
      failure("\tgroup_u32 %x[4];\n\tld_group_u32 $s0, [%x][16];\n"),
      "test.hsail:5:2: error: access of 4 bytes at 0x10 is outside the group segment of 16 bytes "
      "(work-group (0,0,0), work-item (0,0,0), kernel &k, 'ld_group_u32 $s0, [%x][16];')");
  EXPECT_EQ(
      failure("\tprivate_u32 %x;\n\tst_private_u32 1, [%x][-4];\n"),
      "test.hsail:5:2: error: access of 4 bytes at 0xfffffffc is outside the private segment of 4 "
      "bytes (work-group (0,0,0), work-item (0,0,0), kernel &k, 'st_private_u32 1, [%x][-4];')");
  EXPECT_EQ(
      failure("\tld_kernarg_u32 $s0, [%out][8];\n"),
      "test.hsail:4:2: error: access of 4 bytes at 0x70008 is outside the kernarg segment of 8 "
      "bytes (work-group (0,0,0), work-item (0,0,0), kernel &k, 'ld_kernarg_u32 $s0, "
      "[%out][8];')");
  EXPECT_EQ(failure("\tld_kernarg_u64 $d0, [%out];\n"
                    "\tatomicnoret_add_global_rlx_agent_u64 [$d0+4], 1;\n"),
            "test.hsail:5:2: error: atomic at 0x100000004 is not aligned to 8 bytes (work-group "
            "(0,0,0), work-item (0,0,0), kernel &k, 'atomicnoret_add_global_rlx_agent_u64 [$d0+4], "
            "1;')");
  Ledger::cover("HL-208");
}

TEST(Diagnosis, Barriers) {
  EXPECT_EQ(
      failure("\tworkitemid_u32 $s0, 0;\n"
              "\tcmp_lt_b1_u32 $c0, $s0, 3;\n"
              "\tcbr_b1 $c0, @skip;\n"
              "\tbarrier;\n"
              "@skip:\n"),
      "test.hsail:7:2: error: barrier in divergent control flow: this work-item does not reach it "
      "(work-group (0,0,0), work-item (0,0,0), kernel &k, 'barrier;')");
  EXPECT_EQ(failure("\tworkitemid_u32 $s0, 0;\n"
                    "\tcmp_ne_b1_u32 $c0, $s0, 5;\n"
                    "\tcbr_b1 $c0, @go;\n"
                    "\tret;\n"
                    "@go:\n"
                    "\tbarrier;\n"),
            "test.hsail:9:2: error: barrier after this work-item of the work-group has ended "
            "(work-group (0,0,0), work-item (5,0,0), kernel &k, 'barrier;')");
  // The second wavefront ends without a barrier.
  EXPECT_EQ(
      failure("\tworkitemid_u32 $s0, 0;\n"
              "\tcmp_ge_b1_u32 $c0, $s0, 64;\n"
              "\tcbr_b1 $c0, @skip;\n"
              "\tbarrier;\n"
              "@skip:\n",
              128, 128),
      "test.hsail:7:2: error: barrier that wavefront 1 of the work-group never reaches: it has "
      "ended (work-group (0,0,0), work-item (0,0,0), kernel &k, 'barrier;')");
  EXPECT_EQ(
      failure("\tworkitemid_u32 $s0, 0;\n"
              "\tcmp_ge_b1_u32 $c0, $s0, 64;\n"
              "\tcbr_b1 $c0, @other;\n"
              "\tbarrier;\n"
              "\tret;\n"
              "@other:\n"
              "\tbarrier;\n",
              128, 128),
      "test.hsail:7:2: error: wavefronts of one work-group wait at different barriers: wavefront 1 "
      "at line 10 (work-group (0,0,0), work-item (0,0,0), kernel &k, 'barrier;')");
}

/// 9.1.2: slices need not meet, but all of the work-group executes a narrow barrier.
TEST(Diagnosis, NarrowBarriers) {
  const auto skipping = [](const std::string& condition, const std::string& width) {
    return failure("\tworkitemid_u32 $s0, 0;\n\t" + condition +
                       ";\n\tcbr_b1 $c0, @skip;\n\tbarrier_width(" + width + ");\n@skip:\n",
                   256, 256);
  };
  const auto text = [](const char* item, const char* width) {
    return std::string(
               "test.hsail:7:2: error: barrier that this work-item executes 0 times and "
               "others 1 time, expected the whole work-group to execute it (work-group "
               "(0,0,0), work-item (") +
           item + ",0,0), kernel &k, 'barrier_width(" + width + ");')";
  };
  EXPECT_EQ(skipping("cmp_lt_b1_u32 $c0, $s0, 64", "64"), text("0", "64"));
  EXPECT_EQ(skipping("cmp_ge_b1_u32 $c0, $s0, 64", "WAVESIZE"), text("64", "WAVESIZE"));
  EXPECT_EQ(skipping("cmp_ge_b1_u32 $c0, $s0, 248", "8"), text("248", "8"));
  EXPECT_EQ(skipping("cmp_ge_b1_u32 $c0, $s0, 128", "128"), text("128", "128"));
  EXPECT_EQ(skipping("cmp_ge_b1_u32 $c0, $s0, 256", "128"), "no error");
  // As often, not only at all: the second half goes round three times.
  EXPECT_EQ(failure("\tworkitemid_u32 $s0, 0;\n\tshr_u32 $s1, $s0, 7;\n\tmad_u32 $s1, $s1, 2, 1;\n"
                    "@again:\n\tbarrier_width(128);\n\tsub_u32 $s1, $s1, 1;\n"
                    "\tcmp_ne_b1_u32 $c0, $s1, 0;\n\tcbr_b1 $c0, @again;\n",
                    256, 256),
            "test.hsail:8:2: error: barrier that this work-item executes 1 time and others 3 "
            "times, expected the whole work-group to execute it (work-group (0,0,0), work-item "
            "(0,0,0), kernel &k, 'barrier_width(128);')");
}

/// One half waits at the barrier of all while the last wavefront is on its way to a narrow one.
TEST(Diagnosis, NarrowBarriersOfSlowSlices) {
  EXPECT_EQ(failure("\tworkitemid_u32 $s0, 0;\n\tcmp_lt_b1_u32 $c0, $s0, 192;\n"
                    "\tcbr_b1 $c0, @fast;\n\tmov_b32 $s1, 2000;\n@spin:\n"
                    "\tsub_u32 $s1, $s1, 1;\n\tcmp_ne_b1_u32 $c1, $s1, 0;\n"
                    "\tcbr_b1 $c1, @spin;\n@fast:\n\tbarrier_width(128);\n\tbarrier;\n",
                    256, 256),
            "no error");
}

TEST(Diagnosis, EndlessKernel) {
  Machine::Options options;
  options.instruction_limit = 1000;
  EXPECT_EQ(
      failure("@again:\n\tbr @again;\n", 64, 64, options),
      "test.hsail:5:2: error: instruction limit of 1000 reached; wavefront 0 of group (0,0,0) is "
      "at line 5 (work-group (0,0,0), kernel &k, 'br @again;')");
}

TEST(Diagnosis, DispatchesThatCannotStart) {
  EXPECT_EQ(failure("\trequiredworkgroupsize 128, 1, 1;\n"),
            "test.hsail:2:6: error: requiredworkgroupsize asks for 128, the dispatch has 64 in "
            "dimension 0");
  EXPECT_EQ(failure("\trequireddim 2;\n"),
            "test.hsail:2:6: error: requireddim asks for 2 dimensions, the dispatch has 1");
  EXPECT_EQ(failure("\tgroup_u8 %x[65537];\n\tld_group_u8 $s0, [%x];\n"),
            "test.hsail:2:6: error: more than 65536 bytes of group memory");
  EXPECT_EQ(failure("\tret;\n", 2048, 2048),
            "test.hsail:2:6: error: a work-group has at most 1024 work-items");
  const Module m = module_of("\tret;\n", "kernarg_u64 %a, kernarg_u32 %b");
  TestMemory memory;
  Machine machine(m, memory, {});
  const auto status =
      machine.run(dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(uint64_t{1})));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(
      status.error().str(),
      "test.hsail:2:6: error: the kernel's arguments take 12 bytes, the kernarg segment has 8");
  Ledger::cover("HL-312 HL-315");
}

}  // namespace
}  // namespace cuvette::hsail
