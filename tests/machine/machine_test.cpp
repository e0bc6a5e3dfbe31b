// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "machine/channel.h"
#include "machine/gpu_config.h"
#include "machine/registry.h"

namespace cuvette::machine {
namespace {

using testing::HasSubstr;

const std::string kConfig = std::string(CUVETTE_SOURCE_DIR) + "/config/";

TEST(Description, TheShippedMachinesLoad) {
  auto mi100 = load_description(kConfig + "mi100.yaml");
  ASSERT_TRUE(mi100.ok()) << mi100.error().str();
  EXPECT_EQ(mi100->compute_units, 120u);
  EXPECT_EQ(mi100->compute_unit.simds, 4u);
  EXPECT_EQ(mi100->l2.slices, 32u);
  auto small = load_description(kConfig + "small.yaml");
  ASSERT_TRUE(small.ok()) << small.error().str();
  EXPECT_EQ(small->compute_units, 1u);
  EXPECT_EQ(small->target, "gfx908");
}

std::string edited(const std::string& from, const std::string& to) {
  auto text = base::read_text(kConfig + "small.yaml");
  EXPECT_TRUE(text.ok());
  const auto at = text->find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text->replace(at, from.size(), to);
}

TEST(Description, AperturesAreApart) {
  const std::string field = "private_aperture: 0x2000000000000";
  for (const char* good : {"0", "0x7000000000000", "0xffff000000000000"}) {
    EXPECT_TRUE(
        parse_description(edited(field, std::string("private_aperture: ") + good), "m.yaml").ok())
        << good;
  }
  auto same = parse_description(edited(field, "private_aperture: 0x1000000000000"), "m.yaml");
  ASSERT_FALSE(same.ok());
  EXPECT_THAT(same.error().str(), HasSubstr("'shared_aperture' and 'private_aperture' are both "
                                            "0x1000000000000"));
  EXPECT_THAT(same.error().str(), HasSubstr("m.yaml:13"));
  auto among = parse_description(edited(field, "private_aperture: 0x1000000010000"), "m.yaml");
  ASSERT_FALSE(among.ok());
  EXPECT_THAT(among.error().str(), HasSubstr("expected 'private_aperture' to be a multiple of "
                                             "0x1000000000000, found 0x1000000010000"));
}

TEST(Description, MistakesAreNamedWithTheirPlace) {
  auto unknown = parse_description(edited("xnack:", "xnak:"), "m.yaml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().str(), HasSubstr("key 'xnack' is missing"));
  auto extra = parse_description(edited("xnack: false", "xnack: false\ncolour: red"), "m.yaml");
  ASSERT_FALSE(extra.ok());
  EXPECT_THAT(extra.error().str(), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(extra.error().str(), HasSubstr("m.yaml:"));
  auto range = parse_description(edited("simds: {value: 4,", "simds: {value: 5,"), "m.yaml");
  ASSERT_FALSE(range.ok());
  EXPECT_THAT(range.error().str(), HasSubstr("expected an integer from 1 to 4, found '5'"));
  auto latency = parse_description(
      edited("valu_latency_cycles: {value: 4,", "valu_latency_cycles: {value: 3,"), "m.yaml");
  ASSERT_FALSE(latency.ok());
  EXPECT_THAT(latency.error().str(),
              HasSubstr("'valu_latency_cycles' is 3, expected at least the 4 of 'valu_cycles'"));
  for (const char* clock : {"0", "-1", "1e287", "1000001", "1e-9", ".inf", ".nan"}) {
    auto d =
        parse_description(edited("value: 1502,", std::string("value: ") + clock + ","), "m.yaml");
    ASSERT_FALSE(d.ok()) << clock;
    EXPECT_THAT(d.error().str(), HasSubstr("m.yaml:")) << clock;
  }
  EXPECT_TRUE(parse_description(edited("value: 1502,", "value: 0.5,"), "m.yaml").ok());
  auto shape =
      parse_description(edited("bytes: {value: 16384,", "bytes: {value: 16000,"), "m.yaml");
  ASSERT_FALSE(shape.ok());
  EXPECT_THAT(shape.error().str(), HasSubstr("not a whole number"));
}

/// The owner of the policies checks their names; their places are kept for that.
TEST(Description, PoliciesHaveDefaults) {
  const auto small = load_description(kConfig + "small.yaml");
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->compute_unit.issue_order, "oldest_first");
  for (const CacheDescription* cache :
       {&small->vector_l1, &small->scalar_cache, &small->instruction_cache, &small->l2.slice}) {
    EXPECT_EQ(cache->replacement, "lru");
    EXPECT_EQ(cache->replacement_seed, 1u);
  }
  EXPECT_EQ(small->places.count("vector_l1.replacement"), 0u);
  EXPECT_EQ(small->places.count("l2.slice.replacement_seed"), 0u);
  EXPECT_EQ(small->places.count("compute_unit.issue_order"), 0u);
}

TEST(Description, PoliciesHavePlaces) {
  const auto chosen =
      parse_description(edited("  slice:\n",
                               "  slice:\n    replacement: random\n"
                               "    replacement_seed: {value: 0xffffffffffffffff, source: me}\n"),
                        "m.yaml");
  ASSERT_TRUE(chosen.ok()) << chosen.error().str();
  EXPECT_EQ(chosen->l2.slice.replacement, "random");
  EXPECT_EQ(chosen->l2.slice.replacement_seed, ~uint64_t{0});
  EXPECT_EQ(chosen->vector_l1.replacement, "lru");
  EXPECT_THAT(chosen->error("l2.slice.replacement", "what").str(),
              HasSubstr("m.yaml:63:18: error"));
  EXPECT_THAT(chosen->error("l2.slice.replacement_seed", "what").str(), HasSubstr("m.yaml:64:23:"));
  const auto order = parse_description(
      edited("compute_unit:\n", "compute_unit:\n  issue_order: anything\n"), "m.yaml");
  ASSERT_TRUE(order.ok()) << order.error().str();
  EXPECT_EQ(order->compute_unit.issue_order, "anything");
  EXPECT_THAT(order->error("compute_unit.issue_order", "what").str(), HasSubstr("m.yaml:16:16:"));
  const auto map = parse_description(
      edited("vector_l1:\n", "vector_l1:\n  replacement: {name: lru}\n"), "m.yaml");
  ASSERT_FALSE(map.ok());
  EXPECT_THAT(map.error().str(), HasSubstr("m.yaml:37:16"));
}

/// A machine without the section has no SDMA engines; with it every key is needed.
TEST(Description, SdmaEnginesAreASectionThatMayBeMissing) {
  const auto mi100 = load_description(kConfig + "mi100.yaml");
  ASSERT_TRUE(mi100.ok());
  EXPECT_EQ(mi100->sdma.engines, 2u);
  EXPECT_EQ(mi100->sdma.xgmi_engines, 6u);
  EXPECT_EQ(mi100->sdma.rings_per_engine, 8u);
  const auto text = base::read_text(kConfig + "small.yaml");
  ASSERT_TRUE(text.ok());
  const size_t first = text->find("\nsdma:"), last = text->find("\nlinks:");
  ASSERT_LT(first, last);
  const auto none = parse_description(text->substr(0, first) + text->substr(last), "m.yaml");
  ASSERT_TRUE(none.ok()) << none.error().str();
  EXPECT_EQ(none->sdma.engines, 0u);
  const auto missing = parse_description(edited("  rings_per_engine:", "  rings:"), "m.yaml");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().str(), HasSubstr("key 'rings_per_engine' is missing"));
  const auto zero = parse_description(
      edited("bytes_per_cycle: {value: 64", "bytes_per_cycle: {value: 0"), "m.yaml");
  ASSERT_FALSE(zero.ok());
  EXPECT_THAT(zero.error().str(), HasSubstr("m.yaml:"));
}

TEST(Description, LookaheadIsAtMostTheShortestLink) {
  auto d = load_description(kConfig + "mi100.yaml");
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->links.smallest(), 8u);
  const std::string field = "lookahead_cycles: {value: 0,";
  EXPECT_TRUE(parse_description(edited(field, "lookahead_cycles: {value: 8,"), "m.yaml").ok());
  auto beyond = parse_description(edited(field, "lookahead_cycles: {value: 9,"), "m.yaml");
  ASSERT_FALSE(beyond.ok());
  EXPECT_THAT(beyond.error().str(), HasSubstr("the shortest link between domains takes 8"));
}

TEST(Description, SearchNamesThePlacesTried) {
  auto found = find_description("small", {});
  ASSERT_TRUE(found.ok());
  auto missing = find_description("mi1000", {"/nonexistent"});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().str(), HasSubstr("/nonexistent"));
}

