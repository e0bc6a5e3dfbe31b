// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/trace/writer.h"

namespace cuvette::run {

/// Writer of Chrome trace events (JSON), one time unit per cycle. Bounded, because the events are
/// sorted by track at the end: of each compute unit and each cache the first are kept, the others
/// counted.
class ChromeWriter final : public TraceWriter {
 public:
  static constexpr uint64_t kWavesPerUnit = 10'000, kIssuesPerUnit = 20'000,
                            kMissesPerCache = 2'000;

  ChromeWriter(std::string path, const TraceRun& run);

  void event(const TraceEvent& event) override;
  base::Status finish(machine::Cycle last, const TraceCounts& left_out) override;
  std::string left_out() const override;

 private:
  struct Slice {
    unsigned process = 0, track = 0;
    machine::Cycle start = 0, cycles = 0;
    std::string event;  ///< the members of the JSON object that are not place and time
    bool instant = false;
  };
  struct OpenWave {
    unsigned track = 0;
    machine::Cycle start = 0;
    uint32_t dispatch = 0, workgroup = 0;
  };
  struct OpenDispatch {
    unsigned track = 0;
    machine::Cycle start = 0;
  };
  struct Counts {
    uint64_t kept = 0, dropped = 0;
    /// True if one more is kept.
    bool take(uint64_t limit) { return kept < limit ? ++kept != 0 : (++dropped, false); }
  };
  /// Events that the bounds left out.
  struct Dropped {
    uint64_t waves = 0, issues = 0, misses = 0;
  };
  /// A wave or a dispatch, whole or as far as it has come.
  static Slice wave_slice(uint64_t id, const OpenWave& wave, machine::Cycle end, bool ended);
  static Slice dispatch_slice(uint32_t id, const OpenDispatch& dispatch, machine::Cycle end,
                              bool ended);
  void begin_dispatch(const TraceEvent& event);
  void issue(const TraceEvent& event, unsigned track);
  void miss(const TraceEvent& event);
  Dropped count_dropped() const;
  std::string tracks_text(std::vector<Slice> slices) const;
  std::string other_data(const TraceCounts& left_out) const;
  void seen(machine::Cycle now) { last_ = now > last_ ? now : last_; }

  std::string path_;
  TraceRun run_;
  std::vector<Slice> slices_;
  std::map<uint64_t, OpenWave> waves_;           // by id
  std::map<uint32_t, OpenDispatch> dispatches_;  // by id
  std::vector<Counts> wave_counts_, issue_counts_;
  std::map<std::pair<unsigned, unsigned>, Counts> miss_counts_;  // by process and track
  machine::Cycle last_ = 0;
};

}  // namespace cuvette::run
