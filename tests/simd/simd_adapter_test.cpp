// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/lockstep/pin_monitor.h"
#include "ip/simd/simd_rtl.h"
#include "simd_faults.h"
#include "simd_rows.h"

// A simd on pins, and its checker, on devices that are not like ours: the order of rows, slow and
// fast devices, messages that are wrong.
namespace cuvette {
namespace {

using simd::Issue;
using simd_faults::ChangedPins;
using simd_program::make;
using ::testing::HasSubstr;

const std::vector<Issue>& program() {
  static const auto issues = simd_program::mixed(*make("rtl"), 800, 20261);
  return issues;
}

std::unique_ptr<ip::PinDevice> watched(std::unique_ptr<ip::PinDevice> device) {
  const auto pins = ip::pin_channels(simd::kChannels);
  return std::make_unique<ip::PinMonitor>(std::move(device), pins, ip::ready_within(pins));
}

/// The build for checking, which takes no row in the cycles in which `waits` says so.
class SlowRows final : public ip::PinDevice {
 public:
  explicit SlowRows(std::function<bool(uint64_t cycle)> waits)
      : device_(ip::make_simd_check(1)), waits_(std::move(waits)) {}
  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    device_->drive(channel, holds(channel) ? nullptr : beat);
  }
  void accept(unsigned channel, bool ready) override { device_->accept(channel, ready); }
  bool ready(unsigned channel) override { return device_->ready(channel) && !holds(channel); }
  bool sample(unsigned channel, uint8_t* beat) override { return device_->sample(channel, beat); }
  void clock() override {
    ++cycle_;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  bool holds(unsigned channel) const { return channel == ip::SimdPin::kFill && waits_(cycle_); }

  std::unique_ptr<ip::PinDevice> device_;
  std::function<bool(uint64_t)> waits_;
  uint64_t cycle_ = 0;
};

/// A row that waits at the pins stays there, whatever is written past the channels meanwhile.
TEST(SimdRows, ARowThatIsOfferedStaysUntilItIsTaken) {
  for (const uint64_t seed : {5u, 6u, 7u, 8u}) {
    ip::SimdRtl rtl(
        watched(std::make_unique<SlowRows>([](uint64_t cycle) { return cycle % 5 != 0; })),
        simd::Config());
    const auto sent = simd_rows::send(rtl, seed);
    EXPECT_FALSE(rtl.failure().has_value()) << rtl.failure()->what;
    EXPECT_TRUE(sent.complete);
    EXPECT_EQ(sent.wrong, 0u);
  }
}

/// Nor is a register read back past a row that waits.
TEST(SimdRows, AWaitingRowIsSomethingUnderWay) {
  ip::SimdLockstep lockstep(std::make_unique<SlowRows>([](uint64_t) { return true; }),
                            simd::Config());
  EXPECT_TRUE(lockstep.kit().idle());
  for (machine::Cycle now = 1; now < 20; ++now) {
    if (now == 10) {
      lockstep.fill.push({vrf::WritePort::MemoryReturn, {}, ~uint64_t{0}, {}}, now);
    }
    lockstep.tick(now);
  }
  EXPECT_FALSE(lockstep.kit().idle());
}

/// Memory returns and launches write the same rows one after the other (a wave ends while its last
/// load is still on `fill`, and the next one gets its registers).
TEST(SimdRows, HoldWhatWasSentLast) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    std::set<uint64_t> times;
    for (const char* name : {"tlm", "rtl", "lockstep-check"}) {
      const auto block = make(name);
      const auto sent = simd_rows::send(*block, seed);
      EXPECT_TRUE(sent.complete) << name;
      EXPECT_EQ(sent.rows, 6u) << name;
      EXPECT_EQ(sent.wrong, 0u) << name << " with seed " << seed;
      times.insert(sent.taken);
      const auto* lockstep = dynamic_cast<ip::SimdLockstep*>(block.get());
      if (lockstep == nullptr) continue;
      EXPECT_FALSE(lockstep->mismatch().has_value()) << lockstep->mismatch()->report;
    }
    EXPECT_EQ(times.size(), 1u) << "cycles differ with seed " << seed;
  }
}

TEST(SimdRows, ALaneThatIsLostIsReported) {
  EXPECT_EQ(simd_faults::reported_of_fill(), "data");
}

TEST(SimdChecker, MixedBeatsAreReported) {
  EXPECT_EQ(simd_faults::reported_of_mixing(0, program()), "");
  EXPECT_EQ(simd_faults::reported_of_mixing(4, program()), "") << "slots may overtake each other";
  EXPECT_EQ(simd_faults::reported_of_mixing(4, program(), true), "order") << "of one slot";
  for (const size_t lead : {1u, 2u, 3u}) {
    EXPECT_EQ(simd_faults::reported_of_mixing(lead, program()), "order") << lead;
  }
}

