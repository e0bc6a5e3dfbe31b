// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Hazard rules: the table against the ledger, and for every rule a sequence that breaks it
// (tests/finalizer/hazard_cases.csv, written from the manuals and assembled by LLVM), the same
// sequence with one wait state too few, and the repaired one.
#include <algorithm>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "csv.h"
#include "hazard_testing.h"
#include "isa/text.h"
#include "isa_support/differences.h"
#include "wave/hazard_checker.h"
#include "wave/relative.h"

namespace cuvette {
namespace {

using isa::HazardRule;
using isa::Instruction;
using isa::Target;
using testing::assemble;
using testing::words_of;
using wave::HazardFinding;

/// Findings of a straight sequence, with `gap` wait states before the last instruction.
/// `gap`: wait states before the last instruction; `nops`: S_NOP 0 there.
std::vector<HazardFinding> check(Target target, const std::vector<Instruction>& program,
                                 unsigned gap, unsigned nops = 0) {
  const Instruction nop = assemble("s_nop 0", target).at(0);
  wave::HazardChecker checker(target);
  std::vector<HazardFinding> out;
  uint64_t pc = 0x100, now = 0;
  for (const Instruction& in : program) {
    if (&in == &program.back()) {
      for (unsigned n = 0; n < nops; ++n) checker.issue(nop, pc, now++, false, out);
      now += gap;
    }
    checker.issue(in, pc, now, false, out);
    pc += 4u * in.length;
    now += isa::wait_states_of(in);
  }
  return out;
}

const HazardFinding* find(const std::vector<HazardFinding>& findings, std::string_view rule) {
  for (const HazardFinding& f : findings) {
    if (f.rule == rule) return &f;
  }
  return nullptr;
}

struct Case {
  std::string first, second, unrelated;
};

/// By rule; a rule may have several.
std::multimap<std::string, Case> read_cases() {
  std::multimap<std::string, Case> out;
  for (const csv::Row& f : csv::read_body("finalizer/hazard_cases.csv")) {
    out.emplace(f.at(0), Case{f.at(1), f.at(2), f.at(3)});
  }
  return out;
}

TEST(HazardTable, AgreesWithTheLedger) {
  std::map<std::string, const HazardRule*> rules;
  for (const HazardRule& rule : isa::hazard_rules()) rules[std::string(rule.id)] = &rule;
  unsigned rows = 0;
  for (const csv::Row& f : csv::read_body("ledger/isa_hazards.csv")) {
    ++rows;
    ASSERT_TRUE(rules.count(f[0])) << f[0];
    const HazardRule& rule = *rules[f[0]];
    for (unsigned t = 0; t < isa::kTargets; ++t) {
      const auto target = static_cast<Target>(t);
      const std::string name(isa::name_of(target));
      const std::vector<std::string> named = words_of(f[4], ' ');
      const bool listed = std::find(named.begin(), named.end(), name) != named.end();
      EXPECT_EQ(rule.on(target), listed) << f[0] << " " << name;
    }
    if (rule.about_counters()) continue;
    EXPECT_EQ(std::to_string(rule.wait_states), f[7]) << f[0];
  }
  EXPECT_EQ(rows, 212u);
  std::printf("ledger isa_hazards: %u of 212 rows\n", rows);
}

TEST(HazardTable, EveryRuleHasACase) {
  const std::multimap<std::string, Case> cases = read_cases();
  for (const auto& entry : cases) {
    const auto named = [&](const HazardRule& rule) { return rule.id == entry.first; };
    const auto& rules = isa::hazard_rules();
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), named)) << entry.first << ": no such rule";
  }
  for (const HazardRule& rule : isa::hazard_rules()) {
    if (rule.about_counters() || cases.count(std::string(rule.id))) continue;
    if (rule.about_one()) continue;  // HazardChecker.OneInstructionAlone
    // Only rules that no instruction of their target can start may lack one: F32 matrix
    // instructions of four passes.
    EXPECT_EQ(rule.first, isa::InstructionClass::Sgemm) << rule.id;
    EXPECT_EQ(rule.passes, 4u) << rule.id;
    for (const isa::Row& row : isa::rows()) {
      if (!row.on(Target::Gfx942) || row.matrix.a != isa::Type::F32) continue;
      EXPECT_NE(passes_on(row, Target::Gfx942), 4u) << rule.id << " " << row.mnemonic;
    }
  }
}

