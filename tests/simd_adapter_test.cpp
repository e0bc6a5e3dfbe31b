// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ip/simd/simd_lockstep.h"
#include "ip/simd/simd_monitor.h"
#include "ip/simd/simd_rtl.h"
#include "simd_faults.h"
#include "simd_program.h"
#include "simd_rows.h"

// What stands between the channels and the pins of an RTL simd, and its judge, on devices that are
// not like ours: the order of rows, slow and fast devices, messages that are wrong.
namespace cuvette {
namespace {

using simd::Issue;
using simd_program::make;

const std::vector<Issue>& program() {
  static const auto issues = simd_program::mixed(*make("rtl"), 800, 20261);
  return issues;
}

/// The build for checking, with what it gives changed by `change` and `fill` kept from it in the
/// cycles in which `fill_waits` says so.
class Changed final : public ip::SimdDevice {
 public:
  explicit Changed(std::function<void(ip::SimdOutputs&)> change,
                   std::function<bool(uint64_t cycle)> fill_waits = {})
      : device_(ip::make_simd_check(1)),
        change_(std::move(change)),
        fill_waits_(std::move(fill_waits)) {}
  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(const ip::SimdInputs& inputs) override {
    ip::SimdInputs in = inputs;
    if (waits()) in.fill = nullptr;
    device_->drive(in);
  }
  void outputs(ip::SimdOutputs& out) const override {
    device_->outputs(out);
    if (waits()) out.fill_ready = false;
    if (change_) change_(out);
  }
  void clock() override {
    ++cycle_;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  bool waits() const { return fill_waits_ && fill_waits_(cycle_); }

  std::unique_ptr<ip::SimdDevice> device_;
  std::function<void(ip::SimdOutputs&)> change_;
  std::function<bool(uint64_t)> fill_waits_;
  uint64_t cycle_ = 0;
};

// retire_t from its lowest bit: flags 7, scalar 33, mask 17, data 2048, write 16, row 17 bits.
constexpr unsigned kDwordsBit = 2138, kRowIdBit = 514;

template <class Message>
void flip(Message& message, unsigned bit) {
  message[bit / 32] ^= 1u << bit % 32;
}

/// A device that takes its time for rows: what waits at the pins stays there, whatever is written
/// past the channels meanwhile.
TEST(SimdRows, ARowThatIsOfferedStaysUntilItIsTaken) {
  for (const uint64_t seed : {5u, 6u, 7u, 8u}) {
    auto device = std::make_unique<ip::SimdMonitor>(
        std::make_unique<Changed>(nullptr, [](uint64_t cycle) { return cycle % 5 != 0; }));
    ip::SimdRtl rtl(std::move(device), simd::Config());
    const auto sent = simd_rows::send(rtl, seed);
    EXPECT_FALSE(rtl.failure().has_value()) << rtl.failure()->what;
    EXPECT_TRUE(sent.complete);
    EXPECT_EQ(sent.wrong, 0u);
  }
}

/// Nor is a register read back past a row that waits.
TEST(SimdRows, AWaitingRowIsSomethingUnderWay) {
  ip::SimdRtl rtl(std::make_unique<Changed>(nullptr, [](uint64_t) { return true; }),
                  simd::Config());
  EXPECT_TRUE(rtl.idle());
  for (machine::Cycle now = 1; now < 20; ++now) {
    if (now == 10) {
      rtl.fill.push({vrf::WritePort::MemoryReturn, {}, ~uint64_t{0}, {}}, now);
    }
    rtl.tick(now);
  }
  EXPECT_FALSE(rtl.idle());
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

/// A device that has what was written past the channels first: the judge keeps an order of its own.
TEST(SimdRows, ADeviceWithAnotherOrderIsReported) {
  EXPECT_EQ(simd_faults::reported_of_order(), "row_data");
}

/// Beats of an instruction follow each other.
TEST(SimdJudge, MixedBeatsAreReported) {
  EXPECT_EQ(simd_faults::reported_of_mixing(0, program()), "");
  EXPECT_EQ(simd_faults::reported_of_mixing(4, program()), "") << "slots may overtake each other";
  for (const size_t lead : {1u, 2u, 3u}) {
    EXPECT_EQ(simd_faults::reported_of_mixing(lead, program()), "order") << lead;
  }
}

/// A device that is ready sooner than the schedule of ours has its registers read back all the
/// same: there is no tick after its last beat.
TEST(SimdJudge, RegistersOfAFastDeviceAreReadBack) {
  EXPECT_EQ(simd_faults::reported_of_register(wave::kLanes, simd::Timing::Issue), "");
  EXPECT_EQ(simd_faults::reported_of_register(5, simd::Timing::Issue), "register");
}

/// A device that is never idle hides what its registers hold: told to whoever owns the lockstep.
TEST(SimdJudge, RegistersThatAreNeverReadBackAreTold) {
  for (const bool idle : {true, false}) {
    auto rtl = std::make_unique<ip::SimdRtl>(ip::make_simd_check(1), simd::Config());
    auto probe = ip::probe_of(*rtl);
    if (!idle) probe.idle = [] { return false; };
    ip::SimdLockstep lockstep(std::move(rtl), simd::Config(), {}, probe, {});
    simd_program::fill_rows(lockstep, 9);
    EXPECT_FALSE(lockstep.read_nothing_back()) << "no instruction wrote";
    const std::vector<Issue> some(program().begin(), program().begin() + 100);
    ASSERT_TRUE(simd_program::run(lockstep, some, 8, 8, 1).complete);
    lockstep.audit();
    EXPECT_FALSE(lockstep.mismatch().has_value());
    EXPECT_EQ(lockstep.read_nothing_back(), !idle);
  }
}

/// An instruction, and then what the device does wrong in the last read-back of its registers.
std::string found_in_read_back(const std::function<void(ip::SimdOutputs&)>& change) {
  bool reading = false;
  auto rtl = std::make_unique<ip::SimdRtl>(
      std::make_unique<ip::SimdMonitor>(
          std::make_unique<Changed>([&reading, change](ip::SimdOutputs& out) {
            if (reading) change(out);
          })),
      simd::Config());
  auto probe = ip::probe_of(*rtl);
  probe.read_back = [&reading, of = probe.read_back](vrf::RowAddress row) {
    reading = true;
    return of(row);
  };
  ip::SimdLockstep lockstep(std::move(rtl), simd::Config(), {}, probe, {});
  lockstep.registers().write(vrf::WritePort::Backdoor, 0, {false, 3}, ~uint64_t{0},
                             simd_rows::row_of(4));
  for (machine::Cycle now = 1; now < 20; ++now) lockstep.tick(now);
  lockstep.audit();
  return lockstep.mismatch() ? lockstep.mismatch()->report : "";
}

TEST(SimdJudge, WhatGoesWrongInTheLastReadBackIsReported) {
  EXPECT_EQ(found_in_read_back([](ip::SimdOutputs&) {}), "");
  const std::string id = found_in_read_back([](ip::SimdOutputs& out) {
    if (out.row_data_valid) flip(out.row_data, kRowIdBit);
  });
  EXPECT_NE(id.find("differs in protocol"), std::string::npos) << id;
  EXPECT_NE(id.find("row_data: a row of id 1, expected id 0"), std::string::npos) << id;
  // A beat nobody asked for and nobody takes, withdrawn.
  unsigned cycle = 0;
  const std::string beat = found_in_read_back([&cycle](ip::SimdOutputs& out) {
    if (++cycle == 2) out.retire_valid = true;
  });
  EXPECT_NE(beat.find("retire: valid dropped before ready"), std::string::npos) << beat;
}

/// What cannot be a beat of anything under way goes no further than the adapter.
TEST(SimdAdapter, ImpossibleBeatsAreReportedAndNotHandedOn) {
  struct Case {
    unsigned bit;
    const char *field, *what;
  };
  const Case cases[] = {
      {2144 + 30, "order", "a beat of id 1073741825, which is not under way"},
      {kDwordsBit + 2, "dwords", "a beat of 5 registers, at most 4 can be written"},
  };
  const auto one = std::find_if(program().begin(), program().end(), [](const Issue& issue) {
    return issue.instruction.semantic() == isa::SemanticId::v_xor_b32;
  });
  ASSERT_NE(one, program().end());
  for (const Case& c : cases) {
    for (const uint32_t share : {1u, 1u << 20}) {  // compared or not
      auto rtl =
          std::make_unique<ip::SimdRtl>(std::make_unique<Changed>([&c](ip::SimdOutputs& out) {
                                          if (out.retire_valid) flip(out.retire, c.bit);
                                        }),
                                        simd::Config());
      const auto probe = ip::probe_of(*rtl);
      ip::SimdLockstep lockstep(std::move(rtl), simd::Config(), {}, probe, {share, {}});
      Issue issue = *one;
      issue.id = 1;
      lockstep.issue.push(issue, 1);
      for (machine::Cycle now = 1; now < 32; ++now) lockstep.tick(now);
      EXPECT_TRUE(lockstep.retire.empty());
      ASSERT_TRUE(lockstep.mismatch().has_value()) << c.what;
      EXPECT_EQ(lockstep.mismatch()->field, c.field);
      EXPECT_EQ(lockstep.mismatch()->what, c.what);
    }
  }
}

}  // namespace
}  // namespace cuvette
