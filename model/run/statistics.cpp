// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/statistics.h"

#include <array>
#include <cassert>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  }
  return out;
}

}  // namespace

BlockCounters counters_of(unsigned index, const compute_unit::ComputeUnit::Counters& c) {
  BlockCounters out{"compute_unit",
                    index,
                    {{"waves", c.waves},
                     {"instructions", c.instructions},
                     {"salu", c.salu},
                     {"valu", c.valu},
                     {"matrix", c.matrix},
                     {"smem", c.smem},
                     {"vmem", c.vmem},
                     {"lds", c.lds},
                     {"branch", c.branch},
                     {"other", c.other},
                     {"busy_cycles", c.busy_cycles},
                     {"wave_cycles", c.wave_cycles},
                     {"issue_cycles", c.issue_cycles},
                     {"lane_operations", c.lane_operations},
                     {"vector_requests", c.vector_requests},
                     {"scalar_requests", c.scalar_requests},
                     {"fetches", c.fetches},
                     {"fallbacks", c.fallbacks}}};
  for (unsigned s = 0; s < compute_unit::kStalls; ++s) {
    const auto stall = static_cast<compute_unit::Stall>(s);
    out.values.emplace_back(std::string("stalled_") + name_of(stall), c.stalled[s]);
  }
  return out;
}

BlockCounters counters_of(unsigned index, const lds::Lds::Counters& c) {
  return {
      "lds",
      index,
      {{"requests", c.requests}, {"atomics", c.atomics}, {"conflict_cycles", c.conflict_cycles}}};
}

BlockCounters counters_of(const gds::Gds::Counters& c) {
  return {"gds",
          0,
          {{"requests", c.requests},
           {"atomics", c.atomics},
           {"syncs", c.syncs},
           {"waits", c.waits},
           {"busy_cycles", c.busy_cycles}}};
}

BlockCounters counters_of(const std::string& block, unsigned index,
                          const cache::Cache::Counters& c) {
  return {block,
          index,
          {{"accesses", c.reads + c.writes + c.atomics},
           {"hits", c.read_hits + c.write_hits + c.atomic_hits},
           {"misses", c.read_misses + c.write_misses + c.atomic_misses},
           {"reads", c.reads},
           {"read_hits", c.read_hits},
           {"read_misses", c.read_misses},
           {"writes", c.writes},
           {"write_hits", c.write_hits},
           {"write_misses", c.write_misses},
           {"atomics", c.atomics},
           {"atomic_hits", c.atomic_hits},
           {"atomic_misses", c.atomic_misses},
           {"fills", c.fills},
           {"forwards", c.forwards},
           {"evictions", c.evictions},
           {"writebacks", c.writebacks},
           {"invalidates", c.invalidates},
           {"stalls", c.stalls},
           {"stall_cycles", c.stall_cycles}}};
}

BlockCounters counters_of(const command_processor::CommandProcessor::Counters& c) {
  return {"command_processor",
          0,
          {{"packets", c.packets},
           {"dispatches", c.dispatches},
           {"barriers", c.barriers},
           {"errors", c.errors}}};
}

BlockCounters counters_of(const spi::Spi::Counters& c) {
  BlockCounters out{
      "spi", 0, {{"dispatches", c.dispatches}, {"workgroups", c.workgroups}, {"waves", c.waves}}};
  for (unsigned r = 0; r < spi::Spi::kResources; ++r) {
    const auto resource = static_cast<spi::Spi::Resource>(r);
    out.values.emplace_back(std::string("stall_cycles_") + name_of(resource), c.stall_cycles[r]);
  }
  return out;
}

BlockCounters counters_of(const memory::Memory::Traffic& t) {
  return {"memory",
          0,
          {{"reads", t.reads},
           {"writes", t.writes},
           {"atomics", t.atomics},
           {"read_bytes", t.read_bytes},
           {"written_bytes", t.written_bytes}}};
}

void check_residency(const std::vector<BlockCounters>& blocks) {
  for (const BlockCounters& b : blocks) {
    if (b.block != "compute_unit") continue;
    uint64_t resident = 0, in_classes = 0;
    for (const auto& [name, value] : b.values) {
      if (name == "wave_cycles") resident = value;
      if (name == "issue_cycles" || name.rfind("stalled_", 0) == 0) in_classes += value;
    }
    if (resident == in_classes) continue;
    throw std::logic_error(
        fmt::format("compute unit {}: waves were resident for {} cycles, of which {} are in a "
                    "class of issue_cycles and stalled_*",
                    b.index, resident, in_classes));
  }
}

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

std::string statistics_text(const RunIdentity& identity, const SessionResult& result) {
  const EngineReport& r = result.report;
  Json out = {{"schema", kSchema},
              {"program", {{"name", "cuvette"}, {"version", identity.version}}},
              {"engine", identity.engine}};
  if (!r.target.empty()) out["target"] = r.target;
  out["config"] = identity.config;
  out["dispatch_file"] = identity.dispatch_file;
  out["passed"] = result.passed();
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
