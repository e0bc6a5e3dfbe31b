// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// S_WAITCNT rules (hazards.md, Counters): what has come back, and what may still be under way.
#include "wave/wait_checker.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "hazard_testing.h"
#include "isa/operands.h"

namespace cuvette {
namespace {

using isa::Instruction;
using isa::Target;
using testing::assemble;
using wave::HazardFinding;

struct CounterCase {
  std::string program;
  const char* rule;  ///< expected first finding, empty: none
};

void check_counters(Target target, const std::vector<CounterCase>& cases) {
  for (const CounterCase& c : cases) {
    SCOPED_TRACE(c.program);
    wave::WaitChecker checker(target);
    std::vector<HazardFinding> out;
    uint64_t pc = 0;
    for (const Instruction& in : assemble(c.program, target)) {
      checker.issue(in, pc, out);
      pc += 4u * in.length;
    }
    if (*c.rule == 0) {
      EXPECT_TRUE(out.empty()) << out[0].text();
    } else {
      ASSERT_FALSE(out.empty()) << "nothing reported";
      EXPECT_EQ(out[0].rule, c.rule);
      EXPECT_EQ(out.size(), 1u);
    }
  }
}

TEST(WaitChecker, Gfx908) {
  check_counters(
      Target::Gfx908,
      {{"global_load_dword v2, v[0:1], off;v_mov_b32 v3, v2", "W001"},
       {"global_load_dword v2, v[0:1], off;s_waitcnt vmcnt(0);v_mov_b32 v3, v2", ""},
       {"global_load_dword v2, v[0:1], off;v_mov_b32 v2, 0", "W001"},
       {"global_load_dword v2, v[0:1], off;v_mov_b32 v3, v4", ""},
       {"global_load_dword v2, v[0:1], off;s_waitcnt lgkmcnt(0);v_mov_b32 v3, v2", "W001"},
       // The older of two is back when one is outstanding; the younger is not.
       {"global_load_dword v2, v[0:1], off;global_load_dword v3, v[0:1], off;s_waitcnt vmcnt(1);"
        "v_mov_b32 v4, v2",
        ""},
       {"global_load_dword v2, v[0:1], off;global_load_dword v3, v[0:1], off;s_waitcnt vmcnt(1);"
        "v_mov_b32 v4, v3",
        "W001"},
       // Stores count too, in order.
       {"global_load_dword v2, v[0:1], off;global_store_dword v[0:1], v9, off;s_waitcnt vmcnt(1);"
        "v_mov_b32 v4, v2",
        ""},
       {"global_load_dword v2, v[0:1], off;global_load_dword v2, v[0:1], off;s_waitcnt vmcnt(0)",
        ""},
       {"ds_read_b32 v2, v0;v_mov_b32 v3, v2", "W002"},
       {"ds_read_b32 v2, v0;ds_read_b32 v3, v0;s_waitcnt lgkmcnt(1);v_mov_b32 v4, v2", ""},
       {"ds_read_b32 v2, v0;ds_read_b32 v3, v0;s_waitcnt lgkmcnt(1);v_mov_b32 v4, v3", "W002"},
       {"s_load_dword s4, s[0:1], 0x0;s_add_u32 s5, s4, s6", "H163"},
       {"s_load_dword s4, s[0:1], 0x0;s_waitcnt lgkmcnt(0);s_add_u32 s5, s4, s6", ""},
       // Scalar reads come back in any order: a wait to one proves nothing.
       {"s_load_dword s4, s[0:1], 0x0;s_load_dword s5, s[0:1], 0x4;s_waitcnt lgkmcnt(1);"
        "s_add_u32 s7, s4, s6",
        "H163"},
       // So do LDS and scalar reads together.
       {"ds_read_b32 v2, v0;s_load_dword s5, s[0:1], 0x4;s_waitcnt lgkmcnt(1);v_mov_b32 v4, v2",
        "W002"},
       {"flat_load_dword v2, v[0:1];s_waitcnt vmcnt(0);v_mov_b32 v3, v2", "W005"},
       {"flat_load_dword v2, v[0:1];s_waitcnt vmcnt(0) lgkmcnt(0);v_mov_b32 v3, v2", ""},
       // FLAT outstanding: nothing but zero helps the others of its counters.
       {"global_load_dword v2, v[0:1], off;flat_load_dword v3, v[0:1];s_waitcnt vmcnt(1);"
        "v_mov_b32 v4, v2",
        "W001"},
       {"s_memtime s[4:5];s_mov_b32 s6, s5", "H163"},
       {"ds_add_u32 v0, v1 gds;v_mov_b32 v1, 0", "W006"},
       {"ds_add_u32 v0, v1 gds;s_waitcnt expcnt(0);v_mov_b32 v1, 0", ""},
       {"ds_add_rtn_u32 v2, v0, v1 gds;s_waitcnt expcnt(0);v_mov_b32 v3, v2", "W003"},
       {"ds_add_rtn_u32 v2, v0, v1 gds;s_waitcnt lgkmcnt(0);v_mov_b32 v3, v2", ""},
       {"ds_add_rtn_u32 v2, v0, v1 gds;s_waitcnt lgkmcnt(0);v_mov_b32 v1, v2", "W006"}});
}

TEST(WaitChecker, OtherTargetsNameTheirOwnRows) {
  check_counters(Target::Gfx942,
                 {{"flat_load_dword v2, v[0:1];s_waitcnt vmcnt(0);v_mov_b32 v3, v2", "H162"},
                  {"flat_load_dword v2, v[0:1];s_waitcnt vmcnt(0) lgkmcnt(0);v_mov_b32 v3, v2", ""},
                  {"s_load_dword s4, s[0:1], 0x0;s_mov_b32 s5, s4", "W004"}});
  check_counters(Target::Gfx900, {{"s_load_dword s4, s[0:1], 0x0;s_mov_b32 s5, s4", "W004"}});
}

/// `count` instructions, `text` with its '#' replaced by `first`, `first` + 1, ...
std::string series(unsigned count, unsigned first, const std::string& text) {
  std::string out;
  for (unsigned n = 0; n < count; ++n) {
    std::string one = text;
    for (size_t at = one.find('#'); at != std::string::npos; at = one.find('#', at)) {
      one.replace(at, 1, std::to_string(first + n));
    }
    out += one + ";";
  }
  return out;
}

/// Decision D56. Widths: 6, 4 and 3 bits of S_WAITCNT's SIMM16 (MI100 ISA 12.5); order: MI100 ISA
/// 4.4, reads and writes of vector memory mixed included, other types not. The first result is v50,
/// the second v100.
TEST(WaitChecker, AFullCounterProvesTheOldestReturned) {
  const std::string lds = "ds_read_b32 v50, v0;", more_lds = "ds_read_b32 v#, v0";
  const std::string vector = "global_load_dword v50, v[0:1], off;";
  const std::string more_vector = "global_load_dword v#, v[0:1], off";
  const std::string store = "global_store_dword v[0:1], v9, off",
                    flat = "flat_load_dword v40, v[0:1];";
  const std::string scalar = "s_load_dword s4, s[0:1], 0x0;";
  const std::string use = "v_mov_b32 v49, v50", use_second = "v_mov_b32 v49, v100";
  for (const Target target :
       {Target::Gfx900, Target::Gfx906, Target::Gfx908, Target::Gfx90a, Target::Gfx942}) {
    SCOPED_TRACE(isa::name_of(target));
    const char* of_scalar = target == Target::Gfx908 ? "H163" : "W004";
    check_counters(
        target,
        {// LGKM_CNT holds 15.
         {(lds + series(14, 100, more_lds) + use), "W002"},
         {(lds + series(15, 100, more_lds) + use), ""},
         {(lds + series(15, 100, more_lds) + use_second), "W002"},
         {(lds + series(16, 100, more_lds) + use_second), ""},
         {(lds + series(15, 100, "ds_write_b32 v0, v1") + use), ""},
         // The sixteenth is issued when the first is back.
         {(lds + series(14, 100, more_lds) + "ds_read_b32 v49, v50"), ""},
         {(lds + series(13, 100, more_lds) + "ds_read_b32 v49, v50"), "W002"},
         // VM_CNT holds 63, stores among them.
         {(vector + series(62, 100, more_vector) + use), "W001"},
         {(vector + series(63, 100, more_vector) + use), ""},
         {(vector + series(63, 100, more_vector) + use_second), "W001"},
         {(vector + series(62, 100, store) + use), "W001"},
         {(vector + series(63, 100, store) + use), ""},
         {("buffer_load_dword v50, off, s[4:7], 0;" + series(32, 100, store) +
           series(31, 100, "buffer_store_dword v9, off, s[4:7], 0") + use),
          ""},
         // Scalar reads come back in any order, and so do types that are mixed.
         {(scalar + series(40, 20, "s_load_dword s#, s[0:1], 0x0") + "s_mov_b32 s19, s4"),
          of_scalar},
         {("s_load_dword s4, s[0:1], 0x0;" + lds + series(40, 100, more_lds) + use), "W002"},
         {(lds + series(14, 100, more_lds) + "s_load_dword s4, s[0:1], 0x0;" + use), "W002"},
         {(lds + flat + series(40, 100, more_lds) + use), "W002"},
         {(flat + vector + series(100, 100, more_vector) + use), "W001"},
         // Messages are another type than LDS.
         {("s_sendmsg sendmsg(MSG_INTERRUPT);" + lds + series(20, 100, more_lds) + use), "W002"}});
  }
  // EXP_CNT holds 7: data of GDS. GDS and LDS are different types.
  const std::string gds = "ds_add_u32 v0, v50 gds;", more_gds = "ds_add_u32 v0, v1 gds";
  check_counters(Target::Gfx908,
                 {{(gds + series(6, 0, more_gds) + "v_mov_b32 v50, 0"), "W006"},
                  {(gds + series(7, 0, more_gds) + "v_mov_b32 v50, 0"), ""},
                  {("ds_add_rtn_u32 v50, v0, v1 gds;" + series(14, 0, more_gds) + use), "W003"},
                  {("ds_add_rtn_u32 v50, v0, v1 gds;" + series(15, 0, more_gds) + use), ""},
                  {("ds_add_rtn_u32 v50, v0, v1 gds;" + series(20, 100, more_lds) + use), "W003"}});
}

/// The rules of docs/reference/hazards.md, one instruction under way after the other.
class EveryPair {
 public:
  void issue(const Instruction& in, uint64_t pc, std::vector<std::string>& out) {
    if (in.row->semantic == isa::SemanticId::s_waitcnt) {
      const auto field = static_cast<unsigned>(in.src[0].value);
      wait('v', (field & 0xf) | (field >> 10 & 0x30));
      wait('l', field >> 8 & 0xf);
      wait('e', field >> 4 & 0x7);
      return;
    }
    const char kind = kind_of(in);
    make_room(kind);
    for (Entry& e : entries_) {
      const bool same = kind == e.kind && (kind == 'v' || kind == 'l');
      const isa::RegisterSet result = isa::registers_written(e.instruction);
      if (!e.reported_result && (e.counters.find_first_of("vl") != std::string::npos) &&
          (result.overlaps(kind == 'v' ? isa::registers_fetched(in) : isa::registers_read(in)) ||
           (!same && result.overlaps(isa::registers_written(in))))) {
        out.push_back(std::to_string(e.pc) + " result " + std::to_string(pc));
        e.reported_result = true;
      }
      if (!e.reported_data && e.counters.find('e') != std::string::npos &&
          isa::registers_read(e.instruction).overlaps(isa::registers_written(in))) {
        out.push_back(std::to_string(e.pc) + " data " + std::to_string(pc));
        e.reported_data = true;
      }
    }
    if (kind != ' ') entries_.push_back({in, pc, kind, raised_by(kind)});
  }

