// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>

// Sizes of tests: random vectors, items of a list (docs/develop/testing.md).
namespace cuvette::test {

/// True if tests go through the whole of their lists: CUVETTE_WHOLE=1, nightly.
inline bool whole() {
  static const bool set = std::getenv("CUVETTE_WHOLE") != nullptr;
  return set;
}

/// True if item `n` of a list is looked at: one in `share`, all of them with whole().
inline bool chosen(size_t n, size_t share) {
  return whole() || n % share == 0;
}

/// True if item `n` of a list is looked at in the turn of one of `turns` (targets, as a rule): each
/// item in `share` of them, in all of them with whole().
inline bool in_turn(size_t n, size_t turn, size_t turns, size_t share) {
  return whole() || (n + turn) % turns < share;
}

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
