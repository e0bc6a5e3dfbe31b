// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The rules of docs/reference/crossbar.md for a user's crossbar, each broken once: two sources, two
// slices, 256 bytes to each slice in turn.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "ip/traffic/checked_crossbar.h"

namespace cuvette::ip::traffic {
namespace {

using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

// Channels of the contract.
constexpr unsigned kSourceRequest = 0, kSourceResponse = 1, kSliceRequest = 2, kSliceResponse = 3;
constexpr unsigned kAperture = 4, kApertureStore = 5;
constexpr unsigned kSlice0 = 0x1000, kSlice1 = 0x1100;

/// What crosses the pins of a crossbar, one message a cycle, until a rule is broken.
class Pins {
 public:
  Pins() : checker_(config()) {}

  Pins& ask(unsigned source, uint64_t id, uint64_t address, MemOp op = MemOp::Read) {
    MemReq r;
    r.id = id, r.address = address, r.op = op;
    return see(checker_.taken(kSourceRequest, source, r, ++now_));
  }
  Pins& give(unsigned slice, unsigned source, uint64_t id, uint64_t address, MemOp op = MemOp::Read,
             unsigned channel = kSliceRequest) {
    MemReq r;
    r.id = uint64_t{source} << 56 | id, r.address = address, r.op = op;
    return see(checker_.given(channel, slice, r, ++now_));
  }
  Pins& reply(unsigned slice, unsigned source, uint64_t id, uint64_t address,
              MemStatus status = MemStatus::Ok) {
    MemResp r = answer_of(uint64_t{source} << 56 | id, address, status);
    return see(checker_.taken(kSliceResponse, slice, r, ++now_));
  }
  Pins& answer(unsigned source, uint64_t id, uint64_t address, MemStatus status = MemStatus::Ok,
               uint8_t first_byte = 0) {
    MemResp r = answer_of(id, address, status);
    r.data[0] = first_byte;
    return see(checker_.given(kSourceResponse, source, r, ++now_));
  }
  Pins& place(uint64_t base, uint64_t bytes) {
    return see(checker_.taken(kAperture, 0, crossbar::Aperture{true, base, bytes}, ++now_));
  }
  /// The rule that is broken, at the end at the latest; empty: none.
  std::string broken() {
    see(checker_.conclude());
    return broken_ ? broken_->rule : std::string();
  }
  const CrossbarChecker& checker() const { return checker_; }

 private:
  static crossbar::Config config() {
    crossbar::Config c;
    c.sources = c.slices = 2;
    return c;
  }
  static MemResp answer_of(uint64_t id, uint64_t address, MemStatus status) {
    MemResp r;
    r.id = id, r.address = address, r.status = status;
    return r;
  }
  Pins& see(const CrossbarChecker::Finding& finding) {
    if (!broken_) broken_ = finding;
    return *this;
  }
  CrossbarChecker checker_;
  machine::Cycle now_ = 0;
  std::optional<Violation> broken_;
};

TEST(CrossbarRules, LegalMessagesBreakNone) {
  Pins p;
  p.ask(0, 1, kSlice0).ask(0, 2, kSlice1).ask(1, 1, kSlice0);
  EXPECT_TRUE(p.checker().owes());
  // Of different sources, and at different slices, any order.
  p.give(0, 1, 1, kSlice0).give(1, 0, 2, kSlice1).give(0, 0, 1, kSlice0);
  EXPECT_TRUE(p.checker().busy());
  EXPECT_FALSE(p.checker().owes());  // the slices have them
  p.reply(0, 0, 1, kSlice0).answer(0, 1, kSlice0);
  p.reply(0, 1, 1, kSlice0, MemStatus::Fault).answer(1, 1, kSlice0, MemStatus::Fault);
  p.reply(1, 0, 2, kSlice1).answer(0, 2, kSlice1);
  EXPECT_EQ(p.broken(), "");
  EXPECT_EQ(p.checker().checked(), 6u);
  EXPECT_FALSE(p.checker().busy());
}

TEST(CrossbarRules, AnIdMayComeAgainAfterItsAnswer) {
  Pins p;
  for (int n = 0; n < 2; ++n) {
    p.ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).reply(0, 0, 1, kSlice0).answer(0, 1, kSlice0);
  }
  EXPECT_EQ(p.broken(), "");
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).ask(0, 1, kSlice1).broken(), "id");
}

