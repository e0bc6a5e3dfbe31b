// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/result.h"
#include "base/yaml.h"

namespace cuvette::base {
namespace {

TEST(Bits, FieldsAndExtension) {
  EXPECT_EQ(bits(0xdeadbeef, 31, 24), 0xdeu);
  EXPECT_EQ(bits(~uint64_t{0}, 63, 0), ~uint64_t{0});
  EXPECT_EQ(insert_bits(0, 7, 4, 0xff), 0xf0u);
  EXPECT_EQ(sign_extend(0x1fffff, 21), -1);
  EXPECT_EQ(sign_extend(0x0fffff, 21), 0xfffff);
  EXPECT_EQ(align_up(65, 64), 128u);
}

TEST(Error, PrintsPlaceFirst) {
  EXPECT_EQ(Error("bad", {.file = "a.yaml", .line = 3, .column = 7}).str(),
            "a.yaml:3:7: error: bad");
  EXPECT_EQ(Error("bad", {.file = "a.co", .offset = 64}).str(), "a.co:+0x40: error: bad");
  EXPECT_EQ(Error("bad").str(), "error: bad");
}

TEST(Yaml, UnknownKeyNamesPlaceAndKnownKeys) {
  auto doc = Yaml::parse("grid: [4]\nwrokgroup: [1]\n", "d.yaml");
  ASSERT_TRUE(doc.ok());
  EXPECT_TRUE(doc->need("grid").ok());
  EXPECT_FALSE(doc->get("workgroup").has_value());
  const auto done = doc->finish();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().str(),
            "d.yaml:2:12: error: unknown key 'wrokgroup', expected one of: grid, workgroup");
}

TEST(Yaml, IntegersAreRangeChecked) {
  auto doc = Yaml::parse("{a: 0x10, b: -5, c: 12x, d: 99999999999999999999}", "t");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(*doc->need("a")->unsigned_in(0, 16), 16u);
  EXPECT_EQ(*doc->need("b")->signed_in(-8, 8), -5);
  EXPECT_FALSE(doc->need("a")->unsigned_in(0, 15).ok());
  EXPECT_FALSE(doc->need("b")->unsigned_in(0, 15).ok());
  EXPECT_FALSE(doc->need("c")->unsigned_in(0, 15).ok());
  EXPECT_FALSE(doc->need("d")->unsigned_in(0, ~uint64_t{0}).ok());
}

TEST(Yaml, BadDocumentsAreErrorsWithAPlace) {
  EXPECT_EQ(Yaml::parse("a: 1\na: 2\n", "t").error().str(), "t:2:1: error: key 'a' appears twice");
  EXPECT_FALSE(Yaml::parse("a: [1, 2", "t").ok());
  EXPECT_FALSE(Yaml::parse("", "t").ok());
  EXPECT_FALSE(Yaml::parse(std::string(1000, '['), "t").ok());
  EXPECT_FALSE(Yaml::load("/nonexistent/file.yaml").ok());
}

TEST(File, RoundTripAndFailures) {
  const auto path = std::filesystem::temp_directory_path() / "cuvette_base_test.bin";
  ASSERT_TRUE(write_text(path.string(), "abc").ok());
  EXPECT_EQ(*read_text(path.string()), "abc");
  std::filesystem::remove(path);
  EXPECT_FALSE(read_binary(path.string()).ok());
  EXPECT_FALSE(read_binary("/").ok());
  EXPECT_FALSE(write_text("/nonexistent/x", "abc").ok());
}

}  // namespace
}  // namespace cuvette::base
