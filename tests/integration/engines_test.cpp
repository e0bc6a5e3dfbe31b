// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The demo kernels on the interpreter and, finalized for every target, on the golden machine: equal
// buffers, and equal to a plain C++ computation by another hand where one is short.
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "base/file.h"
#include "engines_testing.h"

namespace {

using namespace cuvette::engines;  // NOLINT: a test
namespace hsail = cuvette::hsail;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;

std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(static_cast<int32_t>(random())) / 65536.0f;
  return values;
}

std::vector<uint32_t> random_words(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t& v : values) v = random();
  return values;
}

hsail::Module demo(const std::string& name) {
  const std::string path = CUVETTE_SOURCE_DIR "/tests/kernels/" + name + ".hsail";
  auto text = cuvette::base::read_text(path);
  if (!text) {
    ADD_FAILURE() << text.error().str();
    return {};
  }
  return load(*text, path);
}

/// Runs both engines on every target and returns the interpreter's buffers.
std::vector<Bytes> run_everywhere(const hsail::Module& module, const Launch& launch) {
  const Outcome expected = run_interpreter(module, launch);
  EXPECT_EQ(expected.error, "");
  for (const char* target : kTargets) {
    const Outcome golden = run_golden(module, launch, target);
    EXPECT_EQ(golden.error, "") << target;
    if (!golden.error.empty()) continue;
    for (size_t b = 0; b < expected.buffers.size(); ++b) {
      const auto& a = expected.buffers[b];
      const auto& g = golden.buffers[b];
      const auto first = std::mismatch(a.begin(), a.end(), g.begin());
      EXPECT_TRUE(first.first == a.end())
          << target << " buffer " << b << " differs first at byte " << first.first - a.begin();
    }
  }
  return expected.buffers;
}

TEST(Engines, VectorAdd) {
  constexpr uint32_t kCount = 1000;
  const auto a = random_floats(kCount, 1);
  const auto b = random_floats(kCount, 2);
  Launch launch{"&vector_add",
                {1024, 1, 1},
                {128, 1, 1},
                {buffer(0), buffer(1), buffer(2), by_value(kCount)},
                {bytes_of(a), bytes_of(b), Bytes(kCount * 4)}};
  const auto c = values_of<float>(run_everywhere(demo("vector_add"), launch)[2]);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(Engines, Saxpy) {
  constexpr uint32_t kCount = 777;
  const auto x = random_floats(kCount, 3);
  const auto y = random_floats(kCount, 4);
  Launch launch{"&saxpy",
                {777, 1, 1},
                {256, 1, 1},  // the last work-group is partial
                {by_value(kCount), by_value(2.5f), buffer(0), buffer(1)},
                {bytes_of(x), bytes_of(y)}};
  const auto out = values_of<float>(run_everywhere(demo("saxpy"), launch)[1]);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], std::fma(2.5f, x[i], y[i])) << i;
}

TEST(Engines, Transpose) {
  constexpr uint32_t kWidth = 50;
  constexpr uint32_t kHeight = 37;
  const auto in = random_words(kWidth * kHeight, 5);
  Launch launch{"&transpose",
                {64, 48, 1},
                {16, 16, 1},
                {buffer(0), buffer(1), by_value(kWidth), by_value(kHeight)},
                {bytes_of(in), Bytes(in.size() * 4)}};
  const auto out = values_of<uint32_t>(run_everywhere(demo("transpose"), launch)[1]);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) ASSERT_EQ(out[x * kHeight + y], in[y * kWidth + x]);
}

TEST(Engines, Reduce) {
  constexpr uint32_t kCount = 1500;
  const auto in = random_words(kCount, 6);
  Launch launch{"&reduce",
                {1536, 1, 1},
                {256, 1, 1},
                {buffer(0), buffer(1), by_value(kCount)},
                {bytes_of(in), Bytes(6 * 4)}};
  const auto out = values_of<uint32_t>(run_everywhere(demo("reduce"), launch)[1]);
  for (uint32_t group = 0; group < 6; ++group) {
    uint32_t sum = 0;
    for (uint32_t i = group * 256; i < std::min(kCount, group * 256 + 256); ++i) sum += in[i];
    EXPECT_EQ(out[group], sum) << group;
  }
}

