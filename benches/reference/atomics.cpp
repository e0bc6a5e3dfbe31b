// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>

#include "case.h"

using suite::Random;

SUITE_REFERENCE(hash_table) {
  const size_t n = c["n"];
  Random random(101);
  std::map<uint32_t, uint32_t> table;
  std::vector<uint32_t> keys, values, queries, results;
  while (keys.size() < n) {
    const auto key = static_cast<uint32_t>(random.next());
    const auto value = static_cast<uint32_t>(random.next() >> 40);
    if (key == 0 || !table.emplace(key, value).second) continue;
    keys.push_back(key);
    values.push_back(value);
  }
  for (size_t i = 0; i < n; ++i) {
    const auto absent = static_cast<uint32_t>(random.next()) | 1u;
    queries.push_back(i % 3 == 0 ? absent : keys[random.below(static_cast<uint32_t>(n))]);
    const auto found = table.find(queries.back());
    results.push_back(found == table.end() ? 0xffffffffu : found->second);
  }
  c.write("keys.bin", keys);
  c.write("values.bin", values);
  c.write("queries.bin", queries);
  c.write("results.bin", results);
}

SUITE_REFERENCE(reduction) {
  const auto in = Random(102).many<int32_t>(
      c["n"], [](Random& r) { return static_cast<int32_t>(r.next()) / 256; });
  std::vector<uint64_t> result(3);
  result[0] = static_cast<uint64_t>(std::accumulate(in.begin(), in.end(), int64_t{0}));
  result[1] = static_cast<uint64_t>(std::inner_product(in.begin(), in.end(), in.begin(), int64_t{0},
                                                       std::plus<>(),
                                                       [](int64_t a, int64_t b) { return a * b; }));
  const auto [least, most] = std::minmax_element(in.begin(), in.end());
  const int32_t ends[2] = {*least, *most};
  std::memcpy(&result[2], ends, sizeof ends);
  c.write("in.bin", in);
  c.write("result.bin", result);
}