TEST(Channel, MessagesAppearAtTheirTime) {
  Channel<int> channel(2);
  ASSERT_TRUE(channel.can_push(0));
  channel.push(7, 3);
  EXPECT_EQ(channel.front(2), nullptr);
  EXPECT_EQ(channel.next_event(), 3u);
  ASSERT_NE(channel.front(3), nullptr);
  EXPECT_EQ(channel.pop(3), 7);
  EXPECT_EQ(channel.next_event(), kNever);
}

TEST(Channel, SpaceFreedThisCycleIsUsableInTheNext) {
  Channel<int> channel(1);
  channel.push(1, 1);
  EXPECT_FALSE(channel.can_push(1));
  channel.pop(1);
  EXPECT_FALSE(channel.can_push(1)) << "the producer's order of ticking must not matter";
  EXPECT_TRUE(channel.can_push(2));
}

TEST(Channel, WhatOvertakesComesInTheOrderOfTime) {
  Channel<int> channel(5);
  for (const int time : {4, 6, 8}) channel.push(time, static_cast<Cycle>(time));
  channel.overtake_in_place(6) = 60;
  channel.overtake_in_place(3) = 30;
  EXPECT_EQ(channel.next_event(), 3u);
  Channel<int> near(2);
  near.push(5, 5);
  near.push(9, 9);
  channel.take_all(near);
  EXPECT_TRUE(near.empty());
  std::vector<int> order;
  while (!channel.empty()) order.push_back(channel.pop(channel.next_event()));
  EXPECT_THAT(order, testing::ElementsAre(30, 4, 5, 6, 60, 8, 9));
}

