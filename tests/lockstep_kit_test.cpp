// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What stands around lockstep: monitors at the pins, the timing check, recordings and
// their rerun, the loader of users' devices.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "coverage_file.h"
#include "ip/common/bit_field.h"
#include "ip/common/first_difference.h"
#include "ip/valu/register_valu.h"
#include "ip/valu/valu_message.h"
#include "ip/valu/valu_rerun.h"
#include "ip/valu/valu_rtl.h"
#include "ip/valu_dut.h"
#include "isa/encode.h"
#include "valu_faults.h"
#include "valu_pin_faults.h"

namespace cuvette {
namespace {

using ::testing::HasSubstr;
using valu_pin_faults::Fault;

constexpr uint64_t kSeed = 2024;

const std::vector<valu::Request>& program() {
  static const auto requests = [] {
    const ip::ValuRtl rtl(ip::make_valu_fast());
    return valu_program::mixed(rtl, 1200, kSeed);
  }();
  return requests;
}

TEST(ValuMonitor, OurRtlAndAFaultlessDeviceKeepTheRules) {
  EXPECT_FALSE(valu_pin_faults::seen(Fault::None, program()));
  valu::Registry registry;
  ip::register_valu(registry);
  for (const unsigned takes : {8u, 3u, 1u}) {
    const auto block = registry.make("lockstep-check", {});
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    EXPECT_TRUE(valu_program::run(*block, program(), 8, takes, kSeed).complete);
    EXPECT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  }
}

TEST(ValuMonitor, EveryBrokenRuleIsNamed) {
  for (const auto& fault : valu_pin_faults::faults()) {
    EXPECT_TRUE(valu_pin_faults::named(fault, program())) << fault.second;
  }
}

TEST(ValuMonitor, TheRequestersMistakesAreNamedToo) {
  ip::ValuMonitor monitor(std::make_unique<valu_pin_faults::FakeDevice>(Fault::None));
  for (int n = 0; n < 3; ++n) {  // fills the three stages
    monitor.drive(&program()[static_cast<size_t>(n)], 0, false);
    monitor.clock();
  }
  monitor.drive(&program()[3], 0, false);
  monitor.clock();
  EXPECT_FALSE(monitor.failure());
  monitor.drive(&program()[4], 0, false);
  monitor.clock();
  ASSERT_TRUE(monitor.failure());
  EXPECT_EQ(monitor.failure()->what, "request: the message changed before ready");
}

TEST(ValuMonitor, LockstepReportsWhatItSaw) {
  auto rtl = std::make_unique<ip::ValuRtl>(std::make_unique<ip::ValuMonitor>(
      std::make_unique<valu_pin_faults::FakeDevice>(Fault::MessageChanges)));
  ip::ValuDevice& device = rtl->device();
  const valu::Config config;
  ip::ValuLockstep lockstep(std::move(rtl), config, {}, [&device] { return device.failure(); });
  valu_program::run(lockstep, program(), 8, 2, kSeed);
  ASSERT_TRUE(lockstep.mismatch());
  EXPECT_EQ(lockstep.mismatch()->field, "protocol");
  EXPECT_THAT(lockstep.mismatch()->report, HasSubstr("the message changed before ready"));
}

TEST(ValuTiming, SequencesByHand) {
  for (const auto& sequence : valu_pin_faults::sequences()) {
    EXPECT_EQ(valu_pin_faults::keeps_time(sequence), sequence.good)
        << sequence.rule << " " << sequence.cycles;
  }
}

TEST(ValuTiming, OurRtlIsExactUnderAnyBackPressure) {
  const CountsCoverage counting("lockstep_kit_test");
  ip::ValuLockstep::Options options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  for (const auto& [offers, takes] : {std::pair{8u, 8u}, {8u, 2u}, {2u, 8u}, {5u, 4u}}) {
    valu::Registry registry;
    ip::register_valu(registry, {}, options);
    const auto block = registry.make("lockstep", {});
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    EXPECT_TRUE(valu_program::run(*block, program(), offers, takes, kSeed).complete);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    EXPECT_EQ(lockstep.counts().times, program().size());
  }
  // A model with another latency is not.
  valu::Config slow;
  slow.latency_cycles = 7;
  ip::ValuLockstep lockstep(std::make_unique<valu::ValuTlm>(slow), slow, {}, {}, options);
  valu_program::run(lockstep, program(), 8, 8, kSeed);
  ASSERT_TRUE(lockstep.mismatch());
  EXPECT_EQ(lockstep.mismatch()->field, "timing");
}

ip::ValuRecording recording_of_a_difference() {
  const valu::Config config;
  for (const auto& fault : valu_faults::faults()) {
    if (fault.name != "lane 15") continue;
    ip::ValuLockstep lockstep(std::make_unique<valu_faults::FaultyValu>(config, fault), config);
    valu_program::run(lockstep, program(), 8, 5, 1);
    ip::ValuRecording recording;
    recording.field = lockstep.mismatch()->field;
    recording.transactions = lockstep.mismatch()->transactions;
    recording.timing = *machine::parse_timing_rule("bounded(2,9)");
    return recording;
  }
  return {};
}

TEST(ValuRecording, TextAndBack) {
  const auto recording = recording_of_a_difference();
  ASSERT_FALSE(recording.transactions.empty());
  const std::string text = ip::to_text(recording);
  const auto back = ip::parse_recording(text, "r.jsonl");
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_EQ(ip::to_text(*back), text);
  ASSERT_EQ(back->transactions.size(), recording.transactions.size());
  for (size_t i = 0; i < recording.transactions.size(); ++i) {
    const auto& a = recording.transactions[i];
    const auto& b = back->transactions[i];
    EXPECT_EQ(a.offered, b.offered);
    EXPECT_EQ(a.answered, b.answered);
    EXPECT_EQ(ip::pack(a.request, 1), ip::pack(b.request, 1));
    EXPECT_EQ(a.request.row, b.request.row);
  }
}

/// The model until its `last`-th answer; then it takes what comes and answers no more, or takes no
/// more either.
class StoppingValu final : public valu::Valu {
 public:
  StoppingValu(unsigned last, bool takes) : last_(last), takes_(takes) {}
  void tick(machine::Cycle now) override {
    if (given_ == last_) {
      if (takes_ && request.front(now) != nullptr) request.drop(now);
      return;
    }
    std::swap(request, model_.request);
    std::swap(response, model_.response);
    const size_t before = model_.response.size();
    model_.tick(now);
    given_ += static_cast<unsigned>(model_.response.size() - before);
    std::swap(request, model_.request);
    std::swap(response, model_.response);
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }

 private:
  unsigned last_, given_ = 0;
  bool takes_;
  valu::ValuTlm model_{valu::Config{}};
};

/// Feeds requests with at most `most` of them under way, as a simd does.
void feed(valu::Valu& block, size_t most, machine::Cycle cycles, bool receives) {
  size_t sent = 0, answered = 0;
  for (machine::Cycle now = 0; now < cycles; ++now) {
    if (sent - answered < most && block.request.can_push(now)) {
      block.request.push(program()[sent++ % program().size()], now + 1);
    }
    block.tick(now);
    while (receives && block.response.front(now) != nullptr) {
      block.response.drop(now);
      ++answered;
    }
  }
}

/// A simd has 32 requests under way at most: a device that stops is found by the cycles.
TEST(ValuLockstep, ADeviceThatStopsIsNamed) {
  for (const bool takes : {true, false}) {
    const valu::Config config;
    ip::ValuLockstep lockstep(std::make_unique<StoppingValu>(20, takes), config);
    feed(lockstep, 32, 11000, true);
    ASSERT_TRUE(lockstep.mismatch()) << takes;
    EXPECT_EQ(lockstep.mismatch()->field, "order");
    EXPECT_EQ(lockstep.mismatch()->id, 21u) << "the oldest without a response";
    EXPECT_THAT(lockstep.mismatch()->report, HasSubstr("no response in 10000 cycles"));
    EXPECT_GE(lockstep.mismatch()->transactions.size(), 21u);
  }
}

TEST(ValuLockstep, AReceiverThatStopsIsNoDifference) {
  const valu::Config config;
  ip::ValuLockstep lockstep(std::make_unique<StoppingValu>(1000, true), config);
  feed(lockstep, 32, 30000, false);
  EXPECT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  // Nor is a time that the rule allows.
  ip::ValuLockstep::Options options;
  options.timing = *machine::parse_timing_rule("bounded(1,20000)");
  ip::ValuLockstep patient(std::make_unique<StoppingValu>(20, false), config, {}, {}, options);
  feed(patient, 1, 15000, true);
  EXPECT_FALSE(patient.mismatch()) << patient.mismatch()->report;
}

/// The rerun of a device that stops ends, with the same difference.
TEST(ValuRerun, OfADeviceThatStopsEnds) {
  auto recording = recording_of_a_difference();
  recording.timing = {};
  for (const auto fault : {Fault::NeverReady, Fault::NeverValid}) {
    valu_pin_faults::FakeDevice device(fault);
    const auto rerun = ip::rerun_valu(device, recording, "");
    ASSERT_TRUE(rerun.ok());
    ASSERT_TRUE(rerun->mismatch);
    EXPECT_EQ(rerun->mismatch->field, "order");
    EXPECT_THAT(rerun->mismatch->report, HasSubstr("no response in 10000 cycles"));
  }
}

/// Takes a request in every fourth cycle alone.
class SlowValu final : public valu::Valu {
 public:
  void tick(machine::Cycle now) override {
    if (now % 4 == 0 && request.front(now) != nullptr) {
      model_.request.push(request.pop(now), now);
    }
    std::swap(response, model_.response);
    model_.tick(now);
    std::swap(response, model_.response);
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }

