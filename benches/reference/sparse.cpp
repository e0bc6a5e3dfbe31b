// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "case.h"

namespace {

using suite::Case;
using suite::Random;

/// An entry of a sparse matrix.
struct Entry {
  uint32_t row, column;
};

/// Places of `count` entries, some rows with many and some with none, sorted by row.
std::vector<Entry> entries_of(size_t rows, size_t count, Random& random) {
  std::vector<Entry> entries(count);
  for (Entry& e : entries) {
    // The square of a uniform number: a few rows are long.
    const double u = random.real(0, 1);
    const auto scattered = static_cast<uint64_t>(u * u * static_cast<double>(rows)) * 40503 % rows;
    e = {static_cast<uint32_t>(scattered), random.below(static_cast<uint32_t>(rows))};
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  return entries;
}

std::vector<uint32_t> row_starts(size_t rows, const std::vector<Entry>& entries) {
  std::vector<uint32_t> first(rows + 1);
  for (const Entry& e : entries) ++first[e.row + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

std::vector<uint32_t> columns_of(const std::vector<Entry>& entries) {
  std::vector<uint32_t> columns(entries.size());
  std::transform(entries.begin(), entries.end(), columns.begin(),
                 [](const Entry& e) { return e.column; });
  return columns;
}

/// Values are multiples of 1/8, so that sums are exact in any order.
void write_product(const Case& c, uint64_t seed) {
  const size_t rows = c["rows"];
  Random random(seed);
  const auto entries = entries_of(rows, rows * c["nonzeros"], random);
  const auto values = random.eighths(entries.size());
  const auto x = random.eighths(rows);
  std::vector<int64_t> sums(rows);
  for (size_t i = 0; i < entries.size(); ++i) {
    sums[entries[i].row] += std::lround(values[i] * 8) * std::lround(x[entries[i].column] * 8);
  }
  std::vector<float> y(rows);
  std::transform(sums.begin(), sums.end(), y.begin(),
                 [](int64_t s) { return static_cast<float>(s) / 64; });
  c.write("first.bin", row_starts(rows, entries));
  c.write("columns.bin", columns_of(entries));
  c.write("values.bin", values);
  c.write("x.bin", x);
  c.write("y.bin", y);
}

}  // namespace

SUITE_REFERENCE(spmv_scalar) {
  write_product(c, 11);
}

SUITE_REFERENCE(spmv_vector) {
  write_product(c, 12);
}

SUITE_REFERENCE(bfs) {
  const size_t nodes = c["nodes"];
  const size_t levels = c["levels"];
  Random random(13);
  const auto entries = entries_of(nodes, nodes * c["degree"], random);
  const auto first = row_starts(nodes, entries);
  // Distances by relaxing all links until nothing changes.
  constexpr uint32_t kFar = 1u << 30;
  std::vector<uint32_t> distance(nodes, kFar);
  const uint32_t source = entries[entries.size() / 2].row;
  distance[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Entry& e : entries) {
      if (distance[e.row] + 1 < distance[e.column]) {
        distance[e.column] = distance[e.row] + 1;
        changed = true;
      }
    }
  }
  std::vector<int32_t> start(nodes, -1), level(nodes, -1);
  std::vector<uint32_t> counts(levels + 1), frontier(nodes);
  frontier[0] = source;
  start[source] = 0;
  for (size_t i = 0; i < nodes; ++i) {
    if (distance[i] > levels) continue;
    level[i] = static_cast<int32_t>(distance[i]);
    ++counts[distance[i]];
  }
  c.write("first.bin", first);
  c.write("neighbours.bin", columns_of(entries));
  c.write("start.bin", start);
  c.write("frontier.bin", frontier);
  c.write("level.bin", level);
  c.write("counts.bin", counts);
}

SUITE_REFERENCE(pagerank) {
  const size_t nodes = c["nodes"];
  Random random(14);
  const auto entries = entries_of(nodes, nodes * c["degree"], random);  // row: to, column: from
  std::vector<double> links(nodes);
  for (const Entry& e : entries) links[e.column] += 1;
  std::vector<float> inverse(nodes);
  std::transform(links.begin(), links.end(), inverse.begin(),
                 [](double n) { return n == 0 ? 0.0f : static_cast<float>(1 / n); });
  const double count = static_cast<double>(nodes);
  const double damping = double{0.85f};
  std::vector<double> rank(nodes, 1 / count);
  // Every node pushes its rank along its links.
  for (size_t step = 0; step < 2 * c["steps"]; ++step) {
    std::vector<double> next(nodes, (1 - damping) / count);
    for (const Entry& e : entries) next[e.row] += damping * rank[e.column] / links[e.column];
    rank = next;
  }
  c.write("first.bin", row_starts(nodes, entries));
  c.write("sources.bin", columns_of(entries));
  c.write("inverse_degree.bin", inverse);
  c.write("rank.bin", std::vector<float>(rank.begin(), rank.end()));
}
