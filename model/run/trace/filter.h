// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::run {

/// Choice of waves by compute unit, kernel and number: those that every given key names.
class TraceFilter {
 public:
  /// Each text is KEY=VALUE[,VALUE]... with a key of cu, kernel, wave, each at most once. Compute
  /// units and waves are numbers or FIRST-LAST, waves also with 0x; kernels are names, with or
  /// without the & of HSAIL, the .kd of descriptors, and the parameters of a C++ function, whose
  /// commas do not separate values.
  static base::Result<TraceFilter> parse(const std::vector<std::string>& texts);

  /// Error: a compute unit that the machine does not have.
  base::Status check(unsigned compute_units) const;

  /// True if all waves of the units that are chosen are.
  bool whole_units() const { return kernels_.empty() && waves_.empty(); }
  /// True if all waves of all units are chosen.
  bool everything() const { return units_.empty() && kernels_.empty() && waves_.empty(); }
  bool has_unit(uint64_t unit) const { return units_.empty() || in(units_, unit); }
  bool has_wave(uint64_t unit, uint64_t wave, const std::string& kernel) const {
    return has_unit(unit) && (waves_.empty() || in(waves_, wave)) &&
           (kernels_.empty() || has_kernel(kernel));
  }
  /// As it was given: "cu=0,1 kernel=saxpy".
  const std::string& text() const { return text_; }

 private:
  struct Range {
    uint64_t first = 0, last = 0;
  };
  static bool in(const std::vector<Range>& ranges, uint64_t number);
  bool has_kernel(const std::string& kernel) const;
  static std::string plain(std::string kernel);
  static base::Result<std::vector<Range>> ranges_of(const std::string& key,
                                                    const std::vector<std::string>& values);

  std::vector<Range> units_, waves_;
  std::set<std::string> kernels_;
  std::string text_;
};

}  // namespace cuvette::run
