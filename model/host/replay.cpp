// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/replay.h"

#include <exception>
#include <optional>

#include <fmt/format.h>

#include "host/session.h"

namespace cuvette::host {
namespace {

/// The run differs from the log: not an error of the file.
struct Different {
  std::string what;
};
struct BadFile {
  base::Error error;
};

class Replay {
 public:
  /// `stop`: that of the session.
  Replay(EventReader& reader, Session& session, base::StopPoint& stop, const ReplayOptions& options)
      : reader_(reader), session_(session), stop_(stop), options_(options) {
    session_.on_stop([this](const StopEvent& e) { stopped(e); });
    session_.on_interrupt([this](const InterruptEvent& e) { interrupt(e); });
    // Exceptions do not get through the simulation's kernel.
    session_.on_agent([this](const AgentEvent& e) {
      try {
        return !different_inside_ && !bad_inside_ && agent(e);
      } catch (const Different& d) {
        different_inside_ = d;
      } catch (const BadFile& bad) {
        bad_inside_ = bad;
      }
      return false;
    });
  }

  /// The fingerprint that the log ends with.
  EndEvent run() {
    for (;;) {
      calls_of_now();
      const machine::Cycle at = cycle_of(peek());
      if (std::holds_alternative<EndEvent>(peek()) && at <= session_.now()) break;
      (void)session_.take_ended();
      if (at < session_.now() || !session_.waiting()) {
        different(fmt::format("the next event of the log, at cycle {}", at),
                  fmt::format("the machine at cycle {}{}", session_.now(),
                              session_.waiting() ? "" : ", and nobody waits"));
      }
      if (options_.watchdog != 0 && session_.now() > options_.watchdog) {
        throw Different{fmt::format("watchdog: not done after {} cycles", options_.watchdog)};
      }
      expect_stop();
      session_.step();
      if (different_inside_) throw *different_inside_;
      if (bad_inside_) throw *bad_inside_;
    }
    const EndEvent end = std::get<EndEvent>(peek());
    (void)session_.take_ended();
    if (session_.waiting()) different("the end of the log", "a wait that is not over");
    same("cycle at the end", end.at, session_.now());
    return end;
  }
  void same(const char* what, uint64_t expected, uint64_t found) {
    if (expected != found) {
      different(fmt::format("{} {:#x}", what, expected), fmt::format("{:#x}", found));
    }
  }

  uint64_t calls = 0, interrupts = 0, agents = 0, stops = 0;

 private:
  static machine::Cycle cycle_of(const Event& event) {
    return std::visit([](const auto& e) { return e.at; }, event);
  }
  const Event& peek() {
    if (!next_) {
      auto read = reader_.next();
      if (!read) throw BadFile{read.error()};
      next_ = std::move(*read);
    }
    return *next_;
  }
  [[noreturn]] void different(const std::string& expected, const std::string& found) {
    throw Different{
        reader_.error(fmt::format("the run differs: expected {}, found {}", expected, found))
            .str()};
  }

  /// Everything of the host at this cycle, up to what the machine has to say next.
  void calls_of_now() {
    while (const auto* e = std::get_if<CallEvent>(&peek())) {
      if (e->at != session_.now()) return;
      const Call expected = e->call;
      Call call = expected;  // status and result are written anew
      session_.perform(call);
      ++calls;
      same("status", static_cast<uint64_t>(expected.status), static_cast<uint64_t>(call.status));
      same("result", expected.result, call.result);
      next_.reset();
    }
  }

  /// The machine stands still where the log says that it did; of an agent dispatch under way the
  /// log is ahead.
  void expect_stop() {
    if (const auto* e = std::get_if<StopEvent>(&peek())) {
      if (e->place <= stop_.passed()) {
        different(fmt::format("a stop at place {}", e->place),
                  fmt::format("the machine at place {}", stop_.passed()));
      }
      stop_.stop_at(e->place, static_cast<uint32_t>(e->reason));
    }
  }

