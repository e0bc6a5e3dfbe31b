// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Sampled lockstep of the valu: what is compared, what is found, and that the machine sees nothing
// of it.
#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ip/valu/register_valu.h"
#include "ip/valu/valu_rtl.h"
#include "simd/simd_model.h"
#include "simd_program.h"
#include "valu_faults.h"
#include "valu_pin_faults.h"

namespace cuvette {
namespace {

using valu_faults::behind_pins;
using valu_pin_faults::sampled_around;
using valu_pin_faults::show;

constexpr uint64_t kSeed = 2024;

const std::vector<valu::Request>& program() {
  static const auto requests = [] {
    const ip::ValuRtl rtl(ip::make_valu_fast());
    return valu_program::mixed(rtl, 1200, kSeed);
  }();
  return requests;
}

/// The model with lane 2 wrong in every response of some beats.
class WrongBeats final : public valu::Valu {
 public:
  explicit WrongBeats(unsigned beats) : beats_(beats) {}
  void tick(machine::Cycle now) override {
    std::swap(request, model_.request);
    model_.tick(now);
    std::swap(request, model_.request);
    while (!model_.response.empty()) {
      const machine::Cycle time = model_.response.next_event();
      valu::Response r = model_.response.pop(time);
      if ((beats_ >> r.beat & 1) != 0) r.dst[2] ^= 1;
      response.push(r, time);
    }
  }
  machine::Cycle next_event() const override { return request.next_event(); }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }

 private:
  unsigned beats_;
  valu::ValuModel model_{valu::Config{}};
};

/// The number of the first response in which sampled lockstep finds a difference, with beats in
/// turn as the simd sends them; 0: none.
uint64_t first_found(uint32_t share, unsigned wrong_beats) {
  std::vector<valu::Request> requests = program();
  for (size_t i = 0; i < requests.size(); ++i) requests[i].beat = i % 4;
  const auto block =
      sampled_around(behind_pins([=] { return std::make_unique<WrongBeats>(wrong_beats); }), share);
  const auto& lockstep = block->lockstep();
  show(*block, requests, [&lockstep] { return lockstep.mismatch().has_value(); });
  // Responses so far, in the sample or not.
  return lockstep.mismatch() ? lockstep.kit().seen() : 0;
}

TEST(ValuSampling, ComparesOneInstructionOfNAndTheSameOnesEveryTime) {
  EXPECT_EQ(valu_pin_faults::sampled_of(program()), program().size() / 4);
  for (const uint32_t share : {1u, 2u, 4u, 8u, 50u}) {
    const uint64_t found = first_found(share, 15);
    EXPECT_NE(found, 0u) << share;
    // In one of the first three instructions that are compared, or about so: responses without a
    // destination, or with lane 2 off, have no wrong lane.
    EXPECT_LE(found, 12 * share) << share;
    EXPECT_EQ(found, first_found(share, 15));
  }
}

TEST(ValuSampling, ComparesAllBeatsOfAnInstruction) {
  for (unsigned beat = 0; beat < 4; ++beat) {
    EXPECT_NE(first_found(4, 1u << beat), 0u) << beat;
    EXPECT_NE(first_found(8, 1u << beat), 0u) << beat;
  }
}

/// Answers the first request of two under way with the result of the second.
class MixesTwo final : public valu::Valu {
 public:
  void tick(machine::Cycle now) override {
    std::swap(request, model_.request);
    model_.tick(now);
    std::swap(request, model_.request);
    while (!model_.response.empty()) {
      const machine::Cycle time = model_.response.next_event();
      waiting_.push_back({model_.response.pop(time), now});
    }
    if (waiting_.empty() || waiting_.front().second + 3 > now || !response.can_push(now)) return;
    valu::Response r = waiting_.front().first;
    if (waiting_.size() > 1) r.dst = waiting_[1].first.dst;
    response.push(r, now + 1);
    waiting_.erase(waiting_.begin());
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }

 private:
  std::vector<std::pair<valu::Response, machine::Cycle>> waiting_;
  valu::ValuModel model_{valu::Config{}};
};

TEST(ValuSampling, BeatsMeetInTheDevice) {
  const auto block = sampled_around(behind_pins([] { return std::make_unique<MixesTwo>(); }), 8);
  show(*block, program());
  ASSERT_TRUE(block->lockstep().mismatch());
  EXPECT_EQ(block->lockstep().mismatch()->field, "dst");
}

/// Takes requests and never answers, or takes none.
class Silent final : public valu::Valu {
 public:
  explicit Silent(bool takes) : takes_(takes) {}
  void tick(machine::Cycle now) override {
    if (takes_ && request.front(now) != nullptr) request.drop(now);
  }
  machine::Cycle next_event() const override { return request.next_event(); }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }

 private:
  bool takes_;
};

TEST(ValuSampling, ADeviceThatDoesNotAnswerIsADifference) {
  for (const bool takes : {false, true}) {
    const auto block =
        sampled_around(behind_pins([takes] { return std::make_unique<Silent>(takes); }), 8);
    show(*block, program());
    ASSERT_TRUE(block->lockstep().mismatch());
    EXPECT_EQ(block->lockstep().mismatch()->field, "missing");
  }
}

/// A simd with a sampled valu does what one without does, at the same times, for both timings; our
/// RTL is exact in the sample.
TEST(ValuSampling, TheMachineSeesNothingOfIt) {
  ip::LockstepOptions options;
  options.share = 4;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  for (const char* name : {"lockstep", "lockstep-check"}) {
    for (const auto timing : {simd::Timing::Issue, simd::Timing::Ports}) {
      ip::ValuLockstep* lockstep = nullptr;
      valu::Registry valus;
      ip::register_valu(valus, {}, options);
      valu::Registry kept;
      kept.add(name, [&](const valu::Config& config) {
        auto block = valus.make(name, config);
        lockstep = ip::lockstep_in(*block);
        return block;
      });
      simd::Registry simds;
      simd::register_tlm(simds);
      simd::Config config;
      config.timing = timing;
      config.valus = &kept;
      const auto alone = simds.make("tlm", config);
      config.valu_implementation = name;
      const auto watched = simds.make("tlm", config);
      const auto issues = simd_program::mixed(*watched, 2000, kSeed);
      for (simd::Simd* block : {alone.get(), watched.get()}) simd_program::fill_rows(*block, kSeed);
      const auto want = simd_program::run(*alone, issues, 6, 6, kSeed);
      const auto got = simd_program::run(*watched, issues, 6, 6, kSeed);
      EXPECT_TRUE(want.complete && got.complete);
      EXPECT_EQ(got.hash, want.hash);
      EXPECT_EQ(got.cycles, want.cycles);
      ASSERT_NE(lockstep, nullptr);
      ASSERT_FALSE(lockstep->mismatch()) << lockstep->mismatch()->report;
      ip::ComparedItems items = lockstep->kit().items();
      const uint64_t sampled = items["valu responses"], all = lockstep->kit().seen();
      EXPECT_GT(sampled, all / 5);
      EXPECT_LT(sampled, all / 3);
      EXPECT_EQ(items["valu times"], sampled);
      EXPECT_EQ(watched->counters().fallbacks, 0u);
    }
  }
}

}  // namespace
}  // namespace cuvette