TEST(HazardChecker, BrokenAndRepairedSequences) {
  const std::multimap<std::string, Case> cases = read_cases();
  unsigned broken = 0;
  for (const HazardRule& rule : isa::hazard_rules()) {
    const auto [begin, end] = cases.equal_range(std::string(rule.id));
    for (unsigned t = 0; t < isa::kTargets; ++t) {
      const auto target = static_cast<Target>(t);
      if (!rule.on(target)) continue;
      for (auto of_rule = begin; of_rule != end; ++of_rule) {
        const Case& c = of_rule->second;
        SCOPED_TRACE(std::string(rule.id) + " on " + std::string(isa::name_of(target)) + ": " +
                     c.second);
        const std::vector<Instruction> program = assemble(c.first + ";" + c.second, target);
        ASSERT_FALSE(program.empty());
        const bool counts = rule.relation == isa::HazardRelation::UntilJump;
        const auto check_with = [&](unsigned gap) {
          return counts ? check(target, program, 0, gap) : check(target, program, gap);
        };
        for (unsigned gap = 0; gap < rule.wait_states; ++gap) {
          const auto findings = check_with(gap);
          const HazardFinding* f = find(findings, rule.id);
          ASSERT_NE(f, nullptr) << "not reported with " << gap << " wait states";
          EXPECT_EQ(f->missing, rule.wait_states - gap);
          EXPECT_EQ(f->severity, rule.severity);
          EXPECT_EQ(
              f->second_pc, 0x100 + 4u * [&] {
                unsigned dwords = 0;
                for (size_t i = 0; i + 1 < program.size(); ++i) dwords += program[i].length;
                return dwords;
              }());
          ++broken;
        }
        for (const HazardFinding& f : check_with(rule.wait_states)) {
          EXPECT_NE(f.rule, rule.id) << "after repair: " << f.text();
          if (rule.wait_states == 0) {
            EXPECT_NE(f.severity, isa::HazardClass::Required) << f.text();
          }
        }
        if (c.unrelated.empty()) continue;
        const auto other = check(target, assemble(c.first + ";" + c.unrelated, target), 0);
        const HazardFinding* f = find(other, rule.id);
        EXPECT_EQ(f, nullptr) << (f ? f->text() : "");
      }
    }
  }
  EXPECT_GT(broken, 1000u);
  std::printf("hazards: %u broken sequences reported, all clean when repaired\n", broken);
}

TEST(HazardChecker, NopsCountAndTextNamesEverything) {
  const auto program =
      assemble("v_readfirstlane_b32 s4, v0;s_nop 1;v_readlane_b32 s5, v1, s4", Target::Gfx908);
  const auto findings = check(Target::Gfx908, program, 0);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].missing, 2u);
  EXPECT_EQ(findings[0].text(),
            "H017 (MI100 4.5, required): 2 wait states missing between 0x100 v_readfirstlane_b32 "
            "s4, v0 and 0x108 v_readlane_b32 s5, v1, s4");
  EXPECT_TRUE(check(Target::Gfx908,
                    assemble("v_readfirstlane_b32 s4, v0;s_nop 3;v_readlane_b32 s5, v1, s4",
                             Target::Gfx908),
                    0)
                  .empty());
}

/// Wait states that the rules of class required miss between a store and a write of its data.
unsigned missing_after(Target target, const std::string& store, const std::string& write) {
  unsigned missing = 0;
  for (const HazardFinding& f : check(target, assemble(store + ";" + write, target), 0)) {
    if (f.severity == isa::HazardClass::Required) missing = std::max(missing, f.missing);
  }
  return missing;
}

/// LLVM pull request 197267: from gfx940 on, 1 wait state where SOFFSET is a register, 2 where it
/// is a constant; before, none and 1. FLAT stores have no SOFFSET.
TEST(HazardChecker, WideStoresByTheirScalarOffset) {
  const std::string write = "v_mov_b32 v6, v9";
  for (const Target target :
       {Target::Gfx900, Target::Gfx906, Target::Gfx908, Target::Gfx90a, Target::Gfx942}) {
    SCOPED_TRACE(isa::name_of(target));
    const bool gfx940 = target == Target::Gfx942;
    const unsigned with_register = gfx940 ? 1 : 0, otherwise = gfx940 ? 2 : 1;
    for (const char* store : {"buffer_store_dwordx4 v[4:7], v0, s[4:7], SO offen",
                              "buffer_store_dwordx3 v[4:6], off, s[4:7], SO",
                              "buffer_store_format_xyz v[4:6], off, s[4:7], SO",
                              "tbuffer_store_format_xyzw v[4:7], off, s[4:7], SO",
                              "buffer_atomic_cmpswap_x2 v[4:7], off, s[4:7], SO"}) {
      const auto with = [&](const char* soffset) {
        std::string text = store;
        return text.replace(text.find("SO"), 2, soffset);
      };
      for (const char* soffset : {"s8", "m0", "vcc_lo"}) {
        EXPECT_EQ(missing_after(target, with(soffset), write), with_register) << with(soffset);
        EXPECT_EQ(missing_after(target, with(soffset) + ";s_nop 0", write), 0u) << with(soffset);
        EXPECT_EQ(missing_after(target, with(soffset), "v_mov_b32 v8, v9"), 0u) << with(soffset);
      }
      for (const char* soffset : {"0", "64"}) {
        EXPECT_EQ(missing_after(target, with(soffset), write), otherwise) << with(soffset);
      }
    }
    EXPECT_EQ(missing_after(target, "global_store_dwordx4 v[0:1], v[4:7], off", write), otherwise);
    EXPECT_EQ(missing_after(target, "buffer_store_dwordx2 v[6:7], off, s[4:7], s8", write), 0u);
    EXPECT_EQ(missing_after(target, "buffer_load_dwordx4 v[10:13], off, s[4:7], s8", write), 0u);
  }
}

