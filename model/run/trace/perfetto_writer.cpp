// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/perfetto_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "run/trace/perfetto_event.h"

namespace cuvette::run {

using machine::Cycle;
using machine::kNever;
using protozero::pbf_writer;
using Kind = TraceEvent::Kind;
using Stage = command_processor::CommandProcessor::Stage;
namespace te = perfetto::track_event;
namespace value = perfetto::debug_annotation;

namespace {

const char* text_of(Stage stage) {
  switch (stage) {
    case Stage::Awake:
      return "doorbell heard";
    case Stage::Fetched:
      return "packet fetched";
    case Stage::Decoded:
      return "packet decoded";
    case Stage::Ready:
      return "packet ready";
    case Stage::Acquired:
      return "acquire fence done";
    case Stage::Started:
      return "packet started";
    case Stage::Ended:
      return "packet ended";
    case Stage::Released:
      return "release fence done";
    case Stage::Signaled:
      return "completion signaled";
    case Stage::Raised:
      break;
  }
  return "interrupt raised";
}

}  // namespace

PerfettoWriter::PerfettoWriter(std::string path, const TraceRun& run)
    : run_(run),
      file_(std::move(path)),
      names_(file_),
      tracks_(file_, run_),
      units_(run.compute_units) {}

PerfettoWriter::Unit& PerfettoWriter::unit_of(const TraceEvent& e) {
  Unit& unit = units_[e.unit];
  if (unit.slots.empty()) unit.slots.resize(size_t{run_.simds} * run_.slots);
  return unit;
}

PerfettoWriter::Slot& PerfettoWriter::slot_of(const TraceEvent& e) {
  Slot& slot = unit_of(e).slots[e.simd * run_.slots + e.slot];
  if (slot.group == nullptr) slot.group = &tracks_.slot(e.unit, e.simd, e.slot);
  return slot;
}

void PerfettoWriter::end_cut(Lane& lane, Cycle time) {
  const uint32_t ended = names_.annotation("ended");
  end_slice(lane, time, [&](pbf_writer& event) {
    perfetto::add_annotation(event, ended, value::kBoolValue, 0);
  });
}

void PerfettoWriter::end_later(Lane& lane, Cycle time) {
  ends_.push({time, next_end_++, &lane, lane.generation});
}

/// Slices whose end is known, up to that time. Those that have ended otherwise are passed over.
void PerfettoWriter::end_until(Cycle time) {
  while (!ends_.empty() && ends_.top().time <= time) {
    const End e = ends_.top();
    ends_.pop();
    if (e.lane->generation == e.generation) end_slice(*e.lane, e.time);
  }
}

void PerfettoWriter::event(const TraceEvent& e) {
  tell_run();
  end_until(e.time);
  switch (e.kind) {
    case Kind::Packet:
      return packet(e);
    case Kind::DispatchBegin:
      return begin_dispatch(e);
    case Kind::DispatchEnd:
      return end_dispatch(e);
    case Kind::WaveBegin:
      return begin_wave(e);
    case Kind::WaveEnd:
      return end_wave(e);
    case Kind::Issue:
      return issue(e);
    case Kind::Retire:
      return retire(e);
    case Kind::Request:
      return request(e);
    case Kind::Answer:
    case Kind::Fetched:
      return answer(e);
    case Kind::Fetch:
      return fetch(e);
    case Kind::Hit:
      return cache(e, names_.hit, names_.hits);
    case Kind::Miss:
      return cache(e, names_.miss, names_.misses);
    case Kind::Reply:
      return cache(e, names_.reply, names_.replies);
    case Kind::Access:
      return access(e);
    case Kind::Stall:
      return;
  }
}

void PerfettoWriter::begin_wave(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  Unit& unit = units_[e.unit];
  const uint64_t counter = tracks_.resident_waves(e.unit);
  perfetto::Start start;
  start.name = names_.name(e.kernel->empty() ? fmt::format("dispatch {}", e.dispatch) : *e.kernel);
  start.category = names_.residency;
  start.track = slot.group->track;
  slot.open = true;
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_counter(event, counter, ++unit.waves);
    perfetto::add_annotation(event, names_.wave, value::kPointerValue, e.wave);
    perfetto::add_annotation(event, names_.dispatch, value::kUintValue, e.dispatch);
    perfetto::add_annotation(event, names_.workgroup, value::kUintValue, e.workgroup);
    if (!e.begun) perfetto::add_annotation(event, names_.began_before, value::kBoolValue, 1);
  });
}

/// What its instructions have not come to ends with it.
void PerfettoWriter::end_wave(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  if (!std::exchange(slot.open, false)) return;
  Unit& unit = units_[e.unit];
  for (Lane* const lane : slot.group->lanes) {
    if (lane->busy) end_slice(*lane, e.time);
  }
  slot.in_flight.clear();
  end_fetches(e, slot);
  const uint64_t counter = tracks_.resident_waves(e.unit);
  file_.event(e.time, [&](pbf_writer& event) {
    event.add_enum(te::kType, te::kSliceEnd);
    event.add_uint64(te::kTrackUuid, slot.group->track);
    perfetto::add_counter(event, counter, --unit.waves);
  });
}

