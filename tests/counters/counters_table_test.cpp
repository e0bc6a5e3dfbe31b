// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The tables of counters against the public list, and what of it the model counts.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "counters/instruction_classes.h"
#include "counters/reading.h"
#include "counters/table.h"
#include "isa/target.h"

namespace cuvette::counters {
namespace {

std::vector<std::vector<std::string>> lines_of(const std::string& name) {
  std::ifstream file(std::string(CUVETTE_SOURCE_DIR) + "/tests/oracles/counters/" + name);
  std::vector<std::vector<std::string>> out;
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    out.push_back(cells);
  }
  if (!out.empty()) out.erase(out.begin());
  return out;
}

isa::Target target_of(const std::string& name) {
  return isa::target_from_name(name).value();
}

/// Words of an expression that are counters, found without our parser.
std::set<std::string> counters_in(const std::string& expression) {
  static const std::set<std::string> kOthers = {
      "sum", "avr", "max", "min", "CU_NUM", "SE_NUM", "XCC_NUM", "SIMD_NUM", "MAX_WAVE_SIZE"};
  std::set<std::string> out;
  std::string word;
  for (const char c : expression + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
        kOthers.count(word) == 0) {
      out.insert(word);
    }
    word.clear();
  }
  return out;
}

TEST(CounterTable, HasTheHardwareCountersOfThePublicList) {
  const auto oracle = lines_of("hardware.csv");
  ASSERT_EQ(oracle.size(), 602u);
  std::map<std::string, size_t> listed;
  for (const auto& cells : oracle) {
    ASSERT_EQ(cells.size(), 4u);
    const isa::Target target = target_of(cells[0]);
    const HardwareCounter* const found = find_hardware(cells[3], target);
    ASSERT_NE(found, nullptr) << cells[0] << " " << cells[3];
    EXPECT_EQ(name_of(found->block), cells[1]) << cells[3];
    EXPECT_EQ(std::to_string(found->event[isa::index_of(target)]), cells[2]) << cells[3];
    const auto block = find_block(cells[1]);
    ASSERT_TRUE(block);
    EXPECT_EQ(find_event(*block, static_cast<unsigned>(std::stoul(cells[2])), target), found);
    ++listed[cells[0]];
  }
  size_t ours = 0;
  for (const HardwareCounter& c : hardware_counters()) {
    for (const int16_t event : c.event) ours += event >= 0 ? 1 : 0;
  }
  EXPECT_EQ(ours, oracle.size());
}

TEST(CounterTable, HasTheDerivedCountersOfThePublicList) {
  const auto oracle = lines_of("derived.csv");
  ASSERT_EQ(oracle.size(), 343u);
  size_t ours = 0;
  for (const auto& cells : oracle) {
    ASSERT_EQ(cells.size(), 3u);
    const DerivedCounter* const found = find_derived(cells[1], target_of(cells[0]));
    ASSERT_NE(found, nullptr) << cells[0] << " " << cells[1];
    EXPECT_EQ(found->expression, cells[2]) << cells[0] << " " << cells[1];
  }
  for (const DerivedCounter& c : derived_counters()) {
    for (unsigned t = 0; t < isa::kTargets; ++t) ours += c.targets >> t & 1;
  }
  EXPECT_EQ(ours, oracle.size());
}

/// All of the three older targets, and at least four fifths of the two newer ones.
TEST(CounterTable, SaysWhatTheModelCounts) {
  for (const isa::Target target : isa::kAllTargets) {
    size_t all = 0, there = 0;
    std::map<std::string, size_t> worth;
    for (const HardwareCounter& c : hardware_counters()) {
      if (c.event[isa::index_of(target)] < 0) continue;
      ++all;
      ++worth[name_of(c.exactness)];
      if (c.exactness != Exactness::Unavailable) ++there;
      EXPECT_FALSE(c.meaning.empty()) << c.name;
      EXPECT_EQ(c.limits.empty(), c.exactness == Exactness::Exact) << c.name;
    }
    std::string counts;
    for (const auto& [name, count] : worth) counts += " " + name + " " + std::to_string(count);
    std::cout << isa::name_of(target) << ": " << all << " hardware counters:" << counts << "\n";
    if (target < isa::Target::Gfx90a) {
      EXPECT_EQ(there, all) << isa::name_of(target);
    } else {
      EXPECT_GE(5 * there, 4 * all) << isa::name_of(target);
    }
  }
}

