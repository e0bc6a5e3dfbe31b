// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/event_log.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace cuvette::host {
namespace {

using command_processor::AgentDispatch;
using machine::Cycle;

constexpr uint64_t kVersion = 1;
constexpr char kHeader = 'H', kInterrupt = 'I', kAgent = 'G', kAgentEnd = 'g', kStop = 'X',
               kEnd = 'Z';
constexpr uint64_t kMost32 = 0xffffffff;
constexpr Cycle kMostCycle = uint64_t{1} << 62;

/// Contents of a call's entry behind its cycle, and its largest size.
struct CallRow {
  CallKind kind;
  uint64_t most_address, most_value;
  const char* items;  // A address, V value, C compare, N count, O option, D data
  uint64_t most_count = ~uint64_t{0};
};
constexpr CallRow kCallRows[] = {
    {CallKind::RegisterRead, kMost32, 0, "A"},
    {CallKind::RegisterWrite, kMost32, kMost32, "AV"},
    {CallKind::Doorbell, kMost32, ~uint64_t{0}, "AV"},
    {CallKind::Allocate, ~uint64_t{0}, 0, "ANO"},
    {CallKind::Free, ~uint64_t{0}, 0, "A"},
    {CallKind::MemoryRead, ~uint64_t{0}, 0, "AN"},
    {CallKind::MemoryWrite, ~uint64_t{0}, 0, "AD"},
    {CallKind::Atomic, ~uint64_t{0}, ~uint64_t{0}, "ONAVC"},
    {CallKind::Wait, 0, 0, "ON", kMostCycles},
    {CallKind::Load, 0, 0, "D"},
    {CallKind::Unload, ~uint64_t{0}, 0, "A"},
};

const CallRow* row_of(char tag) {
  const auto* found =
      std::find_if(std::begin(kCallRows), std::end(kCallRows),
                   [tag](const auto& r) { return static_cast<char>(r.kind) == tag; });
  return found == std::end(kCallRows) ? nullptr : found;
}

}  // namespace

EventLog::EventLog(const std::string& path, const LogHeader& h)
    : sink_(path, golden::LogForm::Text) {
  sink_.begin(kHeader).u(kVersion).text(h.engine).u(h.quantum).u(h.poison ? 1 : 0);
  sink_.text(h.machine).text(h.description).end("host events");
}

void EventLog::add(const CallEvent& e) {
  const Call& c = e.call;
  const CallRow* row = row_of(static_cast<char>(c.kind));
  if (row == nullptr) return;  // changes nothing
  sink_.begin(static_cast<char>(c.kind)).u(e.at);
  for (const char* item = row->items; *item != 0; ++item) {
    switch (*item) {
      case 'A':
        sink_.u(c.address);
        break;
      case 'V':
        sink_.u(c.value);
        break;
      case 'C':
        sink_.u(c.compare);
        break;
      case 'N':
        sink_.u(c.count);
        break;
      case 'O':
        sink_.u(c.option);
        break;
      default:
        sink_.bytes(c.data.data(), c.data.size());
    }
  }
  sink_.u(static_cast<uint64_t>(c.status)).u(c.result).end();
}

void EventLog::add(const InterruptEvent& e) {
  sink_.begin(kInterrupt).u(e.at).u(e.left).u(e.what.source).u(e.what.queue).u(e.what.context);
  sink_.end();
}

void EventLog::add(const AgentEvent& e) {
  const AgentDispatch& p = e.packet;
  sink_.begin(kAgent).u(e.at).u(p.id).u(p.queue).u(p.type).u(p.vmid).u(p.return_address);
  for (const uint64_t a : p.arg) sink_.u(a);
  sink_.end();
}

void EventLog::add(const AgentEndEvent& e) {
  sink_.begin(kAgentEnd).u(e.at).u(e.served ? 1 : 0).end();
}

void EventLog::add(const StopEvent& e) {
  sink_.begin(kStop).u(e.at).u(e.place).u(static_cast<uint64_t>(e.reason)).end();
}

void EventLog::add(const EndEvent& e) {
  sink_.begin(kEnd).u(e.at).u(e.memory).end();
}

bool EventLog::finish() {
  sink_.finish();
  return sink_.good();
}

