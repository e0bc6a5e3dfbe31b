// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/chrome_writer.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "run/statistics.h"

namespace cuvette::run {

using machine::Cycle;
using Kind = TraceEvent::Kind;

namespace {

/// Processes of the file, by number.
constexpr TraceBlock kProcesses[] = {
    TraceBlock::Spi,         TraceBlock::ComputeUnit,      TraceBlock::VectorL1,
    TraceBlock::ScalarCache, TraceBlock::InstructionCache, TraceBlock::L2};
constexpr unsigned kDispatches = 0, kWaves = 1;
constexpr Cycle kIssueCycles = 1;

unsigned process_of(TraceBlock block) {
  const auto* found = std::find(std::begin(kProcesses), std::end(kProcesses), block);
  return static_cast<unsigned>(found - std::begin(kProcesses));
}

}  // namespace

ChromeWriter::ChromeWriter(std::string path, const TraceRun& run)
    : path_(std::move(path)),
      run_(run),
      wave_counts_(run.compute_units),
      issue_counts_(run.compute_units) {}

ChromeWriter::Slice ChromeWriter::wave_slice(uint64_t id, const OpenWave& wave, Cycle end,
                                             bool ended) {
  return {
      kWaves, wave.track, wave.start, end - wave.start,
      fmt::format(R"("name":"wave {:#x}","cat":"residency","args":{{"dispatch":{},"workgroup":{},)"
                  R"("ended":{}}})",
                  id, wave.dispatch, wave.workgroup, ended)};
}

ChromeWriter::Slice ChromeWriter::dispatch_slice(uint32_t id, const OpenDispatch& dispatch,
                                                 Cycle end, bool ended) {
  return {kDispatches, dispatch.track, dispatch.start, end - dispatch.start,
          fmt::format(R"("name":"dispatch {}","cat":"dispatch","args":{{"ended":{}}})", id, ended)};
}

void ChromeWriter::event(const TraceEvent& e) {
  seen(e.time);
  const unsigned track = (e.unit * run_.simds + e.simd) * run_.slots + e.slot;
  switch (e.kind) {
    case Kind::DispatchBegin:
      return begin_dispatch(e);
    case Kind::DispatchEnd:
      if (const auto found = dispatches_.find(e.dispatch); found != dispatches_.end()) {
        slices_.push_back(dispatch_slice(e.dispatch, found->second, e.time, true));
        dispatches_.erase(found);
      }
      return;
    case Kind::WaveBegin:
      if (wave_counts_[e.unit].take(kWavesPerUnit)) {
        waves_[e.wave] = {track, e.time, e.dispatch, e.workgroup};
      }
      return;
    case Kind::WaveEnd:
      if (const auto found = waves_.find(e.wave); found != waves_.end()) {
        slices_.push_back(wave_slice(e.wave, found->second, e.time, true));
        waves_.erase(found);
      }
      return;
    case Kind::Issue:
      return issue(e, track);
    case Kind::Miss:
      return miss(e);
    default:
      return;
  }
}

void ChromeWriter::begin_dispatch(const TraceEvent& e) {
  // Several at a time lie on tracks of their own.
  std::set<unsigned> taken;
  for (const auto& [other, open] : dispatches_) taken.insert(open.track);
  unsigned track = 0;
  while (taken.count(track) != 0) ++track;
  dispatches_[e.dispatch] = {track, e.time};
}

void ChromeWriter::issue(const TraceEvent& e, unsigned track) {
  seen(e.time + kIssueCycles);
  if (!issue_counts_[e.unit].take(kIssuesPerUnit)) return;
  const isa::Row& row = *e.code->row;
  slices_.push_back({kWaves, track, e.time, kIssueCycles,
                     fmt::format(R"("name":"{}","cat":"{}","args":{{"pc":"{:#x}"}})", row.mnemonic,
                                 run::name_of(row.unit), e.code->pc)});
}

void ChromeWriter::miss(const TraceEvent& e) {
  const unsigned process = process_of(e.block);
  if (!miss_counts_[{process, e.unit}].take(kMissesPerCache)) return;
  slices_.push_back(
      {process, e.unit, e.time, 0,
       fmt::format(R"("name":"{} miss","cat":"miss","s":"t","args":{{"address":"{:#x}"}})",
                   name_of(e.op), e.address),
       true});
}

ChromeWriter::Dropped ChromeWriter::count_dropped() const {
  Dropped sum;
  for (const Counts& c : wave_counts_) sum.waves += c.dropped;
  for (const Counts& c : issue_counts_) sum.issues += c.dropped;
  for (const auto& [place, c] : miss_counts_) sum.misses += c.dropped;
  return sum;
}

std::string ChromeWriter::left_out() const {
  const Dropped sum = count_dropped();
  std::string text;
  const auto add = [&text](uint64_t count, const char* what, uint64_t limit, const char* place) {
    if (count == 0) return;
    text += fmt::format("{}{} {} left out (the first {} of each {} are kept)",
                        text.empty() ? "" : ", ", count, what, limit, place);
  };
  add(sum.waves, "waves", kWavesPerUnit, "compute unit");
  add(sum.issues, "issues", kIssuesPerUnit, "compute unit");
  add(sum.misses, "misses", kMissesPerCache, "cache");
  return text;
}

std::string ChromeWriter::tracks_text(std::vector<Slice> all) const {
  // By track and time, what surrounds first: viewers nest complete events in this order.
  std::sort(all.begin(), all.end(), [](const Slice& a, const Slice& b) {
    return std::tie(a.process, a.track, a.start, b.cycles, a.event) <
           std::tie(b.process, b.track, b.start, a.cycles, b.event);
  });
  std::string out;
  std::set<unsigned> processes;
  std::set<std::pair<unsigned, unsigned>> tracks;
  const char* comma = "";
  const auto meta = [&](unsigned process, unsigned track, const char* what,
                        const std::string& name) {
    out += fmt::format(R"({}{{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":"{}"}}}})",
                       comma, process, track, what, name);
    comma = ",\n";
  };
  for (const Slice& s : all) {
    const char* const process = name_of(kProcesses[s.process]);
    if (processes.insert(s.process).second) meta(s.process, s.track, "process_name", process);
    if (tracks.insert({s.process, s.track}).second) {
      const unsigned per_unit = run_.simds * run_.slots;
      meta(s.process, s.track, "thread_name",
           s.process != kWaves
               ? fmt::format("{} {}", process, s.track)
               : fmt::format("cu {} simd {} slot {}", s.track / per_unit,
                             s.track % per_unit / run_.slots, s.track % run_.slots));
    }
    out += fmt::format(R"({}{{"ph":"{}","pid":{},"tid":{},"ts":{},)", comma, s.instant ? 'i' : 'X',
                       s.process, s.track, s.start);
    if (!s.instant) out += fmt::format(R"("dur":{},)", s.cycles);
    out += s.event + "}";
  }
  return out;
}

