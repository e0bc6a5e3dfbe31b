// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Requests of instructions, fetches, and how far they go: the flows of a trace.
#include <algorithm>
#include <cstddef>

#include "run/trace/perfetto_event.h"
#include "run/trace/perfetto_writer.h"

namespace cuvette::run {

using protozero::pbf_writer;
namespace te = perfetto::track_event;
namespace value = perfetto::debug_annotation;

namespace {

uint64_t key_of(uint64_t unit, uint64_t sequence) {
  return unit << 32 | sequence;
}

}  // namespace

void PerfettoWriter::request(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  Unit& unit = units_[e.unit];
  const auto of = std::ranges::find(slot.in_flight, e.number, &InFlight::number);
  Request request;
  // One of an instruction from before the window has a flow of its own.
  request.flow =
      of != slot.in_flight.end() && of->sent < of->requests ? of->flow + of->sent++ : next_flow_++;
  request.lane = &tracks_.take(tracks_.requests(e.unit), "memory requests");
  const uint64_t counter = tracks_.outstanding_requests(e.unit);
  perfetto::Start start;
  start.track = request.lane->track;
  start.name = names_.op[static_cast<unsigned>(e.op)];
  start.category = names_.request;
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_counter(event, counter, ++unit.requests);
    perfetto::add_annotation(event, names_.address, value::kPointerValue, e.address);
    perfetto::add_flows(event, te::kFlowIds, request.flow, 1);
  });
  requests_[key_of(e.unit, e.sequence)] = request;
}

void PerfettoWriter::answer(const TraceEvent& e) {
  const auto found = requests_.find(key_of(e.unit, e.sequence));
  if (found == requests_.end()) return;  // sent before the window
  if (!found->second.of_instruction) {
    end_slice(*found->second.lane, e.time);
  } else {
    Unit& unit = units_[e.unit];
    const uint64_t counter = tracks_.outstanding_requests(e.unit);
    end_slice(*found->second.lane, e.time,
              [&](pbf_writer& event) { perfetto::add_counter(event, counter, --unit.requests); });
  }
  requests_.erase(found);
}

void PerfettoWriter::fetch(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  Request request;
  request.flow = next_flow_++;
  request.lane = &tracks_.take(tracks_.fetches(e.unit), PerfettoTracks::kOverlapping);
  request.of_instruction = false;
  perfetto::Start start;
  start.track = request.lane->track;
  start.name = names_.fetch;
  start.category = names_.fetches;
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_annotation(event, names_.pc, value::kPointerValue, e.number);
    perfetto::add_flows(event, te::kFlowIds, request.flow, 1);
  });
  slot.fetches.push_back({e.number, e.number + e.bytes, request.flow, e.sequence});
  requests_[key_of(e.unit, e.sequence)] = request;
}

/// Flow of the last fetch of the instruction at `pc`, once; 0: it has led to another one, or began
/// before the window. Earlier fetches of the slot brought what has issued, or never will.
uint64_t PerfettoWriter::fetched_by(Slot& slot, uint64_t pc) {
  for (size_t n = slot.fetches.size(); n-- != 0;) {
    const Fetch& f = slot.fetches[n];
    if (pc < f.begin || pc >= f.end) continue;
    const uint64_t flow = f.flow;
    slot.fetches.erase(slot.fetches.begin(),
                       slot.fetches.begin() + static_cast<std::ptrdiff_t>(n + 1));
    return flow;
  }
  return 0;
}

/// Those under way end with their wave.
void PerfettoWriter::end_fetches(const TraceEvent& e, Slot& slot) {
  for (const Fetch& f : slot.fetches) {
    const auto found = requests_.find(key_of(e.unit, f.sequence));
    if (found == requests_.end()) continue;
    end_slice(*found->second.lane, e.time);
    requests_.erase(found);
  }
  slot.fetches.clear();
}

/// Of the request or the fetch that somebody sent for a wave; 0: it is none of those, or answered.
uint64_t PerfettoWriter::flow_of(const TraceEvent& e) const {
  // A write-back of a cache, which is for nobody.
  if (e.requester == 0 && e.sequence == 0 && e.op == memory::MemOp::Write) return 0;
  const auto found = requests_.find(key_of(e.requester, e.sequence));
  return found == requests_.end() ? 0 : found->second.flow;
}

void PerfettoWriter::cache(const TraceEvent& e,
                           const std::array<uint32_t, PerfettoNames::kOps>& names,
                           uint32_t category) {
  const uint64_t flow = flow_of(e);
  perfetto::Start start;
  start.type = te::kInstant;
  start.track = tracks_.instance(e.block, e.unit).track;
  start.name = names[static_cast<unsigned>(e.op)];
  start.category = category;
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    if (e.kind != TraceEvent::Kind::Reply) {
      perfetto::add_annotation(event, names_.address, value::kPointerValue, e.address);
    }
    perfetto::add_flows(event, te::kFlowIds, flow, flow != 0 ? 1 : 0);
  });
}

void PerfettoWriter::access(const TraceEvent& e) {
  const uint64_t flow = flow_of(e);
  Lane& lane = tracks_.take(tracks_.instance(e.block, e.unit), PerfettoTracks::kOverlapping);
  perfetto::Start start;
  start.track = lane.track;
  start.name = names_.op[static_cast<unsigned>(e.op)];
  start.category = names_.memory;
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_annotation(event, names_.address, value::kPointerValue, e.address);
    perfetto::add_flows(event, te::kFlowIds, flow, flow != 0 ? 1 : 0);
  });
  end_later(lane, std::max(e.until, e.time + 1));
}

}  // namespace cuvette::run