base::Result<LogHeader> EventReader::header() {
  const auto tag = source_.next();
  if (!tag) return tag.error();
  if (*tag != kHeader) return error("not a host-event log, expected its header");
  LogHeader h;
  const uint64_t version = source_.u("version");
  if (version != kVersion) {
    return error(fmt::format("version {} of the host-event log, expected {}", version, kVersion));
  }
  h.engine = source_.text("engine");
  h.quantum = source_.u("quantum", kMost32);
  h.poison = source_.u("poison", 1) != 0;
  h.machine = source_.text("machine");
  h.description = source_.text("machine description");
  if (auto s = source_.done(); !s.ok()) return s.error();
  if (h.engine != "golden" && !is_systemc(h.engine)) {
    return error(fmt::format("engine '{}', expected golden, lt or ca", h.engine));
  }
  if (h.quantum == 0) return error("quantum 0, expected at least 1");
  return h;
}

base::Result<Event> EventReader::next() {
  const auto tag = source_.next();
  if (!tag) return tag.error();
  if (*tag == 0) return error("the log ends without an event that says so");
  const Cycle at = source_.u("cycle", kMostCycle);
  base::Result<Event> event = base::Error("");
  if (*tag == kInterrupt) {
    InterruptEvent e;
    e.at = at;
    e.left = source_.u("cycle", kMostCycle);
    e.what.source = static_cast<uint32_t>(source_.u("source", kMost32));
    e.what.queue = static_cast<uint32_t>(source_.u("queue", kMost32));
    e.what.context = source_.u("context");
    event = Event(e);
  } else if (*tag == kAgent) {
    AgentEvent e;
    e.at = at;
    e.packet.id = static_cast<uint32_t>(source_.u("packet", kMost32));
    e.packet.queue = static_cast<uint32_t>(source_.u("queue", kMost32));
    e.packet.type = static_cast<uint16_t>(source_.u("type", 0xffff));
    e.packet.vmid = static_cast<uint8_t>(source_.u("VMID", 0xff));
    e.packet.return_address = source_.u("return address");
    for (uint64_t& a : e.packet.arg) a = source_.u("argument");
    event = Event(e);
  } else if (*tag == kAgentEnd) {
    event = Event(AgentEndEvent{at, source_.u("served", 1) != 0});
  } else if (*tag == kStop) {
    StopEvent e;
    e.at = at;
    e.place = source_.u("place");
    const uint64_t reason = source_.u("reason", static_cast<uint64_t>(StopReason::Seconds));
    if (auto s = source_.done(); !s.ok()) return s.error();
    if (reason == 0) return error("reason 0 of a stop, expected 1 to 3");
    e.reason = static_cast<StopReason>(reason);
    event = Event(e);
  } else if (*tag == kEnd) {
    event = Event(EndEvent{at, source_.u("fingerprint of memory")});
  } else {
    event = read_call(*tag);
    if (!event) return event.error();
    std::get<CallEvent>(*event).at = at;
  }
  if (auto s = source_.done(); !s.ok()) return s.error();
  if (at < last_) return error(fmt::format("cycle {}, expected at least {}", at, last_));
  last_ = at;
  if ((*tag == kAgent) == in_agent_ && (*tag == kAgent || *tag == kAgentEnd)) {
    return error("an agent dispatch that does not end, or an end without one");
  }
  if (in_agent_ && (*tag == kEnd || *tag == kInterrupt || *tag == kStop)) {
    return error("an agent dispatch that does not end");
  }
  if (*tag == kAgent || *tag == kAgentEnd) in_agent_ = *tag == kAgent;
  if (*tag == kEnd) {
    const auto end = source_.next();
    if (!end) return end.error();
    if (*end != 0) return error("something follows the last event");
  }
  return event;
}

base::Result<Event> EventReader::read_call(char tag) {
  const CallRow* row = row_of(tag);
  if (row == nullptr) return error(fmt::format("unknown event '{}'", tag));
  CallEvent e;
  Call& c = e.call;
  c.kind = row->kind;
  for (const char* item = row->items; *item != 0; ++item) {
    switch (*item) {
      case 'A':
        c.address = source_.u("address", row->most_address);
        break;
      case 'V':
        c.value = source_.u("value", row->most_value);
        break;
      case 'C':
        c.compare = source_.u("compared value");
        break;
      case 'N':
        c.count = source_.u("count", row->most_count);
        break;
      case 'O':
        c.option = static_cast<uint32_t>(source_.u("option", kMost32));
        break;
      default:
        c.data = source_.bytes("data", kMostAccessBytes);
    }
  }
  c.status = static_cast<CallStatus>(source_.u("status", static_cast<uint64_t>(kLastStatus)));
  c.result = source_.u("result");
  if (c.kind == CallKind::Wait && c.option > static_cast<uint32_t>(WaitKind::Interrupt)) {
    return error(fmt::format("wait {}, expected at most {}", c.option,
                             static_cast<uint32_t>(WaitKind::Interrupt)));
  }
  return Event(e);
}

}  // namespace cuvette::host
