// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/trace/packet_file.h"
#include "run/trace/perfetto_fields.h"
#include "run/trace/perfetto_names.h"
#include "run/trace/perfetto_tracks.h"
#include "run/trace/writer.h"

namespace cuvette::run {

/// Writer of Perfetto's protobuf (docs/reference/traces.md). One nanosecond of the file is one
/// cycle. What it keeps is bounded by what is under way in the machine.
class PerfettoWriter final : public TraceWriter {
 public:
  PerfettoWriter(std::string path, const TraceRun& run);

  void event(const TraceEvent& event) override;
  base::Status finish(machine::Cycle last, const TraceCounts& left_out) override;

 private:
  /// An instruction whose retirement is to be told.
  struct InFlight {
    uint64_t number = 0;  ///< of the instruction in its wave
    Lane* lane = nullptr;
    uint64_t flow = 0;  ///< of its first request
    uint32_t requests = 0, sent = 0;
  };
  /// Instructions that were asked for and of which none has issued.
  struct Fetch {
    uint64_t begin = 0, end = 0;  ///< addresses
    uint64_t flow = 0;
    uint32_t sequence = 0;
  };
  struct Slot {
    LaneGroup* group = nullptr;
    bool open = false;  ///< has a wave
    std::vector<InFlight> in_flight;
    std::vector<Fetch> fetches;
  };
  struct Request {
    Lane* lane = nullptr;
    uint64_t flow = 0;
    bool of_instruction = true;  ///< or else a fetch
  };
  struct Unit {
    uint32_t waves = 0, requests = 0;  ///< now
    std::vector<Slot> slots;
  };
  /// A slice whose end is known.
  struct End {
    machine::Cycle time = 0;
    uint64_t order = 0;
    Lane* lane = nullptr;
    uint32_t generation = 0;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  Unit& unit_of(const TraceEvent& e);
  Slot& slot_of(const TraceEvent& e);

  /// `more` adds fields to the event.
  template <class More>
  void end_slice(Lane& lane, machine::Cycle time, More more) {
    release(lane);
    file_.event(time, [&](protozero::pbf_writer& event) {
      event.add_enum(perfetto::track_event::kType, perfetto::track_event::kSliceEnd);
      event.add_uint64(perfetto::track_event::kTrackUuid, lane.track);
      more(event);
    });
  }
  void end_slice(Lane& lane, machine::Cycle time) {
    end_slice(lane, time, [](protozero::pbf_writer&) {});
  }
  /// At the end of the trace, and not of what the slice shows.
  void end_cut(Lane& lane, machine::Cycle time);
  void end_later(Lane& lane, machine::Cycle time);
  void end_until(machine::Cycle time);

  void begin_wave(const TraceEvent& e);
  void end_wave(const TraceEvent& e);
  void issue(const TraceEvent& e);
  void retire(const TraceEvent& e);
  void request(const TraceEvent& e);
  void answer(const TraceEvent& e);
  void fetch(const TraceEvent& e);
  uint64_t fetched_by(Slot& slot, uint64_t pc);
  void end_fetches(const TraceEvent& e, Slot& slot);
  /// An access of a cache, for a moment.
  void cache(const TraceEvent& e, const std::array<uint32_t, PerfettoNames::kOps>& names,
             uint32_t category);
  void access(const TraceEvent& e);
  void begin_dispatch(const TraceEvent& e);
  void end_dispatch(const TraceEvent& e);
  void packet(const TraceEvent& e);
  void tell_run();
  void add_facts(machine::Cycle time, const char* event_name,
                 const std::map<std::string, uint64_t>& numbers,
                 const std::map<std::string, std::string>& texts);
  uint64_t flow_of(const TraceEvent& e) const;
  std::map<uint64_t, Request> sorted_requests() const;

  TraceRun run_;
  PacketFile file_;
  PerfettoNames names_;
  PerfettoTracks tracks_;
  bool told_run_ = false;
  std::vector<Unit> units_;
  std::unordered_map<uint64_t, Request> requests_;  // not answered, by unit and sequence
  std::map<uint32_t, Lane*> dispatches_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  uint64_t next_end_ = 0, next_flow_ = 1;
};

}  // namespace cuvette::run
