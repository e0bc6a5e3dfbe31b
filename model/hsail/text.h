// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::hsail {

/// Position of a section of BRIG in its file, header included.
struct SectionExtent {
  std::string name;
  uint64_t begin = 0;  ///< byte offset
  uint64_t end = 0;    ///< byte offset behind it
};

/// A module, or every error found (at most kMaxErrors; each with file, line and column).
struct Outcome {
  Module module;
  std::vector<base::Error> errors;
  /// Parts that read otherwise than they are written, at most kMaxWarnings; with Rules::kLanguage
  /// also those that no machine here takes.
  std::vector<base::Error> warnings;
  std::vector<SectionExtent> sections;  ///< of BRIG whose headers are right; for in_section
  bool ok() const { return errors.empty(); }
};
constexpr size_t kMaxErrors = 20;
constexpr size_t kMaxWarnings = 20;

/// Parses HSAIL text (HSAIL PRM chapter 19). `file` is used in messages only. Accepts versions 1:0
/// to 1:2. Checks syntax, names and the instruction table; `validate` checks the rest.
Outcome parse_text(std::string_view source, const std::string& file);

/// Parses and validates; the first error of several.
base::Result<Module> load_text(std::string_view source, const std::string& file);

/// Notation of floating-point constants (HSAIL PRM 4.8.2): IEEE bit patterns, hexadecimal with
/// an exponent of 2, or the shortest decimals that read back to the same bits. Infinities and NaNs
/// have bit patterns only, and so have subnormals in C99 notation, which HSAILasm misreads.
enum class FloatNotation : uint8_t { kBits, kC99, kDecimal };

/// Canonical text: parsing it gives an equal module (same_module).
std::string print(const Module& module, FloatNotation floats = FloatNotation::kBits);
/// One code entry as print() writes it, without indentation and line end, for messages.
std::string print_entry(const Module& module, CodeRef ref);

}  // namespace cuvette::hsail
