// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/trace/packet_file.h"
#include "run/trace/writer.h"

namespace cuvette::run {

struct LaneGroup;

/// One line of slices that do not overlap.
struct Lane {
  uint64_t track = 0;  ///< uuid
  LaneGroup* group = nullptr;
  size_t index = 0;         ///< in the group
  uint32_t generation = 0;  ///< slices that have ended
  bool busy = false;
};

/// Track of a thread and as many lanes as it has slices at the same time. The first lane is the
/// track itself.
struct LaneGroup {
  uint64_t track = 0;  ///< uuid
  std::vector<Lane*> lanes;
  size_t first_free = 0;  ///< those before it are busy
};

/// The slice of a lane has ended.
inline void release(Lane& lane) {
  lane.busy = false;
  ++lane.generation;
  lane.group->first_free = std::min(lane.group->first_free, lane.index);
}

/// Tracks of a Perfetto trace: a process per compute unit and per other block, a thread per wave
/// slot, cache, memory channel, queue. Each is described in the file before its first event.
class PerfettoTracks {
 public:
  /// Name of the lanes behind the first where slices overlap.
  static constexpr const char* kOverlapping = "in flight";

  PerfettoTracks(PacketFile& file, const TraceRun& run) : file_(file), run_(run) {}

  /// Track of events of no part of the machine.
  uint64_t whole_run();
  /// Lanes of the waves of a slot, of the requests and fetches of a compute unit, of all
  /// dispatches, of the packets of a queue.
  LaneGroup& slot(uint32_t unit, unsigned simd, unsigned slot);
  LaneGroup& requests(uint32_t unit);
  LaneGroup& fetches(uint32_t unit);
  LaneGroup& dispatches();
  LaneGroup& queue(uint32_t queue);
  /// Lanes of a cache or a channel of the memory.
  LaneGroup& instance(TraceBlock block, uint32_t unit);
  /// Uuids of the counter tracks of a compute unit.
  uint64_t resident_waves(uint32_t unit);
  uint64_t outstanding_requests(uint32_t unit);

  /// A lane that is free, which is not any more. `overlapping`: those behind the first are called.
  Lane& take(LaneGroup& group, const char* overlapping);

 private:
  enum Thread : uint32_t { kRequests = 0x10000, kCache, kFetches };
  struct Process {
    uint64_t track = 0;
    uint32_t pid = 0;
  };
  Process& process(TraceBlock block, uint32_t unit);
  LaneGroup& of_unit(std::vector<LaneGroup*>& groups, uint32_t unit, Thread number,
                     const char* name);
  Lane& add_lane(LaneGroup& group, uint64_t track);
  LaneGroup& thread(TraceBlock block, uint32_t unit, uint32_t number, const std::string& name);
  uint64_t counter(uint32_t unit, const char* name, std::vector<uint64_t>& tracks);

  PacketFile& file_;
  TraceRun run_;
  uint64_t next_track_ = 1;
  uint64_t whole_run_ = 0;
  std::map<uint32_t, Process> processes_;                        // by pid
  std::map<std::pair<uint32_t, uint32_t>, LaneGroup> threads_;   // by pid and number
  std::vector<LaneGroup*> slots_, requests_, fetches_;           // looked at often
  std::array<std::vector<LaneGroup*>, kTraceBlocks> instances_;  // the same
  std::vector<uint64_t> resident_waves_, outstanding_requests_;  // by compute unit
  std::deque<Lane> lanes_;
};

}  // namespace cuvette::run