/// Decision D49: LLVM's negative-scratch-offset-bug of gfx9. Nothing behind it helps.
TEST(HazardChecker, OneInstructionAlone) {
  unsigned rules = 0;
  for (const HazardRule& rule : isa::hazard_rules()) {
    if (!rule.about_one()) continue;
    ++rules;
    EXPECT_EQ(rule.id, "S001");
    EXPECT_EQ(rule.severity, isa::HazardClass::Required);
    EXPECT_FALSE(isa::harm_of(rule.first).empty());
  }
  EXPECT_EQ(rules, 1u);
  for (const Target target :
       {Target::Gfx900, Target::Gfx906, Target::Gfx908, Target::Gfx90a, Target::Gfx942}) {
    SCOPED_TRACE(isa::name_of(target));
    std::vector<std::string> broken = {"scratch_load_dword v1, off, s2 offset:-4",
                                       "scratch_store_dwordx2 off, v[2:3], s2 offset:-1",
                                       "scratch_load_short_d16_hi v1, off, s2 offset:-4096"};
    std::vector<std::string> whole = {
        "scratch_load_dword v1, off, s2 offset:4", "scratch_load_dword v1, off, s2",
        "scratch_load_dword v1, v0, off offset:-4", "scratch_store_dword v0, v1, off offset:-4096",
        "global_load_dword v1, v0, s[2:3] offset:-4"};
    if (target == Target::Gfx942) {
      broken.push_back("scratch_load_dword v1, v0, s2 offset:-4");
      whole.push_back("scratch_load_dword v1, v0, s2 offset:4");
    }
    for (const std::string& text : broken) {
      const auto findings = check(target, assemble(text + ";s_nop 15;s_nop 15", target), 0);
      ASSERT_EQ(findings.size(), 1u) << text;
      EXPECT_EQ(findings[0].rule, "S001") << text;
      EXPECT_EQ(findings[0].second_pc, 0x100u) << text;
    }
    for (const std::string& text : whole) {
      EXPECT_TRUE(check(target, assemble(text, target), 0).empty()) << text;
    }
  }
  EXPECT_EQ(
      check(Target::Gfx908, assemble("scratch_load_dword v1, off, s2 offset:-4", Target::Gfx908), 0)
          .at(0)
          .text(),
      "S001 (LLVM negative-scratch-offset-bug, required): page fault on silicon, negative "
      "offset from an SGPR base at 0x100 scratch_load_dword v1, off, s2 offset:-4");
}

/// A result that a later matrix instruction has replaced is nobody's source any more.
TEST(HazardChecker, TheLastMatrixInstructionCounts) {
  const std::string first = "v_mfma_f32_16x16x4_f32 v[0:3], v40, v41, 0;";
  const std::string store = "global_store_dwordx4 v[50:51], v[0:3], off";
  const auto rules_of = [&](const std::string& between) {
    std::vector<std::string> out;
    for (const HazardFinding& f :
         check(Target::Gfx942, assemble(first + between + store, Target::Gfx942), 7)) {
      out.push_back(f.rule);
    }
    return out;
  };
  using Rules = std::vector<std::string>;
  EXPECT_EQ(rules_of(""), Rules{"H146"});
  EXPECT_EQ(rules_of("v_mfma_f32_16x16x16_f16 v[0:3], v[40:41], v[42:43], v[0:3];"),
            Rules{"H132-passes"});
  EXPECT_EQ(rules_of("v_mfma_f32_16x16x16_f16 v[4:7], v[40:41], v[42:43], v[8:11];"),
            Rules{"H146"});
  // Three registers of four.
  EXPECT_EQ(rules_of("v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[42:43], v[8:11];"),
            Rules{"H146"});
}

