// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/core.h"
#include "run/trace/event.h"

namespace cuvette::run {

/// Counts of events by what they are. An instruction with its issue and its retirement is one.
struct TraceCounts {
  enum What : unsigned {
    kWaves,
    kIssues,
    kMisses,
    kRequests,
    kAccesses,
    kDispatches,
    kSteps,
    kFetches,
    kHits,
    kReplies
  };
  static constexpr unsigned kWhats = 10;
  static constexpr const char* kNames[kWhats] = {
      "waves",      "issues",       "misses",  "requests", "accesses",
      "dispatches", "packet_steps", "fetches", "hits",     "replies"};
  std::array<uint64_t, kWhats> of{};  ///< by What

  uint64_t sum() const {
    uint64_t all = 0;
    for (const uint64_t n : of) all += n;
    return all;
  }
};

/// Description of a run in its trace.
struct TraceRun {
  std::string target, filter;                        ///< filter: as given, empty for none
  double clock_mhz = 0;                              ///< of the machine: cycles to time
  unsigned compute_units = 0, simds = 0, slots = 0;  ///< slots: of a SIMD
  uint64_t limit = 0;                                ///< of events; 0: none
  machine::Cycle first = 0, last = machine::kNever;  ///< cycles that are shown, both included
};

/// Format of a trace.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  /// True if cycles of residency are of use.
  virtual bool wants_stalls() const { return false; }
  /// In order of time; of the same cycle by block and unit. What an event points to lives as long
  /// as the writer.
  virtual void event(const TraceEvent& event) = 0;
  /// Slices that are open end at `last`. `left_out`: by a limit, before they came here. Error: the
  /// file cannot be written.
  virtual base::Status finish(machine::Cycle last, const TraceCounts& left_out) = 0;
  /// Events that the format itself has left out, in words for the summary; empty: none.
  virtual std::string left_out() const { return {}; }
};

/// The writer of the ending of `path`; check_trace() has been asked. The file is opened with the
/// first event.
std::unique_ptr<TraceWriter> make_trace_writer(const std::string& path, const TraceRun& run);

}  // namespace cuvette::run