std::string ChromeWriter::other_data(const TraceCounts& left_out) const {
  const Dropped dropped = count_dropped();
  std::string chosen;
  if (!run_.filter.empty()) {
    chosen += fmt::format(
        ",\n\"filter\":{}",
        nlohmann::json(run_.filter).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (run_.first != 0 || run_.last != machine::kNever) {
    chosen += fmt::format(",\n\"window\":[{},{}]", run_.first, run_.last);
  }
  return fmt::format(
      R"("schema":1,"ts":"one unit is one cycle","clock_mhz":{},
"kept":{{"waves_per_compute_unit":{},"issues_per_compute_unit":{},"misses_per_cache":{}}},
"dropped":{{"waves":{},"issues":{},"misses":{}}}{})",
      run_.clock_mhz, kWavesPerUnit, kIssuesPerUnit, kMissesPerCache,
      dropped.waves + left_out.of[TraceCounts::kWaves],
      dropped.issues + left_out.of[TraceCounts::kIssues],
      dropped.misses + left_out.of[TraceCounts::kMisses], chosen);
}

base::Status ChromeWriter::finish(Cycle last, const TraceCounts& left_out) {
  const Cycle end = std::min(last, last_);
  std::vector<Slice> all = std::move(slices_);
  for (const auto& [id, wave] : waves_) all.push_back(wave_slice(id, wave, end, false));
  for (const auto& [id, d] : dispatches_) all.push_back(dispatch_slice(id, d, end, false));
  return base::write_text(path_, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[\n" +
                                     tracks_text(std::move(all)) + "\n],\n\"otherData\":{" +
                                     other_data(left_out) + "}}\n");
}

}  // namespace cuvette::run
