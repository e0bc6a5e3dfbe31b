// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lds/lds_lockstep.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/lockstep/pin_monitor.h"
#include "ip/traffic/lds_traffic.h"

// The generic lockstep kit on block lds: the RTL agrees with the model, and every kind of
// difference is told under its name, at its place.
namespace cuvette {
namespace {

using ip::traffic::LdsTraffic;
using machine::Cycle;
using ::testing::HasSubstr;

/// Fault of a device in beat `beat` of answer `answer`.
enum class Fault {
  None,
  WrongData,
  WrongRange,
  WrongId,
  BeatTwice,
  OtherIdInBeat,
  NoAnswer,
  MessageChanges,
  ValidDrops,
  TwoAnswers,
  TakesNothing,
};

/// A device that goes wrong once.
class FaultyDevice final : public ip::PinDevice {
 public:
  FaultyDevice(std::unique_ptr<ip::PinDevice> device, Fault fault, unsigned answer)
      : device_(std::move(device)), fault_(fault), answer_(answer) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    deaf_ |= fault_ == Fault::TakesNothing && answers_ >= answer_ && taken_ % 4 == 0 && !held_back_;
    driven_ = channel;
    driving_ = beat != nullptr && !deaf_;
    device_->drive(channel, driving_ ? beat : nullptr);
  }
  void accept(unsigned channel, bool ready) override {
    wanted_ = ready;
    const bool swallow = fault_ == Fault::NoAnswer && answers_ >= answer_;
    device_->accept(channel, ready || swallow);
  }
  bool ready(unsigned channel) override { return !deaf_ && device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    if (again_) {
      std::copy(copies_[repeated_].begin(), copies_[repeated_].end(), beat);
      return true;
    }
    valid_ = device_->sample(channel, beat);
    // Data of a store are nobody's: from that answer on.
    const bool lasts = fault_ == Fault::WrongData || fault_ == Fault::NoAnswer ||
                       fault_ == Fault::MessageChanges || fault_ == Fault::ValidDrops;
    if (!valid_ || (lasts ? answers_ < answer_ : answers_ != answer_)) return valid_;
    if (!wanted_) ++held_;
    using Answer = lds::Response;
    constexpr size_t kBytes = (contract::Message<Answer>::kBits + 7) / 8;
    const unsigned number = contract::beat_of<Answer>(beat);
    switch (fault_) {
      case Fault::WrongData:
        // out_of_range is lowest, then come four dwords of each lane.
        for (size_t n = 2; number == 2 && n < 2 + 4 * 64; ++n) beat[n] ^= 0x10;
        break;
      case Fault::WrongRange:
        if (number == 1) beat[0] ^= 1;
        break;
      case Fault::WrongId:
        beat[kBytes - 1] ^= 1;
        break;
      case Fault::OtherIdInBeat:
        if (number == 3) beat[kBytes - 1] ^= 1;
        break;
      case Fault::BeatTwice:
        if (number == 1)
          beat[contract::Message<Answer>::kBeatAt / 8] ^= 1
                                                          << contract::Message<Answer>::kBeatAt % 8;
        break;
      case Fault::MessageChanges:
        if (!wanted_ && held_ == 2) beat[20] ^= 1;
        break;
      case Fault::ValidDrops:
        if (!wanted_ && held_ == 2) return valid_ = false;
        break;
      case Fault::NoAnswer:
        return false;
      default:
        break;
    }
    copies_[number].assign(beat, beat + kBytes);
    return valid_;
  }
  void clock() override {
    held_back_ = driving_ && !device_->ready(driven_);
    if (driving_ && !held_back_) ++taken_;
    device_->clock();
    const bool moved = valid_ && wanted_;
    if (again_) {
      again_ = ++repeated_ < copies_.size();
    } else if (moved && ++beats_ == 4) {
      beats_ = 0;
      again_ = fault_ == Fault::TwoAnswers && answers_ == answer_;
      ++answers_;
    }
    valid_ = false;
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::PinDevice> device_;
  Fault fault_;
  unsigned answer_, answers_ = 0, beats_ = 0, held_ = 0, repeated_ = 0;
  unsigned driven_ = 0, taken_ = 0;  ///< channel to the device, and beats of requests
  bool wanted_ = false, valid_ = false, again_ = false, driving_ = false, held_back_ = false;
  bool deaf_ = false;  ///< between two requests
  std::array<std::vector<uint8_t>, 4> copies_;
};

std::unique_ptr<ip::PinDevice> watched(std::unique_ptr<ip::PinDevice> device) {
  return std::make_unique<ip::PinMonitor>(std::move(device), ip::pin_channels(lds::kChannels));
}

/// Stores of 16 bytes by 64 lanes that fill the memory.
constexpr unsigned kStoresOfZeros = lds::kBytes / (64 * 16);

struct Outcome {
  std::vector<lds::Request> requests;
  std::vector<lds::Response> answers;
  std::optional<ip::BlockMismatch> mismatch;
  ip::ComparedItems items;
  Cycle end = 0;
};

/// Random requests of every operation of a target.
Outcome run(std::unique_ptr<ip::PinDevice> device, unsigned requests,
            const ip::LockstepOptions& options = {}, uint32_t seed = 1, unsigned cycles_after = 0) {
  ip::LdsLockstep block(std::move(device), lds::Config{.latency_cycles = 64}, options, {});
  LdsTraffic traffic(block, isa::Target::Gfx942, {requests, seed});
  Outcome out;
  Cycle now = 1;
  for (; !block.kit().mismatch() && now < 1'000'000 && traffic.step(now); ++now) {
    block.tick(now);
    traffic.follow(now);
  }
  out.requests = traffic.requests();
  out.answers = traffic.responses();
  for (; cycles_after != 0; --cycles_after) block.tick(now++);
  block.kit().conclude();
  out.mismatch = block.kit().mismatch();
  out.items = block.kit().items();
  out.end = now;
  return out;
}

TEST(LdsLockstep, TheRtlAgrees) {
  for (const uint64_t seed : {1, 77, 4711}) {
    const Outcome r = run(watched(ip::make_lds_check(seed)), 3000, {}, static_cast<uint32_t>(seed));
    ASSERT_FALSE(r.mismatch) << r.mismatch->report;
    EXPECT_EQ(r.answers.size(), 3000u);
    EXPECT_EQ(r.items.at("lds responses"), 3000u + kStoresOfZeros);
    EXPECT_GT(r.items.at("lds values"), 100'000u);
  }
}

TEST(LdsLockstep, TheFastBuildIsTheCheckedOne) {
  const Outcome fast = run(ip::make_lds_fast(), 500), checked = run(ip::make_lds_check(5), 500);
  ASSERT_FALSE(fast.mismatch) << fast.mismatch->report;
  ASSERT_FALSE(checked.mismatch) << checked.mismatch->report;
  EXPECT_EQ(fast.end, checked.end);
}

TEST(LdsLockstep, EveryFaultIsToldByItsName) {
  const struct {
    Fault fault;
    const char* field;
    const char* words;
  } cases[] = {
      {Fault::WrongData, "data", "response: field data"},
      {Fault::WrongRange, "out_of_range", "response: field out_of_range"},
      {Fault::WrongId, "id", "response: field id"},
      {Fault::OtherIdInBeat, "protocol", "response: beat 3 has other fields than beat 0"},
      {Fault::BeatTwice, "protocol", "response: beat 0 where beat 1 is due"},
      {Fault::NoAnswer, "missing",
       "no message in 10000 cycles, the reference has given a response"},
      {Fault::MessageChanges, "protocol", "response: the message changed before ready"},
      {Fault::ValidDrops, "protocol", "response: valid dropped"},
      {Fault::TwoAnswers, "id", "response: field id"},
      {Fault::TakesNothing, "missing", "cycles, a message of request is not taken"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.words);
    for (const unsigned answer : {0u, 90u}) {
      if (c.fault == Fault::TakesNothing && answer == 0) continue;  // as after a reset
      auto faulty = std::make_unique<FaultyDevice>(ip::make_lds_check(1), c.fault, answer);
      const Outcome r = run(watched(std::move(faulty)), 60);
      ASSERT_TRUE(r.mismatch);
      EXPECT_EQ(r.mismatch->field, c.field) << r.mismatch->report;
      EXPECT_THAT(r.mismatch->report, HasSubstr(c.words));
      EXPECT_THAT(r.mismatch->report, HasSubstr("block lds of compute unit 0, cycle "));
      EXPECT_LE(r.mismatch->transactions.size(), ip::kRememberedTransactions);
    }
  }
}

TEST(LdsLockstep, AnAnswerToNothingIsTold) {
  const unsigned last = kStoresOfZeros + 60 - 1;
  auto faulty = std::make_unique<FaultyDevice>(ip::make_lds_check(1), Fault::TwoAnswers, last);
  const Outcome r = run(watched(std::move(faulty)), 60, {}, 1, 100);
  ASSERT_TRUE(r.mismatch);
  EXPECT_EQ(r.mismatch->field, "order");
  EXPECT_THAT(r.mismatch->report, HasSubstr("a message that the reference does not give"));
}

TEST(LdsLockstep, TimesWithinBounds) {
  ip::LockstepOptions options;
  options.timing.kind = machine::TimingRule::Kind::Bounded;
  options.timing.min_cycles = 1;
  options.timing.max_cycles = 5000;
  const Outcome good = run(ip::make_lds_check(1), 200, options);
  ASSERT_FALSE(good.mismatch) << good.mismatch->report;
  EXPECT_EQ(good.items.at("lds times"), 200u + kStoresOfZeros);
  options.timing.max_cycles = 60;  // below the latency
  const Outcome late = run(ip::make_lds_check(1), 200, options);
  ASSERT_TRUE(late.mismatch);
  EXPECT_EQ(late.mismatch->field, "time");
  EXPECT_THAT(late.mismatch->report, HasSubstr("expected 1 to 60"));
}

TEST(LdsLockstep, ASampleIsCompared) {
  ip::LockstepOptions options;
  options.share = 10;
  const Outcome all = run(ip::make_lds_check(1), 400),
                tenth = run(ip::make_lds_check(1), 400, options);
  EXPECT_EQ(tenth.items.at("lds responses"), all.items.at("lds responses"));
  EXPECT_LT(tenth.items.at("lds values") * 5, all.items.at("lds values"));
  EXPECT_GT(tenth.items.at("lds values"), 0u);
}

TEST(LdsContract, OnlyWhatTakesPartIsCompared) {
  lds::Request request;
  request.kind = wave::MemoryKind::Load;
  request.exec = 0xff00;
  lds::Response want, got;
  got.data[2][5] = 1;  // no lane of EXEC
  const auto differences = [&] {
    contract::Comparison c;
    contract::Message<lds::Response>::compare(want, got, request, c);
    return c.differences();
  };
  EXPECT_TRUE(differences().empty());
  got.data[3][9] = 7;
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(differences()[0].row, 3);
  EXPECT_EQ(differences()[0].lane, 9);
  EXPECT_EQ(differences()[0].actual, 7u);
  request.kind = wave::MemoryKind::Store;
  EXPECT_TRUE(differences().empty());
  got.out_of_range = 1;
  EXPECT_EQ(differences().size(), 1u);
}

/// Bytes written past the channels are there for later requests, in the device and for peek.
TEST(LdsLockstep, WhatIsPokedIsThere) {
  ip::LdsLockstep block(watched(ip::make_lds_check(1)), lds::Config{.latency_cycles = 64}, {}, {});
  std::vector<uint8_t> bytes(3001);
  for (size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<uint8_t>(n * 37 + 11);
  block.poke(777, bytes.data(), static_cast<uint32_t>(bytes.size()));
  std::vector<uint8_t> seen(bytes.size());
  block.peek(777, seen.data(), static_cast<uint32_t>(seen.size()));
  EXPECT_EQ(seen, bytes);
  lds::Request load;
  load.id = 5;
  load.base = 777;
  load.limit = 4096;
  load.exec = ~uint64_t{0};
  for (unsigned l = 0; l < 64; ++l) load.offset[0][l] = 40 * l;
  block.request.push(load, 2);
  std::optional<lds::Response> answer;
  for (Cycle now = 1; now < 5000 && !answer; ++now) {
    block.tick(now);
    if (block.response.front(now) != nullptr) answer = block.response.pop(now);
  }
  ASSERT_FALSE(block.kit().mismatch()) << block.kit().mismatch()->report;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, 5u);
  for (unsigned l = 0; l < 64; ++l) {
    uint32_t want = 0;
    std::memcpy(&want, bytes.data() + 40 * l, 4);
    EXPECT_EQ(answer->data[0][l], want) << l;
  }
  block.peek(777, seen.data(), static_cast<uint32_t>(seen.size()));
  EXPECT_EQ(seen, bytes);
}

}  // namespace
}  // namespace cuvette
