// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/config_json.h"
#include "ip/lockstep/rerun.h"
#include "ip/traffic/lds_traffic.h"

// Recordings of the generic lockstep kit: a rerun repeats every event of the run in its cycle, a
// fault is found again, and a wrong file is refused with its line.
namespace cuvette {
namespace {

using ip::traffic::LdsTraffic;
using machine::Cycle;
using ::testing::HasSubstr;

/// RTL whose answer number `wrong` has a flipped bit.
class FlippedBit final : public ip::PinDevice {
 public:
  FlippedBit(std::unique_ptr<ip::PinDevice> device, unsigned wrong)
      : device_(std::move(device)), wrong_(wrong) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override { device_->drive(channel, beat); }
  void accept(unsigned channel, bool ready) override {
    wanted_ = ready;
    device_->accept(channel, ready);
  }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    valid_ = device_->sample(channel, beat);
    if (valid_ && beats_ / 4 == wrong_) beat[0] ^= 1;  // out_of_range of the first lane
    return valid_;
  }
  void clock() override {
    device_->clock();
    if (valid_ && wanted_) ++beats_;
    valid_ = false;
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::PinDevice> device_;
  unsigned wrong_, beats_ = 0;
  bool wanted_ = false, valid_ = false;
};

constexpr unsigned kNever = ~0u;

std::unique_ptr<ip::PinDevice> device(unsigned wrong) {
  auto rtl = ip::make_lds_check(1);
  if (wrong == kNever) return rtl;
  return std::make_unique<FlippedBit>(std::move(rtl), wrong);
}

ip::recording::Json head() {
  ip::recording::Json json = ip::recording::head_json({}, "lds");
  json["config"] = ip::recording::config_json(lds::Config{.latency_cycles = 64});
  return json;
}

std::string path_of(const char* name) {
  return (std::filesystem::path(::testing::TempDir()) / name).string();
}

/// Random requests with pauses on both sides, recorded; what was different.
std::optional<ip::BlockMismatch> record(const std::string& path, unsigned requests,
                                        unsigned wrong = kNever, bool late = false) {
  ip::LdsLockstep block(device(wrong), {.latency_cycles = 64}, {}, {});
  auto recorder = ip::Recorder::open(path);
  EXPECT_TRUE(recorder.ok());
  if (!late) EXPECT_TRUE(block.kit().record(**recorder, head()));
  LdsTraffic traffic(block, isa::Target::Gfx942, {requests, 3});
  for (Cycle now = 1; now < 1'000'000 && !block.kit().mismatch(); ++now) {
    const bool pause = now % 3000 < 1000;
    if (!pause && !traffic.step(now)) break;
    block.tick(now);
    traffic.follow(now);
  }
  if (late) EXPECT_TRUE(block.kit().record(**recorder, head()));
  EXPECT_TRUE((*recorder)->finish().ok());
  return block.kit().mismatch();
}

/// Blocks for reruns; each writes a recording of its own.
class Factory {
 public:
  explicit Factory(const std::string& path, unsigned wrong = kNever) : wrong_(wrong) {
    recorder_ = std::move(ip::Recorder::open(path)).value();
  }
  ip::MakeLone maker() {
    return [this](const std::string& block, const ip::RecordingHead&,
                  ip::recording::Line& line) -> base::Result<ip::LoneBlock> {
      EXPECT_EQ(block, "lds");
      lds::Config config;
      visit_config(config, ip::recording::FieldsOfConfig(line));
      auto made = std::make_shared<ip::LdsLockstep>(device(wrong_), config, ip::LockstepOptions{},
                                                    ip::LdsLockstep::Kit::OnMismatch{});
      auto* view = &made->kit();
      view->record(*recorder_, head());
      return ip::LoneBlock{std::move(made), view};
    };
  }
  base::Status finish() { return recorder_->finish(); }

