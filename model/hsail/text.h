// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::hsail {

/// A module, or every error found (at most kMaxErrors; each with file, line and column).
struct Outcome {
  Module module;
  std::vector<base::Error> errors;
  bool ok() const { return errors.empty(); }
};
constexpr size_t kMaxErrors = 20;

/// Parses HSAIL text (HSAIL PRM chapter 19). `file` is used in messages only. Accepts versions 1:0
/// to 1:2. Checks syntax, names and the instruction table; `validate` checks the rest.
Outcome parse_text(std::string_view source, const std::string& file);

/// Parses and validates; the first error of several.
base::Result<Module> load_text(std::string_view source, const std::string& file);

/// Canonical text: parsing it gives an equal module (same_module).
std::string print(const Module& module);
/// One code entry as print() writes it, without indentation and line end, for messages.
std::string print_entry(const Module& module, CodeRef ref);

}  // namespace cuvette::hsail
