// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Expressions over counters, and readings of samples made by hand.
#include "counters/expression.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/occupancy.h"
#include "counters/reading.h"

namespace cuvette::counters {
namespace {

using base::Result;

class Given final : public Expression::Values {
 public:
  explicit Given(std::map<std::string, std::vector<double>> values) : values_(std::move(values)) {}
  Result<double> value(const std::string& name) const override {
    const auto found = values_.find(name);
    if (found == values_.end()) return base::Error("no " + name);
    double sum = 0;
    for (const double v : found->second) sum += v;
    return sum;
  }
  Result<std::vector<double>> instances(const std::string& name) const override {
    const auto found = values_.find(name);
    if (found == values_.end()) return base::Error("no " + name);
    return found->second;
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

Result<double> evaluate(const std::string& text) {
  const Given given({{"A", {3}}, {"B_1", {1, 2, 9}}, {"NONE", {}}});
  const auto e = Expression::parse(text);
  return e ? e->evaluate(given) : Result<double>(e.error());
}

TEST(Expression, BindsAsInArithmetic) {
  const std::pair<const char*, double> cases[] = {{"1+2*3", 7},       {"(1+2)*3", 9},
                                                  {"10-4-3", 3},      {"64/4/2", 8},
                                                  {"64/(4/2)", 32},   {"-A+5", 2},
                                                  {"2*-A", -6},       {"--A", 3},
                                                  {"100*A/4", 75},    {" 1.5 * ( A + 1 ) ", 6},
                                                  {"B_1", 12},        {"sum(B_1,3)", 12},
                                                  {"sum(B_1,2)", 3},  {"sum(B_1,16)", 12},
                                                  {"avr(B_1,16)", 4}, {"avr(B_1,2)", 1.5},
                                                  {"max(B_1,16)", 9}, {"max(B_1,2)", 2},
                                                  {"min(B_1,16)", 1}, {"A*0+B_1", 12}};
  for (const auto& [text, wanted] : cases) {
    const auto found = evaluate(text);
    ASSERT_TRUE(found) << text << ": " << found.error().what;
    EXPECT_DOUBLE_EQ(*found, wanted) << text;
  }
}

TEST(Expression, RefusesWithTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: the end, expected a number, a name or '('"},
      {"1+", "column 3: the end, expected a number, a name or '('"},
      {"(1", "column 3: the end, expected ')'"},
      {"1)", "column 2: ')', expected an operator"},
      {"A B", "column 3: 'B', expected an operator"},
      {"sum(A)", "column 6: ')', expected ','"},
      {"sum(A,0)", "column 7: '0', expected a number of instances"},
      {"sum(A,x)", "column 7: 'x', expected a number of instances"},
      {"sum(1,2)", "column 5: '1', expected a name"},
      {"med(A,2)", "column 4: function 'med', expected sum, avr, max or min"},
      {"1%2", "column 2: '%', expected an operator"},
      {"A/0", "division by 0"},
      {"A/(A-3)", "division by 0"},
      {"C", "no C"},
      {"max(NONE,4)", "NONE has no instance"}};
  for (const auto& [text, wanted] : cases) {
    const auto found = evaluate(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().what, wanted) << text;
  }
}

TEST(Expression, TakesOrRefusesAnyText) {
  EXPECT_FALSE(Expression::parse(std::string(100000, '(')));
  EXPECT_FALSE(Expression::parse(std::string(5000, '(')));
  EXPECT_FALSE(Expression::parse(std::string(5000, '-') + "1"));
  EXPECT_TRUE(Expression::parse(std::string(90, '(') + "1" + std::string(90, ')')));
  std::mt19937 random(1);
  const std::string letters = "()+-*/,.019 ASsumavrxin_[]\x80\xff";
  unsigned taken = 0;
  for (unsigned n = 0; n < 100000; ++n) {
    std::string text;
    for (unsigned length = random() % 24; length != 0; --length) {
      text += letters[random() % letters.size()];
    }
    const auto found = Expression::parse(text);
    taken += found ? 1 : 0;
    if (found) (void)found->evaluate(Given({}));
  }
  EXPECT_GT(taken, 100u);
}

/// Two engines of two compute units each, two slices.
Sample sample(const Sample* like = nullptr) {
  MachineShape shape;
  shape.target = isa::Target::Gfx90a;
  shape.units = 4;
  shape.engines = 2;
  shape.units_per_engine = 2;
  shape.slices = 2;
  shape.scalar_shared_by = shape.instruction_shared_by = 2;
  Sample s(shape, like);
  const auto add = [&s](const char* block, const char* name, Place place,
                        const std::vector<uint64_t>& values, bool level = false) {
    s.add(block, name, place, values.size(), [&](size_t i) { return values[i]; }, level);
  };
  add("machine", "cycles", Place::Machine, {1000});
  add("machine", "processor_cycles", Place::Machine, {500});
  add("unit", "waves", Place::Unit, {1, 2, 4, 8});
  add("unit", "wave_cycles", Place::Unit, {10, 20, 41, 43});
  add("unit", "resident_waves", Place::Unit, {1, 0, 0, 0}, true);
  add("unit", "address_cycles", Place::Unit, {7, 5, 1, 2});
  add("engine", "busy_cycles", Place::Engine, {100, 60});
  add("scalar_cache", "accesses", Place::ScalarCache, {5, 6});
  add("l2", "hits", Place::Slice, {30, 10});
  add("l2", "misses", Place::Slice, {10, 0});
  s.end();
  return s;
}

TEST(Reading, HasInstancesOfBlocks) {
  const Sample s = sample();
  const Catalogue catalogue(s.shape.target);
  Reading reading(catalogue, s);
  using List = std::vector<double>;
  EXPECT_EQ(*reading.instances("SQ_WAVES"), (List{3, 12}));        // shader engines
  EXPECT_EQ(*reading.instances("SQC_DCACHE_REQ"), (List{5, 6}));   // a cache of each
  EXPECT_EQ(*reading.instances("TA_TA_BUSY"), (List{8, 7}));       // numbers in their engines
  EXPECT_EQ(*reading.instances("TCC_HIT"), (List{30, 10}));        // slices
  EXPECT_EQ(*reading.instances("GRBM_COUNT"), (List{1000}));       // the machine
  EXPECT_EQ(*reading.instances("SQ_WAVE_CYCLES"), (List{7, 21}));  // (30, 84) / 4, whole
  EXPECT_EQ(*reading.value("SQ_WAVES"), 15);
  EXPECT_EQ(*reading.value("SQ_WAVES_sum"), 15);
  EXPECT_EQ(*reading.value("SQ_WAVES[1]"), 12);
  EXPECT_EQ(*reading.value("SQ:4"), 15);
  EXPECT_EQ(*reading.value("SQ:4[1]"), 12);
  EXPECT_EQ(*reading.value("MemUnitBusy"), 100.0 * 8 / 500 / 2);
  EXPECT_EQ(*reading.value("L2CacheHit"), 80);
  EXPECT_EQ(*reading.value("GPUBusy"), 50);
  // The level's sum over cycles, not the level.
  EXPECT_EQ(*reading.value("MeanOccupancyPerCU"), 114.0 / 500 / 4);
  EXPECT_EQ(*reading.value("MeanOccupancyPerActiveCU"), 114.0 * 4 / 160 / 4);
  EXPECT_EQ(*reading.value("SQ_LEVEL_WAVES"), 1);
  EXPECT_EQ(*reading.value("SQ_ACCUM_PREV"), 114);
}

TEST(Reading, SaysWhyThereIsNoValue) {
  const Sample s = sample();
  const Catalogue catalogue(s.shape.target);
  Reading reading(catalogue, s);
  const std::pair<const char*, const char*> cases[] = {
      {"SQ_ACCUM_PREV", "SQ_ACCUM_PREV stands behind no level"},
      {"SQ_WAVES[2]", "SQ_WAVES has 2 instances"},
      {"TCC_PROBE", "TCC_PROBE: nothing probes the L2 of the model"},
      {"TCC_PROBE_sum", "TCC_PROBE: nothing probes the L2 of the model"},
      {"TCC_REQ", "TCC_REQ: this engine, or a device in it, does not count it"}};
  for (const auto& [name, wanted] : cases) {
    const auto found = reading.value(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().what, wanted) << name;
  }
}

TEST(Sample, DifferenceLeavesLevels) {
  const Sample before = sample();
  Sample after = sample(&before);  // with the names of the first
  EXPECT_EQ(after.sum("unit.waves"), 15u);
  after.subtract(before);
  EXPECT_EQ(after.sum("unit.waves"), 0u);
  EXPECT_EQ(after.sum("unit.resident_waves"), 1u);
  EXPECT_EQ(after.find("unit.wave"), nullptr);
}

/// Against a count of every cycle.
TEST(Occupancy, IsThatOfEveryCycle) {
  std::mt19937 random(7);
  for (unsigned run = 0; run < 200; ++run) {
    base::Occupancy o;
    std::vector<unsigned> inside(4000);
    std::vector<uint64_t> open;
    uint64_t now = random() % 5, time = 0;
    const auto fill = [&](uint64_t first, uint64_t last) {
      for (uint64_t c = first; c < last; ++c) ++inside[c];
      time += last - first;
    };
    for (unsigned step = 0; step < 60; ++step) {
      now += random() % 12;
      if (!open.empty() && random() % 2 == 0) {
        const uint64_t end = now + random() % 10;
        o.leave(end);
        fill(open.back(), end);
        open.pop_back();
      } else {
        o.enter(now);
        open.push_back(now);
      }
    }
    now += 20;
    EXPECT_EQ(o.level(), open.size());
    for (const uint64_t begin : open) fill(begin, now);
    uint64_t busy = 0;
    for (const unsigned n : inside) busy += n != 0 ? 1 : 0;
    EXPECT_EQ(o.busy(now), busy) << run;
    EXPECT_EQ(o.item_time(now), time) << run;
  }
}

}  // namespace
}  // namespace cuvette::counters
