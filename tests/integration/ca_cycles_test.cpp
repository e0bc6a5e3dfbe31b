// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cycle counts of engine ca against a committed table: exactly equal, whatever compiler built the
// model. The table is no claim about hardware; whoever changes timing on purpose writes it anew:
//
//     build/release/tests/ca_cycles_test --update
#include <algorithm>
#include <fstream>
#include <map>

#include "ca_testing.h"
#include "csv.h"

namespace cuvette {
namespace {

using namespace testing_support;

constexpr const char* kTable = CUVETTE_SOURCE_DIR "/tests/snapshots/ca_cycles.csv";
constexpr const char* kHeader = "dispatch,config,cycles";
constexpr const char* kKernels[] = {"histogram", "mfma_gemm", "mixed",     "reduce",    "saxpy",
                                    "sgemm",     "stencil",   "transpose", "vector_add"};
bool update = false;

using Table = std::map<std::pair<std::string, std::string>, uint64_t>;  // by dispatch and config

Table measured() {
  Table table;
  for (const char* config : {"mi100", "small", "uneven"}) {
    const auto d = std::string(config) == "uneven" ? uneven() : description(config);
    for (const char* kernel : kKernels) {
      table[{kernel, config}] = on_plain(dispatch_file(kernel), d, {}).report.cycles;
    }
  }
  return table;
}

Table committed() {
  Table table;
  const auto rows = csv::read("snapshots/ca_cycles.csv");
  EXPECT_EQ(rows.at(0), csv::split(kHeader));
  for (size_t n = 1; n < rows.size(); ++n) {
    const csv::Row& c = rows[n];
    table[{c.at(0), c.at(1)}] = std::stoull(c.at(2));
  }
  return table;
}

TEST(CaCycles, AreThoseOfTheTable) {
  const Table got = measured();
  if (update) {
    std::ofstream out(kTable);
    out << kHeader << '\n';
    for (const auto& [key, cycles] : got) {
      out << key.first << ',' << key.second << ',' << cycles << '\n';
    }
    ASSERT_TRUE(out.good());
  }
  const Table expected = committed();
  ASSERT_EQ(expected.size(), got.size());
  for (const auto& [key, cycles] : got) {
    const auto row = expected.find(key);
    ASSERT_NE(row, expected.end()) << key.first << " on " << key.second;
    EXPECT_EQ(cycles, row->second) << key.first << " on " << key.second;
  }
}

}  // namespace
}  // namespace cuvette

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cuvette::update = std::count(argv, argv + argc, std::string("--update")) != 0;
  return RUN_ALL_TESTS();
}
