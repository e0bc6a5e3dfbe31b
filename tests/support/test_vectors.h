// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

// Number of random vectors that a test draws (docs/develop/testing.md).
namespace cuvette::test {

/// Vectors per operation and mode: `usual`, fewer under sanitizers, which run ten times slower, or
/// what the environment variable CUVETTE_TEST_VECTORS says.
inline int vectors(int usual) {
  static const int wanted = [] {
    const char* const text = std::getenv("CUVETTE_TEST_VECTORS");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  if (wanted > 0) return wanted;
#if defined(__SANITIZE_ADDRESS__)
  return usual / 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return usual / 10;
#endif
#endif
  return usual;
}

/// Ten thousand vectors as batches of 64 lanes.
inline unsigned batches() {
  return static_cast<unsigned>(vectors(10'000) + 63) / 64;
}

}  // namespace cuvette::test