 private:
  valu::ValuTlm model_{valu::Config{}};
};

/// Requests wait for the pins when the difference is found: the file says no earlier time for them
/// than for those in front of them, whatever phase it is.
TEST(ValuRecording, OfADeviceThatStallsCanBeReadBack) {
  for (unsigned last = 20; last < 28; ++last) {
    unsigned cycles = 0;
    const auto fails = [&cycles, last]() -> std::optional<ip::DeviceFailure> {
      if (++cycles < last) return std::nullopt;
      return ip::DeviceFailure{"protocol", "made up"};
    };
    const valu::Config config;
    ip::ValuLockstep lockstep(std::make_unique<SlowValu>(), config, {}, fails);
    valu_program::run(lockstep, program(), 8, 8, kSeed,
                      [&] { return lockstep.mismatch().has_value(); });
    ASSERT_TRUE(lockstep.mismatch());
    ip::ValuRecording recording;
    recording.field = lockstep.mismatch()->field;
    recording.transactions = lockstep.mismatch()->transactions;
    const auto back = ip::parse_recording(ip::to_text(recording), "r.jsonl");
    ASSERT_TRUE(back.ok()) << back.error().str();
    EXPECT_EQ(back->transactions.size(), recording.transactions.size());
  }
}

TEST(ValuRecording, MistakesAreNamedWithTheirLine) {
  const std::string text = ip::to_text(recording_of_a_difference());
  const auto edited = [&text](const std::string& from, const std::string& to) {
    std::string t = text;
    const size_t at = t.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    t.replace(at, from.size(), to);
    const auto parsed = ip::parse_recording(t, "r.jsonl");
    return parsed.ok() ? std::string("accepted") : parsed.error().str();
  };
  EXPECT_THAT(edited("\"schema\":2", "\"schema\":1"), HasSubstr("r.jsonl:1: error: 'schema'"));
  EXPECT_THAT(edited("\"block\":\"valu\"", "\"block\":\"lds\""), HasSubstr("'block'"));
  EXPECT_THAT(edited("gfx908", "gfx1"), HasSubstr("unknown target"));
  EXPECT_THAT(edited("bounded(2,9)", "bounded(9,2)"), HasSubstr("'timing'"));
  EXPECT_THAT(edited("\"beat\":", "\"beta\":"), HasSubstr("r.jsonl:2: error: key 'beat'"));
  EXPECT_THAT(edited("\"beat\":", "\"colour\":1,\"beat\":"), HasSubstr("unknown keys"));
  EXPECT_THAT(edited("\"row\":\"", "\"row\":\"X."), HasSubstr("no vector instruction"));
  EXPECT_THAT(edited("\"exec\":\"0x", "\"exec\":\"0xf0000"), HasSubstr("'exec'"));
  EXPECT_THAT(edited("\"src0\":[", "\"src0\":[0,"), HasSubstr("'src0' must be a list of 16"));
  EXPECT_THAT(edited("{\"offered\"", "[\"offered\""), HasSubstr("expected a JSON object"));
  EXPECT_FALSE(ip::parse_recording("", "r.jsonl").ok());
  for (size_t length = 0; length < text.size(); length += 97) {
    (void)ip::parse_recording(text.substr(0, length), "r.jsonl").ok();
  }
}

TEST(ValuRerun, ShowsTheDifferenceOfAFaultyDeviceAndNoneOfOurs) {
  auto recording = recording_of_a_difference();
  recording.timing = {};
  const auto ours = ip::rerun_valu(*ip::make_valu_check(1), recording, "");
  ASSERT_TRUE(ours.ok());
  EXPECT_FALSE(ours->mismatch) << ours->mismatch->report;
  EXPECT_EQ(ours->counts.sampled, recording.transactions.size());
  valu_pin_faults::FakeDevice wrong(Fault::UnknownId);
  const auto other = ip::rerun_valu(wrong, recording, "");
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(other->mismatch);
  EXPECT_EQ(other->mismatch->field, "id");
}

/// Another module (--library) need not have every instruction of the recording.
TEST(ValuRerun, WhatTheDeviceLacksIsRefusedByName) {
  auto recording = recording_of_a_difference();
  recording.timing = {};
  valu_pin_faults::FakeDevice device(Fault::None);
  device.lacks =
      std::string((isa::rows().begin() + recording.transactions[5].request.row)->mnemonic);
  const auto rerun = ip::rerun_valu(device, recording, "");
  ASSERT_FALSE(rerun.ok()) << (rerun->mismatch ? rerun->mismatch->report : "no difference");
  EXPECT_EQ(rerun.error().str(), "error: the device has no circuit for " + device.lacks);
}

/// What first_difference.h asks of a lockstep object; two types of them.
template <int Block>
struct Watched {
  struct Mismatch {
    uint64_t time = 0;
    uint32_t compute_unit = 0, simd = 0;
  };
  std::string name;
  std::optional<Mismatch> found;
  const std::optional<Mismatch>& mismatch() const { return found; }
};
using Lanes = Watched<0>;
using Matrices = Watched<1>;

template <class Lockstep>
std::vector<Lockstep*> all_of(std::vector<Lockstep>& objects) {
  std::vector<Lockstep*> all;
  for (Lockstep& each : objects) all.push_back(&each);
  return all;
}

/// Whose difference is told, lanes named first; "" for nobody.
std::string told_first(std::vector<Lanes> lanes, std::vector<Matrices> matrices) {
  std::vector<std::string> told;
  ip::tell_first([&told](const auto& lockstep) { told.push_back(lockstep.name); }, all_of(lanes),
                 all_of(matrices));
  EXPECT_LE(told.size(), 1u);
  return told.empty() ? "" : told.front();
}

TEST(FirstDifference, TheEarliestOfOneBlockWhereverItStands) {
  EXPECT_EQ(told_first({}, {}), "");
  EXPECT_EQ(told_first({{"no difference", {}}}, {{"no difference", {}}}), "");
  const Lanes late{"late", {{900, 0, 0}}}, none{"none", {}}, early{"early", {{899, 119, 3}}};
  EXPECT_EQ(told_first({none, late, early}, {}), "early");
  EXPECT_EQ(told_first({early, late, none}, {}), "early");
}

TEST(FirstDifference, AtOneTimeByComputeUnitThenSimd) {
  const Lanes a{"0.3", {{900, 0, 3}}}, b{"1.0", {{900, 1, 0}}}, c{"1.2", {{900, 1, 2}}};
  EXPECT_EQ(told_first({c, b, a}, {}), "0.3");
  EXPECT_EQ(told_first({a, b, c}, {}), "0.3");
  EXPECT_EQ(told_first({c, b}, {}), "1.0");
  EXPECT_EQ(told_first({b, c}, {}), "1.0");
}

TEST(FirstDifference, OfSeveralBlocksTheEarliestThenTheOneNamedFirst) {
  const Lanes lanes{"lanes", {{900, 1, 1}}};
  EXPECT_EQ(told_first({lanes}, {{"matrix", {{899, 9, 3}}}}), "matrix");
  EXPECT_EQ(told_first({lanes}, {{"matrix", {{901, 0, 0}}}}), "lanes");
  // At one time places do not count between blocks.
  EXPECT_EQ(told_first({lanes}, {{"matrix", {{900, 0, 0}}}}), "lanes");
  EXPECT_EQ(told_first({{"none", {}}}, {{"matrix", {{900, 0, 0}}}}), "matrix");
}

TEST(ValuMessage, PortsStandWhereTheTableSays) {
  valu::Request r;
  r.id = 0x12345678;
  r.exec = 0xa5c3;
  r.src[0][15] = 0xfedcba9876543210;
  r.old[0] = 0x0123456789abcdef;
  const auto m = ip::pack(r, 0x29e);
  EXPECT_EQ(ip::get_bits(m.data(), ip::kValuRequestBits - 32, 32), 0x12345678u);
  EXPECT_EQ(ip::get_bits(m.data(), ip::kValuRequestBits - 42, 10), 0x29eu);
  EXPECT_EQ(ip::get_bits(m.data(), 0, 64), 0x0123456789abcdefu);
  EXPECT_EQ(ip::get_bits(m.data(), 4 * 1024 + 16, 16), 0xa5c3u);
  EXPECT_EQ(ip::get_bits(m.data(), 4 * 1024 - 64, 64), 0xfedcba9876543210u);
  valu::Response a;
  a.id = 7;
  a.beat = 3;
  a.pass = 1;
  a.flags = 0x55;
  a.has_mask = true;
  a.mask = 0x8001;
  a.write = 0x7ffe;
  for (unsigned l = 0; l < valu::kLanes; ++l) a.dst[l] = 0x1111111111111111u * l;
  const auto b = ip::unpack(ip::pack(a));
  EXPECT_EQ(ip::pack(a), ip::pack(b));
  EXPECT_EQ(b.dst[15], 0xffffffffffffffffu);
  EXPECT_EQ(b.beat, 3);
}

TEST(ValuReport, NamesInstructionWavePcAndDecodedLanes) {
  isa::Instruction i;
  i.row = isa::find_row("v_add_f32", isa::Format::Vop2);
  const uint32_t words[] = {0x02040101};  // v_add_f32_e32 v2, v1, v0: Vega ISA 13.3.1
  valu::Request r;
  r.row = static_cast<uint16_t>(isa::index_of(*i.row));
  r.exec = 0xffff;
  r.mode = 0x3f0;
  r.origin = {0x42, 0x7f000010, 1, {words[0]}};
  for (unsigned l = 0; l < valu::kLanes; ++l) r.src[0][l] = r.src[1][l] = 0x3f800000;  // 1.0
  const valu_faults::Fault fault{"lane 5", "dst", [](const valu::Response&) { return true; },
                                 [](valu::Response& a) { a.dst[5] = 0x40400000; }};  // 3.0
  valu::Config config;
  config.compute_unit = 3;
  config.simd = 2;
  ip::ValuLockstep lockstep(std::make_unique<valu_faults::FaultyValu>(config, fault), config);
  valu_program::run(lockstep, std::vector<valu::Request>(12, r), 8, 8, 1);
  ASSERT_TRUE(lockstep.mismatch());
  const ip::ValuMismatch& m = *lockstep.mismatch();
  EXPECT_EQ(m.lane, 5);
  EXPECT_EQ(m.origin.wave, 0x42u);
  EXPECT_THAT(m.report, HasSubstr("compute unit 3 SIMD 2 differs in dst at cycle"));
  EXPECT_THAT(m.report, HasSubstr("expected 0x40000000, got 0x40400000"));
  EXPECT_THAT(m.report, HasSubstr("wave 0x42 pc 0x7f000010"));
  EXPECT_THAT(m.report, HasSubstr("v_add_f32_e32 v2, v1, v0"));
  EXPECT_THAT(m.report, HasSubstr("expected 0x40000000 (2), got 0x40400000 (3)"));
  EXPECT_THAT(m.report, HasSubstr("src0 0x3f800000 (1)"));
}

TEST(DutLibrary, AMissingOrForeignFileIsNamed) {
  const auto missing = ip::load_valu_dut("/nonexistent/user.so");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().str(), HasSubstr("/nonexistent/user.so: error: no such file"));
  const std::string text = ::testing::TempDir() + "/lockstep_kit_not_a_module.so";
  std::ofstream(text) << "not a module";
  const auto foreign = ip::load_valu_dut(text);
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().str(), HasSubstr("not a shared module that can be loaded"));
}

}  // namespace
}  // namespace cuvette
