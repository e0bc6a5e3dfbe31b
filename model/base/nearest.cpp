// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cuvette::base {
namespace {

/// Levenshtein distance.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;  // of a word that somebody mistyped
  std::string best;
  size_t fewest = 0;
  for (const std::string& k : known) {
    if (word.size() > kLongest || k.size() > kLongest) continue;
    const size_t changes = distance(word, k);
    const size_t longer = std::max(word.size(), k.size());
    const size_t allowed = longer < 2 ? 0 : std::max<size_t>(1, longer / 3);
    if (changes > allowed || (!best.empty() && changes >= fewest)) continue;
    best = k;
    fewest = changes;
  }
  return best;
}

}  // namespace cuvette::base