TEST(CrossbarRules, Once) {
  EXPECT_EQ(Pins().give(0, 0, 1, kSlice0).broken(), "once") << "nobody asked";
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(0, 1, 1, kSlice0).broken(), "once") << "other source";
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(1, 0, 1, kSlice0).broken(), "once") << "other slice";
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).give(0, 0, 1, kSlice0).broken(),
            "once")
      << "twice";
  Pins answered;
  answered.ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).reply(0, 0, 1, kSlice0);
  answered.answer(0, 1, kSlice0).answer(0, 1, kSlice0);
  EXPECT_EQ(answered.broken(), "once") << "answered twice";
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).broken(), "once") << "no answer";
}

TEST(CrossbarRules, Order) {
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).ask(0, 2, kSlice0).give(0, 0, 2, kSlice0).broken(), "order");
}

TEST(CrossbarRules, Content) {
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(0, 0, 1, kSlice0 + 64).broken(), "content");
  Pins p;
  p.ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).reply(0, 0, 1, kSlice0);
  EXPECT_EQ(p.answer(0, 1, kSlice0, MemStatus::Ok, 1).broken(), "content");
}

TEST(CrossbarRules, Aperture) {
  const auto write = [](Pins& p, unsigned channel) -> Pins& {
    return p.give(0, 0, 1, kSlice0, MemOp::Write, channel);
  };
  Pins stored;
  stored.place(kSlice0, 64).ask(0, 1, kSlice0, MemOp::Write);
  EXPECT_EQ(write(stored, kApertureStore).answer(0, 1, kSlice0).broken(), "");
  Pins passed;
  passed.place(kSlice0, 64).ask(0, 1, kSlice0, MemOp::Write);
  EXPECT_EQ(write(passed, kSliceRequest).broken(), "aperture");
  Pins outside;
  outside.place(kSlice0 + 64, 64).ask(0, 1, kSlice0, MemOp::Write);
  EXPECT_EQ(write(outside, kApertureStore).broken(), "aperture");
  // Under way while the range comes: at either side.
  for (const unsigned channel : {kSliceRequest, kApertureStore}) {
    Pins moved;
    moved.ask(0, 1, kSlice0, MemOp::Write).place(kSlice0, 64);
    write(moved, channel);
    if (channel == kSliceRequest) moved.reply(0, 0, 1, kSlice0);
    EXPECT_EQ(moved.answer(0, 1, kSlice0).broken(), "") << channel;
  }
  Pins failed;
  failed.place(kSlice0, 64).ask(0, 1, kSlice0, MemOp::Write);
  EXPECT_EQ(write(failed, kApertureStore).answer(0, 1, kSlice0, MemStatus::Fault).broken(),
            "aperture");
}

TEST(CrossbarRules, Early) {
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).answer(0, 1, kSlice0).broken(), "early");
  EXPECT_EQ(Pins().ask(0, 1, kSlice0).give(0, 0, 1, kSlice0).answer(0, 1, kSlice0).broken(),
            "early");
}

TEST(CrossbarRules, Broadcast) {
  const auto asked = [](MemStatus of_slice_1) {
    Pins p;
    p.ask(0, 1, 0, MemOp::Invalidate);
    for (const unsigned k : {0u, 1u}) p.give(k, 0, 1, 0, MemOp::Invalidate);
    p.reply(0, 0, 1, 0).reply(1, 0, 1, 0, of_slice_1);
    return p;
  };
  EXPECT_EQ(asked(MemStatus::Ok).answer(0, 1, 0).broken(), "");
  EXPECT_EQ(asked(MemStatus::Fault).answer(0, 1, 0, MemStatus::Fault).broken(), "");
  EXPECT_EQ(asked(MemStatus::Fault).answer(0, 1, 0).broken(), "broadcast");
  EXPECT_EQ(asked(MemStatus::Ok).answer(0, 1, 0, MemStatus::Fault).broken(), "broadcast");
  Pins one;
  one.ask(0, 1, 0, MemOp::Invalidate).give(0, 0, 1, 0, MemOp::Invalidate).reply(0, 0, 1, 0);
  EXPECT_EQ(one.answer(0, 1, 0).broken(), "early");
}

}  // namespace
}  // namespace cuvette::ip::traffic