/// A derived counter is there exactly when all of its counters are.
TEST(CounterTable, DerivedCountersAreThereWithTheirCounters) {
  std::map<std::string, std::map<std::string, std::string>> expressions;
  for (const auto& cells : lines_of("derived.csv")) expressions[cells[0]][cells[1]] = cells[2];
  for (const auto& [name, metrics] : expressions) {
    const isa::Target target = target_of(name);
    const Catalogue catalogue(target);
    size_t there = 0;
    for (const auto& [metric, expression] : metrics) {
      // Counters that it is made of in the end.
      std::set<std::string> open = counters_in(expression), leaves;
      while (!open.empty()) {
        const std::string word = *open.begin();
        open.erase(open.begin());
        const auto inner = metrics.find(word);
        if (inner == metrics.end()) {
          leaves.insert(word);
        } else {
          for (const std::string& w : counters_in(inner->second)) open.insert(w);
        }
      }
      bool good = true;
      for (std::string leaf : leaves) {
        if (find_hardware(leaf, target) == nullptr && leaf.size() > 4 &&
            leaf.compare(leaf.size() - 4, 4, "_sum") == 0) {
          leaf.resize(leaf.size() - 4);
        }
        const HardwareCounter* const c = find_hardware(leaf, target);
        ASSERT_NE(c, nullptr) << metric << ": " << leaf;
        good = good && c->exactness != Exactness::Unavailable;
      }
      EXPECT_EQ(catalogue.worth(metric).exactness != Exactness::Unavailable, good) << metric;
      there += good ? 1 : 0;
    }
    std::cout << name << ": " << there << " of " << metrics.size() << " derived counters\n";
    EXPECT_GE(10 * there, 7 * metrics.size());
  }
}

TEST(CounterTable, RefusesNamesWithTheNearestOne) {
  const Catalogue catalogue(isa::Target::Gfx908);
  EXPECT_TRUE(catalogue.check("SQ_WAVES").ok());
  EXPECT_TRUE(catalogue.check("SQ_WAVES_sum").ok());
  EXPECT_TRUE(catalogue.check("TCC_HIT[7]").ok());
  EXPECT_TRUE(catalogue.check("VALUUtilization").ok());
  // Event 17 of the TCC is another one on gfx906, where there is none.
  EXPECT_TRUE(catalogue.check("TCC:17").ok());
  EXPECT_TRUE(catalogue.check("TCC:17[7]").ok());
  EXPECT_EQ(catalogue.hardware("TCC:17"), catalogue.hardware("TCC_HIT"));
  EXPECT_FALSE(Catalogue(isa::Target::Gfx906).check("TCC:17").ok());
  const auto bad = catalogue.check("SQ_WAVE");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().what, "'SQ_WAVE' is no counter of gfx908, expected one such as SQ_WAVES");
  for (const char* name :
       {"", "[", "]", "[0]", "_sum", "SQ_WAVES[", "SQ_WAVES[]", "SQ_WAVES[-1]", "SQ_WAVES[1x]",
        "SQ_WAVES[99999999999999999999]", "SQ_CYCLES", ":", "TCC:", ":4", "TCC:x", "TCC:-1",
        "TCC:99999999999", "tcc:17", "TCC:17x"}) {
    EXPECT_FALSE(catalogue.check(name).ok()) << name;
  }
}

std::array<uint64_t, kClasses> classes_of(const char* mnemonic, isa::Format format) {
  const isa::Row* const row = isa::find_row(mnemonic, format);
  EXPECT_NE(row, nullptr) << mnemonic;
  std::vector<uint64_t> by_row(isa::rows().count);
  by_row[isa::index_of(*row)] = 3;
  return ClassTable().count(by_row);
}

