// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Hazard rules: the table against the ledger, and for every rule a sequence that breaks it
// (tests/hazard_cases.csv, written from the manuals and assembled by LLVM), the same sequence with
// one wait state too few, and the repaired one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "csv.h"
#include "finalizer/assembler.h"
#include "isa/decode.h"
#include "isa/text.h"
#include "isa_support/differences.h"
#include "wave/hazard_checker.h"
#include "wave/relative.h"
#include "wave/wait_checker.h"

namespace cuvette {
namespace {

using isa::HazardRule;
using isa::Instruction;
using isa::Target;
using wave::HazardFinding;

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::string word;
  for (char c : text + separator) {
    if (c != separator) {
      word += c;
    } else if (!word.empty()) {
      out.push_back(word);
      word.clear();
    }
  }
  return out;
}

std::vector<Instruction> assemble(const std::string& text, Target target) {
  const auto words = finalizer::assemble(words_of(text, ';'), std::string(isa::name_of(target)));
  EXPECT_TRUE(words.ok()) << text << " on " << isa::name_of(target);
  std::vector<Instruction> out;
  if (!words.ok()) return out;
  const std::vector<uint32_t>& w = words.value();
  for (size_t at = 0; at < w.size();) {
    const isa::Decoded d = isa::decode(target, &w[at], w.size() - at);
    EXPECT_NE(d.status, isa::DecodeStatus::Illegal) << text;
    out.push_back(d.instruction);
    at += d.length;
  }
  return out;
}

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
  for (const csv::Row& f : csv::read_body("hazard_cases.csv")) {
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

/// What a later matrix instruction has replaced is nobody's source any more.
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

/// The rules of docs/hazards.md, one instruction under way after the other.
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

/// What a D16 load keeps comes with the data, in order, where the data is vector memory's.
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
  const auto begin = std::chrono::steady_clock::now();
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
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace cuvette
