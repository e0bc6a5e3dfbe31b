// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "counters/reading.h"
#include "counters/sample.h"
#include "isa/target.h"

namespace cuvette::run {

/// Values of counters over a run, as columns: a row per dispatch, or per interval of one. Times are
/// cycles since reset.
struct CounterTable {
  /// Values of one dispatch or interval.
  struct Row {
    uint64_t dispatch = 0, interval = 0;  ///< from 0; an interval's within its dispatch
    std::string kernel;
    uint64_t begin = 0, end = 0;                ///< first cycle, and the one behind the last
    std::vector<std::optional<double>> values;  ///< by column; nothing: there is none
  };
  /// A counter.
  struct Column {
    std::string name;     ///< unique
    std::string counter;  ///< that it has the values of
    bool whole = true;    ///< its values are whole numbers
    bool derived = false;
    std::string block;              ///< of a hardware counter
    int event = -1;                 ///< its number
    std::string expression;         ///< of a derived one
    std::string exactness, limits;  ///< counters::Exactness by name; its limits in words
  };
  isa::Target target = isa::Target::Gfx908;
  std::vector<Column> columns;
  std::vector<Row> dispatches, intervals;
  uint64_t every = 0;                          ///< cycles of an interval; 0: there are none
  std::map<std::string, std::string> missing;  ///< reasons why values are not there, by column
};

/// The table as JSON (docs/reference/counters.schema.json) behind the members of `head`.
std::string counters_json(const CounterTable& table, nlohmann::ordered_json head);
/// Its intervals, or its dispatches when it has none, as comma-separated values with one line of
/// names. A value that is not there is empty.
std::string counters_csv(const CounterTable& table);

/// Records counters by name while dispatches run.
class CounterRecorder {
 public:
  /// `names`: counters, NAME[INSTANCE], NAME[*] for a column of each instance, "all" for every
  /// available counter of the target but accumulators. Errors name what is no counter. `every`:
  /// cycles of an interval, 0 for none.
  static base::Result<CounterRecorder> make(isa::Target target,
                                            const std::vector<std::string>& names, uint64_t every);

  uint64_t every() const { return table_.every; }
  /// A dispatch begins at `cycle`. The first one makes the columns.
  void begin(const std::string& kernel, uint64_t cycle, counters::Sample sample);
  /// An interval is over.
  void interval(uint64_t cycle, counters::Sample sample);
  /// The dispatch is over, and its last interval.
  void end(uint64_t cycle, counters::Sample sample);
  const CounterTable& table() const { return table_; }
  /// The one of the last begin(); null before.
  const counters::Sample* last_sample() const { return began_ ? &at_begin_ : nullptr; }

 private:
  explicit CounterRecorder(isa::Target target) : catalogue_(target) { table_.target = target; }
  void expand(const counters::MachineShape& shape);
  void add_column(const std::string& name);
  void add(std::vector<CounterTable::Row>& rows, uint64_t begin, uint64_t end,
           const counters::Sample& sample);

  counters::Catalogue catalogue_;
  std::vector<std::string> names_;  // NAME[*] as it is
  CounterTable table_;
  std::string kernel_;
  bool began_ = false;
  uint64_t dispatches_ = 0, intervals_ = 0;
  uint64_t begin_ = 0, interval_begin_ = 0;
  counters::Sample at_begin_, at_interval_;
};

}  // namespace cuvette::run
