// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lockstep/rerun.h"

#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "ip/common/recording_line.h"

namespace cuvette::ip {
namespace {

using base::Error;
using base::Result;
using base::Status;
using recording::Json;
using recording::Line;

constexpr uint64_t kMostObjects = 65536;

/// "out.fst" to "out_2.fst".
std::string numbered(const std::string& path, size_t number) {
  if (number == 0) return path;
  const size_t dot = path.rfind('.');
  const std::string suffix = "_" + std::to_string(number);
  return dot == std::string::npos ? path + suffix : path.substr(0, dot) + suffix + path.substr(dot);
}

/// One block of a recording, on a clock of its own.
class Served {
 public:
  Served(LoneBlock block, RecordingHead head, WaveWindow waves)
      : block_(std::move(block)), waves_(std::move(waves)) {
    result_.head = std::move(head);
    result_.place = view().place();
    for (unsigned n = 0; n < view().pins().size(); ++n) pins_[view().pins()[n].name] = n;
  }

  Status event(Line& line) {
    const machine::Cycle at = line.number("at", recording::kMostCycles);
    const auto pin = pins_.find(line.text("channel"));
    if (line.ok() && pin == pins_.end()) line.fail("'channel' is none of the block");
    if (line.ok() && at < now_) line.fail("'at' is earlier than that of the event before");
    if (!line.ok()) return {};
    if (auto s = run_to(at); !s.ok()) return s;
    const bool to_device = view().pins()[pin->second].to_device;
    if (line.has("offered") && to_device) return offer(pin->second, line, at);
    if (line.has("ready") && !to_device) {
      const Json* ready = line.get("ready");
      if (!ready->is_boolean()) line.fail("'ready' must be true or false");
      if (line.ok()) view().set_ready(pin->second, ready->get<bool>());
      return {};
    }
    if (line.has("given") && !to_device) {
      (void)line.get("given");
      return {};
    }
    line.fail(to_device ? "expected 'offered'" : "expected 'given' or 'ready'");
    return {};
  }
  Status conclude() {
    constexpr machine::Cycle kLongest = 100'000;
    if (auto s = run_to(now_ + kLongest); !s.ok()) return s;
    if (!over()) view().conclude();
    return {};
  }
  Rerun::Block result() {
    result_.items = view().items();
    result_.compared = view().compared();
    result_.mismatch = view().mismatch();
    return std::move(result_);
  }

 private:
  LockstepView& view() { return *block_.view; }
  bool over() { return view().mismatch() || (!waves_.path.empty() && now_ > waves_.last); }

  Status offer(unsigned pin, Line& line, machine::Cycle at) {
    constexpr machine::Cycle kPatience = 100'000;
    machine::Cycle when = at;
    // Another device than the recorded one may be slower.
    for (; !over() && !view().has_room(pin, when) && when < at + kPatience; ++when) {
      if (auto s = run_to(when + 1); !s.ok()) return s;
    }
    const Json* message = line.get("offered");
    if (over()) return {};
    if (!view().has_room(pin, when)) {
      line.fail("the device takes no message for " + std::to_string(kPatience) + " cycles");
      return {};
    }
    ++result_.offered;
    view().feed(pin, line, *message, when);
    return {};
  }
  /// All cycles before `end`.
  Status run_to(machine::Cycle end) {
    for (now_ = std::max(now_, std::min(end, view().next_step())); now_ < end && !over();
         now_ = std::min(end, std::max(now_ + 1, view().next_step()))) {
      if (auto s = show(); !s.ok()) return s;
      view().step(now_);
      view().drain(now_ + 1);
    }
    now_ = std::max(now_, end);
    return {};
  }
  Status show() {
    if (waves_.path.empty() || now_ < waves_.first || !result_.wave.empty()) return {};
    result_.wave = waves_.path;
    return view().trace(waves_.path);
  }

  LoneBlock block_;
  WaveWindow waves_;
  std::map<std::string, unsigned> pins_;
  machine::Cycle now_ = 0;
  Rerun::Block result_;
};

/// The blocks of a recording as its lines are read.
class Recorded {
 public:
  Recorded(const MakeLone& make, const WaveWindow& waves, const std::string& library)
      : make_(make), waves_(waves), library_(library) {}

  Status read(Line& line) {
    const uint64_t object = line.number("object", kMostObjects);
    if (!line.ok()) return line.finish();
    const auto found = blocks_.find(object);
    if (line.has("cuvette")) {
      if (found != blocks_.end()) line.fail("a second line of block " + std::to_string(object));
      if (auto s = begin(object, line); !s.ok()) return s;
    } else if (found == blocks_.end()) {
      line.fail("an event before the line of its block");
    } else if (auto s = found->second->event(line); !s.ok()) {
      return s;
    }
    return line.finish();
  }
  Result<Rerun> conclude() {
    Rerun all;
    for (auto& [number, block] : blocks_) {
      if (auto s = block->conclude(); !s.ok()) return s.error();
      all.blocks.push_back(block->result());
    }
    return all;
  }
  bool empty() const { return blocks_.empty(); }

 private:
  Status begin(uint64_t object, Line& line) {
    if (!line.ok()) return {};
    RecordingHead head;
    const std::string block = recording::read_head(line, head);
    const Json* config = line.get("config");
    if (!line.ok()) return {};
    if (!library_.empty()) {
      head.library = library_;
      if (head.device == "rtl") head.device = "dut:" + library_;
    }
    Line settings(*config, line.where());
    auto made = make_(block, head, settings);
    if (!made) return made.error();
    if (auto s = settings.finish(); !s.ok()) return s;
    WaveWindow waves = waves_;
    if (!waves.path.empty()) waves.path = numbered(waves.path, blocks_.size());
    blocks_[object] = std::make_unique<Served>(std::move(*made), head, std::move(waves));
    return {};
  }

  const MakeLone& make_;
  const WaveWindow& waves_;
  const std::string& library_;
  std::map<uint64_t, std::unique_ptr<Served>> blocks_;
};

}  // namespace

Result<Rerun> rerun_blocks(const std::string& path, const MakeLone& make, const WaveWindow& waves,
                           const std::string& library) {
  std::ifstream file(path);
  if (!file) return Error("cannot read the recording", {path});
  Recorded recorded(make, waves, library);
  std::string text;
  for (uint32_t number = 1; std::getline(file, text); ++number) {
    Line line(text, {path, number});
    if (auto s = recorded.read(line); !s.ok()) return s.error();
  }
  if (recorded.empty()) return Error("expected a line with a block, then its events", {path});
  return recorded.conclude();
}

}  // namespace cuvette::ip
