// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Line, branch and toggle coverage and cover properties of RTL as Verilator writes them
// (--coverage-line, --coverage-toggle, --coverage-user). Several files add up; instances and builds
// of one module count together.
namespace cuvette::ip {

/// Orders "9 data[2]" before "9 data[10]" and that before "10 data[0]": as people read a list.
struct ByNumbers {
  bool operator()(std::string_view a, std::string_view b) const;
};

/// The counters of one source file.
struct RtlFileCoverage {
  std::map<unsigned, uint64_t> lines;        ///< by line: how often it was executed
  std::map<std::string, uint64_t> branches;  ///< "line:column if": how often it was taken
  /// "line signal[bit]": how often it changed; with " 0->1" or " 1->0" behind it where the counter
  /// is of one direction (Verilator 5.006 counts both in one).
  std::map<std::string, uint64_t, ByNumbers> toggles;
  /// "line name" of a cover property: how often it held.
  std::map<std::string, uint64_t, ByNumbers> points;
};

/// A line nobody can reach, with the reason (docs/develop/verification_plan.md).
struct RtlExcuse {
  std::string file;  ///< "rtl/valu/valu.sv"
  std::string text;  ///< of the line, without the spaces around it
  std::string reason;
  bool used = false;  ///< a line not executed has this text
};

class RtlCoverage {
 public:
  /// True if a file's text looks like a coverage file of Verilator.
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