/// A device whose times are not ours has its registers read back all the same: there is no tick
/// after its last beat.
TEST(SimdChecker, RegistersOfAnotherDeviceAreReadBack) {
  const auto device = [] { return simd_faults::device_of(simd_faults::model); };
  EXPECT_EQ(simd_faults::reported_of_register(wave::kLanes, device()), "");
  EXPECT_EQ(simd_faults::reported_of_register(5, device()), "register");
}

/// A run that ends while something is under way hides what the registers hold.
TEST(SimdChecker, RegistersThatAreNeverReadBackAreTold) {
  const auto one = std::ranges::find_if(program(), [](const Issue& issue) {
    return issue.instruction.semantic() == isa::SemanticId::v_xor_b32 && issue.exec != 0 &&
           issue.instruction.encoding == isa::Encoding::Native;
  });
  ASSERT_NE(one, program().end());
  for (const bool idle : {true, false}) {
    ip::SimdLockstep lockstep(ip::make_simd_check(1), simd::Config());
    lockstep.issue.push(*one, 1);
    machine::Cycle now = 1;
    for (; now < 40; ++now) lockstep.tick(now);
    if (!idle) {
      lockstep.read.push({7, vrf::ReadPort::MemoryData, {}}, now);
      lockstep.tick(now);
    }
    lockstep.kit().conclude();
    ASSERT_EQ(lockstep.mismatch().has_value(), !idle);
    if (!idle) {
      EXPECT_THAT(lockstep.mismatch()->report, HasSubstr("no row was read back"));
    }
  }
}

/// A row that is written, and then what the device does wrong when it is read back.
std::string found_in_read_back(const std::function<void(ChangedPins&)>& change) {
  auto changed = std::make_unique<ChangedPins>(ip::make_simd_check(1));
  ChangedPins& device = *changed;
  ip::SimdLockstep lockstep(watched(std::move(changed)), simd::Config());
  lockstep.registers().write(vrf::WritePort::Backdoor, 0, {false, 3}, ~uint64_t{0},
                             simd_rows::row_of(4));
  for (machine::Cycle now = 1; now < 20; ++now) lockstep.tick(now);
  change(device);
  lockstep.audit();
  return lockstep.mismatch() ? lockstep.mismatch()->report : "";
}

TEST(SimdChecker, WhatGoesWrongInTheLastReadBackIsReported) {
  EXPECT_EQ(found_in_read_back([](ChangedPins&) {}), "");
  EXPECT_THAT(found_in_read_back([](ChangedPins& device) {
                device.row = [](simd::RowData& row, vrf::RowAddress) { row.id = 1; };
              }),
              HasSubstr("row_data: a row of id 1, expected id 0"));
  // A beat nobody asked for and nobody takes, withdrawn.
  EXPECT_THAT(found_in_read_back([](ChangedPins& device) {
                device.retire_valid = [cycle = 0u](bool is) mutable { return is || ++cycle == 2; };
              }),
              HasSubstr("retire: valid dropped before ready"));
}

/// A beat that belongs to nothing under way goes no further, compared or not.
TEST(SimdChecker, ImpossibleBeatsAreReportedAndNotHandedOn) {
  struct Case {
    std::function<void(simd::Retire&)> change;
    const char *field, *what;
  };
  const Case cases[] = {
      {[](simd::Retire& r) { r.id ^= 0x40000000; }, "order",
       "a beat of id 1073741825, which is not under way"},
      {[](simd::Retire& r) { r.dwords = 5; }, "dwords",
       "a beat of 5 registers, at most 4 can be written"},
  };
  const auto one = std::ranges::find_if(program(), [](const Issue& issue) {
    return issue.instruction.semantic() == isa::SemanticId::v_xor_b32;
  });
  ASSERT_NE(one, program().end());
  for (const Case& c : cases) {
    for (const uint32_t share : {1u, 1u << 20}) {
      auto changed = std::make_unique<ChangedPins>(ip::make_simd_fast());
      changed->retire = [&c](simd::Retire& r) {
        c.change(r);
        return ChangedPins::Move::Once;
      };
      auto options = simd_faults::untimed();
      options.share = share;
      ip::SimdLockstep lockstep(std::move(changed), simd::Config(), options);
      Issue issue = *one;
      issue.id = 1;
      lockstep.issue.push(issue, 1);
      for (machine::Cycle now = 1; now < 32; ++now) lockstep.tick(now);
      EXPECT_TRUE(lockstep.retire.empty());
      ASSERT_TRUE(lockstep.mismatch().has_value()) << c.what;
      EXPECT_EQ(lockstep.mismatch()->field, c.field);
      EXPECT_THAT(lockstep.mismatch()->report, HasSubstr(c.what));
    }
  }
}

}  // namespace
}  // namespace cuvette
