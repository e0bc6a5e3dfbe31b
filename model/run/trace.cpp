// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "isa/row.h"
#include "run/statistics.h"

namespace cuvette::run {
namespace {

using compute_unit::Activity;
using machine::Cycle;

/// Processes of the trace, by number.
constexpr const char* kProcesses[] = {"spi",          "compute_unit",      "vector_l1",
                                      "scalar_cache", "instruction_cache", "l2"};
constexpr unsigned kDispatches = 0, kWaves = 1;
constexpr Cycle kIssueCycles = 1;

unsigned process_of(const std::string& block) {
  const auto* found = std::find(std::begin(kProcesses), std::end(kProcesses), block);
  return static_cast<unsigned>(found - std::begin(kProcesses));
}

const char* name_of(memory::MemOp op) {
  switch (op) {
    case memory::MemOp::Read:
      return "read miss";
    case memory::MemOp::Write:
      return "write miss";
    default:
      return "atomic miss";
  }
}

}  // namespace

TraceRecorder::TraceRecorder(const machine::Description& description)
    : simds_(description.compute_unit.simds),
      slots_(description.compute_unit.waves_per_simd),
      clock_mhz_(description.clock_mhz),
      wave_counts_(description.compute_units),
      issue_counts_(description.compute_units) {}

TraceRecorder::Slice TraceRecorder::wave_slice(uint64_t id, const OpenWave& wave, Cycle end,
                                               bool ended) {
  return {
      kWaves, wave.track, wave.start, end - wave.start,
      fmt::format(R"("name":"wave {:#x}","cat":"residency","args":{{"dispatch":{},"workgroup":{},)"
                  R"("ended":{}}})",
                  id, wave.dispatch, wave.workgroup, ended)};
}

TraceRecorder::Slice TraceRecorder::dispatch_slice(uint32_t id, const OpenDispatch& dispatch,
                                                   Cycle end, bool ended) {
  return {kDispatches, dispatch.track, dispatch.start, end - dispatch.start,
          fmt::format(R"("name":"dispatch {}","cat":"dispatch","args":{{"ended":{}}})", id, ended)};
}

void TraceRecorder::activity(unsigned unit, const Activity& a) {
  seen(a.time);
  const unsigned track = (unit * simds_ + a.simd) * slots_ + a.slot;
  switch (a.kind) {
    case Activity::Kind::Launch:
      if (wave_counts_[unit].take(kWavesPerUnit)) {
        waves_[a.wave] = {track, a.time, a.dispatch, a.workgroup};
      }
      break;
    case Activity::Kind::End:
      if (const auto found = waves_.find(a.wave); found != waves_.end()) {
        slices_.push_back(wave_slice(a.wave, found->second, a.time, true));
        waves_.erase(found);
      }
      break;
    case Activity::Kind::Issue: {
      seen(a.time + kIssueCycles);
      if (!issue_counts_[unit].take(kIssuesPerUnit)) break;
      const isa::Row& row = *a.instruction->row;
      slices_.push_back({kWaves, track, a.time, kIssueCycles,
                         fmt::format(R"("name":"{}","cat":"{}","args":{{"pc":"{:#x}"}})",
                                     row.mnemonic, run::name_of(row.unit), a.pc)});
      break;
    }
  }
}

void TraceRecorder::miss(const std::string& block, unsigned index, Cycle now,
                         const memory::MemReq& request) {
  seen(now);
  const unsigned process = process_of(block);
  if (!miss_counts_[{process, index}].take(kMissesPerCache)) return;
  slices_.push_back({process, index, now, 0,
                     fmt::format(R"("name":"{}","cat":"miss","s":"t","args":{{"address":"{:#x}"}})",
                                 name_of(request.op), request.address),
                     true});
}

void TraceRecorder::dispatch(Cycle now, uint32_t id, bool begin) {
  seen(now);
  if (begin) {
    // Several at a time lie on tracks of their own.
    std::set<unsigned> taken;
    for (const auto& [other, open] : dispatches_) taken.insert(open.track);
    unsigned track = 0;
    while (taken.count(track) != 0) ++track;
    dispatches_[id] = {track, now};
  } else if (const auto found = dispatches_.find(id); found != dispatches_.end()) {
    slices_.push_back(dispatch_slice(id, found->second, now, true));
    dispatches_.erase(found);
  }
}

TraceRecorder::Dropped TraceRecorder::count_dropped() const {
  Dropped sum;
  for (const Counts& c : wave_counts_) sum.waves += c.dropped;
  for (const Counts& c : issue_counts_) sum.issues += c.dropped;
  for (const auto& [place, c] : miss_counts_) sum.misses += c.dropped;
  return sum;
}

std::string TraceRecorder::dropped() const {
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

base::Status TraceRecorder::write(const std::string& path) const {
  std::vector<Slice> all = slices_;
  for (const auto& [id, wave] : waves_) all.push_back(wave_slice(id, wave, last_, false));
  for (const auto& [id, d] : dispatches_) all.push_back(dispatch_slice(id, d, last_, false));
  // By track and time, what surrounds first: viewers nest complete events in this order.
  std::sort(all.begin(), all.end(), [](const Slice& a, const Slice& b) {
    return std::tie(a.process, a.track, a.start, b.cycles, a.event) <
           std::tie(b.process, b.track, b.start, a.cycles, b.event);
  });

  std::string out = "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[\n";
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
    if (processes.insert(s.process).second) {
      meta(s.process, s.track, "process_name", kProcesses[s.process]);
    }
    if (tracks.insert({s.process, s.track}).second) {
      const unsigned per_unit = simds_ * slots_;
      meta(s.process, s.track, "thread_name",
           s.process != kWaves ? fmt::format("{} {}", kProcesses[s.process], s.track)
                               : fmt::format("cu {} simd {} slot {}", s.track / per_unit,
                                             s.track % per_unit / slots_, s.track % slots_));
    }
    out += fmt::format(R"({}{{"ph":"{}","pid":{},"tid":{},"ts":{},)", comma, s.instant ? 'i' : 'X',
                       s.process, s.track, s.start);
    if (!s.instant) out += fmt::format(R"("dur":{},)", s.cycles);
    out += s.event + "}";
  }
  const Dropped dropped = count_dropped();
  out += fmt::format(
      R"(
],
"otherData":{{"schema":1,"ts":"one unit is one cycle","clock_mhz":{},
"kept":{{"waves_per_compute_unit":{},"issues_per_compute_unit":{},"misses_per_cache":{}}},
"dropped":{{"waves":{},"issues":{},"misses":{}}}}}}}
)",
      clock_mhz_, kWavesPerUnit, kIssuesPerUnit, kMissesPerCache, dropped.waves, dropped.issues,
      dropped.misses);
  return base::write_text(path, out);
}

}  // namespace cuvette::run
