// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The host-event log: what a session writes comes back the same; what anybody else writes is read
// strictly, with the place of what is wrong; a run that differs is found at its first difference.
#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "cuvette_registers.h"
#include "host/port.h"
#include "host/replay.h"

namespace cuvette::host {
namespace {

std::string description() {
  return *base::read_text(CUVETTE_SOURCE_DIR "/config/small.yaml");
}

std::string path_of(const std::string& name) {
  return testing::TempDir() + "/host_log_" + name;
}

Call call(CallKind kind, uint64_t address = 0, uint64_t value = 0, uint64_t count = 0,
          uint32_t option = 0) {
  Call c;
  c.kind = kind;
  c.address = address;
  c.value = value;
  c.count = count;
  c.option = option;
  return c;
}

/// A log of calls of every kind on golden, with one interrupt.
std::string make_log(const std::string& name) {
  PortOptions o;
  o.machine.engine = "golden";
  o.quantum = 100;
  o.description_name = "small";
  o.description_text = description();
  o.log = path_of(name);
  Port::Failure failure;
  auto port = Port::open(o, {}, {}, failure);
  EXPECT_NE(port, nullptr) << failure.text;
  const auto perform = [&port](Call c) {
    port->call(c);
    return c;
  };
  const uint64_t at = perform(call(CallKind::Allocate, 0, 0, 64)).result;
  Call write = call(CallKind::MemoryWrite, at);
  write.data = {1, 2, 3, 4, 5, 6, 7, 8};
  perform(write);
  perform(call(CallKind::MemoryRead, at, 0, 8));
  perform(call(CallKind::Atomic, at, 2, 8, 2));
  perform(call(CallKind::RegisterWrite, CUVETTE_REG_CP_PQ_STATUS,
               CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK));
  perform(call(CallKind::RegisterRead, CUVETTE_REG_CUVETTE_SIGNATURE));
  perform(call(CallKind::RegisterRead, 0x40));
  const uint64_t gone = perform(call(CallKind::Allocate, 0, 0, 64)).result;
  perform(call(CallKind::Free, gone));
  perform(call(CallKind::Wait, 0, 0, 250, 0));
  perform(call(CallKind::Doorbell, 55, 9));
  perform(call(CallKind::Wait, 0, 0, 1000, 2));
  perform(call(CallKind::Wait, 0, 0, 1000, 1));
  EXPECT_EQ(port->close().status, CallStatus::Ok);
  return o.log;
}

/// The lines of a log without its checksum: an end entry with '-' is not checked.
std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(*base::read_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}
std::string write_lines(const std::string& name, std::vector<std::string> lines) {
  lines.back() = "E " + std::to_string(lines.size() - 2) + " -";
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  const std::string path = path_of(name);
  EXPECT_TRUE(base::write_text(path, text).ok());
  return path;
}

/// Every event can be read.
bool reads(const std::string& path) {
  EventReader reader(path);
  if (!reader.header().ok()) return false;
  for (;;) {
    const auto event = reader.next();
    if (!event) return false;
    if (std::holds_alternative<EndEvent>(*event)) return true;
  }
}

/// The first line that begins like this.
size_t find(const std::vector<std::string>& lines, const std::string& begin) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind(begin, 0) == 0) return i;
  }
  ADD_FAILURE() << begin;
  return 0;
}

TEST(HostLog, ARunIsReproduced) {
  const auto report = replay_host_log(make_log("good"), {});
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_EQ(report->difference, "");
  EXPECT_EQ(report->calls, 13u);
  EXPECT_EQ(report->engine, "golden");
  EXPECT_EQ(report->cycles, 300u) << "the border after the interrupt";
}

