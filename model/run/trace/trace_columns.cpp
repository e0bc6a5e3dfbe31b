// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/trace_columns.h"

#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

namespace cuvette::run {
namespace {

using nlohmann::json;

/// Columns in the order in which they are announced and written.
class ColumnFile {
 public:
  explicit ColumnFile(std::FILE* to) : to_(to) {}

  template <class Number>
  void add(json name, const std::vector<Number>& values) {
    announce<Number>(std::move(name), values.size());
    parts_.push_back([this, &values] { put(values.data(), values.size()); });
  }
  /// A member of each row.
  template <class Row, class Number>
  void add(json name, const std::vector<Row>& rows, Number Row::* member) {
    announce<Number>(std::move(name), rows.size());
    parts_.push_back([this, &rows, member] {
      for (const Row& row : rows) put(&(row.*member), 1);
    });
  }
  void write(json head) const {
    head["columns"] = announced_;
    const std::string line = head.dump() + '\n';
    put(line.data(), line.size());
    for (const auto& part : parts_) part();
  }

 private:
  template <class Number>
  void announce(json name, size_t count) {
    static_assert(sizeof(Number) == 4 || sizeof(Number) == 8);
    announced_.push_back({std::move(name), sizeof(Number) == 4 ? "I" : "Q", count});
  }
  template <class Number>
  void put(const Number* values, size_t count) const {
    if (count != 0) std::fwrite(values, sizeof(Number), count, to_);
  }

  std::FILE* to_;
  json announced_ = json::array();
  std::vector<std::function<void()>> parts_;
};

}  // namespace

void write_columns(const TraceColumns& columns, std::FILE* to) {
  using Wave = TraceColumns::Wave;
  ColumnFile file(to);
  const auto& waves = columns.waves;
  file.add({"waves", "unit"}, waves, &Wave::unit);
  file.add({"waves", "simd"}, waves, &Wave::simd);
  file.add({"waves", "slot"}, waves, &Wave::slot);
  file.add({"waves", "start"}, waves, &Wave::start);
  file.add({"waves", "cycles"}, waves, &Wave::cycles);
  file.add({"waves", "number"}, waves, &Wave::number);
  file.add({"waves", "dispatch"}, waves, &Wave::dispatch);
  file.add({"waves", "first"}, waves, &Wave::first);
  file.add({"waves", "last"}, waves, &Wave::last);
  file.add({"issues", "times"}, columns.issue_times);
  file.add({"issues", "codes"}, columns.issue_codes);
  file.add({"issues", "rising"}, columns.rising);
  for (const auto& [block, caches] : columns.hits) {
    for (const auto& [n, times] : caches) file.add({"hits", block, n}, times);
  }
  for (const auto& [block, caches] : columns.misses) {
    for (const auto& [n, times] : caches) file.add({"misses", block, n}, times);
  }
  for (const auto& [n, times] : columns.accesses) file.add({"accesses", n}, times);
  for (const auto& [n, requests] : columns.requests) {
    file.add({"requests", n, "begins"}, requests.begins);
    file.add({"requests", n, "ends"}, requests.ends);
  }
  json instructions = json::array(), dispatches = json::array();
  for (const auto& i : columns.instructions) {
    instructions.push_back({i.pc, i.mnemonic, i.unit, i.issues, i.waited});
  }
  for (const auto& d : columns.dispatches) dispatches.push_back({d.name, d.start, d.cycles});
  file.write({{"clock_mhz", columns.clock_mhz},
              {"filter", columns.filter},
              {"window", columns.window},
              {"left_out", columns.left_out},
              {"instructions", std::move(instructions)},
              {"dispatches", std::move(dispatches)}});
}

}  // namespace cuvette::run
