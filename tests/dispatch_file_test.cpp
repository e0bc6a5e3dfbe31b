// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Limits of dispatch files (docs/dispatch.md): bounded time and memory, one error with its place.
#include "run/dispatch_file.h"

#include <string>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cuvette::run
