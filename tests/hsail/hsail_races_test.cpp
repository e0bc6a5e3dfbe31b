// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/races.h"
#include "hsail_support.h"

// Data races (HSAIL PRM 6.2), and what is done where the PRM leaves the result undefined.
namespace cuvette::hsail {
namespace {

using namespace testing;

/// Each note as "line: why", after a dispatch of two work-groups of `workgroup` work-items that
/// goes on whatever happens. $d0 is a buffer of 4096 bytes, $s0 the work-item's flat id, $s1 its
/// place in the work-group, $s2 the work-group, $d1 = $d0 + 4 * $s0.
std::vector<std::string> notes(const std::string& body, uint32_t workgroup = 128,
                               const std::string& before = "") {
  const std::string head =
      "module &m:1:2:$full:$large:$default;\n" + before +
      "prog kernel &k(kernarg_u64 %out)\n{\n group_u32 %g[256];\n ld_kernarg_u64 $d0, [%out];\n"
      " workitemabsid_u32 $s0, 0;\n workitemid_u32 $s1, 0;\n workgroupid_u32 $s2, 0;\n"
      " cvt_u64_u32 $d2, $s0;\n mad_u64 $d1, $d2, 4, $d0;\n shl_u32 $s3, $s1, 2;\n";
  auto module = load_text(head + body + "};\n", "t");
  EXPECT_TRUE(module.ok()) << module.error().str();
  if (!module) return {};
  TestMemory memory;
  const uint64_t out = memory.add(4096);
  Machine::Options options;
  options.on_undefined = OnUndefined::kGoOn;
  Machine machine(*module, memory, {}, options);
  const auto status = machine.run(
      dispatch(*module, "&k", {2 * workgroup, 1, 1}, {workgroup, 1, 1}, Kernarg().add(out)));
  EXPECT_TRUE(status.ok()) << status.error().str();
  const auto first = static_cast<uint32_t>(std::count(head.begin(), head.end(), '\n'));
  std::vector<std::string> all;
  for (const UndefinedUse& use : machine.undefined_uses()) {
    std::string why = use.why;
    // Lines count from the body's first.
    const size_t line = why.rfind("line ");
    if (line != std::string::npos)
      why = why.substr(0, line + 5) + std::to_string(std::stoul(why.substr(line + 5)) - first);
    all.push_back(std::to_string(module->code[use.instruction].at.line - first) + ": " + why);
  }
  return all;
}

using Notes = std::vector<std::string>;

TEST(Races, OfWavefrontsAndWorkGroups) {
  // Every work-item stores its own number at one place: wavefronts race, and lanes of each.
  EXPECT_EQ(notes(" st_global_u32 $s0, [$d0];\n"),
            (Notes{"1: lanes store different values to one place",
                   "1: race with 'st_global_u32 $s0, [$d0];' of another wavefront at line 1"}));
  // One value of all lanes of a wavefront, others of other wavefronts.
  EXPECT_EQ(notes(" shr_u32 $s4, $s0, 6;\n st_global_u32 $s4, [$d0];\n"),
            (Notes{"2: race with 'st_global_u32 $s4, [$d0];' of another wavefront at line 2"}));
  // Its own place for each: none.
  EXPECT_EQ(notes(" st_global_u32 $s0, [$d1];\n ld_global_u32 $s4, [$d1];\n"), Notes{});
  // All read one place: none.
  EXPECT_EQ(notes(" ld_global_u32 $s4, [$d0];\n"), Notes{});
  // The neighbour's place, which is another wavefront's at the border.
  EXPECT_EQ(notes(" st_global_u32 $s0, [$d1];\n ld_global_u32 $s4, [$d1+4];\n"),
            (Notes{"1: race with 'ld_global_u32 $s4, [$d1+4];' of another wavefront at line 2"}));
  EXPECT_EQ(notes(" st_global_u32 $s0, [$d1+4];\n ld_global_u32 $s4, [$d1];\n"),
            (Notes{"2: race with 'st_global_u32 $s0, [$d1+4];' of another wavefront at line 1"}));
  // In one wavefront lanes are in order.
  EXPECT_EQ(notes(" st_group_u32 $s0, [%g][$s3];\n xor_b32 $s3, $s3, 4;\n ld_group_u32 $s4, "
                  "[%g][$s3];\n",
                  64),
            Notes{});
}

TEST(Races, OfBytesThatMeet) {
  // Bytes of one word: neighbours, no race; the same byte: one.
  const std::string place =
      " cvt_u64_u32 $d3, $s0;\n shr_u64 $d3, $d3, 6;\n add_u64 $d3, $d0, $d3;\n";
  EXPECT_EQ(notes(place + " st_global_u8 7, [$d3];\n"), Notes{});
  EXPECT_EQ(notes(place + " st_global_u8 7, [$d3];\n ld_global_u8 $s4, [$d3+1];\n").size(), 1u);
  // Wider than a word, across lines of 64 bytes.
  EXPECT_EQ(notes(" shr_u32 $s4, $s0, 6;\n cvt_u64_u32 $d3, $s4;\n mad_u64 $d3, $d3, 60, $d0;\n"
                  " st_v4_global_u32 (1, 2, 3, 4), [$d3+60];\n"),
            Notes{});
  EXPECT_EQ(notes(" shr_u32 $s4, $s0, 6;\n cvt_u64_u32 $d3, $s4;\n mad_u64 $d3, $d3, 12, $d0;\n"
                  " st_v4_global_u32 (1, 2, 3, 4), [$d3+60];\n")
                .size(),
            1u);
}

TEST(Races, BarriersOrderAWorkGroup) {
  const std::string other = " xor_b32 $s3, $s3, 256;\n ld_group_u32 $s4, [%g][$s3];\n";
  EXPECT_EQ(notes(" st_group_u32 $s0, [%g][$s3];\n" + other).size(), 2u);
  EXPECT_EQ(notes(" st_group_u32 $s0, [%g][$s3];\n barrier;\n" + other), Notes{});
  // Not the work-groups among each other.
  EXPECT_EQ(notes(" st_global_u32 $s2, [$d0];\n barrier;\n", 64).size(), 1u);
  EXPECT_EQ(notes(" st_global_u32 $s2, [$d0];\n barrier;\n", 128).size(), 1u);
  // A second round needs a second barrier: loads and stores of both wavefronts meet.
  EXPECT_EQ(notes(" st_group_u32 $s0, [%g][$s3];\n barrier;\n" + other +
                  " xor_b32 $s3, $s3, 256;\n st_group_u32 $s0, [%g][$s3];\n")
                .size(),
            2u);
  EXPECT_EQ(notes(" st_group_u32 $s0, [%g][$s3];\n barrier;\n" + other +
                  " barrier;\n xor_b32 $s3, $s3, 256;\n st_group_u32 $s0, [%g][$s3];\n"),
            Notes{});
}

TEST(Races, AtomicsAreNone) {
  EXPECT_EQ(notes(" atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n"), Notes{});
  EXPECT_EQ(notes(" atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n"
                  " atomic_ld_global_rlx_agent_b32 $s4, [$d0];\n"),
            Notes{});
  EXPECT_EQ(notes(" atomic_ld_global_rlx_agent_b32 $s4, [$d0];\n ld_global_u32 $s4, [$d0];\n"),
            Notes{});
  EXPECT_FALSE(
      notes(" atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n ld_global_u32 $s4, [$d0];\n")
          .empty());
}

/// The first work-item stores a message and then a flag; one of another wavefront waits for the
/// flag and reads.
Notes message(const std::string& set, const std::string& look, const std::string& behind = "") {
  return notes(
      " cmp_eq_b1_u32 $c0, $s0, 0;\n cbr_b1 $c0, @first;\n cmp_ne_b1_u32 $c0, $s0, 200;\n"
      " cbr_b1 $c0, @end;\n@look:\n " +
      look + " $s4, [$d0+64];\n cmp_eq_b1_u32 $c0, $s4, 0;\n cbr_b1 $c0, @look;\n" + behind +
      " ld_global_u32 $s5, [$d0];\n br @end;\n@first:\n st_global_u32 77, [$d0];\n " + set +
      " [$d0+64], 1;\n@end:\n ret;\n");
}

TEST(Races, ReleaseAndAcquireOrder) {
  const std::string acquire = "atomic_ld_global_scacq_agent_b32";
  const std::string release = "atomicnoret_st_global_screl_agent_b32";
  const std::string relaxed_set = "atomicnoret_st_global_rlx_agent_b32";
  const std::string relaxed_look = "atomic_ld_global_rlx_agent_b32";
  EXPECT_EQ(message(release, acquire), Notes{});
  EXPECT_EQ(message(relaxed_set, acquire).size(), 1u);
  EXPECT_EQ(message(release, relaxed_look).size(), 1u);
  EXPECT_EQ(message(release, relaxed_look, " memfence_scacq_agent;\n"), Notes{});
  // The flag itself is ordered with what comes behind: who has seen it may use it as ordinary
  // memory.
  EXPECT_EQ(message(release, acquire, " st_global_u32 0, [$d0+64];\n"), Notes{});
  EXPECT_EQ(message(relaxed_set, acquire, " st_global_u32 0, [$d0+64];\n").size(), 2u);
  Ledger::cover("HL-037");
}

TEST(Races, BehindTheReleaseNothingIsOrdered) {
  EXPECT_EQ(notes(" cmp_eq_b1_u32 $c0, $s0, 0;\n cbr_b1 $c0, @first;\n"
                  " cmp_ne_b1_u32 $c0, $s0, 200;\n cbr_b1 $c0, @end;\n@look:\n"
                  " atomic_ld_global_scacq_agent_b32 $s4, [$d0+64];\n"
                  " cmp_eq_b1_u32 $c0, $s4, 0;\n cbr_b1 $c0, @look;\n ld_global_u32 $s5, [$d0];\n"
                  " br @end;\n@first:\n atomicnoret_st_global_screl_agent_b32 [$d0+64], 1;\n"
                  " st_global_u32 77, [$d0];\n@end:\n ret;\n")
                .size(),
            1u);
}

TEST(Races, FbarriersOrder) {
  const std::string fbarrier = "fbarrier &f;\n";
  const std::string body =
      " cmp_ne_b1_u32 $c0, $s1, 0;\n cbr_b1 $c0, @made;\n initfbar &f;\n@made:\n barrier;\n"
      " joinfbar &f;\n barrier;\n st_group_u32 $s0, [%g][$s3];\n";
  const std::string read =
      " xor_b32 $s3, $s3, 256;\n ld_group_u32 $s4, [%g][$s3];\n leavefbar &f;\n barrier;\n"
      " cbr_b1 $c0, @end;\n releasefbar &f;\n@end:\n ret;\n";
  EXPECT_EQ(notes(body + " waitfbar &f;\n" + read, 128, fbarrier), Notes{});
  EXPECT_EQ(notes(body + read, 128, fbarrier).size(), 2u);
}

TEST(Undefined, GoesOnWhereThereIsNoMemory) {
  EXPECT_EQ(notes(" mov_b32 $s5, 7;\n ld_global_u32 $s5, [16];\n st_global_u32 $s5, [16];\n"
                  " atomic_add_global_rlx_agent_u32 $s5, [16], 1;\n"
                  " atomic_add_global_rlx_agent_u64 $d5, [$d0+4], 1;\n"
                  " ld_group_u32 $s6, [%g][1024];\n st_global_u32 $s5, [$d1];\n"),
            (Notes{"2: access of memory that is not there", "3: access of memory that is not there",
                   "4: access of memory that is not there", "5: misaligned atomic",
                   "6: access of memory that is not there"}));
}

/// Loads and atomics of no memory give 0.
TEST(Undefined, GivesZeros) {
  auto module = load_text(
      "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %out)\n{\n"
      "ld_kernarg_u64 $d0, [%out];\nmov_b32 $s1, 7;\nmov_b32 $s2, 7;\nmov_b64 $d3, 16;\n"
      "ld_global_u32 $s1, [16];\natomic_add_global_rlx_agent_u32 $s2, [16], 1;\n"
      "atomic_add_global_rlx_agent_u64 $d3, [$d0+4], 1;\n"
      "st_v2_global_u32 ($s1, $s2), [$d0];\nst_global_u64 $d3, [$d0+8];\n};\n",
      "t");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  const uint64_t out = memory.add_values<uint32_t>({1, 2, 3, 4});
  Machine::Options options;
  options.on_undefined = OnUndefined::kGoOn;
  Machine machine(*module, memory, {}, options);
  ASSERT_TRUE(machine.run(dispatch(*module, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out))).ok());
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{0, 0, 0, 0}));
}