TEST(Registry, UnknownNamesGiveNull) {
  Registry<int, int> registry;
  registry.add("tlm", [](const int& v) { return std::make_unique<int>(v + 1); });
  EXPECT_EQ(*registry.make("tlm", 4), 5);
  EXPECT_EQ(registry.make("rtl", 4), nullptr);
  EXPECT_EQ(registry.names(), std::vector<std::string>{"tlm"});
}

TEST(Description, LockstepStandsWhereTheDescriptionSays) {
  EXPECT_FALSE(load_description(kConfig + "mi100.yaml")->lockstep_everywhere);
  EXPECT_TRUE(load_description(kConfig + "small.yaml")->lockstep_everywhere);
  const auto one = parse_description(edited("instances: all", "instances: 1"), "m.yaml");
  ASSERT_TRUE(one.ok()) << one.error().str();
  EXPECT_FALSE(one->lockstep_everywhere);
  const auto two = parse_description(edited("instances: all", "instances: 2"), "m.yaml");
  ASSERT_FALSE(two.ok());
  EXPECT_THAT(two.error().str(), HasSubstr("expected 1 or all"));
  const auto other = parse_description(edited("instances: all", "instance: all"), "m.yaml");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().str(), HasSubstr("key 'instances' is missing"));
}

TEST(Description, AnImplementationMayBeAMap) {
  const auto with = [](const std::string& valu) {
    return parse_description(edited("  valu: tlm", "  valu: " + valu), "machines/m.yaml");
  };
  const auto d =
      with("{name: dut:mine, library: lib/x.so, timing: \"bounded(2,7)\", lockstep: 1/8}");
  ASSERT_TRUE(d.ok()) << d.error().str();
  EXPECT_EQ(d->implementations.at("valu"), "dut:mine");
  EXPECT_EQ(d->block_devices.at({"valu", "mine"}), "machines/lib/x.so");
  const LockstepCheck& check = d->lockstep_checks.at("valu");
  EXPECT_EQ(check.share, 8u);
  EXPECT_TRUE(check.timing_given);
  EXPECT_EQ(check.timing.kind, TimingRule::Kind::Bounded);
  EXPECT_EQ(check.timing.min_cycles, 2u);
  EXPECT_EQ(check.timing.max_cycles, 7u);
  EXPECT_EQ(with("{name: dut:mine, library: /x.so}")->block_devices.at({"valu", "mine"}), "/x.so");
  EXPECT_EQ(with("{name: rtl}")->implementations.at("valu"), "rtl");
  // The same name in another block is another device.
  const auto two = parse_description(edited("  valu: tlm\n  vrf: tlm\n  matrix_core: tlm\n",
                                            "  valu: {name: dut:mine, library: a.so}\n  vrf: tlm\n"
                                            "  matrix_core: {name: dut:mine, library: b.so}\n"),
                                     "machines/m.yaml");
  ASSERT_TRUE(two.ok()) << two.error().str();
  EXPECT_EQ(two->block_devices.at({"valu", "mine"}), "machines/a.so");
  EXPECT_EQ(two->block_devices.at({"matrix_core", "mine"}), "machines/b.so");
  const std::pair<const char*, const char*> mistakes[] = {
      {"{library: x.so}", "key 'name' is missing"},
      {"{name: rtl, library: x.so}", "'library' goes with the name dut:NAME"},
      {"{name: rtl, colour: red}", "unknown key 'colour'"},
      {"{name: rtl, lockstep: 1/0}", "expected 1/N"},
      {"{name: rtl, timing: \"bounded(3,2)\"}", "expected exact, ignore or bounded(MIN,MAX)"},
      {"{name: rtl, timing: \"bounded(3,4)x\"}", "expected exact, ignore or bounded(MIN,MAX)"}};
  for (const auto& [text, message] : mistakes) {
    const auto wrong = with(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_THAT(wrong.error().str(), HasSubstr(message));
    EXPECT_THAT(wrong.error().str(), HasSubstr("machines/m.yaml:"));
  }
}

}  // namespace
}  // namespace cuvette::machine
