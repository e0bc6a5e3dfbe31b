// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Whole matrices, row by row.
#include <algorithm>

#include "case.h"

namespace {

using suite::Random;

/// Letters of an alphabet of four.
std::vector<uint8_t> sequence(Random& random, size_t n) {
  return random.many<uint8_t>(n, [](Random& r) { return "ACGT"[r.below(4)]; });
}

/// `x` with one letter in eight changed, and one in sixteen left out or twice.
std::vector<uint8_t> relative(Random& random, const std::vector<uint8_t>& x) {
  std::vector<uint8_t> out;
  for (size_t at = 0; out.size() < x.size(); ++at) {
    const uint8_t letter = x[at % x.size()];
    const uint32_t what = random.below(32);
    if (what == 0) continue;
    out.push_back(what < 5 ? static_cast<uint8_t>("ACGT"[random.below(4)]) : letter);
    if (what == 5 && out.size() < x.size()) out.push_back(letter);
  }
  return out;
}

}  // namespace

SUITE_REFERENCE(needleman_wunsch) {
  constexpr int kGap = -4;
  const size_t n = c["tiles"] * 64;
  Random random(51);
  const auto down = sequence(random, n);
  const auto across = relative(random, down);
  const size_t pitch = n + 1;
  std::vector<int32_t> score(pitch * pitch);
  for (size_t i = 0; i <= n; ++i) score[i] = score[i * pitch] = static_cast<int>(i) * kGap;
  c.write("start.bin", score);
  for (size_t i = 1; i <= n; ++i) {
    for (size_t j = 1; j <= n; ++j) {
      const int pair = score[(i - 1) * pitch + j - 1] + (down[i - 1] == across[j - 1] ? 3 : -2);
      const int gap = std::max(score[(i - 1) * pitch + j], score[i * pitch + j - 1]) + kGap;
      score[i * pitch + j] = std::max(pair, gap);
    }
  }
  c.write("down.bin", down);
  c.write("across.bin", across);
  c.write("score.bin", score);
}

SUITE_REFERENCE(smith_waterman) {
  constexpr int kNever = -1'000'000;
  const size_t targets = c["targets"];
  const size_t length = c["length"];
  const size_t width = c["query"];
  Random random(52);
  const auto query = sequence(random, width);
  std::vector<uint8_t> letters(targets * length);
  std::vector<int32_t> best;
  const size_t pitch = width + 1;
  for (size_t target = 0; target < targets; ++target) {
    auto text = target % 2 == 0 ? relative(random, query) : sequence(random, length);
    while (text.size() < length) text.push_back('A');
    for (size_t i = 0; i < length; ++i) letters[i * targets + target] = text[i];
    // Three matrices: the best, those that end with a gap in the text, in the query.
    std::vector<int> all(pitch * (length + 1)), gap_text(all.size(), kNever),
        gap_query(all.size(), kNever);
    for (size_t i = 1; i <= length; ++i) {
      for (size_t j = 1; j <= width; ++j) {
        const size_t at = i * pitch + j;
        gap_query[at] = std::max(gap_query[at - pitch] - 1, all[at - pitch] - 8);
        gap_text[at] = std::max(gap_text[at - 1] - 1, all[at - 1] - 8);
        const int pair = all[at - pitch - 1] + (text[i - 1] == query[j - 1] ? 5 : -3);
        all[at] = std::max({0, pair, gap_query[at], gap_text[at]});
      }
    }
    best.push_back(*std::max_element(all.begin(), all.end()));
  }
  c.write("query.bin", query);
  c.write("letters.bin", letters);
  c.write("best.bin", best);
}

SUITE_REFERENCE(edit_distance) {
  const size_t length = c["length"];
  Random random(53);
  std::vector<uint8_t> left, right;
  std::vector<uint32_t> distances;
  for (size_t pair = 0; pair < c["pairs"]; ++pair) {
    const auto a = sequence(random, length);
    const auto b = pair % 3 == 0 ? sequence(random, length) : relative(random, a);
    std::vector<uint32_t> row(length + 1);
    for (uint32_t j = 0; j <= length; ++j) row[j] = j;
    for (uint32_t i = 1; i <= length; ++i) {
      uint32_t corner = row[0];
      row[0] = i;
      for (size_t j = 1; j <= length; ++j) {
        const uint32_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
        corner = row[j];
        row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
      }
    }
    left.insert(left.end(), a.begin(), a.end());
    right.insert(right.end(), b.begin(), b.end());
    distances.push_back(row[length]);
  }
  c.write("left.bin", left);
  c.write("right.bin", right);
  c.write("distances.bin", distances);
}