 private:
  unsigned wrong_;
  std::unique_ptr<ip::Recorder> recorder_;
};

TEST(LdsRecording, ARerunRepeatsEveryEventInItsCycle) {
  const std::string first = path_of("lds_first.jsonl"), second = path_of("lds_second.jsonl");
  for (const bool late : {false, true}) {
    ASSERT_FALSE(record(first, 200, kNever, late));
    Factory factory(second);
    const auto rerun = ip::rerun_blocks(first, factory.maker());
    ASSERT_TRUE(rerun.ok()) << rerun.error().str();
    ASSERT_EQ(rerun->blocks.size(), 1u);
    EXPECT_FALSE(rerun->blocks[0].mismatch) << rerun->blocks[0].mismatch->report;
    EXPECT_GT(rerun->blocks[0].offered, 200u);  // with the stores that clear the memory
    EXPECT_EQ(rerun->blocks[0].items.at("lds responses"), rerun->blocks[0].offered);
    ASSERT_TRUE(factory.finish().ok());
    const std::string text = *base::read_text(first);
    EXPECT_THAT(text, HasSubstr("\"ready\":false"));
    EXPECT_EQ(text, *base::read_text(second));
  }
}

TEST(LdsRecording, AFaultIsFoundAgain) {
  const std::string first = path_of("lds_fault.jsonl");
  const auto mismatch = record(first, 200, 100);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->field, "out_of_range");
  Factory faulty(path_of("lds_fault_again.jsonl"), 100), good(path_of("lds_no_fault.jsonl"));
  const auto again = ip::rerun_blocks(first, faulty.maker());
  ASSERT_TRUE(again.ok()) << again.error().str();
  ASSERT_TRUE(again->blocks.at(0).mismatch);
  EXPECT_EQ(again->blocks[0].mismatch->report, mismatch->report);
  const auto mended = ip::rerun_blocks(first, good.maker());
  ASSERT_TRUE(mended.ok());
  EXPECT_FALSE(mended->blocks.at(0).mismatch);
}

TEST(LdsRecording, WavesShowTheWindow) {
  const std::string first = path_of("lds_waves.jsonl");
  ASSERT_FALSE(record(first, 100));
  const auto size = [&first](Cycle from, Cycle to) {
    const std::string wave = path_of("lds.fst");
    std::filesystem::remove(wave);
    Factory factory(path_of("lds_waves_again.jsonl"));
    const auto rerun = ip::rerun_blocks(first, factory.maker(), {wave, from, to});
    EXPECT_TRUE(rerun.ok());
    EXPECT_EQ(rerun->blocks.at(0).wave.empty(), !std::filesystem::exists(wave));
    return rerun->blocks[0].wave.empty() ? 0 : std::filesystem::file_size(wave);
  };
  EXPECT_GT(size(0, machine::kNever), 2 * size(100, 200));
  EXPECT_GT(size(100, 200), 0u);
  EXPECT_EQ(size(10'000'000, 10'000'001), 0u);
}

TEST(LdsRecording, WhatIsTooLongToKeepIsToldNotCut) {
  ip::Trail trail;
  size_t kept = 0;
  for (; trail.is_whole(); ++kept) {
    trail.add({ip::PinEvent::Kind::Given, 0, kept, true, std::vector<uint32_t>(1000)});
  }
  EXPECT_NEAR(static_cast<double>(kept), ip::Trail::kMostBytes / 4000.0, 5);
  EXPECT_TRUE(trail.take().empty());
  EXPECT_FALSE(trail.is_whole());
  ip::Trail fresh;
  fresh.add({});
  EXPECT_EQ(fresh.take().size(), 1u);
  EXPECT_TRUE(fresh.is_whole());
}

TEST(LdsRecording, WrongLinesAreRefused) {
  const std::string path = path_of("lds_good.jsonl"), bad = path_of("lds_bad.jsonl");
  ASSERT_FALSE(record(path, 200));
  const std::string text = *base::read_text(path);
  const auto error_of = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    EXPECT_TRUE(base::write_text(bad, changed).ok());
    Factory factory(path_of("lds_bad_again.jsonl"));
    const auto rerun = ip::rerun_blocks(bad, factory.maker());
    return rerun.ok() ? "accepted" : rerun.error().str();
  };
  const std::string second = "\n{\"object\":0,\"at\":";
  EXPECT_THAT(error_of("{\"cuvette\"", "[\"cuvette\""),
              HasSubstr(":1: error: expected a JSON object"));
  EXPECT_THAT(error_of("\"latency_cycles\"", "\"latency\""), HasSubstr("'latency_cycles' is miss"));
  EXPECT_THAT(error_of("\"latency_cycles\":64", "\"latency_cycles\":-1"), HasSubstr("number from"));
  EXPECT_THAT(error_of("\"target\":\"gfx908\"", "\"target\":\"gfx9\""),
              HasSubstr("unknown target"));
  EXPECT_THAT(error_of("\"object\":0}", "\"object\":70000}"), HasSubstr("'object' must be"));
  EXPECT_THAT(error_of(second, "\n{\"object\":3,\"at\":"),
              HasSubstr(":2: error: an event before the line"));
  EXPECT_THAT(error_of(second, "\n{\"object\":0,\"at\":-"), HasSubstr(":2: "));
  EXPECT_THAT(error_of("\"channel\":\"request\"", "\"channel\":\"question\""),
              HasSubstr("'channel' is none of the block"));
  EXPECT_THAT(error_of("\"offered\"", "\"given\""), HasSubstr("expected 'offered'"));
  EXPECT_THAT(error_of("\"given\"", "\"offered\""), HasSubstr("expected 'given' or 'ready'"));
  EXPECT_THAT(error_of("\"kind\"", "\"sort\""), HasSubstr("key 'kind' is missing"));
  EXPECT_THAT(error_of("\"bytes\":16", "\"bytes\":17"), HasSubstr("'bytes' must be 1, 2, 4, 8"));
  EXPECT_THAT(error_of("\"accesses\":1", "\"accesses\":3"), HasSubstr("'accesses' must be 1 or 2"));
  EXPECT_THAT(error_of("\"atomic\":0", "\"atomic\":63"), HasSubstr("'atomic' "));
  EXPECT_THAT(error_of("\"ready\":false", "\"ready\":2"), HasSubstr("'ready' must be true or"));
  EXPECT_THAT(error_of("\"ready\":false", "\"extra\":1,\"ready\":false"),
              HasSubstr("unknown keys"));
  Factory factory(path_of("lds_none.jsonl"));
  EXPECT_THAT(ip::rerun_blocks(path_of("nowhere.jsonl"), factory.maker()).error().str(),
              HasSubstr("cannot read the recording"));
  EXPECT_TRUE(base::write_text(bad, "").ok());
  EXPECT_THAT(ip::rerun_blocks(bad, factory.maker()).error().str(), HasSubstr("expected a line"));
}

TEST(LdsRecording, AFileThatCannotBeWrittenIsTold) {
  EXPECT_FALSE(ip::Recorder::open(path_of("no_folder") + "/x.jsonl").ok());
  auto full = ip::Recorder::open("/dev/full");
  ASSERT_TRUE(full.ok());
  const unsigned block = (*full)->add(head());
  (*full)->write(block, 1, "request", "ready", true);
  EXPECT_FALSE((*full)->finish().ok());
}

}  // namespace
}  // namespace cuvette