 private:
  struct Entry {
    Instruction instruction;
    uint64_t pc;
    char kind;
    std::string counters;
    bool reported_result = false, reported_data = false;
  };
  static char kind_of(const Instruction& in) {
    const std::string name(in.row->mnemonic);
    if (name.rfind("ds_", 0) == 0) return in.mem.gds ? 'g' : 'l';
    if (name.rfind("flat_", 0) == 0) return 'f';
    if (name.rfind("global_", 0) == 0) return 'v';
    return name.rfind("s_load", 0) == 0 ? 's' : ' ';
  }
  static std::string raised_by(char kind) {
    const std::map<char, std::string> raises = {{'v', "v"},  {'f', "vl"}, {'l', "l"},
                                                {'g', "le"}, {'s', "l"},  {' ', ""}};
    return raises.at(kind);
  }
  /// One more of that kind: a counter that would be too small for all has come down (D56).
  void make_room(char kind) {
    for (const char counter : raised_by(kind)) {
      const bool alone = std::all_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
        return e.kind == kind || e.counters.find(counter) == std::string::npos;
      });
      if (alone) wait(counter, counter == 'v' ? 62 : counter == 'l' ? 14 : 6);
    }
  }
  void wait(char counter, unsigned most) {
    std::string kinds;
    for (const Entry& e : entries_) {
      if (e.counters.find(counter) != std::string::npos) kinds += e.kind;
    }
    const bool alike = kinds.find_first_not_of(kinds.substr(0, 1)) == std::string::npos;
    const bool ordered = alike && kinds.find_first_of("sf") == std::string::npos;
    if (most != 0 && !ordered) return;
    size_t left = kinds.size();
    for (Entry& e : entries_) {
      const auto at = e.counters.find(counter);
      if (at != std::string::npos && left-- > most) e.counters.erase(at, 1);
    }
  }
  std::vector<Entry> entries_;
};

