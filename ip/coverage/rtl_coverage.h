// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

// Line, branch and toggle coverage and cover properties of RTL as Verilator writes them
// (--coverage-line, --coverage-toggle, --coverage-user). Several files add up; instances and builds
// of one module count together.
namespace cuvette::ip {

/// The counters of one source file.
struct RtlFileCoverage {
  std::map<unsigned, uint64_t> lines;        ///< by line: how often it was executed
  std::map<std::string, uint64_t> branches;  ///< "line:column if": how often it was taken
  std::map<std::string, uint64_t> toggles;   ///< "line signal[bit]": how often it changed
  std::map<std::string, uint64_t> points;    ///< "line name" of a cover property: how often it held
};

/// A line nobody can reach, with the reason (docs/verification_plan.md).
struct RtlExcuse {
  std::string file;  ///< "rtl/valu/valu.sv"
  std::string text;  ///< of the line, without the spaces around it
  std::string reason;
  bool used = false;  ///< a line not executed has this text
};

class RtlCoverage {
 public:
  /// Whether a file's text looks like one.
  static bool is_one(const std::string& text);
  /// Errors, with file and line: a line that is no counter.
  base::Status add(const std::string& text, const std::string& file);

  /// By source file, "rtl/..." or "generated/...".
  const std::map<std::string, RtlFileCoverage>& files() const { return files_; }

 private:
  std::map<std::string, RtlFileCoverage> files_;
};

/// Reads a table of excuses: file,text,reason; the text may be quoted. Errors name the line.
base::Result<std::vector<RtlExcuse>> parse_excuses(const std::string& text,
                                                   const std::string& file);

}  // namespace cuvette::ip
