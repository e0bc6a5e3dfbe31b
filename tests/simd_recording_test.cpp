// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "ip/simd/simd_rerun.h"
#include "ip/simd/simd_rtl.h"
#include "ip/vrf/vrf_rerun.h"
#include "isa/decode.h"
#include "simd_program.h"
#include "vrf_faults.h"

// What a difference of simd or vrf leaves behind: the file of transactions, its rerun on the block
// alone; and lockstep of simds that compares one instruction of many.
namespace cuvette {
namespace {

using simd_program::exact;
using simd_program::make;

/// The build for checking, with bit 0 of the first register of lane 0 wrong in the beats `wrong`
/// says yes to (by id of the instruction and number of the beat).
class WrongLane final : public ip::SimdDevice {
 public:
  using Wrong = std::function<bool(uint32_t id, uint64_t beat)>;
  explicit WrongLane(Wrong wrong) : device_(ip::make_simd_check(1)), wrong_(std::move(wrong)) {}
  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(const ip::SimdInputs& inputs) override {
    ready_ = inputs.retire_ready;
    device_->drive(inputs);
  }
  void outputs(ip::SimdOutputs& out) const override {
    device_->outputs(out);
    // retire_t: flags 7 bits, scalar 33, mask 17, data from bit 57 on; id in the highest word.
    changes_ = out.retire_valid && wrong_(out.retire[67], beats_);
    if (changes_) out.retire[1] ^= 1u << 25;
    given_ = out.retire_valid && ready_;
  }
  void clock() override {
    if (given_) ++beats_;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::SimdDevice> device_;
  Wrong wrong_;
  uint64_t beats_ = 0;
  bool ready_ = false;
  mutable bool changes_ = false, given_ = false;
};

struct Ended {
  ip::SimdCounts counts;
  std::optional<ip::SimdMismatch> mismatch;
  bool complete = false;
};

/// `count` random instructions with fills and reads between them on a device in lockstep.
Ended run(WrongLane::Wrong wrong, size_t count, uint32_t share = 1) {
  simd::Config config;
  config.valu.compute_unit = 3;
  config.valu.simd = 2;
  auto rtl = std::make_unique<ip::SimdRtl>(std::make_unique<WrongLane>(std::move(wrong)), config);
  const ip::SimdLockstep::Device probe = ip::probe_of(*rtl);
  ip::SimdLockstep::Options options;
  options.share = share;
  options.timing = exact();
  ip::SimdLockstep lockstep(std::move(rtl), config, {}, probe, options);
  auto program = simd_program::mixed(*make("rtl"), count, 4711);
  // As their words say: a recording keeps these.
  for (simd::Issue& i : program) {
    i.instruction = isa::decode(isa::Target::Gfx908, i.instruction.words, 4).instruction;
  }
  simd_program::fill_rows(lockstep, 5);
  const auto done = simd_program::run(lockstep, program, 8, 8, 3,
                                      [&] { return lockstep.mismatch().has_value(); });
  return {lockstep.counts(), lockstep.mismatch(), done.complete};
}

ip::SimdRecording recording_of(const ip::SimdMismatch& m) {
  ip::SimdRecording recording;
  recording.compute_unit = m.compute_unit;
  recording.simd = m.simd;
  recording.timing = exact();
  recording.field = m.field;
  recording.transactions = m.transactions;
  return recording;
}

/// The first instruction from `first` on in which a wrong bit of lane 0 is a difference.
std::pair<uint32_t, ip::SimdMismatch> difference_from(uint32_t first) {
  const auto any = run([first](uint32_t i, uint64_t) { return i >= first; }, 400);
  if (!any.mismatch) {
    ADD_FAILURE() << "no instruction writes lane 0";
    return {};
  }
  const uint32_t id = any.mismatch->id;
  const auto ended = run([id](uint32_t i, uint64_t) { return i == id; }, 400);
  EXPECT_TRUE(ended.mismatch.has_value());
  return {id, ended.mismatch.value_or(ip::SimdMismatch())};
}

TEST(SimdRecording, TheRerunShowsTheDifferenceAndAGoodDeviceNone) {
  for (const uint32_t first : {3u, 60u, 120u}) {
    const auto [id, mismatch] = difference_from(first);
    ASSERT_EQ(mismatch.field, "data") << mismatch.report;
    ASSERT_EQ(mismatch.id, id);
    const std::string text = ip::to_text(recording_of(mismatch));
    const auto parsed = ip::parse_simd_recording(text, "t.jsonl");
    ASSERT_TRUE(parsed.ok()) << parsed.error().str();
    EXPECT_EQ(ip::to_text(*parsed), text);
    EXPECT_LE(parsed->transactions.size(), 40u);

    const uint32_t failing = id;
    const auto wrong = [failing](uint32_t i, uint64_t) { return i == failing; };
    const auto again = ip::rerun_simd(std::make_unique<WrongLane>(wrong), *parsed, "");
    ASSERT_TRUE(again.ok());
    ASSERT_TRUE(again->mismatch.has_value()) << mismatch.report;
    const ip::SimdMismatch& m = *again->mismatch;
    EXPECT_EQ(m.field, "data");
    EXPECT_EQ(m.id, id);
    EXPECT_EQ(m.compute_unit, 3u);
    EXPECT_EQ(m.simd, 2u);
    EXPECT_EQ(m.instruction, mismatch.instruction);
    EXPECT_EQ(m.lane, mismatch.lane);
    EXPECT_EQ(m.dword, mismatch.dword);
    EXPECT_EQ(m.expected, mismatch.expected);
    EXPECT_EQ(m.actual, mismatch.actual);

    const auto good = ip::rerun_simd(ip::make_simd_check(1), *parsed, "");
    ASSERT_TRUE(good.ok());
    EXPECT_FALSE(good->mismatch.has_value()) << good->mismatch->report;
    EXPECT_EQ(good->counts.instructions, parsed->transactions.size());
    EXPECT_GT(good->counts.times, parsed->transactions.size());
    if (first == 120) {
      EXPECT_TRUE(base::write_text("simd.transactions.jsonl", text).ok());
    }
  }
}

TEST(SimdRecording, WhatHangsOnMoreHistoryIsNotShown) {
  const auto ended = run([](uint32_t, uint64_t beat) { return beat >= 400; }, 300);
  ASSERT_TRUE(ended.mismatch.has_value());
  const auto wrong = [](uint32_t, uint64_t beat) { return beat >= 400; };
  const auto again =
      ip::rerun_simd(std::make_unique<WrongLane>(wrong), recording_of(*ended.mismatch), "");
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->mismatch.has_value());
}

/// The machine executes words with a reserved field, so a file may have them.
TEST(SimdRecording, ReservedFieldsAreKept) {
  const uint32_t words[] = {0x681206f9, 0x06061e02};  // v_add_u32_sdwa with dst_unused 3
  const isa::Decoded decoded = isa::decode(isa::Target::Gfx908, words, 2);
  ASSERT_EQ(decoded.status, isa::DecodeStatus::Reserved);
  ip::SimdTransaction t;
  t.issue.instruction = decoded.instruction;
  t.issue.vgpr_count = 16;
  t.issue.exec = ~uint64_t{0};
  t.taken = 1;
  for (const uint16_t row : {2, 3, 9}) {
    ip::SimdRow found{{false, row}, {}};
    found.data.fill(row);
    t.rows.push_back(found);
  }
  ip::SimdRecording recording;
  recording.timing = exact();
  recording.transactions.push_back(t);
  const std::string text = ip::to_text(recording);
  const auto parsed = ip::parse_simd_recording(text, "t.jsonl");
  ASSERT_TRUE(parsed.ok()) << parsed.error().str();
  EXPECT_EQ(ip::to_text(*parsed), text);
  const auto good = ip::rerun_simd(ip::make_simd_check(1), *parsed, "");
  ASSERT_TRUE(good.ok());
  EXPECT_FALSE(good->mismatch.has_value()) << good->mismatch->report;
  EXPECT_EQ(good->counts.instructions, 1u);
}

TEST(SimdRecording, WavesAreWrittenOrRefused) {
  const auto [id, mismatch] = difference_from(10);
  const auto recording = recording_of(mismatch);
  ASSERT_TRUE(ip::rerun_simd(ip::make_simd_check(1), recording, "simd_rerun.fst").ok());
  const auto file = base::read_text("simd_rerun.fst");
  ASSERT_TRUE(file.ok());
  EXPECT_GT(file->size(), 1000u);
  EXPECT_FALSE(ip::rerun_simd(ip::make_simd_fast(), recording, "x.fst").ok()) << "no waves";
}

/// Replaces the first `from` of the second line, or of the third.
std::string edited(std::string text, const std::string& from, const std::string& to, int line) {
  size_t at = 0;
  for (int n = 1; n < line; ++n) at = text.find('\n', at) + 1;
  at = text.find(from, at);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Mistake {
  int line;
  const char *from, *to, *message;
};

TEST(SimdRecording, MistakesAreNamedWithTheirLine) {
  const auto [id, mismatch] = difference_from(3);
  const std::string text = ip::to_text(recording_of(mismatch));
  const Mistake mistakes[] = {
      {1, "\"simd\",\"device\"", "\"vrf\",\"device\"", "t.jsonl:1: error: 'block' must be"},
      {1, "gfx908", "gfx1", "t.jsonl:1: error: unknown target"},
      {2, "{", "[", "t.jsonl:2: error: expected a JSON object"},
      {2, "\"slot\":", "\"slots\":", "key 'slot' is missing"},
      {2, "\"words\":[\"0x", "\"words\":[\"0xffffffff\",\"0x", "'words' are no "},
      {2, "\"registers\":[", "\"registers\":[1,", "'registers' must be a list of 4 numbers"},
      {2, "\"scalar\":[", "\"scalar\":[0,", "'scalar' must be a list of 3 numbers"},
      {2, "\"acc\":", "\"acd\":", "'rows' must be maps with acc, row and lanes"},
      {2, "\"lanes\":[", "\"lanes\":[5,", "'lanes' must be a list of 64 numbers"},
      {2, "\"exec\":\"0x", "\"exec\":\"x", "'exec' must be a number from 0 to"},
      {3, "\"taken\":", "\"taken\":0,\"x\":", "t.jsonl:3: error: "},
  };
  for (const Mistake& m : mistakes) {
    const auto parsed = ip::parse_simd_recording(edited(text, m.from, m.to, m.line), "t.jsonl");
    ASSERT_FALSE(parsed.ok()) << m.message;
    EXPECT_NE(parsed.error().str().find(m.message), std::string::npos) << parsed.error().str();
  }
  EXPECT_FALSE(ip::parse_simd_recording(text.substr(0, text.find('\n') + 1), "t.jsonl").ok());
}

TEST(SimdSampling, OneInstructionOfManyIsComparedAndAllAreTimed) {
  const auto all = run([](uint32_t, uint64_t) { return false; }, 2000);
  const auto some = run([](uint32_t, uint64_t) { return false; }, 2000, 10);
  for (const Ended* e : {&all, &some}) {
    ASSERT_FALSE(e->mismatch.has_value()) << e->mismatch->report;
    EXPECT_TRUE(e->complete);
    EXPECT_EQ(e->counts.instructions, 2000u);
  }
  EXPECT_EQ(all.counts.sampled, 2000u);
  // Of every ten one, but for those whose wavefront has another one under way.
  EXPECT_LE(some.counts.sampled, 200u);
  EXPECT_GE(some.counts.sampled, 100u);
  EXPECT_EQ(some.counts.times, all.counts.times);
  EXPECT_EQ(some.counts.rows, all.counts.rows);
  EXPECT_LT(some.counts.lanes * 5, all.counts.lanes);
}

TEST(SimdSampling, ADeviceThatIsAlwaysWrongIsFound) {
  const auto ended = run([](uint32_t, uint64_t) { return true; }, 1000, 10);
  ASSERT_TRUE(ended.mismatch.has_value());
  EXPECT_EQ(ended.mismatch->field, "data");
  EXPECT_NE(ended.mismatch->report.find("not compared"), std::string::npos);
}

ip::VrfRecording recording_of(const ip::VrfMismatch& m) {
  ip::VrfRecording recording;
  recording.timing = exact();
  recording.field = m.field;
  recording.transactions = m.transactions;
  return recording;
}

ip::VrfMismatch lane_difference() {
  const auto mismatch = vrf_faults::mismatch_of(vrf_faults::Fault::Lane);
  EXPECT_TRUE(mismatch.has_value());
  return mismatch.value_or(ip::VrfMismatch());
}

TEST(VrfRecording, TheRerunShowsTheDifferenceAndAGoodDeviceNone) {
  const ip::VrfMismatch mismatch = lane_difference();
  ASSERT_EQ(mismatch.field, "data");
  const std::string text = ip::to_text(recording_of(mismatch));
  EXPECT_TRUE(base::write_text("vrf.transactions.jsonl", text).ok());
  const auto parsed = ip::parse_vrf_recording(text, "t.jsonl");
  ASSERT_TRUE(parsed.ok()) << parsed.error().str();
  EXPECT_EQ(ip::to_text(*parsed), text);
  const auto again =
      ip::rerun_vrf(std::make_unique<vrf_faults::FaultyVrf>(vrf_faults::Fault::Lane), *parsed, "");
  ASSERT_TRUE(again.ok());
  ASSERT_TRUE(again->mismatch.has_value());
  EXPECT_EQ(again->mismatch->field, "data");
  EXPECT_EQ(again->mismatch->lane, mismatch.lane);
  EXPECT_EQ(again->mismatch->expected, mismatch.expected);
  EXPECT_EQ(again->mismatch->actual, mismatch.actual);
  EXPECT_EQ(again->mismatch->address.row, mismatch.address.row);
  const auto good = ip::rerun_vrf(ip::make_vrf_check(1), *parsed, "vrf_rerun.fst");
  ASSERT_TRUE(good.ok());
  EXPECT_FALSE(good->mismatch.has_value()) << good->mismatch->report;
  EXPECT_GT(good->counts.lanes, 0u);
  EXPECT_FALSE(ip::rerun_vrf(ip::make_vrf_fast(), *parsed, "x.fst").ok()) << "no waves";
}

TEST(VrfRecording, MistakesAreNamedWithTheirLine) {
  const std::string text = ip::to_text(recording_of(lane_difference()));
  const Mistake mistakes[] = {
      {1, "\"vrf\",\"device\"", "\"simd\",\"device\"", "t.jsonl:1: error: 'block' must be"},
      {2, "{", "[", "t.jsonl:2: error: expected a JSON object"},
      {2, "\"access\":\"", "\"access\":\"un", "'access' must be read or write"},
      {2, "\"port\":", "\"port\":9", "'port' must be a number from 0 to"},
      {2, "\"row\":", "\"rows\":", "key 'row' is missing"},
      {2, "\"data\":[", "\"data\":[1,", "'data' must be a list of 64 numbers"},
      {2, "\"at\":", "\"at\":9999999", "t.jsonl:3: error: 'at' is earlier"},
  };
  for (const Mistake& m : mistakes) {
    const auto parsed = ip::parse_vrf_recording(edited(text, m.from, m.to, m.line), "t.jsonl");
    ASSERT_FALSE(parsed.ok()) << m.message;
    EXPECT_NE(parsed.error().str().find(m.message), std::string::npos) << parsed.error().str();
  }
}

}  // namespace
}  // namespace cuvette
