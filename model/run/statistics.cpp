// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/statistics.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "run/counter_recorder.h"
#include "run/session.h"
#include "wave/status.h"

namespace cuvette::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

/// By isa::Unit.
constexpr const char* kUnits[] = {"salu", "smem", "valu",   "trans",  "matrix",  "vmem", "flat",
                                  "lds",  "gds",  "export", "branch", "message", "wave"};
static_assert(std::size(kUnits) == static_cast<size_t>(isa::Unit::Wave) + 1);

using Numbers = std::map<std::string, uint64_t>;

Json object_of(const Numbers& numbers) {
  Json out = Json::object();
  for (const auto& [name, value] : numbers) out[name] = value;
  return out;
}

/// {"total": sums, "instances": [...]} per block.
Json blocks_of(const std::vector<BlockCounters>& blocks) {
  Json out = Json::object();
  for (const BlockCounters& b : blocks) {
    Json& block = out[b.block];
    if (block.is_null()) block = {{"total", Json::object()}, {"instances", Json::array()}};
    Json instance = Json::object();
    for (const auto& [name, value] : b.values) {
      instance[name] = value;
      Json& total = block["total"][name];
      total = (total.is_null() ? 0 : total.get<uint64_t>()) + value;
    }
    block["instances"].push_back(std::move(instance));
  }
  return out;
}

/// {"every": cycles, "end": [...], "blocks": {BLOCK: {COUNTER: [...]}}}: columns of equal length.
Json intervals_of(const DispatchStatistics& d) {
  Json out = {{"every", d.every}, {"end", Json::array()}, {"blocks", Json::object()}};
  for (const DispatchStatistics::Interval& interval : d.intervals) {
    out["end"].push_back(interval.end);
    for (const BlockCounters& b : interval.totals) {
      Json& block = out["blocks"][b.block];
      for (const auto& [name, value] : b.values) block[name].push_back(value);
    }
  }
  return out;
}

/// The instructions of a dispatch by what `name` says of their row.
template <class Name>
Json counts_of(const DispatchStatistics& d, Name name) {
  Numbers out;
  for (const auto& [row, count] : d.by_row) out[std::string(name(*row))] += count;
  return object_of(out);
}

Json instructions_of(const DispatchStatistics& d) {
  Json out = {{"total", d.instructions}};
  if (d.by_row.empty()) {
    Numbers exact;
    if (d.instructions != 0) exact["exact"] = d.instructions;
    out["by_status"] = object_of(exact);
    return out;
  }
  out["by_status"] = counts_of(d, [&d](const isa::Row& row) {
    return wave::name_of(wave::status_of(row, d.target).status);
  });
  // Several rows of a mnemonic, one per format, count together.
  Numbers not_exact;
  for (const auto& [row, count] : d.by_row) {
    if (wave::status_of(*row, d.target).status == wave::Status::Exact) continue;
    not_exact[std::string(row->mnemonic)] += count;
  }
  if (!not_exact.empty()) out["not_exact"] = object_of(not_exact);
  out["by_unit"] = counts_of(d, [](const isa::Row& row) { return name_of(row.unit); });
  out["by_format"] = counts_of(d, [](const isa::Row& row) { return isa::name_of(row.format); });
  return out;
}

Json dispatch_of(const DispatchStatistics& d) {
  Json out = {{"kernel", d.kernel},       {"grid", d.grid},
              {"workgroup", d.workgroup}, {"workgroups", d.workgroups},
              {"waves", d.waves},         {"instructions", instructions_of(d)},
              {"fallbacks", d.fallbacks}};
  if (!d.fallbacks_by_name.empty()) {
    out["fallbacks_by_instruction"] = object_of(d.fallbacks_by_name);
  }
  if (!d.blocks.empty()) {
    out["cycles"] = d.cycles;
    out["blocks"] = blocks_of(d.blocks);
    if (d.every != 0) out["intervals"] = intervals_of(d);
  }
  return out;
}

