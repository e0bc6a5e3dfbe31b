// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/counter_recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuvette::run {

using base::Result;
using counters::Sample;

namespace {

using Json = nlohmann::ordered_json;
using Row = CounterTable::Row;
using Column = CounterTable::Column;

constexpr const char* kEach = "[*]";

Json value_of(const Column& column, const std::optional<double>& value) {
  if (!value) return nullptr;
  if (column.whole) return static_cast<uint64_t>(*value);
  return *value;
}

/// Columns of equal length.
Json columns_of(const CounterTable& table, const std::vector<Row>& rows, bool intervals) {
  Json out = Json::object();
  const auto add = [&](const std::string& name, auto get) {
    Json& column = out[name] = Json::array();
    for (const Row& row : rows) column.push_back(get(row));
  };
  add("dispatch", [](const Row& r) { return r.dispatch; });
  add("kernel", [](const Row& r) { return r.kernel; });
  if (intervals) add("interval", [](const Row& r) { return r.interval; });
  add("begin", [](const Row& r) { return r.begin; });
  add("end", [](const Row& r) { return r.end; });
  for (size_t n = 0; n < table.columns.size(); ++n) {
    const Column& column = table.columns[n];
    add(column.name, [&column, n](const Row& r) { return value_of(column, r.values[n]); });
  }
  return out;
}

Json describe(const Column& c) {
  Json out = {{"name", c.name}, {"kind", c.derived ? "derived" : "hardware"}};
  if (!c.derived) out["block"] = c.block;
  if (!c.derived) out["event"] = c.event;
  if (c.derived) out["expression"] = c.expression;
  out["exactness"] = c.exactness;
  if (!c.limits.empty()) out["limits"] = c.limits;
  return out;
}

/// A field of comma-separated values.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string counters_json(const CounterTable& table, Json out) {
  if (table.every != 0) out["every"] = table.every;
  out["counters"] = Json::array();
  for (const Column& c : table.columns) out["counters"].push_back(describe(c));
  out["missing"] = Json::object();
  for (const auto& [name, reason] : table.missing) out["missing"][name] = reason;
  out["dispatches"] = columns_of(table, table.dispatches, false);
  if (table.every != 0) out["intervals"] = columns_of(table, table.intervals, true);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string counters_csv(const CounterTable& table) {
  std::string out = "dispatch,kernel,interval,begin,end";
  for (const Column& c : table.columns) out += "," + csv_field(c.name);
  out += "\n";
  for (const Row& row : table.every != 0 ? table.intervals : table.dispatches) {
    out += fmt::format("{},{},{},{},{}", row.dispatch, csv_field(row.kernel), row.interval,
                       row.begin, row.end);
    for (size_t n = 0; n < table.columns.size(); ++n) {
      out += ",";
      if (row.values[n]) out += value_of(table.columns[n], row.values[n]).dump();
    }
    out += "\n";
  }
  return out;
}

Result<CounterRecorder> CounterRecorder::make(isa::Target target,
                                              const std::vector<std::string>& names,
                                              uint64_t every) {
  CounterRecorder recorder(target);
  recorder.table_.every = every;
  std::vector<std::string>& wanted = recorder.names_;
  for (const std::string& name : names) {
    if (name == "all") {
      for (std::string& known : counters::names_on(target)) {
        const auto worth = recorder.catalogue_.worth(known);
        // Accumulators are left out: the event that they accumulate has to be named.
        if (worth.exactness == counters::Exactness::Unavailable) continue;
        if (!counters::is_accumulator(known)) wanted.push_back(std::move(known));
      }
      continue;
    }
    const std::string of =
        ends_with(name, kEach) ? name.substr(0, name.size() - std::string(kEach).size()) : name;
    if (auto s = recorder.catalogue_.check(of); !s.ok()) return s.error();
    if (of != name && recorder.catalogue_.hardware(of) == nullptr) {
      return base::Error(fmt::format("'{}': a derived counter has no instances", name));
    }
    wanted.push_back(name);
  }
  std::vector<std::string> once;
  for (const std::string& name : wanted) {
    const bool fresh = std::find(once.begin(), once.end(), name) == once.end();
    if (fresh || counters::is_accumulator(name)) once.push_back(name);
  }
  wanted = std::move(once);
  if (wanted.empty()) return base::Error("expected a counter's name, or all");
  return recorder;
}

/// The columns, as soon as the number of instances is known.
void CounterRecorder::expand(const counters::MachineShape& shape) {
  if (!table_.columns.empty()) return;
  for (const std::string& name : names_) {
    if (!ends_with(name, kEach)) {
      add_column(name);
      continue;
    }
    const std::string of = name.substr(0, name.size() - std::string(kEach).size());
    const unsigned count = counters::instances_of(catalogue_.hardware(of)->row->block, shape);
    for (unsigned i = 0; i < count; ++i) add_column(fmt::format("{}[{}]", of, i));
  }
}

void CounterRecorder::add_column(const std::string& name) {
  const auto has = [this](const std::string& column) {
    return std::ranges::any_of(table_.columns, [&](const Column& c) { return c.name == column; });
  };
  Column c;
  c.name = c.counter = name;
  // An accumulator belongs to the level before it; there may be one for each level.
  if (has(name) && counters::is_accumulator(name)) {
    c.name = fmt::format("{}({})", name, table_.columns.back().counter);
  }
  if (has(c.name)) return;
  const auto worth = catalogue_.worth(name);
  c.exactness = counters::name_of(worth.exactness);
  c.limits = worth.limits;
  if (const auto* derived = catalogue_.derived(name)) {
    c.derived = true;
    c.whole = false;
    c.expression = derived->row->expression;
  } else if (const auto* hardware = catalogue_.hardware_of(name)) {
    c.block = counters::name_of(hardware->row->block);
    c.event = hardware->row->event[isa::index_of(table_.target)];
  }
  table_.columns.push_back(std::move(c));
}

void CounterRecorder::begin(const std::string& kernel, uint64_t cycle, Sample sample) {
  expand(sample.shape);
  began_ = true;
  kernel_ = kernel;
  begin_ = interval_begin_ = cycle;
  intervals_ = 0;
  if (table_.every != 0) at_interval_ = sample;
  at_begin_ = std::move(sample);
}

void CounterRecorder::interval(uint64_t cycle, Sample sample) {
  Sample difference = sample;
  difference.subtract(at_interval_);
  add(table_.intervals, interval_begin_, cycle, difference);
  interval_begin_ = cycle;
  at_interval_ = std::move(sample);
  ++intervals_;
}

void CounterRecorder::end(uint64_t cycle, Sample sample) {
  if (table_.every != 0 && cycle > interval_begin_) interval(cycle, sample);
  sample.subtract(at_begin_);
  add(table_.dispatches, begin_, cycle, sample);
  ++dispatches_;
}

void CounterRecorder::add(std::vector<Row>& rows, uint64_t begin, uint64_t end,
                          const Sample& sample) {
  Row row;
  row.dispatch = dispatches_;
  row.interval = &rows == &table_.intervals ? intervals_ : 0;
  row.kernel = kernel_;
  row.begin = begin;
  row.end = end;
  counters::Reading reading(catalogue_, sample);
  for (const Column& column : table_.columns) {
    const auto value = reading.value(column.counter);
    row.values.push_back(value ? std::optional<double>(*value) : std::nullopt);
    if (!value) table_.missing.emplace(column.name, value.error().what);
  }
  rows.push_back(std::move(row));
}

}  // namespace cuvette::run
