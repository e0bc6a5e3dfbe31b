// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engines.h"
#include "finalizer_testing.h"

/// Shared by the tests that run HSAIL on both engines.
namespace cuvette::engines {

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Equal buffers on the interpreter and on golden; golden's.
inline std::vector<Bytes> run_both(const std::string& text, const Launch& launch,
                                   const char* target) {
  const auto module = finalizer_testing::load(text);
  const Outcome expected = run_interpreter(module, launch);
  EXPECT_EQ(expected.error, "");
  const Outcome golden = run_golden(module, launch, target);
  EXPECT_EQ(golden.error, "") << target;
  if (!golden.error.empty()) return launch.buffers;
  EXPECT_EQ(golden.buffers, expected.buffers) << target;
  return golden.buffers;
}

}  // namespace cuvette::engines
