// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute_unit/compute_unit.h"
#include "machine/description.h"
#include "memory/memory_messages.h"

namespace cuvette::run {

/// Collects what `--trace` writes: Chrome trace events (docs/statistics.md), one time unit per
/// cycle. Bounded: of each compute unit and each cache the first events are kept, the others
/// counted.
class TraceRecorder {
 public:
  static constexpr uint64_t kWavesPerUnit = 10'000, kIssuesPerUnit = 20'000,
                            kMissesPerCache = 2'000;

  explicit TraceRecorder(const machine::Description& description);

  void activity(unsigned compute_unit, const compute_unit::Activity& activity);
  void miss(const std::string& block, unsigned index, machine::Cycle now,
            const memory::MemReq& request);
  void dispatch(machine::Cycle now, uint32_t id, bool begin);

  /// What the limits left out, in words; empty: nothing.
  std::string dropped() const;

  /// What has not ended yet ends with the last event. Error: the file cannot be written.
  base::Status write(const std::string& path) const;

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
    /// Whether one more is kept.
    bool take(uint64_t limit) { return kept < limit ? ++kept != 0 : (++dropped, false); }
  };
  /// A wave or a dispatch, whole or as far as it has come.
  static Slice wave_slice(uint64_t id, const OpenWave& wave, machine::Cycle end, bool ended);
  static Slice dispatch_slice(uint32_t id, const OpenDispatch& dispatch, machine::Cycle end,
                              bool ended);
  /// Events that the limits left out.
  struct Dropped {
    uint64_t waves = 0, issues = 0, misses = 0;
  };
  Dropped count_dropped() const;
  void seen(machine::Cycle now) { last_ = now > last_ ? now : last_; }

  unsigned simds_, slots_;
  double clock_mhz_;
  std::vector<Slice> slices_;
  std::map<uint64_t, OpenWave> waves_;           // by id
  std::map<uint32_t, OpenDispatch> dispatches_;  // by id
  std::vector<Counts> wave_counts_, issue_counts_;
  std::map<std::pair<unsigned, unsigned>, Counts> miss_counts_;  // by process and track
  machine::Cycle last_ = 0;
};

}  // namespace cuvette::run
