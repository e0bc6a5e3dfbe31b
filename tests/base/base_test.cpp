// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/index_set.h"
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

TEST(IndexSet, VisitsInOrderWhatIsThere) {
  IndexSet set(130);
  for (const size_t index : {129u, 0u, 64u, 63u, 5u}) set.insert(index);
  set.insert(64);
  set.erase(5);
  set.erase(6);
  std::vector<size_t> seen;
  set.for_each([&](size_t index) {
    seen.push_back(index);
    if (index == 63) set.erase(index);
  });
  EXPECT_EQ(seen, (std::vector<size_t>{0, 63, 64, 129}));
  seen.clear();
  set.for_each([&](size_t index) { seen.push_back(index); });
  EXPECT_EQ(seen, (std::vector<size_t>{0, 64, 129}));
}

TEST(IndexSet, FindsTheLowestThatIsNotThere) {
  IndexSet set(70);
  for (size_t index = 0; index < 70; ++index) {
    EXPECT_EQ(set.first_absent(), index);
    set.insert(index);
  }
  EXPECT_GE(set.first_absent(), 70u);
  set.erase(66);
  EXPECT_EQ(set.first_absent(), 66u);
  set.erase(3);
  EXPECT_EQ(set.first_absent(), 3u);
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
            "d.yaml:2:12: error: unknown key 'wrokgroup', did you mean 'workgroup'? expected one "
            "of: grid, workgroup");
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

// yaml-cpp makes an empty document of a token that can start no node and stays in front of it:
// asked for all documents, it filled memory without end.
TEST(Yaml, TextThatStartsNoDocumentEnds) {
  alarm(20);
  EXPECT_EQ(Yaml::parse("# comment\n, file: x}\n", "t").error().str(),
            "t:2:1: error: more than one YAML document, or text that cannot start one");
  EXPECT_EQ(Yaml::parse("a: 1\n---\nb: 2\n", "t").error().str(),
            "t:2:1: error: more than one YAML document, or text that cannot start one");
  alarm(0);
  EXPECT_TRUE(Yaml::parse("---\na: 1\n...\n# end\n", "t").ok());
}

TEST(Yaml, AliasesCountAsTextWrittenOut) {
  auto doc = Yaml::parse("a: &x {k: 1, l: [2, &y 3]}\nb: *x\nc: *y\n*y : d\n", "t");
  ASSERT_TRUE(doc.ok()) << doc.error().str();
  const auto b = doc->need("b");
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(*b->need("l")->at(1).unsigned_in(0, 9), 3u);
  EXPECT_EQ(b->finish().error().str(), "t:1:11: error: unknown key 'k', expected one of: l");
  EXPECT_EQ(*doc->need("c")->unsigned_in(0, 9), 3u);
  EXPECT_EQ(*doc->need("3")->text(), "d");

  EXPECT_EQ(Yaml::parse("a: &x [1, *x]", "t").error().str(),
            "t:1:11: error: an alias inside the node that it names");
  EXPECT_FALSE(Yaml::parse("a: *x", "t").ok());
  // Ten times ten times ...: a million nodes at the sixth level.
  std::string bomb = "l0: &l0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += "*l" + std::to_string(i - 1) + ", ";
    bomb += "]\n";
  }
  EXPECT_EQ(Yaml::parse(bomb, "t").error().what, "more than 1000000 nodes");
}

TEST(Yaml, LimitsOfSizeAndDepth) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(Yaml::parse(nested(64), "t").ok());
  EXPECT_EQ(Yaml::parse(nested(66), "t").error().str(),
            "t:1:66: error: nested deeper than 64 levels");
  EXPECT_EQ(Yaml::parse(std::string((16u << 20) + 1, ' '), "t").error().what, "larger than 16 MiB");
  EXPECT_EQ(Yaml::parse("{[a]: 1}", "t").error().str(), "t:1:2: error: a key must be a plain word");
  EXPECT_EQ(Yaml::parse("{~: 1}", "t").error().str(), "t:1:2: error: a key must be a plain word");
  // Many keys: looking for doubles takes no quadratic time.
  std::string keys;
  for (int i = 0; i < 200'000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  alarm(60);
  EXPECT_TRUE(Yaml::parse(keys, "t").ok());
  EXPECT_EQ(Yaml::parse(keys + "k7: 2\n", "t").error().str(),
            "t:200001:1: error: key 'k7' appears twice");
  alarm(0);
}

TEST(File, RoundTripAndFailures) {
  const auto path = std::filesystem::temp_directory_path() / "cuvette_base_test.bin";
  ASSERT_TRUE(write_text(path.string(), "abc").ok());
  EXPECT_EQ(*read_text(path.string()), "abc");
  // A file with the name that the data have first is left alone.
  const std::string other = path.string() + "." + std::to_string(getpid()) + ".tmp";
  ASSERT_TRUE(write_text(other, "other").ok());
  ASSERT_TRUE(write_text(path.string(), "def").ok());
  EXPECT_EQ(*read_text(path.string()), "def");
  EXPECT_EQ(*read_text(other), "other");
  std::filesystem::remove(other);
  std::filesystem::remove(path);
  EXPECT_FALSE(read_binary(path.string()).ok());
  EXPECT_FALSE(read_binary("/").ok());
  EXPECT_FALSE(write_text("/nonexistent/x", "abc").ok());
}

}  // namespace
}  // namespace cuvette::base