TEST(HostLog, EveryEventComesBackAsItWas) {
  const std::string path = path_of("events");
  const LogHeader header{"ca", 77, true, "a \"name\"", "text\nwith lines; and %\n"};
  CallEvent c{5, call(CallKind::Atomic, 0x1234, 7, 8, 6)};
  c.call.compare = 3;
  c.call.status = CallStatus::Memory;
  c.call.result = ~uint64_t{0};
  const InterruptEvent i{6, 5, {0x20000, 4, 0x55}};
  const AgentEvent a{7, {1, 2, 3, 4, 5, {6, 7, 8, 9}}};
  {
    EventLog log(path, header);
    log.add(c);
    log.add(i);
    log.add(a);
    log.add(AgentEndEvent{7, true});
    log.add(StopEvent{8, 1234567, StopReason::Seconds});
    CallEvent load{8, call(CallKind::Load)};
    load.call.data = {0x7f, 'E'};
    load.call.result = 0x5000;
    log.add(load);
    log.add(CallEvent{8, call(CallKind::Unload, 0x5000)});
    log.add(EndEvent{9, 0xabc});
    EXPECT_TRUE(log.finish());
  }
  EventReader reader(path);
  const auto h = reader.header();
  ASSERT_TRUE(h.ok()) << h.error().str();
  EXPECT_EQ(h->engine, "ca");
  EXPECT_EQ(h->quantum, 77u);
  EXPECT_TRUE(h->poison);
  EXPECT_EQ(h->machine, header.machine);
  EXPECT_EQ(h->description, header.description);
  const auto first = std::get<CallEvent>(*reader.next());
  EXPECT_EQ(first.at, 5u);
  EXPECT_EQ(first.call.kind, CallKind::Atomic);
  EXPECT_EQ(first.call.address, 0x1234u);
  EXPECT_EQ(first.call.value, 7u);
  EXPECT_EQ(first.call.compare, 3u);
  EXPECT_EQ(first.call.count, 8u);
  EXPECT_EQ(first.call.option, 6u);
  EXPECT_EQ(first.call.status, CallStatus::Memory);
  EXPECT_EQ(first.call.result, ~uint64_t{0});
  const auto second = std::get<InterruptEvent>(*reader.next());
  EXPECT_EQ(second.at, 6u);
  EXPECT_EQ(second.left, 5u);
  EXPECT_EQ(second.what.source, 0x20000u);
  EXPECT_EQ(second.what.queue, 4u);
  EXPECT_EQ(second.what.context, 0x55u);
  const auto third = std::get<AgentEvent>(*reader.next());
  EXPECT_EQ(third.packet.vmid, 4u);
  EXPECT_EQ(third.packet.arg[3], 9u);
  EXPECT_TRUE(std::get<AgentEndEvent>(*reader.next()).served);
  const auto stop = std::get<StopEvent>(*reader.next());
  EXPECT_EQ(stop.at, 8u);
  EXPECT_EQ(stop.place, 1234567u);
  EXPECT_EQ(stop.reason, StopReason::Seconds);
  const auto load = std::get<CallEvent>(*reader.next());
  EXPECT_EQ(load.call.kind, CallKind::Load);
  EXPECT_EQ(load.call.data, (std::vector<uint8_t>{0x7f, 'E'}));
  EXPECT_EQ(load.call.result, 0x5000u);
  const auto unload = std::get<CallEvent>(*reader.next());
  EXPECT_EQ(unload.call.kind, CallKind::Unload);
  EXPECT_EQ(unload.call.address, 0x5000u);
  EXPECT_EQ(std::get<EndEvent>(*reader.next()).memory, 0xabcu);
}

