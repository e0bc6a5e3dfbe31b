// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "case.h"

namespace {

using Words = std::array<uint32_t, 4>;

/// Philox4x32 from the definition of its round: products of 64 bits, words swapped afterwards.
Words philox4x32(Words counter, std::array<uint32_t, 2> key) {
  for (unsigned round = 0; round < 10; ++round) {
    const uint64_t left = uint64_t{counter[0]} * 0xd2511f53u;
    const uint64_t right = uint64_t{counter[2]} * 0xcd9e8d57u;
    const auto mix = [&](uint64_t p, uint32_t word, unsigned k) {
      return static_cast<uint32_t>(p >> 32) ^ word ^
             (key[k] + round * (k == 0 ? 0x9e3779b9u : 0xbb67ae85u));
    };
    counter = {mix(right, counter[1], 0), static_cast<uint32_t>(right), mix(left, counter[3], 1),
               static_cast<uint32_t>(left)};
  }
  return counter;
}

}  // namespace

SUITE_REFERENCE(philox) {
  // Known answers of the authors' test.
  constexpr uint32_t kOnes = 0xffffffff;
  if (philox4x32({}, {}) != Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8} ||
      philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) !=
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}) {
    std::fprintf(stderr, "suite_reference: error: the known answers of Philox do not come out\n");
    std::exit(2);
  }
  std::vector<uint32_t> out;
  for (uint32_t block = 0; block < c["blocks"]; ++block) {
    for (uint32_t item = 0; item < c["items"]; ++item) {
      const Words words = philox4x32({item, block, 0, 0}, {0x12345678, 0x9abcdef0});
      out.insert(out.end(), words.begin(), words.end());
    }
  }
  c.write("out.bin", out);
}

SUITE_REFERENCE(monte_carlo) {
  std::vector<float> payoffs;
  for (uint64_t path = 0; path < c["paths"]; ++path) {
    uint64_t state = (path + 1) * 0x9e3779b97f4a7c15u;
    const auto draw = [&state] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(state >> 41) * 0x1p-23;
    };
    // Prices as products, not as exponentials of sums.
    double price = 100;
    double sum = 0;
    for (uint64_t pair = 0; pair < c["pairs"]; ++pair) {
      const double radius = std::sqrt(-2 * std::log(draw() + 0x1p-23));
      const double angle = 2 * std::numbers::pi * draw();
      for (const double normal : {radius * std::cos(angle), radius * std::sin(angle)}) {
        price *= std::exp(double{0.0001f} + double{0.015f} * normal);
        sum += price;
      }
    }
    const double mean = sum / static_cast<double>(2 * c["pairs"]);
    payoffs.push_back(static_cast<float>(std::max(mean - 98, 0.0)));
  }
  c.write("payoffs.bin", payoffs);
}
