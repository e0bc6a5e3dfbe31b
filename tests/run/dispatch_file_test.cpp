// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Limits of dispatch files (dispatch.md): bounded time and memory, one error with its place.
#include "run/dispatch_file.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run/initial_values.h"

namespace cuvette::run {
namespace {

const std::string kHead = "code: {hsail: x}\ngrid: [1]\nworkgroup: [1]\n";

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string error_of(const std::string& text, uint64_t max_buffer_bytes = kMaxBufferBytes) {
  const auto file = parse_dispatch_file(text, "t");
  const auto limited = parse_dispatch_file(text, "t", max_buffer_bytes);
  if (max_buffer_bytes == kMaxBufferBytes) return file.ok() ? "" : file.error().str();
  EXPECT_TRUE(file.ok()) << file.error().str();
  return limited.ok() ? "" : limited.error().str();
}

std::string buffers(size_t count) {
  std::string out = "buffers:\n";
  for (size_t i = 0; i < count; ++i) {
    out += "  b" + std::to_string(i) + ": {type: u8, count: 1}\n";
  }
  return out;
}

TEST(DispatchFile, ListsAreBounded) {
  EXPECT_EQ(error_of(kHead + buffers(4096)), "");
  EXPECT_EQ(error_of(kHead + buffers(4097)), "t:4101:10: error: more than 4096 buffers");
  EXPECT_EQ(error_of(kHead + "args: [" + repeat("{u8: 0}, ", 4096) + "]\n"), "");
  EXPECT_EQ(error_of(kHead + "args: [" + repeat("{u8: 0}, ", 4097) + "]\n"),
            "t:4:7: error: more than 4096 arguments");
  const std::string one = "{grid: [1], workgroup: [1]}, ";
  EXPECT_EQ(error_of("code: {hsail: x}\ndispatches: [" + repeat(one, 4096) + "]\n"), "");
  EXPECT_EQ(error_of("code: {hsail: x}\ndispatches: [" + repeat(one, 4097) + "]\n"),
            "t:2:13: error: more than 4096 dispatches");
  const std::string expect = kHead + buffers(1) + "expect: [";
  EXPECT_EQ(error_of(expect + repeat("{buffer: b0, values: [0]}, ", 4096) + "]\n"), "");
  EXPECT_EQ(error_of(expect + repeat("{buffer: b0, values: [0]}, ", 4097) + "]\n"),
            "t:6:9: error: more than 4096 expectations");
}

TEST(DispatchFile, BuffersHaveAMemoryType) {
  const auto file = parse_dispatch_file(
      kHead +
          "buffers:\n  a: {type: u8, count: 1}\n"
          "  b: {type: u8, count: 1, memory_type: fine_grained}\n"
          "args: [buffer: {name: c, memory_type: uncached, type: u8, count: 1}]\n",
      "t");
  ASSERT_TRUE(file.ok()) << file.error().str();
  EXPECT_EQ(file->find_buffer("a")->grain, hsa::Grain::Coarse);
  EXPECT_EQ(file->find_buffer("b")->grain, hsa::Grain::Fine);
  EXPECT_EQ(file->find_buffer("c")->grain, hsa::Grain::Uncached);
  EXPECT_EQ(error_of(kHead + "buffers:\n  a: {type: u8, count: 1, memory_type: fine}\n"),
            "t:5:40: error: unknown memory type 'fine', expected coarse_grained, fine_grained or "
            "uncached");
}

TEST(DispatchFile, BytesAreBounded) {
  const std::string two = kHead +
                          "buffers: {x: {type: u32, count: 6}, y: {type: u64, count: 2}}\n"
                          "expect:\n- {buffer: x, values: [0, 0, 0, 0, 0, 0]}\n"
                          "- {buffer: x, values: [0, 0, 0, 0, 0]}\n";
  EXPECT_EQ(error_of(two, 44), "");
  EXPECT_EQ(error_of(two, 39),
            "t:4:59: error: all buffers together have 40 bytes, expected at most 39");
  EXPECT_EQ(error_of(two, 43),
            "t:7:23: error: all expected values together have 44 bytes, expected at most 43");
  EXPECT_EQ(error_of(kHead + "buffers: {x: {type: u8, count: 1073741825}}\n"),
            "t:4:32: error: expected an integer from 1 to 1073741824, found '1073741825'");
}

/// Integers drawn from a range on both sides of zero stay in it and reach both of its ends.
TEST(InitialValues, RandomNegativeToPositive) {
  const auto yaml = base::Yaml::parse("random: {seed: 9, low: -3, high: 7}", "t");
  ASSERT_TRUE(yaml.ok());
  const auto same = [](const std::string& name) { return name; };
  for (const Element type : {Element::S8, Element::S16, Element::S32, Element::S64}) {
    const unsigned size = static_cast<unsigned>(size_of(type));
    const auto bytes = initial_values(&*yaml, type, 1000, same);
    ASSERT_TRUE(bytes.ok()) << bytes.error().str();
    std::vector<int64_t> drawn;
    for (size_t at = 0; at < bytes->size(); at += size) {
      uint64_t bits = 0;
      for (unsigned n = 0; n < size; ++n) bits |= uint64_t{(*bytes)[at + n]} << (8 * n);
      const unsigned unused = 64 - 8 * size;
      drawn.push_back(static_cast<int64_t>(bits << unused) >> unused);
    }
    EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), -3) << name_of(type);
    EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 7) << name_of(type);
    EXPECT_EQ(std::vector<int64_t>(drawn.begin(), drawn.begin() + 8),
              std::vector<int64_t>({-1, 1, 0, 1, 0, -3, -2, 4}));
  }
}

}  // namespace
}  // namespace cuvette::run