/// The kept half of a D16 load comes with the data, in order, where the data is vector memory's.
TEST(WaitChecker, PairsOfHalves) {
  const auto found = [](const std::string& text) {
    wave::WaitChecker checker(Target::Gfx900);
    std::vector<HazardFinding> findings;
    uint64_t pc = 0;
    for (const Instruction& in : assemble(text, Target::Gfx900)) checker.issue(in, pc++, findings);
    std::string rules;
    for (const HazardFinding& f : findings) rules += f.rule + " ";
    return rules;
  };
  const std::string low = "global_load_ubyte v1, v[4:5], off;";
  EXPECT_EQ(found(low + "global_load_ubyte_d16_hi v1, v[4:5], off"), "");
  EXPECT_EQ(found(low + "global_load_ubyte_d16_hi v1, v[4:5], off;v_mov_b32 v2, v1"), "W001 W001 ");
  EXPECT_EQ(found(low + "global_load_ubyte_d16_hi v1, v[1:2], off"), "W001 ");
  EXPECT_EQ(found(low + "ds_read_u8_d16_hi v1, v4"), "W001 ");
  EXPECT_EQ(found("ds_read_u8 v1, v4;ds_read_u8_d16_hi v1, v4"), "W002 ");
}

TEST(WaitChecker, EveryPairIsLookedAt) {
  std::vector<std::vector<Instruction>> pools = {assemble(
      "global_load_dword v2, v[0:1], off;global_load_dwordx4 v[2:5], v[0:1], off;"
      "global_load_short_d16 v3, v[0:1], off;global_store_dword v[6:7], v3, off;"
      "ds_read_b32 v2, v4;ds_read_b64 v[4:5], v0;ds_write_b32 v2, v3;flat_load_dword v6, v[0:1];"
      "ds_add_u32 v6, v3 gds;ds_add_rtn_u32 v5, v0, v1 gds;s_load_dword s4, s[0:1], 0x0;"
      "s_load_dwordx2 s[4:5], s[2:3], 0x0;s_mov_b32 s4, s6;s_mov_b32 s6, s5;v_mov_b32 v2, v3;"
      "v_mov_b32 v3, 0;v_add_f32 v5, v4, v2;v_mov_b32 v7, v6;v_mov_b32 v8, v9;"
      "s_waitcnt vmcnt(0);s_waitcnt vmcnt(2);s_waitcnt lgkmcnt(0);s_waitcnt lgkmcnt(1);"
      "s_waitcnt expcnt(0);s_waitcnt expcnt(1);s_waitcnt vmcnt(1) lgkmcnt(2)",
      Target::Gfx908)};
  // One type alone fills its counter.
  for (const char* text :
       {"ds_read_b32 v2, v0;ds_read_b64 v[4:5], v0;ds_write_b32 v0, v1;v_mov_b32 v8, v2;"
        "v_mov_b32 v8, v4",
        "global_load_dword v2, v[0:1], off;global_store_dword v[0:1], v9, off;"
        "global_store_dword v[0:1], v9, off;global_load_dword v3, v[0:1], off;v_mov_b32 v8, v2",
        "ds_add_u32 v0, v1 gds;ds_add_rtn_u32 v5, v0, v2 gds;v_mov_b32 v1, 0;v_mov_b32 v8, v5;"
        "s_waitcnt expcnt(2)"}) {
    pools.push_back(assemble(text, Target::Gfx908));
  }
  uint64_t random = 20261123, findings = 0;
  for (unsigned round = 0; round < 400; ++round) {
    const std::vector<Instruction>& pool = pools[round % pools.size()];
    wave::WaitChecker checker(Target::Gfx908);
    EveryPair pairs;
    std::vector<HazardFinding> found;
    std::vector<std::string> expected, actual;
    for (unsigned n = 0; n < 300; ++n) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const Instruction& in = pool[(random >> 33) % pool.size()];
      checker.issue(in, n, found);
      pairs.issue(in, n, expected);
    }
    for (const HazardFinding& f : found) {
      actual.push_back(std::to_string(f.first_pc) + (f.rule == "W006" ? " data " : " result ") +
                       std::to_string(f.second_pc));
    }
    ASSERT_EQ(actual, expected) << "round " << round;
    findings += expected.size();
  }
  EXPECT_GT(findings, 5000u);
}

