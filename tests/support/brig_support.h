// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hsail/brig.h"
#include "hsail/text.h"

namespace cuvette::hsail::testing {

/// Error of a module that was accepted: it must be written, read again to the same BRIG,
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

}  // namespace cuvette::hsail::testing
