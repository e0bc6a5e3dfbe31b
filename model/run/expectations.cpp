// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "run/session.h"

namespace cuvette::run {
namespace {

constexpr size_t kShownDifferences = 10;

/// `exact`: the expected element is printed by its bits.
bool agrees(const Expectation& e, Element type, uint64_t expected, uint64_t actual, bool exact) {
  if (expected == actual) return true;
  // An expected NaN means any NaN, unless it was written as bits.
  if (is_nan(type, expected)) return !exact && is_nan(type, actual);
  if (e.tolerance == Expectation::Tolerance::Exact) return false;
  const double want = element_to_double(type, expected);
  const double got = element_to_double(type, actual);
  // The distance from an infinity is no number, and a part of it is one again.
  if (e.tolerance != Expectation::Tolerance::Ulp && std::isinf(want)) return false;
  switch (e.tolerance) {
    case Expectation::Tolerance::Ulp: {
      const uint64_t distance = ulp_distance(type, expected, actual);
      return distance != UINT64_MAX && static_cast<double>(distance) <= e.allowed;
    }
    case Expectation::Tolerance::Absolute:
      return std::abs(want - got) <= e.allowed;
    default:
      return std::abs(want - got) <= e.allowed * std::abs(want);
  }
}

void add(SessionResult& result, std::string text) {
  ++result.difference_count;
  if (result.differences.size() < kShownDifferences) {
    result.differences.push_back({std::move(text)});
  }
}

void check_buffer(const Expectation& e, const Buffer& buffer, SessionResult& result) {
  const unsigned size = size_of(buffer.type);
  const auto& bytes = result.buffers.at(e.buffer);
  for (uint64_t i = 0; i < e.bytes.size() / size; ++i) {
    const uint64_t expected = load_element(buffer.type, &e.bytes[i * size]);
    const uint64_t actual = load_element(buffer.type, &bytes[(e.index + i) * size]);
    const bool exact = i < e.exact_bits.size() ? e.exact_bits[i] : e.exact_bits.empty();
    ++result.checked_elements;
    if (!agrees(e, buffer.type, expected, actual, exact)) {
      add(result,
          fmt::format("{}: {}[{}]: expected {}, got {}", e.where.str(), e.buffer, e.index + i,
                      print_element(buffer.type, expected), print_element(buffer.type, actual)));
    }
  }
}

}  // namespace

void check_expectations(const DispatchFile& file, const std::map<std::string, int64_t>& signals,
                        SessionResult& result) {
  for (const auto& e : file.expectations) {
    if (!e.buffer.empty()) {
      check_buffer(e, *file.find_buffer(e.buffer), result);
      continue;
    }
    const int64_t found = signals.at(e.signal);
    ++result.checked_elements;
    if (found == e.signal_value) continue;
    add(result, fmt::format("{}: signal {}: expected {}, got {}", e.where.str(), e.signal,
                            e.signal_value, found));
  }
}

}  // namespace cuvette::run