TEST(Undefined, StopsWhenTold) {
  const auto stopped = [](const std::string& body, OnUndefined what) {
    const Module m = module_of(body);
    TestMemory memory;
    Machine::Options options;
    options.on_undefined = what;
    const uint64_t out = memory.add(64);
    Machine machine(m, memory, {}, options);
    const auto status =
        machine.run(dispatch(m, "&k", {128, 1, 1}, {128, 1, 1}, Kernarg().add(out)));
    return status.ok() ? "" : status.error().str();
  };
  const std::string division = "\tdiv_u32 $s0, 5, 0;\n";
  EXPECT_EQ(stopped(division, OnUndefined::kUsual), "");
  EXPECT_EQ(stopped(division, OnUndefined::kGoOn), "");
  EXPECT_EQ(stopped(division, OnUndefined::kStop),
            "test.hsail:4:2: error: undefined by the PRM: integer division by zero (work-group "
            "(0,0,0), work-item (0,0,0), kernel &k, 'div_u32 $s0, 5, 0;')");
  const std::string beyond = "\tmov_b32 $s0, 5;\n\tsbr_u32 $s0 [@a];\n@a:\n\tret;\n";
  EXPECT_EQ(stopped(beyond, OnUndefined::kUsual), "");
  EXPECT_EQ(stopped(beyond, OnUndefined::kStop).find("sbr index beyond the list of labels") !=
                std::string::npos,
            true);
  const std::string race = "\tld_kernarg_u64 $d0, [%out];\n\tst_global_u32 5, [$d0];\n";
  EXPECT_EQ(stopped(race, OnUndefined::kUsual), "");
  EXPECT_NE(stopped(race, OnUndefined::kStop)
                .find("race with 'st_global_u32 5, [$d0];' of another "
                      "wavefront at line 5 (work-group (0,0,0), "
                      "work-item (64,0,0)"),
            std::string::npos)
      << stopped(race, OnUndefined::kStop);
}

/// Lanes of a flat store may reach two spaces at equal addresses.
TEST(Races, AddressesOfTwoSpacesAreTwoPlaces) {
  const uint8_t one[] = {1, 0, 0, 0}, two[] = {2, 0, 0, 0};
  const RaceWatch::Access store{0, 0, 5, true, false};
  RaceWatch watch;
  watch.begin_instruction();
  EXPECT_EQ(watch.access(store, 0, 64, 4, one), RaceWatch::kNone);
  EXPECT_EQ(watch.access(store, RaceWatch::kGlobal, 64, 4, two), RaceWatch::kNone);
  EXPECT_EQ(watch.access(store, RaceWatch::kGlobal, 64, 4, one), RaceWatch::kOwnLanes);
  watch.begin_instruction();
  EXPECT_EQ(watch.access(store, 0, 64, 4, two), RaceWatch::kNone);
}

}  // namespace
}  // namespace cuvette::hsail