/// Classes by hand from what the instructions are.
TEST(InstructionClasses, OfOneInstruction) {
  struct Case {
    const char* mnemonic;
    isa::Format format;
    std::map<std::string, uint64_t> classes;
  };
  using isa::Format;
  const Case cases[] = {
      {"v_add_f32", Format::Vop2, {{"all", 3}, {"valu", 3}, {"add_f32", 3}}},
      {"v_subrev_f16", Format::Vop2, {{"all", 3}, {"valu", 3}, {"add_f16", 3}}},
      {"v_mul_f64", Format::Vop3a, {{"all", 3}, {"valu", 3}, {"mul_f64", 3}}},
      {"v_fma_f64", Format::Vop3a, {{"all", 3}, {"valu", 3}, {"fma_f64", 3}}},
      {"v_pk_fma_f16", Format::Vop3p, {{"all", 3}, {"valu", 3}, {"fma_f16", 3}}},
      {"v_sqrt_f64", Format::Vop1, {{"all", 3}, {"valu", 3}, {"trans_f64", 3}}},
      {"v_cvt_f32_f64", Format::Vop1, {{"all", 3}, {"valu", 3}, {"convert", 3}}},
      {"v_add_u32", Format::Vop2, {{"all", 3}, {"valu", 3}, {"int32", 3}}},
      {"v_mad_u64_u32", Format::Vop3b, {{"all", 3}, {"valu", 3}, {"int64", 3}}},
      {"v_and_b32", Format::Vop2, {{"all", 3}, {"valu", 3}}},
      {"s_add_u32", Format::Sop2, {{"all", 3}, {"salu", 3}}},
      {"s_load_dwordx8", Format::Smem, {{"all", 3}, {"smem", 3}, {"scalar_load_8", 3}}},
      {"s_waitcnt", Format::Sopp, {{"all", 3}, {"other", 3}}},
      {"s_cbranch_scc1", Format::Sopp, {{"all", 3}, {"branch", 3}}},
      {"s_sendmsg", Format::Sopp, {{"all", 3}, {"message", 3}}},
      {"ds_read_b64", Format::Ds, {{"all", 3}, {"ds", 3}}},
      {"buffer_load_dword",
       Format::Mubuf,
       {{"all", 3}, {"vmem", 3}, {"vmem_read", 3}, {"buffer", 3}, {"buffer_read", 3}}},
      {"buffer_atomic_add",
       Format::Mubuf,
       {{"all", 3}, {"vmem", 3}, {"vmem_atomic", 3}, {"buffer", 3}, {"buffer_atomic", 3}}},
      {"buffer_wbinvl1", Format::Mubuf, {{"all", 3}}},
      {"flat_store_dword",
       Format::Flat,
       {{"all", 3},
        {"vmem", 3},
        {"vmem_write", 3},
        {"flat", 3},
        {"flat_write", 3},
        {"flat_segment", 3}}},
      {"global_load_dword",
       Format::Global,
       {{"all", 3}, {"vmem", 3}, {"vmem_read", 3}, {"flat", 3}, {"flat_read", 3}}},
      {"image_load", Format::Mimg, {{"all", 3}, {"vmem", 3}, {"vmem_read", 3}}},
      // 2 x 32 x 32 x 8 = 16384 = 32 x 512
      {"v_mfma_f32_32x32x8f16",
       Format::Vop3pMai,
       {{"all", 3}, {"valu", 3}, {"matrix", 3}, {"matrix_f16", 3}, {"matrix_ops_f16", 96}}},
      // 2 x 4 x 4 x 4 in 16 blocks = 2048 = 4 x 512
      {"v_mfma_f32_4x4x4f16",
       Format::Vop3pMai,
       {{"all", 3}, {"valu", 3}, {"matrix", 3}, {"matrix_f16", 3}, {"matrix_ops_f16", 12}}},
      {"v_mfma_f64_16x16x4f64",
       Format::Vop3pMai,
       {{"all", 3}, {"valu", 3}, {"matrix", 3}, {"matrix_f64", 3}, {"matrix_ops_f64", 12}}},
  };
  for (const Case& c : cases) {
    const auto counts = classes_of(c.mnemonic, c.format);
    std::map<std::string, uint64_t> found;
    for (unsigned n = 0; n < kClasses; ++n) {
      if (counts[n] != 0) found[name_of(static_cast<Class>(n))] = counts[n];
    }
    EXPECT_EQ(found, c.classes) << c.mnemonic;
  }
}

}  // namespace
}  // namespace cuvette::counters
