// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sorts and sums of the standard library.
#include <algorithm>
#include <numeric>
#include <utility>

#include "case.h"

using suite::Random;

SUITE_REFERENCE(bitonic) {
  auto keys = Random(21).words(size_t{1} << c["log2"]);
  c.write("keys.bin", keys);
  std::sort(keys.begin(), keys.end());
  c.write("sorted.bin", keys);
}

SUITE_REFERENCE(radix) {
  Random random(22);
  // Three quarters of the words: with equal keys among them, whose order must stay.
  auto keys = random.words(c["blocks"] * 256);
  for (size_t i = 0; i < keys.size(); i += 4)
    keys[i] = keys[random.below(static_cast<uint32_t>(keys.size()))];
  std::vector<uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0);
  std::sort(values.begin(), values.end(), [&keys](uint32_t a, uint32_t b) {
    return std::pair(keys[a], a) < std::pair(keys[b], b);  // equal keys stay in order
  });
  std::vector<uint32_t> sorted(keys.size());
  std::transform(values.begin(), values.end(), sorted.begin(),
                 [&keys](uint32_t i) { return keys[i]; });
  c.write("keys.bin", keys);
  c.write("sorted_keys.bin", sorted);
  c.write("sorted_values.bin", values);
}

SUITE_REFERENCE(merge) {
  Random random(23);
  auto a = random.words(c["n"]);
  auto b = random.words(c["n"]);
  // One of them runs out first.
  for (uint32_t& key : a) key /= 2;
  std::vector<uint32_t> out = a;
  out.insert(out.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::sort(out.begin(), out.end());
  c.write("a.bin", a);
  c.write("b.bin", b);
  c.write("out.bin", out);
}

SUITE_REFERENCE(scan) {
  const auto in = Random(24).words(c["blocks"] * 512);
  std::vector<uint32_t> out(in.size());
  std::exclusive_scan(in.begin(), in.end(), out.begin(), 0u);
  c.write("in.bin", in);
  c.write("out.bin", out);
}

SUITE_REFERENCE(compact) {
  constexpr uint32_t kLimit = 1'000'000'000;
  const auto records = Random(25).words(c["n"] * 4);
  std::vector<uint32_t> kept;
  for (auto at = records.begin(); at != records.end(); at += 4) {
    if (at[0] % 2 == 1 && at[1] > kLimit) kept.insert(kept.end(), at, at + 4);
  }
  const std::vector<uint32_t> total{static_cast<uint32_t>(kept.size() / 4)};
  kept.resize(records.size());
  c.write("records.bin", records);
  c.write("kept.bin", kept);
  c.write("total.bin", total);
}

SUITE_REFERENCE(histogram) {
  // The sum of two bytes by half: some values are common, some rare.
  auto in = Random(26).many<uint8_t>(c["blocks"] * 16384,
                                     [](Random& r) { return (r.below(256) + r.below(256)) / 2; });
  c.write("in.bin", in);
  std::sort(in.begin(), in.end());
  std::vector<uint32_t> counts;
  for (unsigned value = 0; value < 256; ++value) {
    const auto range = std::equal_range(in.begin(), in.end(), static_cast<uint8_t>(value));
    counts.push_back(static_cast<uint32_t>(range.second - range.first));
  }
  c.write("counts.bin", counts);
}