/// A field's value as a number where its text is one whole number, in decimal or hexadecimal, or a
/// decimal fraction; as text otherwise.
Json field_value(const std::string& text) {
  const bool hex = text.rfind("0x", 0) == 0;
  const char* first = text.data() + (hex ? 2 : 0);
  const char* last = text.data() + text.size();
  uint64_t whole = 0;
  const auto read = std::from_chars(first, last, whole, hex ? 16 : 10);
  if (read.ec == std::errc() && read.ptr == last && first != last) return whole;
  double real = 0;
  const auto fraction = std::from_chars(text.data(), last, real);
  const bool good = fraction.ec == std::errc() && fraction.ptr == last && std::isfinite(real);
  if (good && !text.empty()) return real;
  return text;
}

Json machine_of(const std::vector<machine::Setting>& fields) {
  Json parameters = Json::object();
  std::string name;
  for (const machine::Setting& field : fields) {
    if (field.path == "name") {
      name = field.value;
    } else {
      parameters[field.path] = field_value(field.value);
    }
  }
  return {{"name", name}, {"parameters", parameters}};
}

}  // namespace

std::vector<BlockCounters> difference(const std::vector<BlockCounters>& before,
                                      std::vector<BlockCounters> after) {
  assert(before.size() == after.size());
  for (size_t b = 0; b < after.size(); ++b) {
    for (size_t v = 0; v < after[b].values.size(); ++v) {
      after[b].values[v].second -= before[b].values[v].second;
    }
  }
  return after;
}

std::vector<BlockCounters> totals(const std::vector<BlockCounters>& blocks) {
  std::vector<BlockCounters> out;
  for (const BlockCounters& b : blocks) {
    if (out.empty() || out.back().block != b.block) {
      out.push_back(b);
      out.back().index = 0;
      continue;
    }
    for (size_t v = 0; v < b.values.size(); ++v) out.back().values[v].second += b.values[v].second;
  }
  return out;
}

const char* name_of(isa::Unit unit) {
  return kUnits[static_cast<size_t>(unit)];
}

void tally(isa::RowCounts by_row, isa::Target target, DispatchStatistics& dispatch,
           EngineReport& report) {
  // By number first: names cost more than short dispatches.
  std::array<uint64_t, 256> statuses{};
  for (const auto& [row, count] : by_row) {
    const auto status = wave::status_of(*row, target);
    dispatch.instructions += count;
    statuses[static_cast<uint8_t>(status.status)] += count;
    if (status.status != wave::Status::Exact) {
      auto& entry = report.not_exact[std::string(row->mnemonic)];
      entry.count += count;
      entry.status = wave::name_of(status.status);
      entry.reason = status.reason;
    }
  }
  for (unsigned n = 0; n < statuses.size(); ++n) {
    if (statuses[n] != 0) {
      report.by_status[wave::name_of(static_cast<wave::Status>(n))] += statuses[n];
    }
  }
  dispatch.by_row = std::move(by_row);
  dispatch.target = target;
}

namespace {

/// Both files begin with what ran.
Json head_of(const RunIdentity& identity, const SessionResult& result) {
  const EngineReport& r = result.report;
  Json out = {{"schema", kSchema},
              {"program", {{"name", "cuvette"}, {"version", identity.version}}},
              {"engine", identity.engine}};
  if (!r.target.empty()) out["target"] = r.target;
  out["config"] = identity.config;
  if (!identity.machine.empty()) out["machine"] = machine_of(identity.machine);
  out["dispatch_file"] = identity.dispatch_file;
  out["passed"] = result.passed();
  return out;
}

}  // namespace

std::string counters_text(const RunIdentity& identity, const SessionResult& result) {
  return counters_json(*result.report.counters, head_of(identity, result));
}

std::string statistics_text(const RunIdentity& identity, const SessionResult& result) {
  const EngineReport& r = result.report;
  Json out = head_of(identity, result);
  out["totals"] = {{"instructions", r.instructions},
                   {"waves", r.waves},
                   {"cycles", r.cycles},
                   {"fallbacks", r.fallbacks}};
  out["dispatches"] = Json::array();
  for (const DispatchStatistics& d : r.dispatches) out["dispatches"].push_back(dispatch_of(d));
  if (!r.lockstep_scope.empty()) {
    out["lockstep"] = {{"scope", r.lockstep_scope},
                       {"compared", object_of(r.lockstep_items)},
                       {"mismatches", r.lockstep_mismatches}};
  }
  if (r.hazards_checked) out["hazards"] = object_of(r.hazard_counts);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cuvette::run
