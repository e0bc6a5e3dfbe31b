// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

// Places in the bytes of a BRIG module, to read or break them.
namespace cuvette::hsail::testing {

using Bytes = std::vector<uint8_t>;

inline void set(Bytes* bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) (*bytes)[at + i] = static_cast<uint8_t>(value >> (8 * i));
}
inline uint64_t get(const Bytes& bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
  return value;
}
inline size_t section_at(const Bytes& bytes, size_t i) {
  return get(bytes, 104 + 8 * i, 8);
}
/// The n-th entry of that kind in a section, from the start of the file (PRM 18.3.6).
inline size_t entry_at(const Bytes& bytes, size_t section, unsigned kind, size_t n = 0) {
  const size_t start = section_at(bytes, section);
  size_t at = start + get(bytes, start + 8, 4);
  const size_t end = start + get(bytes, start, 8);
  for (; at < end; at += get(bytes, at, 2)) {
    if (get(bytes, at + 2, 2) == kind && n-- == 0) return at;
  }
  ADD_FAILURE() << "no entry of kind " << kind;
  return start;
}

}  // namespace cuvette::hsail::testing
