// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/perfetto_tracks.h"

#include <fmt/format.h>

#include "run/trace/perfetto_fields.h"

namespace cuvette::run {

using protozero::pbf_writer;

namespace {

namespace descriptor = perfetto::track_descriptor;

/// Identifiers of threads are unique among those of all processes.
uint32_t thread_id(uint32_t pid, size_t number) {
  return pid * 0x1000 + 1 + static_cast<uint32_t>(number);
}

template <class Fill>
void describe(PacketFile& file, uint64_t track, uint64_t parent, Fill fill) {
  file.packet([&](pbf_writer& packet) {
    pbf_writer d(packet, perfetto::trace_packet::kTrackDescriptor);
    d.add_uint64(descriptor::kUuid, track);
    if (parent != 0) d.add_uint64(descriptor::kParentUuid, parent);
    fill(d);
  });
}

std::string process_name(TraceBlock block, uint32_t unit) {
  if (block == TraceBlock::ComputeUnit) return fmt::format("compute unit {}", unit);
  constexpr const char* kNames[kTraceBlocks] = {
      "command processor", "spi", "", "", "scalar caches", "instruction caches", "L2 slices",
      "memory channels"};
  return kNames[static_cast<unsigned>(block)];
}

}  // namespace

uint64_t PerfettoTracks::whole_run() {
  if (whole_run_ == 0) {
    whole_run_ = next_track_++;
    describe(file_, whole_run_, 0, [](pbf_writer& d) { d.add_string(descriptor::kName, "run"); });
  }
  return whole_run_;
}

/// Vector L1s are in the processes of their compute units.
PerfettoTracks::Process& PerfettoTracks::process(TraceBlock block, uint32_t unit) {
  if (block == TraceBlock::VectorL1) block = TraceBlock::ComputeUnit;
  const uint32_t pid =
      block == TraceBlock::ComputeUnit ? 1 + kTraceBlocks + unit : 1 + static_cast<uint32_t>(block);
  Process& p = processes_[pid];
  if (p.track != 0) return p;
  p = {next_track_++, pid};
  describe(file_, p.track, 0, [&](pbf_writer& d) {
    pbf_writer process(d, descriptor::kProcess);
    process.add_int32(perfetto::process_descriptor::kPid, static_cast<int32_t>(pid));
    process.add_string(perfetto::process_descriptor::kProcessName, process_name(block, unit));
  });
  return p;
}

LaneGroup& PerfettoTracks::thread(TraceBlock block, uint32_t unit, uint32_t number,
                                  const std::string& name) {
  const Process& p = process(block, unit);
  LaneGroup& group = threads_[{p.pid, number}];
  if (group.track != 0) return group;
  group.track = next_track_++;
  add_lane(group, group.track);
  describe(file_, group.track, 0, [&](pbf_writer& d) {
    namespace t = perfetto::thread_descriptor;
    pbf_writer thread(d, descriptor::kThread);
    thread.add_int32(t::kPid, static_cast<int32_t>(p.pid));
    thread.add_int32(t::kTid, static_cast<int32_t>(thread_id(p.pid, threads_.size())));
    thread.add_string(t::kThreadName, name);
  });
  return group;
}

LaneGroup& PerfettoTracks::slot(uint32_t unit, unsigned simd, unsigned slot) {
  const size_t index = (size_t{unit} * run_.simds + simd) * run_.slots + slot;
  if (slots_.size() <= index) slots_.resize(index + 1);
  LaneGroup*& group = slots_[index];
  if (group == nullptr) {
    group = &thread(TraceBlock::ComputeUnit, unit, simd * run_.slots + slot,
                    fmt::format("simd {} slot {}", simd, slot));
  }
  return *group;
}

LaneGroup& PerfettoTracks::of_unit(std::vector<LaneGroup*>& groups, uint32_t unit, Thread number,
                                   const char* name) {
  if (groups.size() <= unit) groups.resize(unit + 1);
  LaneGroup*& group = groups[unit];
  if (group == nullptr) group = &thread(TraceBlock::ComputeUnit, unit, number, name);
  return *group;
}

LaneGroup& PerfettoTracks::requests(uint32_t unit) {
  return of_unit(requests_, unit, kRequests, "memory requests");
}

LaneGroup& PerfettoTracks::fetches(uint32_t unit) {
  return of_unit(fetches_, unit, kFetches, "instruction fetches");
}

LaneGroup& PerfettoTracks::dispatches() {
  return thread(TraceBlock::Spi, 0, 0, "dispatches");
}

LaneGroup& PerfettoTracks::queue(uint32_t queue) {
  return thread(TraceBlock::CommandProcessor, 0, queue, fmt::format("queue {}", queue));
}

LaneGroup& PerfettoTracks::instance(TraceBlock block, uint32_t unit) {
  std::vector<LaneGroup*>& groups = instances_[static_cast<unsigned>(block)];
  if (block == TraceBlock::VectorL1) return of_unit(groups, unit, kCache, "vector L1");
  if (groups.size() <= unit) groups.resize(unit + 1);
  if (groups[unit] == nullptr) {
    const char* const name = block == TraceBlock::ScalarCache        ? "scalar cache"
                             : block == TraceBlock::InstructionCache ? "instruction cache"
                             : block == TraceBlock::L2               ? "L2 slice"
                                                                     : "channel";
    groups[unit] = &thread(block, 0, unit, fmt::format("{} {}", name, unit));
  }
  return *groups[unit];
}

uint64_t PerfettoTracks::counter(uint32_t unit, const char* name, std::vector<uint64_t>& tracks) {
  if (tracks.size() <= unit) tracks.resize(unit + 1);
  if (tracks[unit] != 0) return tracks[unit];
  const uint64_t parent = process(TraceBlock::ComputeUnit, unit).track;
  tracks[unit] = next_track_++;
  describe(file_, tracks[unit], parent, [name](pbf_writer& d) {
    d.add_string(descriptor::kName, name);
    d.add_message(descriptor::kCounter, std::string());
  });
  return tracks[unit];
}

uint64_t PerfettoTracks::resident_waves(uint32_t unit) {
  return counter(unit, "resident waves", resident_waves_);
}

uint64_t PerfettoTracks::outstanding_requests(uint32_t unit) {
  return counter(unit, "outstanding requests", outstanding_requests_);
}

Lane& PerfettoTracks::add_lane(LaneGroup& group, uint64_t track) {
  Lane& lane = lanes_.emplace_back();
  lane.track = track;
  lane.group = &group;
  lane.index = group.lanes.size();
  group.lanes.push_back(&lane);
  return lane;
}

Lane& PerfettoTracks::take(LaneGroup& group, const char* overlapping) {
  size_t& at = group.first_free;
  while (at < group.lanes.size() && group.lanes[at]->busy) ++at;
  if (at < group.lanes.size()) {
    group.lanes[at]->busy = true;
    return *group.lanes[at++];
  }
  Lane& lane = add_lane(group, next_track_++);
  lane.busy = true;
  at = group.lanes.size();
  describe(file_, lane.track, group.track,
           [overlapping](pbf_writer& d) { d.add_string(descriptor::kName, overlapping); });
  return lane;
}

}  // namespace cuvette::run
