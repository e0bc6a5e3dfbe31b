// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/settings.h"

// Single fields of a machine description changed from outside: what they do, and how a wrong one is
// told.
namespace cuvette::machine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kSmall = CUVETTE_SOURCE_DIR "/config/small.yaml";

GpuConfig with(const std::vector<std::string>& settings) {
  const auto d = load_description(kSmall, settings);
  EXPECT_TRUE(d.ok()) << d.error().str();
  return d.ok() ? *d : GpuConfig();
}
std::string error_of(const std::string& setting) {
  const auto d = load_description(kSmall, std::vector<std::string>{setting});
  return d.ok() ? "accepted" : d.error().str();
}

TEST(MachineSettings, EveryFieldOfAFileCanBeSet) {
  const auto fields = list_fields(kSmall, {});
  ASSERT_TRUE(fields.ok()) << fields.error().str();
  EXPECT_GT(fields->size(), 60u);
  std::vector<std::string> all;
  for (const Setting& f : *fields) all.push_back(f.path + "=" + f.value);
  // Each set to what it is: the same machine, told to be set.
  const auto again = list_fields(kSmall, all);
  ASSERT_TRUE(again.ok()) << again.error().str();
  ASSERT_EQ(again->size(), fields->size());
  for (size_t n = 0; n < fields->size(); ++n) {
    EXPECT_EQ((*again)[n].path, (*fields)[n].path);
    EXPECT_EQ((*again)[n].value, (*fields)[n].value);
    EXPECT_EQ((*again)[n].source.empty(), (*fields)[n].source.empty());
    if (!(*fields)[n].source.empty()) {
      EXPECT_EQ((*again)[n].source, "--set");
    }
  }
}

TEST(MachineSettings, NumbersNamesAndFlags) {
  const GpuConfig d =
      with({"l2.slice.ways=32", "compute_units=4", "clock_mhz=1000.5", "sramecc=false",
            "implementations.valu=lockstep", "lockstep.instances=1", "compute_unit.simds=2",
            "compute_unit.simds=1", "shared_aperture=0x3000000000000"});
  EXPECT_EQ(d.l2.slice.ways, 32u);
  EXPECT_EQ(d.compute_units, 4u);
  EXPECT_EQ(d.clock_mhz, 1000.5);
  EXPECT_FALSE(d.sramecc);
  EXPECT_EQ(d.implementations.at("valu"), "lockstep");
  EXPECT_FALSE(d.lockstep_everywhere);
  EXPECT_EQ(d.compute_unit.simds, 1u) << "the last one counts";
  EXPECT_EQ(d.shared_aperture, uint64_t{3} << 48);
  const GpuConfig p = with({"vector_l1.replacement=random", "vector_l1.replacement_seed=9",
                            "l2.slice.replacement=tree_plru", "compute_unit.issue_order=x"});
  EXPECT_EQ(p.vector_l1.replacement, "random");
  EXPECT_EQ(p.vector_l1.replacement_seed, 9u);
  EXPECT_EQ(p.l2.slice.replacement, "tree_plru");
  EXPECT_THAT(p.error("compute_unit.issue_order", "what").str(),
              StartsWith("--set compute_unit.issue_order=x: error: what"));
  EXPECT_EQ(with({}).l2.slice.ways, load_description(kSmall)->l2.slice.ways);
}

TEST(MachineSettings, WrongOnesAreToldByName) {
  EXPECT_THAT(error_of("l2.slice.ways"),
              HasSubstr("--set expects PATH=VALUE, found 'l2.slice.ways'"));
  EXPECT_THAT(error_of("=3"), HasSubstr("--set expects PATH=VALUE"));
  EXPECT_THAT(error_of("l2..ways=3"), HasSubstr("--set expects PATH=VALUE"));
  EXPECT_THAT(error_of("l2.slice.way=3"),
              StartsWith("--set l2.slice.way=3: error: unknown key 'way', did you mean 'ways'?"));
  EXPECT_THAT(error_of("l3.slice.ways=3"), HasSubstr("unknown key 'l3', did you mean 'l2'?"));
  EXPECT_THAT(error_of("l2.slice=3"), HasSubstr("'slice' must be a map"));
  EXPECT_THAT(error_of("compute_units.more=3"), StartsWith("--set compute_units.more=3: error: "));
  EXPECT_THAT(error_of("name.more=3"), HasSubstr("'name' has no fields"));
  EXPECT_THAT(error_of("l2.slice.ways=0"),
              StartsWith("--set l2.slice.ways=0: error: expected an integer from 1 to 4096"));
  EXPECT_THAT(error_of("l2.slice.ways=many"), HasSubstr("found 'many'"));
  EXPECT_THAT(error_of("l2.slice.ways="), HasSubstr("expected an integer"));
  EXPECT_THAT(error_of("sramecc=1"), HasSubstr("expected true or false"));
  EXPECT_THAT(error_of("l2.slice.ways=48"), HasSubstr("are not a whole number of 48 ways"));
  EXPECT_THAT(error_of("clock_mhz=nan"), HasSubstr("expected a number from"));
}

}  // namespace
}  // namespace cuvette::machine
