// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ip/common/recording_line.h"
#include "ip/lockstep/rerun.h"
#include "simd_faults.h"

// Recordings of a simd, their rerun on the block alone, and lockstep that compares one beat of
// many; what the kit does with recordings stands in lds_recording_test.cpp.
namespace cuvette {
namespace {

using simd_faults::ChangedPins;
using simd_program::make;
using ::testing::HasSubstr;

constexpr auto kExact = machine::TimingRule::Kind::Exact;

/// The build for checking, with bit 0 of the first register of lane 0 wrong in the beats `wrong`
/// says yes to (by id of the instruction and number of the beat).
using Wrong = std::function<bool(uint32_t id, uint64_t beat)>;
std::unique_ptr<ip::PinDevice> wrong_lane(Wrong wrong) {
  auto device = std::make_unique<ChangedPins>(ip::make_simd_check(1));
  device->retire = [wrong = std::move(wrong), beats = uint64_t{0}](simd::Retire& r) mutable {
    if (wrong(r.id, beats++)) r.data[0][0] ^= 1;
    return ChangedPins::Move::Once;
  };
  return device;
}
bool never(uint32_t, uint64_t) {
  return false;
}

struct Ended {
  std::optional<ip::BlockMismatch> mismatch;
  ip::ComparedItems items;
  uint64_t compared = 0;
  bool complete = false;
};

/// `count` random instructions with fills and reads between them; `path`: of a recording.
Ended run(const Wrong& wrong, size_t count, uint32_t share = 1, const std::string& path = {}) {
  ip::SimdLockstep lockstep(wrong_lane(wrong), simd_faults::config(),
                            simd_faults::times(kExact, share));
  std::unique_ptr<ip::Recorder> recorder;
  if (!path.empty()) {
    auto opened = ip::Recorder::open(path);
    recorder = std::move(*opened);
    ip::RecordingHead of_run;
    of_run.timing.kind = kExact;
    ip::recording::Json head = ip::recording::head_json(of_run, "simd");
    head["config"] = ip::recording::Json::object();
    EXPECT_TRUE(lockstep.kit().record(*recorder, head));
  }
  simd_program::fill_rows(lockstep, 5);
  const auto program = simd_program::mixed(*make("rtl"), count, 4711);
  const auto done = simd_program::run(lockstep, program, 8, 8, 3,
                                      [&] { return lockstep.mismatch().has_value(); });
  lockstep.kit().conclude();
  if (recorder != nullptr) {
    EXPECT_TRUE(recorder->finish().ok());
  }
  return {lockstep.mismatch(), lockstep.kit().items(), lockstep.kit().compared(), done.complete};
}

std::string temporary(const char* name) {
  return ::testing::TempDir() + name;
}

/// The recording served to a device.
base::Result<ip::Rerun> rerun(const std::string& path,
                              std::function<std::unique_ptr<ip::PinDevice>()> device,
                              const ip::WaveWindow& waves = {}) {
  const ip::MakeLone make = [&](const std::string& block, const ip::RecordingHead& head,
                                ip::recording::Line&) -> base::Result<ip::LoneBlock> {
    EXPECT_EQ(block, "simd");
    ip::LockstepOptions options;
    options.timing = head.timing;
    auto made = std::make_shared<ip::SimdLockstep>(device(), simd_faults::config(), options);
    auto* view = &made->kit();
    return ip::LoneBlock{std::move(made), view};
  };
  return ip::rerun_blocks(path, make, waves);
}

TEST(SimdRecording, RunsAgainInTheSameTimes) {
  const std::string path = temporary("simd_recording.jsonl");
  const Ended first = run(never, 200, 1, path);
  ASSERT_FALSE(first.mismatch) << first.mismatch->report;
  const auto again = rerun(path, [] { return ip::make_simd_check(7); },
                           {temporary("simd_recording.fst"), 0, machine::kNever});
  ASSERT_TRUE(again.ok()) << again.error().str();
  const auto& block = again->blocks.at(0);
  EXPECT_FALSE(block.mismatch) << block.mismatch->report;
  EXPECT_EQ(block.items, first.items);
  EXPECT_GT(std::filesystem::file_size(block.wave), 1000u);
  EXPECT_FALSE(rerun(path, [] { return ip::make_simd_fast(); }, {"x.fst"}).ok()) << "no waves";
}

TEST(SimdRecording, TheRerunShowsTheDifferenceAndAGoodDeviceNone) {
  const std::string path = temporary("simd_difference.jsonl");
  for (const uint32_t first : {3u, 60u, 120u}) {
    const auto wrong = [first](uint32_t id, uint64_t) { return id >= first; };
    const Ended ended = run(wrong, 400, 1, path);
    ASSERT_TRUE(ended.mismatch.has_value());
    ASSERT_EQ(ended.mismatch->field, "data") << ended.mismatch->report;
    const auto again = rerun(path, [&] { return wrong_lane(wrong); });
    ASSERT_TRUE(again.ok()) << again.error().str();
    ASSERT_TRUE(again->blocks.at(0).mismatch);
    const ip::BlockMismatch& m = *again->blocks[0].mismatch;
    EXPECT_EQ(m.field, "data");
    EXPECT_EQ(m.time, ended.mismatch->time);
    EXPECT_EQ(m.lane, ended.mismatch->lane);
    EXPECT_EQ(m.expected, ended.mismatch->expected);
    EXPECT_EQ(m.actual, ended.mismatch->actual);
    const auto good = rerun(path, [] { return ip::make_simd_check(1); });
    ASSERT_TRUE(good.ok());
    EXPECT_FALSE(good->blocks.at(0).mismatch) << good->blocks[0].mismatch->report;
  }
}

TEST(SimdRecording, MistakesAreNamedWithTheirLine) {
  const std::string path = temporary("simd_recording.jsonl");
  run(never, 4, 1, path);
  const std::string text = *base::read_text(path);
  const std::string bad = temporary("simd_bad.jsonl");
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    const size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    out.replace(at, from.size(), to);
    EXPECT_TRUE(base::write_text(bad, out).ok());
    const auto again = rerun(bad, [] { return ip::make_simd_fast(); });
    return again.ok() ? std::string("accepted") : again.error().str();
  };
  EXPECT_THAT(broken("\"slot\":", "\"slots\":"), HasSubstr("error: key 'slot' is missing"));
  EXPECT_THAT(broken("\"instruction\":{\"row\":", "\"instruction\":{\"row\":6"),
              HasSubstr("'row' is no instruction of the device"));
  EXPECT_THAT(broken("\"scalar\":[", "\"scalar\":[0,"), HasSubstr("'scalar' must be a list of 3"));
  EXPECT_THAT(broken("gfx908", "gfx1"), HasSubstr(":1: error: unknown target"));
  EXPECT_THAT(broken("\"offered\"", "\"given\""), HasSubstr(":2: error: expected 'offered'"));
}

TEST(SimdSampling, OneBeatOfManyIsComparedAndAllAreTimed) {
  const Ended all = run(never, 2000), some = run(never, 2000, 10);
  for (const Ended* e : {&all, &some}) {
    ASSERT_FALSE(e->mismatch.has_value()) << e->mismatch->report;
    EXPECT_TRUE(e->complete);
    EXPECT_EQ(e->items.at("simd instructions"), 2000u);
  }
  EXPECT_EQ(some.items.at("simd times"), all.items.at("simd times"));
  EXPECT_EQ(some.items.at("simd retires"), all.items.at("simd retires"));
  EXPECT_EQ(some.items.at("simd registers"), all.items.at("simd registers"));
  EXPECT_LT(some.compared * 5, all.compared);
  EXPECT_GT(some.compared * 20, all.compared);
}

TEST(SimdSampling, ADeviceThatIsAlwaysWrongIsFound) {
  const Ended ended = run([](uint32_t, uint64_t) { return true; }, 1000, 10);
  ASSERT_TRUE(ended.mismatch.has_value());
  EXPECT_EQ(ended.mismatch->field, "data");
}

}  // namespace
}  // namespace cuvette
