// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as BRIG. Aborts when a module that is accepted does not give the same
// BRIG after reading it again or after printing and parsing it. Run: brig_fuzz
// tests/fuzz/corpus/brig
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../support/brig_support.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuvette::hsail;
  const auto brig = read_brig(data, size, "fuzz");
  if (!brig) return 0;
  const Outcome outcome = parse_module(data, size, "fuzz");
  if (!outcome.ok()) return 0;
  const std::string problem = testing::brig_problem(outcome.module);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