  void stopped(const StopEvent& found) {
    const auto* e = std::get_if<StopEvent>(&peek());
    if (e == nullptr) different("another event", "a stop");
    same("cycle of a stop", e->at, found.at);
    same("place of a stop", e->place, found.place);
    same("reason of a stop", static_cast<uint64_t>(e->reason), static_cast<uint64_t>(found.reason));
    ++stops;
    next_.reset();
  }

  void interrupt(const InterruptEvent& found) {
    if (interrupts != 0 && found.at == last_interrupt_) calls_of_now();  // of the handler before
    last_interrupt_ = found.at;
    const auto* e = std::get_if<InterruptEvent>(&peek());
    if (e == nullptr) different("another event", "an interrupt");
    same("cycle of an interrupt", e->left, found.left);
    same("border of an interrupt", e->at, found.at);
    same("source of an interrupt", e->what.source, found.what.source);
    same("queue of an interrupt", e->what.queue, found.what.queue);
    same("context of an interrupt", e->what.context, found.what.context);
    ++interrupts;
    next_.reset();
  }

  bool agent(const AgentEvent& found) {
    const auto* e = std::get_if<AgentEvent>(&peek());
    if (e == nullptr) different("another event", "an agent dispatch");
    same("cycle of an agent dispatch", e->at, found.at);
    const auto& expected = e->packet;
    const auto& packet = found.packet;
    same("packet of an agent dispatch", expected.id, packet.id);
    same("queue of an agent dispatch", expected.queue, packet.queue);
    same("type of an agent dispatch", expected.type, packet.type);
    same("VMID of an agent dispatch", expected.vmid, packet.vmid);
    same("return address of an agent dispatch", expected.return_address, packet.return_address);
    for (size_t i = 0; i < packet.arg.size(); ++i) {
      same("argument of an agent dispatch", expected.arg[i], packet.arg[i]);
    }
    ++agents;
    next_.reset();
    calls_of_now();
    const auto* end = std::get_if<AgentEndEvent>(&peek());
    if (end == nullptr) different("another event", "the end of an agent dispatch");
    const bool served = end->served;
    next_.reset();
    expect_stop();
    return served;
  }

  EventReader& reader_;
  Session& session_;
  base::StopPoint& stop_;
  const ReplayOptions& options_;
  std::optional<Event> next_;
  machine::Cycle last_interrupt_ = 0;          // its border
  std::optional<Different> different_inside_;  // a process of the simulation
  std::optional<BadFile> bad_inside_;
};

}  // namespace

base::Result<ReplayReport> replay_host_log(const std::string& path, const ReplayOptions& options) {
  EventReader reader(path);
  const auto header = reader.header();
  if (!header) return header.error();
  if (options.golden_only && is_systemc(header->engine))
    return reader.error("engine " + header->engine);
  const auto description = machine::parse_description(header->description, path);
  if (!description) {
    return reader.error("the machine description in the log: " + description.error().str());
  }
  MachineOptions o;
  o.engine = header->engine;
  o.quantum = header->quantum;
  o.poison = header->poison;
  o.watchdog = options.instructions;
  base::StopPoint stop;
  o.stop = &stop;
  auto machine = make_machine(*description, o);
  if (!machine) return reader.error(machine.error().what);

  ReplayReport report;
  report.engine = header->engine;
  report.machine = header->machine;
  Session session(**machine, header->quantum, nullptr, stop);
  Replay replay(reader, session, stop, options);
  try {
    const EndEvent end = replay.run();
    report.memory = fingerprint((*machine)->memory());
    replay.same("fingerprint of memory", end.memory, report.memory);
  } catch (const Different& d) {
    report.difference = d.what;
  } catch (const BadFile& bad) {
    return bad.error;
  } catch (const std::exception& e) {
    report.difference = reader.error(fmt::format("the simulation broke off: {}", e.what())).str();
  }
  report.calls = replay.calls;
  report.interrupts = replay.interrupts;
  report.agent_dispatches = replay.agents;
  report.stops = replay.stops;
  report.cycles = session.now();
  return report;
}

}  // namespace cuvette::host