TEST(Engines, Histogram) {
  constexpr uint32_t kCount = 5000;
  const auto data = random_words(kCount, 7);
  Launch launch{"&histogram",
                {512, 1, 1},
                {64, 1, 1},
                {buffer(0), buffer(1), by_value(kCount)},
                {bytes_of(data), Bytes(256 * 4)}};
  const auto bins = values_of<uint32_t>(run_everywhere(demo("histogram"), launch)[1]);
  std::vector<uint32_t> expected(256);
  for (uint32_t word : data) ++expected[word & 255];
  EXPECT_EQ(bins, expected);
}

TEST(Engines, Sgemm) {
  constexpr uint32_t kM = 20;
  constexpr uint32_t kN = 35;
  constexpr uint32_t kK = 18;
  const auto a = random_floats(kM * kK, 8);
  const auto b = random_floats(kK * kN, 9);
  Launch launch{"&sgemm",
                {48, 32, 1},
                {16, 16, 1},
                {by_value(kM), by_value(kN), by_value(kK), buffer(0), buffer(1), buffer(2)},
                {bytes_of(a), bytes_of(b), Bytes(kM * kN * 4)}};
  const auto c = values_of<float>(run_everywhere(demo("sgemm"), launch)[2]);
  for (uint32_t row = 0; row < kM; ++row)
    for (uint32_t column = 0; column < kN; ++column) {
      float sum = 0;
      for (uint32_t k = 0; k < kK; ++k) sum = std::fma(a[row * kK + k], b[k * kN + column], sum);
      ASSERT_EQ(c[row * kN + column], sum) << row << "," << column;
    }
}

TEST(Engines, Stencil) {
  constexpr uint32_t kCount = 300;
  const auto in = random_floats(kCount, 10);
  Launch launch{"&stencil",
                {320, 1, 1},
                {64, 1, 1},
                {buffer(0), buffer(1), by_value(kCount)},
                {bytes_of(in), Bytes(kCount * 4)}};
  const auto out = values_of<float>(run_everywhere(demo("stencil"), launch)[1]);
  for (uint32_t i = 0; i < kCount; ++i) {
    const float around = in[i == 0 ? 0 : i - 1] + in[std::min(i + 1, kCount - 1)];
    ASSERT_EQ(out[i], std::fma(0.5f, in[i], 0.25f * around)) << i;
  }
}

TEST(Engines, Mixed) {
  constexpr uint32_t kCount = 500;
  auto in = random_words(kCount, 11);
  for (uint32_t i = 0; i < kCount; i += 2) in[i] &= 0xffff;  // short Collatz paths too
  for (uint32_t& word : in) word |= word == 0 ? 2 : 0;
  Launch launch{"&mixed",
                {512, 1, 1},
                {64, 1, 1},
                {buffer(0), buffer(1), by_value(kCount)},
                {bytes_of(in), Bytes(kCount * 4)}};
  const auto out = values_of<uint32_t>(run_everywhere(demo("mixed"), launch)[1]);
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t v = 0;
    if (in[i] % 2 != 0) {
      for (uint32_t x = in[i]; x != 1 && v < 100; ++v) x = x % 2 != 0 ? 3 * x + 1 : x / 2;
      if (v > 50) v *= 3;
    } else {
      auto f = static_cast<float>(in[i]);
      if (f > 1000.0f) {
        f = std::sqrt(f);
      } else {
        f = f / 3.0f;
        f = f + 0.5f;
      }
      v = static_cast<uint32_t>(f);
    }
    ASSERT_EQ(out[i], v ^ (in[i] >> 16)) << i;
  }
}

}  // namespace
