// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/result.h"
#include "golden/log_format.h"
#include "host/call.h"

/// The host-event log: everything a host has done to a machine and heard of it, with its cycle
/// (docs/reference/c_interface.md "The log"). Entries are those of golden/log_format.h, in text
/// form.
namespace cuvette::host {

/// First entry of a log: what has to be the same for a replay.
struct LogHeader {
  std::string engine;
  machine::Cycle quantum = 1;  ///< cycles between two borders, at least 1
  bool poison = false;
  std::string machine;      ///< the description's name, for people
  std::string description;  ///< the description itself
};

/// A call with its answer; a Wait at its begin.
struct CallEvent {
  machine::Cycle at = 0;  ///< cycle, as in all events
  Call call;
};
/// An interrupt. It left the chip at cycle `left` and was delivered to the host at the border `at`.
struct InterruptEvent {
  machine::Cycle at = 0, left = 0;
  command_processor::Interrupt what;
};
/// Calls up to the AgentEndEvent are the handler's.
struct AgentEvent {
  machine::Cycle at = 0;
  command_processor::AgentDispatch packet;
};
/// End of the handler of an agent dispatch.
struct AgentEndEvent {
  machine::Cycle at = 0;
  bool served = false;  ///< the handler has done what the packet asks
};
/// Time stood still at the machine's stop point `place`, between two borders; waits ended. Behind
/// it come the interrupts that had left until then.
struct StopEvent {
  machine::Cycle at = 0;
  uint64_t place = 0;  ///< base::StopPoint::passed()
  StopReason reason = StopReason::Cancel;
};
/// Last entry of a log.
struct EndEvent {
  machine::Cycle at = 0;
  uint64_t memory = 0;  ///< fingerprint
};
using Event =
    std::variant<CallEvent, InterruptEvent, AgentEvent, AgentEndEvent, StopEvent, EndEvent>;

/// Writer of a log.
class EventLog {
 public:
  /// Begins the file; good() says if that went well.
  EventLog(const std::string& path, const LogHeader& header);
  void add(const CallEvent& event);
  void add(const InterruptEvent& event);
  void add(const AgentEvent& event);
  void add(const AgentEndEvent& event);
  void add(const StopEvent& event);
  void add(const EndEvent& event);
  /// After the EndEvent. False when something could not be written.
  bool finish();
  /// False when something could not be written so far.
  bool good() const { return sink_.good(); }

 private:
  golden::LogSink sink_;
};

/// Reads a log of anybody: whatever is in the file, the answer is an event or an Error with its
/// place.
class EventReader {
 public:
  explicit EventReader(const std::string& path) : source_(path, "host-event log") {}
  /// The first entry; before next().
  base::Result<LogHeader> header();
  /// The last one is an EndEvent; after it the log has been checked to its end.
  base::Result<Event> next();
  /// An error at the event last read.
  base::Error error(const std::string& what) const { return source_.error(what); }

 private:
  base::Result<Event> read_call(char tag);

  golden::LogSource source_;
  machine::Cycle last_ = 0;
  bool in_agent_ = false;
};

}  // namespace cuvette::host
