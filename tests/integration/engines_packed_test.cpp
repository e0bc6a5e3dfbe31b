// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every packed instruction as machine code of the targets against the same plain C++ code that
// judges the interpreter.
#include <algorithm>
#include <cstring>
#include <iterator>

#include <gtest/gtest.h>

#include "engines.h"
#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "hsail_packed_cases.h"
#include "test_vectors.h"

namespace {

namespace engines = cuvette::engines;
namespace packed = cuvette::hsail_packed;
using cuvette::finalizer_testing::kTargets;

constexpr uint64_t kSeed = 20131203;
constexpr unsigned kItems = 64;
constexpr size_t kPerModule = 100;

/// True if case `i` is looked at on the target.
bool looked_at(size_t i, const char* target) {
  const auto at =
      static_cast<size_t>(std::find(std::begin(kTargets), std::end(kTargets), target) - kTargets);
  return cuvette::test::in_turn(i, at, std::size(kTargets), 1);
}

class EnginesPacked : public ::testing::TestWithParam<const char*> {};

TEST_P(EnginesPacked, EveryForm) {
  const char* target = GetParam();
  std::mt19937_64 random(kSeed);
  const auto cases = packed::cases();
  for (size_t first = 0; first < cases.size(); first += kPerModule) {
    const size_t last = std::min(cases.size(), first + kPerModule);
    std::string text = "module &m:1:2:$full:$large:$default;\n";
    for (size_t i = first; i < last; ++i) {
      if (looked_at(i, target)) text += packed::kernel_text(cases[i], "k" + std::to_string(i));
    }
    const auto module = cuvette::finalizer_testing::load(text);
    auto object = cuvette::finalizer::finalize(module, {target, 5});
    ASSERT_TRUE(object.ok()) << object.error().str();
    for (size_t i = first; i < last; ++i) {
      if (!looked_at(i, target)) continue;
      const auto data = packed::data_for(cases[i], kItems, random);
      engines::Bytes in(data.in.size() * 8);
      std::memcpy(in.data(), data.in.data(), in.size());
      const engines::Launch launch{"&k" + std::to_string(i),
                                   {kItems, 1, 1},
                                   {64, 1, 1},
                                   {engines::buffer(0), engines::buffer(1)},
                                   {in, engines::Bytes(16 * kItems)}};
      const auto golden = engines::run_golden_object(module, *object, launch, target);
      ASSERT_EQ(golden.error, "") << cases[i].opcode;
      for (unsigned lane = 0; lane < kItems; ++lane) {
        packed::Value value;
        std::memcpy(value.word, golden.buffers[1].data() + 16 * lane, 16);
        const std::string wrong = packed::difference(cases[i], data.expected[lane], value);
        EXPECT_EQ(wrong, "") << cases[i].opcode << " lane " << lane << ", seed " << kSeed;
        if (!wrong.empty()) break;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesPacked, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
