// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "run/trace/event_decoder.h"
#include "run/trace/packet_reader.h"
#include "run/trace/trace_columns.h"
#include "run/trace/wave_timeline.h"

namespace cuvette::run {

/// Reader of the slices and instants of a Perfetto trace of `cuvette run` into columns. Holds what
/// these have and the slices that are open. Throws BadTrace and exceptions of protozero.
class PerfettoReader {
 public:
  void packet(const TracePacket& packet);
  /// After the last packet, once.
  TraceColumns columns();

 private:
  /// Whole numbers of a slice by argument.
  using Numbers = std::array<std::optional<uint64_t>, static_cast<size_t>(EventArgument::Other)>;

  struct Slice {
    const std::string* name = nullptr;
    const DecodedEvent::Category* category = nullptr;
    uint64_t start = 0;
    Numbers numbers;

    const std::optional<uint64_t>& number(EventArgument argument) const {
      return numbers[static_cast<size_t>(argument)];
    }
  };
  /// Columns of the events of a track; null: not looked for yet.
  struct Target {
    WaveTimeline::Slot* slot = nullptr;
    TraceColumns::Times *hits = nullptr, *misses = nullptr, *accesses = nullptr;
    TraceColumns::Requests* requests = nullptr;
  };
  struct Track {
    std::optional<uint64_t> pid;
    std::string thread;
    std::vector<Slice> open;
    Target target;
  };

  void describe(protozero::data_view descriptor);
  void event(const DecodedEvent& event);
  void instant(Track& track, const DecodedEvent& event);
  void slice(Track& track, const Slice& slice);
  void wave(Track& track, const Slice& slice);
  void issue(Track& track, const Slice& slice, uint64_t pc);
  const std::string& process_of(const Track& track) const;
  WaveTimeline::Slot& slot_of(Track& track);
  TraceColumns::Times& cache_of(const Track& track,
                                std::map<std::string, TraceColumns::ByInstance>& events) const;
  uint64_t left_out(const std::string& what) const;

  uint64_t time_ = 0;  // of the last packet
  EventDecoder decoder_;
  std::unordered_map<uint64_t, std::string> processes_;  // by pid
  std::unordered_map<uint64_t, Track> tracks_;           // by uuid
  std::map<std::string, std::variant<uint64_t, std::string>, std::less<>> facts_;
  WaveTimeline timeline_;
  TraceColumns columns_;
};

}  // namespace cuvette::run
