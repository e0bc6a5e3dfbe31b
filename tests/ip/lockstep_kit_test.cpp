// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Parts around lockstep: monitors at the pins, the timing check, devices that stop, the
// loader of users' devices.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/common/first_difference.h"
#include "ip/lockstep/request_log.h"
#include "ip/valu/register_valu.h"
#include "ip/valu/valu_rtl.h"
#include "valu_faults.h"
#include "valu_pin_faults.h"

namespace cuvette {
namespace {

using ::testing::HasSubstr;
using valu_faults::behind_pins;
using valu_pin_faults::Fault;

constexpr uint64_t kSeed = 2024;

const std::vector<valu::Request>& program() {
  static const auto requests = [] {
    const ip::ValuRtl rtl(ip::make_valu_fast());
    return valu_program::mixed(rtl, 1200, kSeed);
  }();
  return requests;
}

TEST(ValuPins, OurRtlAndAFaultlessDeviceKeepTheRules) {
  EXPECT_EQ(valu_pin_faults::seen(Fault::None, program()).second, "");
  valu::Registry registry;
  ip::register_valu(registry);
  for (const unsigned takes : {8u, 3u, 1u}) {
    const auto block = registry.make("lockstep-check", {});
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    EXPECT_TRUE(valu_program::run(*block, program(), 8, takes, kSeed).complete);
    EXPECT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  }
}

TEST(ValuPins, EveryBrokenRuleIsNamed) {
  for (const auto& fault : valu_pin_faults::faults()) {
    EXPECT_TRUE(valu_pin_faults::named(fault, program()))
        << fault.text << ": " << valu_pin_faults::seen(fault.fault, program()).second;
  }
}

TEST(ValuPins, TheRequestersMistakesAreNamedToo) {
  const auto monitor = valu_pin_faults::watched(Fault::None);
  const auto offer = [&monitor](size_t n) {
    const auto pins = contract::pack(program()[n]);
    monitor->drive(0, reinterpret_cast<const uint8_t*>(pins.data()));
    monitor->accept(1, false);
    static_cast<void>(monitor->ready(0));
    monitor->clock();
  };
  for (size_t n = 0; n < 3; ++n) offer(n);  // fills the three stages
  offer(3);
  EXPECT_FALSE(monitor->failure());
  offer(4);
  ASSERT_TRUE(monitor->failure());
  EXPECT_EQ(monitor->failure()->what, "request: the message changed before ready");
}

TEST(ValuTiming, SequencesByHand) {
  for (const auto& sequence : valu_pin_faults::sequences()) {
    EXPECT_EQ(valu_pin_faults::keeps_time(sequence), sequence.good)
        << sequence.rule << " " << sequence.cycles;
  }
}

TEST(ValuTiming, OurRtlIsExactUnderAnyBackPressure) {
  const CountsCoverage counting("lockstep_kit_test");
  ip::LockstepOptions options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  for (const auto& [offers, takes] : {std::pair{8u, 8u}, {8u, 2u}, {2u, 8u}, {5u, 4u}}) {
    valu::Registry registry;
    ip::register_valu(registry, {}, options);
    const auto block = registry.make("lockstep", {});
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    EXPECT_TRUE(valu_program::run(*block, program(), offers, takes, kSeed).complete);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    EXPECT_EQ(lockstep.kit().items()["valu times"], program().size());
  }
  // A model with another latency is not.
  valu::Config slow;
  slow.latency_cycles = 7;
  ip::ValuLockstep lockstep(behind_pins([&] { return std::make_unique<valu::ValuModel>(slow); }),
                            slow, options);
  valu_program::run(lockstep, program(), 8, 8, kSeed);
  ASSERT_TRUE(lockstep.mismatch());
  EXPECT_EQ(lockstep.mismatch()->field, "time");
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
  valu::ValuModel model_{valu::Config{}};
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
    ip::ValuLockstep lockstep(
        behind_pins([takes] { return std::make_unique<StoppingValu>(20, takes); }), valu::Config());
    feed(lockstep, 32, 11000, true);
    ASSERT_TRUE(lockstep.mismatch()) << takes;
    EXPECT_EQ(lockstep.mismatch()->field, "missing");
    EXPECT_EQ(lockstep.kit().seen(), 20u);
    EXPECT_THAT(lockstep.mismatch()->report, HasSubstr("no message in 10000 cycles"));
    EXPECT_GE(lockstep.mismatch()->transactions.size(), 21u);
  }
}

TEST(ValuLockstep, AReceiverThatStopsIsNoDifference) {
  const auto stopping = [](unsigned last, bool takes) {
    return behind_pins([=] { return std::make_unique<StoppingValu>(last, takes); });
  };
  ip::ValuLockstep lockstep(stopping(1000, true), valu::Config());
  feed(lockstep, 32, 30000, false);
  EXPECT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  // Nor is a time that the rule allows.
  ip::LockstepOptions options;
  options.timing = *machine::parse_timing_rule("bounded(1,20000)");
  ip::ValuLockstep patient(stopping(20, false), valu::Config(), options);
  feed(patient, 1, 15000, true);
  EXPECT_FALSE(patient.mismatch()) << patient.mismatch()->report;
}

/// Interface of a lockstep object that first_difference.h needs.
struct Watched {
  struct Mismatch {
    uint64_t time = 0;
    uint32_t compute_unit = 0, simd = 0;
  };
  std::string name;
  std::optional<Mismatch> found;
  const std::optional<Mismatch>& mismatch() const { return found; }
};

/// Object whose difference is reported; "" for none.
std::string told_first(std::vector<Watched> objects) {
  std::vector<Watched*> all;
  for (Watched& each : objects) all.push_back(&each);
  const Watched* first = ip::first_to_differ(all);
  return first == nullptr ? "" : first->name;
}

/// Ids come again once they are answered, also while older ones are under way.
TEST(RequestLog, FindsTheLastRequestWithAnId) {
  struct Request {
    uint64_t id = 0;
    unsigned what = 0;
  };
  ip::RequestLog<Request> log(4);
  EXPECT_EQ(log.find(1), nullptr);
  const auto found = [&log](uint64_t id) { return log.find(id)->message.what; };
  log.add({1, 10}, 0, 0, 0);
  log.add({2, 20}, 1, 0, 1);
  EXPECT_EQ(found(1), 10u);
  log.add({1, 11}, 2, 0, 2);
  EXPECT_EQ(found(1), 11u);
  EXPECT_EQ(found(2), 20u);
  log.add({3, 30}, 3, 0, 3);
  log.add({4, 40}, 4, 0, 4);  // in the place of the oldest
  log.add({2, 21}, 5, 0, 5);
  EXPECT_EQ(found(1), 11u);
  EXPECT_EQ(found(2), 21u);
  EXPECT_EQ(found(4), 40u);
  EXPECT_EQ(log.find(5), nullptr);
}

TEST(FirstDifference, TheEarliestWhereverItStands) {
  EXPECT_EQ(told_first({}), "");
  EXPECT_EQ(told_first({{"no difference", {}}}), "");
  const Watched late{"late", {{900, 0, 0}}}, none{"none", {}}, early{"early", {{899, 119, 3}}};
  EXPECT_EQ(told_first({none, late, early}), "early");
  EXPECT_EQ(told_first({early, late, none}), "early");
}

TEST(FirstDifference, AtOneTimeByComputeUnitThenSimdThenOrder) {
  const Watched a{"0.3", {{900, 0, 3}}}, b{"1.0", {{900, 1, 0}}}, c{"1.2", {{900, 1, 2}}};
  EXPECT_EQ(told_first({c, b, a}), "0.3");
  EXPECT_EQ(told_first({a, b, c}), "0.3");
  EXPECT_EQ(told_first({c, b}), "1.0");
  EXPECT_EQ(told_first({b, c}), "1.0");
  EXPECT_EQ(told_first({{"named first", {{900, 1, 0}}}, b}), "named first");
}

TEST(ValuReport, NamesInstructionWavePcAndDecodedLanes) {
  isa::Instruction i;
  i.row = isa::find_row("v_add_f32", isa::Format::Vop2);
  const uint32_t words[] = {0x02040101};  // v_add_f32_e32 v2, v1, v0: Vega ISA 13.3.1
  valu::Request r;
  r.row = static_cast<uint16_t>(isa::index_of(*i.row));
  r.exec = 0xffff;
  r.mode = 0x3f0;
  r.wave = 0x42;
  r.pc = 0x7f000010;
  r.length = 1;
  r.words[0] = words[0];
  for (unsigned l = 0; l < valu::kLanes; ++l) r.src[0][l] = r.src[1][l] = 0x3f800000;  // 1.0
  const valu_faults::Fault fault{"lane 5", "dst", [](const valu::Response&) { return true; },
                                 [](valu::Response& a) { a.dst[5] = 0x40400000; }};  // 3.0
  valu::Config config;
  config.compute_unit = 3;
  config.simd = 2;
  ip::ValuLockstep lockstep(behind_pins(fault), config);
  valu_program::run(lockstep, std::vector<valu::Request>(12, r), 8, 8, 1);
  ASSERT_TRUE(lockstep.mismatch());
  const ip::BlockMismatch& m = *lockstep.mismatch();
  EXPECT_EQ(m.lane, 5);
  EXPECT_THAT(m.report, HasSubstr("block valu of compute unit 3 SIMD 2, cycle "));
  EXPECT_THAT(m.report, HasSubstr("response: field dst, lane 5: expected 0x40000000"));
  EXPECT_THAT(m.report, HasSubstr("wave 0x42 pc 0x7f000010"));
  EXPECT_THAT(m.report, HasSubstr("v_add_f32_e32 v2, v1, v0"));
  EXPECT_THAT(m.report, HasSubstr("expected 0x40000000 (2), got 0x40400000 (3)"));
  EXPECT_THAT(m.report, HasSubstr("src0 0x3f800000 (1)"));
}

TEST(DutLibrary, AMissingOrForeignFileIsNamed) {
  const auto load = [](const std::string& path) {
    return ip::DutLibrary::load(path, "valu", ip::dut_channels(valu::kChannels));
  };
  const auto missing = load("/nonexistent/user.so");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().str(), HasSubstr("/nonexistent/user.so: error: no such file"));
  const std::string text = ::testing::TempDir() + "/lockstep_kit_not_a_module.so";
  std::ofstream(text) << "not a module";
  const auto foreign = load(text);
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().str(), HasSubstr("not a shared module that can be loaded"));
}

}  // namespace
}  // namespace cuvette
