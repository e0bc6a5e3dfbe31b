// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/coverage_groups.h"  // generated: enum class CoverageGroup
#include "isa/row.h"

// Functional coverage of the RTL blocks: counters for the bins of ip/coverage/coverage_plan.yaml
// (verification_plan.md). Counting is off until somebody makes a Coverage current; then the
// lockstep objects and the tests of the pins count what they have found equal.
namespace cuvette::ip {

/// One axis of a group: its values in the order of the plan.
struct CoverageAxis {
  std::string name;
  std::vector<std::string> values;
  /// For an axis of instructions: the place of each table row, by isa::index_of(), -1 for rows that
  /// are not in it.
  std::vector<int32_t> place;
};

/// A group of bins: the product of its axes, the last one varying fastest.
struct CoveragePlanGroup {
  std::string name, by;  ///< name "valu.mode"; test that counts the hits
  std::vector<const CoverageAxis*> axes;
  size_t bins = 1;  ///< number of bins
  /// "VOP2.v_add_f32, nearest, flush"
  std::string bin_name(size_t bin) const;
  std::string block() const { return name.substr(0, name.find('.')); }
};

/// The plan as compiled in, in the order of CoverageGroup.
const std::vector<CoveragePlanGroup>& coverage_plan();

class Coverage {
 public:
  Coverage();

  /// Receiver of hits in this process; null: none. Not thread safe, like the objects that are
  /// watched.
  static Coverage* current() { return current_; }
  static void set_current(Coverage* coverage) { current_ = coverage; }

  /// A hit of the bin with these places on the group's axes, all of them. A place that is not on
  /// its axis counts nothing.
  void hit(CoverageGroup group, std::initializer_list<size_t> places);
  /// The same where the first axis is of instructions.
  void hit(CoverageGroup group, const isa::Row& row, std::initializer_list<size_t> places = {});
  void hit(CoverageGroup group, const isa::Row& row, const isa::Row& second, size_t third);

  uint64_t hits(size_t group, size_t bin) const { return counts_[group][bin]; }

  /// JSON: {"schema": 1, "hits": {group: {bin: count}}}, bins that were hit only.
  std::string to_text() const;
  /// Adds what a file holds. Errors, with the file: no JSON of this kind, a group or bin the plan
  /// does not have, a count that is no positive number.
  base::Status add(const std::string& text, const std::string& file);

 private:
  void count(CoverageGroup group, std::initializer_list<size_t> places, size_t first, size_t used);

  static inline Coverage* current_ = nullptr;
  std::vector<std::vector<uint64_t>> counts_;
};

}  // namespace cuvette::ip
