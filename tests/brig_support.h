// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hsail/brig.h"
#include "hsail/text.h"

namespace cuvette::hsail::testing {

/// What is wrong with a module that was accepted: it must be written, read again to the same BRIG,
/// and printed and parsed to the same BRIG. Empty: nothing.
inline std::string brig_problem(const Module& module) {
  const auto written = write_brig(module);
  if (!written) return "not written: " + written.error().str();
  const Outcome read = parse_module(written->data(), written->size(), "written");
  if (!read.ok()) return "not read again: " + read.errors[0].str();
  const auto again = write_brig(read.module);
  if (!again || *again != *written) return "reading and writing gives other BRIG";
  const std::string text = print(module);
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const Outcome parsed = parse_module(bytes, text.size(), "printed");
  if (!parsed.ok()) return "not parsed: " + parsed.errors[0].str() + "\n" + text;
  const auto back = write_brig(parsed.module);
  if (!back || *back != *written) return "printing and parsing gives other BRIG\n" + text;
  return "";
}

/// BRIG of a text; empty when that does not parse.
inline std::vector<uint8_t> brig_of(const std::string& text) {
  const Outcome outcome = parse_text(text, "text");
  if (!outcome.ok()) return {};
  auto written = write_brig(outcome.module);
  return written ? *written : std::vector<uint8_t>{};
}

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
