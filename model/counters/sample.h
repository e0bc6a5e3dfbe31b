// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/target.h"

namespace cuvette::counters {

/// Shape of a machine: what decides the instances of counters.
struct MachineShape {
  isa::Target target = isa::Target::Gfx908;
  unsigned units = 1;  ///< compute units
  unsigned engines = 1, units_per_engine = 1;
  unsigned simds = 4;  ///< of a compute unit
  unsigned slices = 1;
  unsigned scalar_shared_by = 1, instruction_shared_by = 1;  ///< compute units
};

/// Kind of places of which a series has a value each.
enum class Place : uint8_t { Machine, Engine, Unit, ScalarCache, InstructionCache, Slice };

/// One series of numbers that blocks have counted, in a sample.
struct Series {
  std::string name;  ///< of ours: "unit.valu_cycles"
  Place place = Place::Machine;
  bool level = false;             ///< a number of things that are there now
  uint32_t first = 0, count = 0;  ///< its values, among those of the sample
};

/// Names and places of all series of a machine: the same for all of its samples.
struct Layout {
  std::vector<Series> series;
  std::map<std::string, uint32_t, std::less<>> by_name;
};

/// All series of a machine at one time.
class Sample {
 public:
  Sample() = default;
  /// `like`: an earlier sample of the same machine, whose layout this one has, too; may be null.
  Sample(const MachineShape& machine, const Sample* like)
      : shape(machine), layout_(like != nullptr ? like->layout_ : nullptr) {
    if (like != nullptr) values_.reserve(like->values_.size());
  }
  MachineShape shape;

  /// Adds the series `block`.`name` of `count` values, always in the same order.
  template <class Value>
  void add(std::string_view block, std::string_view name, Place place, size_t count, Value value,
           bool level = false) {
    if (layout_ == nullptr) declare(block, name, place, count, level);
    assert(layout_ == nullptr || layout_->series[added_].count == count);
    ++added_;
    for (size_t i = 0; i < count; ++i) values_.push_back(value(i));
  }
  /// All series are there.
  void end();

  /// Null when the machine has none of the name.
  const Series* find(std::string_view name) const;
  uint64_t value(const Series& series, unsigned index) const {
    return values_[series.first + index];
  }
  uint64_t sum(std::string_view name) const;
  /// Subtracts `before`, an earlier sample of the same machine, from the counts; levels stay as
  /// they are.
  void subtract(const Sample& before);

 private:
  void declare(std::string_view block, std::string_view name, Place place, size_t count,
               bool level);

  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<Layout> making_;  // until end()
  std::vector<uint64_t> values_;
  size_t added_ = 0;  // series
};

}  // namespace cuvette::counters