TEST(HostLog, DifferencesAreFound) {
  const auto lines = lines_of(make_log("base"));
  struct Case {
    const char* line;
    std::function<void(std::string&)> change;
    const char* message;
  };
  const auto last_to = [](const char* value) {
    return [value](std::string& line) { line = line.substr(0, line.rfind(' ') + 1) + value; };
  };
  const Case cases[] = {
      {"R", last_to("0x1"), "result"},
      {"x", last_to("0x1"), "result"},
      {"r", last_to("0x1"), "result"},
      {"a", last_to("0x1"), "result"},
      {"I", last_to("0x8"), "context"},
      {"Z", last_to("0x8"), "fingerprint"},
      {"d", [](std::string& l) { l[l.size() - 5] = '8'; }, "context"},
      {"W", [](std::string& l) { l.replace(l.find("0102"), 4, "0103"); }, "result"},
  };
  for (const Case& c : cases) {
    auto changed = lines;
    std::string& line = changed[find(lines, c.line)];
    const std::string before = line;
    c.change(line);
    ASSERT_NE(line, before);
    const auto report = replay_host_log(write_lines("changed", changed), {});
    ASSERT_TRUE(report.ok()) << line << ": " << report.error().str();
    EXPECT_NE(report->difference.find(c.message), std::string::npos)
        << line << ": " << report->difference;
    EXPECT_NE(report->difference.find("host_log_changed:"), std::string::npos) << "its place";
  }
  auto without = lines;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(find(lines, "I")));
  const auto report = replay_host_log(write_lines("without", without), {});
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->difference.find("interrupt"), std::string::npos) << report->difference;
}

TEST(HostLog, BadFilesAreRefusedWithTheirPlace) {
  const auto lines = lines_of(make_log("base2"));
  const size_t any = find(lines, "R");
  struct Case {
    size_t line;
    std::string text;
    const char* message;
  };
  const std::string place = ":" + std::to_string(any + 1);
  const Case cases[] = {
      {any, "Q 0 1", "unknown event 'Q'"},
      {any, "R 0 1", "expected a number"},
      {any, "R 0 1 2 3 4 5", "more items"},
      {any, "R x 0 1 2 0 0", "expected a number"},
      {any, "r 0 0x100000000 0 0", "at most"},
      {any, "r 0 0 12 0", "at most"},
      {any, "X 0", "expected a number"},
      {any, "X 0 1 0", "reason 0"},
      {any, "X 0 1 4", "at most"},
      {any, "t 0 3 5 0 0", "wait 3"},
      {any, "t 0 0 0xffffffffffffffff 0 0", "at most"},
      {any, "W 0 0 123 0 0", "hexadecimal"},
      {any, "g 0 1", "agent dispatch"},
      {any, "I 0 0 0 0", "expected a number"},
      {1, "R 0 0 0 0 0", "header"},
      {1, "H 2 \"golden\" 100 0 \"x\" \"y\"", "version 2"},
      {1, "H 1 \"hsail\" 100 0 \"x\" \"y\"", "engine 'hsail'"},
      {1, "H 1 \"golden\" 0 0 \"x\" \"y\"", "quantum"},
      {1, "H 1 \"golden\" 100 0 \"x\" \"y\"", "machine description"},
  };
  for (const Case& c : cases) {
    auto changed = lines;
    changed[c.line] = c.text;
    const auto report = replay_host_log(write_lines("bad", changed), {});
    ASSERT_FALSE(report.ok()) << c.text;
    const std::string text = report.error().str();
    EXPECT_NE(text.find(c.message), std::string::npos) << c.text << ": " << text;
    EXPECT_NE(text.find("host_log_bad:"), std::string::npos) << text;
  }
  auto nested = lines;
  nested[any] = "G 0 1 2 3 4 5 6 7 8 9";
  nested[any + 1] = nested[any];
  EXPECT_FALSE(reads(write_lines("nested", nested))) << "an agent dispatch inside another";
  EXPECT_TRUE(reads(write_lines("same", lines)));
  auto backwards = lines;
  std::swap(backwards[find(lines, "d")], backwards[any]);
  EXPECT_FALSE(reads(write_lines("backwards", backwards)));
  auto cut = lines;
  cut.erase(cut.end() - 2);  // the last event
  EXPECT_FALSE(replay_host_log(write_lines("cut", cut), {}).ok());
  EXPECT_FALSE(replay_host_log(path_of("missing"), {}).ok());
  auto text = *base::read_text(path_of("base2"));
  text[text.find("R 0")] = 'r';
  EXPECT_TRUE(base::write_text(path_of("damaged"), text).ok());
  EXPECT_FALSE(replay_host_log(path_of("damaged"), {}).ok()) << "the checksum";
}