TEST(HazardChecker, JumpsAndTheEndAreNotFetched) {
  for (const char* last : {"s_branch 4", "s_setpc_b64 s[0:1]", "s_endpgm", "s_nop 0"}) {
    EXPECT_TRUE(
        check(Target::Gfx900, assemble(std::string("s_icache_inv;") + last, Target::Gfx900), 0)
            .empty())
        << last;
  }
}

/// Sixteen S_NOP fill the instruction buffer; one of sixteen wait states does not.
TEST(HazardChecker, TheInstructionBufferWantsInstructions) {
  const auto missing = [](const std::string& between) {
    const auto program = assemble("s_icache_inv;" + between + "s_mov_b32 s0, s1", Target::Gfx906);
    const auto findings = check(Target::Gfx906, program, 0);
    const HazardFinding* f = find(findings, "H161");
    return f == nullptr ? 0 : f->missing;
  };
  std::string fifteen;
  for (unsigned n = 0; n < 15; ++n) fifteen += "s_nop 15;";
  EXPECT_EQ(missing(""), 16u);
  EXPECT_EQ(missing("s_nop 15;"), 15u);
  EXPECT_EQ(missing(fifteen), 1u);
  EXPECT_EQ(missing(fifteen + "s_nop 0;"), 0u);
}

TEST(HazardChecker, ATakenBranchPurgesTheInstructionBuffer) {
  const auto program = assemble("s_icache_inv;s_branch 4;s_mov_b32 s0, s1", Target::Gfx900);
  for (const bool jumped : {false, true}) {
    wave::HazardChecker checker(Target::Gfx900);
    std::vector<HazardFinding> out;
    checker.issue(program[0], 0x100, 0, false, out);
    checker.issue(program[1], 0x104, 1, false, out);
    out.clear();
    checker.issue(program[2], 0x118, 2, jumped, out);
    EXPECT_EQ(find(out, "H161") == nullptr, jumped);
  }
}

/// MI100 ISA 6.6 and Vega ISA 12.3; what the run does with it: run_hazards_relative_*.
TEST(Relative, RegistersThatAreUsed) {
  struct Named {
    const char* text;
    uint32_t m0;
    int dst, src0, src1;  ///< after indexing; -1: none is looked at
  };
  constexpr uint32_t kEnabled = 1u << 27;
  const Named cases[] = {
      {"v_mov_b32 v4, v0", 0x1003, 4, 3, -1},
      {"v_mov_b32 v4, v0", 0x8003, 7, 0, -1},
      {"v_mov_b32 v4, v0", 0x0003, 4, 0, -1},
      {"v_add_f32 v4, v5, v6", 0xf002, 6, 7, 8},
      {"v_add_f32 v4, s5, v6", 0xb00a, 14, 5, 16},
      {"v_exp_f32 v4, v5", 0x9001, 5, 6, -1},
      {"v_accvgpr_write_b32 a4, v5", 0xf001, 4, 5, -1},
      {"global_load_dword v4, v[6:7], off", 0xf001, 4, 6, -1},
      {"s_movrels_b32 s4, s6", 5, 4, 11, -1},
      {"s_movreld_b64 s[4:5], s[6:7]", 4, 8, 6, -1},
      {"s_movrels_b32 s4, s6", 96, 4, 0, -1},  // 102 is no SGPR
      {"s_mov_b32 s4, s6", 5, 4, 6, -1},
  };
  for (const Named& c : cases) {
    Instruction in = assemble(c.text, Target::Gfx908).at(0);
    const Instruction written = in;
    const bool moved = wave::place_registers(in, {kEnabled, c.m0});
    EXPECT_EQ(in.dst[0].index, c.dst) << c.text;
    EXPECT_EQ(in.src[0].index, c.src0) << c.text;
    if (c.src1 >= 0) {
      EXPECT_EQ(in.src[1].index, c.src1) << c.text;
    }
    EXPECT_EQ(moved,
              in.dst[0].index != written.dst[0].index || in.src[0].index != written.src[0].index)
        << c.text;
    if (std::string(c.text)[0] == 's') continue;
    in = written;
    EXPECT_FALSE(wave::place_registers(in, {0, c.m0})) << c.text;
    EXPECT_TRUE(wave::is_skipped(in, 1u << 28)) << c.text;
    EXPECT_FALSE(wave::is_skipped(in, 0)) << c.text;
  }
  for (const char* text : {"s_mov_b32 s4, s6", "s_load_dword s4, s[6:7], 0x0", "s_nop 0"})
    EXPECT_FALSE(wave::is_skipped(assemble(text, Target::Gfx908).at(0), 1u << 28)) << text;
}

}  // namespace
}  // namespace cuvette