void PerfettoWriter::issue(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  Lane& lane = tracks_.take(*slot.group, PerfettoTracks::kOverlapping);
  perfetto::Start start;
  start.track = lane.track;
  start.name = names_.name_of(*e.code);
  start.category = names_.category_of(*e.code);
  const uint64_t flow = next_flow_;
  next_flow_ += e.requests;
  const uint64_t fetched = fetched_by(slot, e.code->pc);
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_annotation(event, names_.pc, value::kPointerValue, e.code->pc);
    perfetto::add_flows(event, te::kFlowIds, flow, e.requests);
    perfetto::add_flows(event, te::kTerminatingFlowIds, fetched, fetched != 0 ? 1 : 0);
  });
  if (e.until != kNever) {
    end_later(lane, std::max(e.until, e.time + 1));
  } else {
    slot.in_flight.push_back({e.number, &lane, flow, e.requests, 0});
  }
}

void PerfettoWriter::retire(const TraceEvent& e) {
  Slot& slot = slot_of(e);
  const auto found = std::ranges::find(slot.in_flight, e.number, &InFlight::number);
  if (found == slot.in_flight.end()) return;  // issued before the window
  const InFlight done = *found;
  slot.in_flight.erase(found);
  end_slice(*done.lane, e.time, [&done](pbf_writer& event) {
    perfetto::add_flows(event, te::kTerminatingFlowIds, done.flow, done.sent);
  });
}

void PerfettoWriter::begin_dispatch(const TraceEvent& e) {
  Lane& lane = tracks_.take(tracks_.dispatches(), "dispatches");
  dispatches_[e.dispatch] = &lane;
  perfetto::Start start;
  start.track = lane.track;
  start.name = names_.name(fmt::format("dispatch {}", e.dispatch));
  start.category = names_.category("dispatch");
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    if (!e.begun) perfetto::add_annotation(event, names_.began_before, value::kBoolValue, 1);
  });
}

void PerfettoWriter::end_dispatch(const TraceEvent& e) {
  const auto found = dispatches_.find(e.dispatch);
  if (found == dispatches_.end()) return;
  end_slice(*found->second, e.time);
  dispatches_.erase(found);
}

void PerfettoWriter::packet(const TraceEvent& e) {
  perfetto::Start start;
  start.type = te::kInstant;
  start.track = tracks_.queue(e.unit).track;
  start.name = names_.name(text_of(e.stage));
  start.category = names_.category("queue");
  const uint32_t packet = names_.annotation("packet");
  file_.event(e.time, [&](pbf_writer& event) {
    start.add_to(event);
    perfetto::add_annotation(event, packet, value::kUintValue, e.number);
  });
}

void PerfettoWriter::add_facts(Cycle time, const char* event_name,
                               const std::map<std::string, uint64_t>& numbers,
                               const std::map<std::string, std::string>& texts) {
  perfetto::Start start;
  start.type = te::kInstant;
  start.track = tracks_.whole_run();
  start.name = names_.name(event_name);
  start.category = names_.category("run");
  for (const auto& [fact, number] : numbers) names_.annotation(fact);
  for (const auto& [fact, text] : texts) names_.annotation(fact);
  file_.event(time, [&](pbf_writer& event) {
    start.add_to(event);
    for (const auto& [fact, number] : numbers) {
      perfetto::add_annotation(event, names_.annotation(fact), value::kUintValue, number);
    }
    for (const auto& [fact, text] : texts) {
      pbf_writer a(event, te::kDebugAnnotations);
      a.add_uint64(value::kNameIid, names_.annotation(fact));
      a.add_string(value::kStringValue, text);
    }
  });
}

/// Once, at reset: what the trace is of, and what was asked for.
void PerfettoWriter::tell_run() {
  if (std::exchange(told_run_, true)) return;
  std::map<std::string, uint64_t> numbers{{"schema", 1}};
  std::map<std::string, std::string> texts{{"time", "one nanosecond is one cycle"},
                                           {"target", run_.target},
                                           {"clock_mhz", fmt::format("{}", run_.clock_mhz)}};
  if (!run_.filter.empty()) texts["filter"] = run_.filter;
  if (run_.limit != 0) numbers["limit"] = run_.limit;
  if (run_.first != 0 || run_.last != kNever) {
    texts["window"] = fmt::format("{}:{}", run_.first, run_.last);
  }
  add_facts(0, "trace", numbers, texts);
}

base::Status PerfettoWriter::finish(Cycle last, const TraceCounts& left_out) {
  tell_run();
  end_until(last);
  for (const auto& [key, request] : sorted_requests()) end_cut(*request.lane, last);
  for (Unit& unit : units_) {
    for (Slot& slot : unit.slots) {
      if (!slot.open) continue;
      for (Lane* const lane : slot.group->lanes) {
        if (lane->busy) end_cut(*lane, last);
      }
      Lane& thread = *slot.group->lanes.front();
      end_cut(thread, last);
    }
  }
  for (const auto& [id, lane] : dispatches_) end_cut(*lane, last);
  while (!ends_.empty()) {  // of the memory
    const End e = ends_.top();
    ends_.pop();
    if (e.lane->generation == e.generation) end_cut(*e.lane, last);
  }
  std::map<std::string, uint64_t> numbers;
  for (unsigned n = 0; n < TraceCounts::kWhats; ++n) {
    if (left_out.of[n] != 0)
      numbers[fmt::format("left_out_{}", TraceCounts::kNames[n])] = left_out.of[n];
  }
  add_facts(last, "end of trace", numbers, {});
  return file_.close();
}

std::map<uint64_t, PerfettoWriter::Request> PerfettoWriter::sorted_requests() const {
  return {requests_.begin(), requests_.end()};
}

}  // namespace cuvette::run