/// A cancel before a wait: time stands still there, in the replay too; not where the log says
/// otherwise.
TEST(HostLog, StopsAreMetAtTheirPlaces) {
  PortOptions o;
  o.machine.engine = "golden";
  o.quantum = 100;
  o.description_name = "small";
  o.description_text = description();
  o.log = path_of("stops");
  Port::Failure failure;
  auto port = Port::open(o, {}, {}, failure);
  ASSERT_NE(port, nullptr) << failure.text;
  Call wait = call(CallKind::Wait, 0, 0, 250, 0);
  port->call(wait);
  EXPECT_EQ(wait.status, CallStatus::Ok);
  port->cancel();
  Call second = call(CallKind::Wait, 0, 0, 250, 0);
  port->call(second);
  EXPECT_EQ(second.status, CallStatus::Cancelled);
  Call third = call(CallKind::Wait, 0, 0, 50, 0);
  port->call(third);
  EXPECT_EQ(third.status, CallStatus::Ok);
  EXPECT_EQ(port->close().status, CallStatus::Ok);
  const auto lines = lines_of(o.log);
  const size_t stop = find(lines, "X");
  EXPECT_EQ(lines[stop].rfind("X 0xfa ", 0), 0u) << lines[stop];
  const auto good = replay_host_log(o.log, {});
  ASSERT_TRUE(good.ok()) << good.error().str();
  EXPECT_EQ(good->difference, "");
  EXPECT_EQ(good->stops, 1u);
  for (const char* other : {"X 250 0 1", "X 250 1000 1", "X 250 1 2"}) {
    auto changed = lines;
    ASSERT_NE(changed[stop], other);
    changed[stop] = other;
    const auto report = replay_host_log(write_lines("other_stop", changed), {});
    ASSERT_TRUE(report.ok()) << report.error().str();
    EXPECT_NE(report->difference, "") << other;
  }
  auto without = lines;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(stop));
  const auto report = replay_host_log(write_lines("without_stop", without), {});
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->difference, "");
}

TEST(HostLog, TheWatchdogEndsAReplay) {
  ReplayOptions o;
  o.watchdog = 100;
  const auto report = replay_host_log(make_log("long"), o);
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->difference.find("watchdog"), std::string::npos);
}

/// Descriptions that no machine can be made of are reported at their place through this door too,
/// before anything of the engine is made.
TEST(HostDescription, MistakesHaveTheirPlace) {
  const std::string good = description();
  const struct {
    std::string old, wrong, message;
  } cases[] = {
      {"placement: round_robin", "placement: best_fit", "unknown placement 'best_fit'"},
      {"target: gfx908", "target: gfx1030", "unknown target 'gfx1030'"},
      {"  cache: tlm", "  cache: dut:mine",
       "block cache: dut:mine: only tlm blocks are behind this interface"},
      {"  valu: tlm", "  valu: rtl", "block valu: rtl: only tlm blocks are behind this interface"},
      {"  simd: tlm", "  simd: fpga", "unknown implementation 'fpga' of block simd"},
  };
  for (const auto& c : cases) {
    const size_t at = good.find(c.old);
    ASSERT_NE(at, std::string::npos) << c.old;
    const auto line = std::count(good.begin(), good.begin() + static_cast<ptrdiff_t>(at), '\n') + 1;
    const size_t column = at - good.rfind('\n', at) + c.wrong.rfind(": ") + 2;
    std::string text = good;
    text.replace(at, c.old.size(), c.wrong);
    for (const char* engine : {"golden", "lt", "ca"}) {
      PortOptions o;
      o.machine.engine = engine;
      o.description_name = "machine.yaml";
      o.description_text = text;
      Port::Failure failure;
      EXPECT_EQ(Port::open(o, {}, {}, failure), nullptr) << engine;
      EXPECT_EQ(failure.text.rfind("machine.yaml:" + std::to_string(line) + ":" +
                                       std::to_string(column) + ": error: " + c.message,
                                   0),
                0u)
          << engine << ": " << failure.text;
    }
  }
}

}  // namespace
}  // namespace cuvette::host