TEST(WaitChecker, TimeGrowsWithInstructionsNotWithThoseUnderWay) {
  // Pairs of 300,000 would take minutes. With FLAT among them no counter proves anything.
  const auto program = assemble(
      "global_store_dword v[0:1], v9, off;global_load_dword v2, v[0:1], off;"
      "ds_write_b32 v0, v9;s_waitcnt vmcnt(63);s_waitcnt lgkmcnt(15);v_mov_b32 v3, v2",
      Target::Gfx908);
  wave::WaitChecker checker(Target::Gfx908);
  std::vector<HazardFinding> out;
  checker.issue(assemble("flat_load_dword v8, v[6:7]", Target::Gfx908).at(0), 0, out);
  for (unsigned n = 0; n < 100000; ++n) {
    for (unsigned i = 0; i < 3; ++i) checker.issue(program[i], 4 * n, out);
  }
  EXPECT_TRUE(out.empty());
  checker.issue(program[5], 400000, out);
  EXPECT_EQ(out.size(), 100000u) << "every load, once";
  for (unsigned n = 0; n < 100000; ++n) {
    for (const Instruction& in : program) checker.issue(in, 4 * n, out);
  }
  EXPECT_EQ(out.size(), 200000u);
}

}  // namespace
}  // namespace cuvette
