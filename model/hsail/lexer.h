// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hsail/module.h"

namespace cuvette::hsail {

/// Tokens of HSAIL text (HSAIL PRM 19.1).
enum class TokenKind : uint8_t {
  kWord,     ///< keywords and mnemonics with their suffixes: "ld_global_u32", "_u32", "prog"
  kGlobal,   ///< &name
  kLocal,    ///< %name
  kLabel,    ///< @name
  kDollar,   ///< $name: registers and the header's properties
  kNumber,   ///< any integer or float literal, not yet converted
  kString,   ///< with its quotes
  kPunct,    ///< one of ( ) [ ] { } , ; : = + -
  kComment,  ///< with its "//" or "/* */"
  kBad,      ///< a character that starts no token, or an unterminated string or comment
  kEnd,
};

/// A token with its place.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  ///< points into the source
  Position at;
  const char* problem = nullptr;  ///< kBad: what is wrong
};

/// All tokens, kEnd last. The source must outlive them.
std::vector<Token> tokenize(std::string_view source);

}  // namespace cuvette::hsail
