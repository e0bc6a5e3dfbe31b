// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hsail/names.h"

namespace cuvette::hsail {

/// A literal of HSAIL text (HSAIL PRM 4.8.1, 4.8.2) without its sign.
struct Literal {
  enum class Form : uint8_t { kBad, kInteger, kFloat };
  Form form = Form::kBad;
  Type type = Type::kNone;        ///< kFloat: f16, f32 or f64
  uint64_t bits = 0;              ///< the integer, or the IEEE bit pattern
  const char* problem = nullptr;  ///< kBad
  bool out_of_range = false;      ///< kFloat: a number that became an infinity or 0
};

/// Integers: decimal, 0x hex, 0 octal, up to 64 bits. Floats: decimal and C99 hex with suffix h, f,
/// d (none: double), rounded to nearest even: what is beyond the range gives an infinity, what is
/// below it 0. Bit patterns 0h 0f 0d.
Literal parse_literal(std::string_view text);

/// The characters of a string literal (with its quotes) after escapes (4.5); nothing when
/// malformed.
std::optional<std::string> parse_string(std::string_view literal);
/// The literal that gives these characters.
std::string quote_string(std::string_view text);

}  // namespace cuvette::hsail
