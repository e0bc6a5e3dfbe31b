// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crossbar/crossbar_model.h"

// The model against schedules computed by hand (docs/reference/crossbar.md).
namespace cuvette::crossbar {
namespace {

using machine::Cycle;
using machine::kNever;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Address of an answer, or of a request, and when it is visible.
using Seen = std::vector<std::pair<Cycle, uint64_t>>;

MemReq request(uint64_t id, uint64_t address, MemOp op = MemOp::Read) {
  MemReq r;
  r.id = id;
  r.address = address;
  r.op = op;
  r.byte_mask = ~uint64_t{0};
  return r;
}

class Bench {
 public:
  explicit Bench(const Config& config) : crossbar(config) {}

  void send(unsigned source, const MemReq& r, Cycle sent) {
    crossbar.source(source).request.push(r, sent);
  }
  void answer(unsigned slice, const MemReq& to, Cycle at, MemStatus status = MemStatus::Ok) {
    MemResp r;
    r.id = to.id;
    r.address = to.address;
    r.status = status;
    crossbar.slice(slice).response.push(r, at);
  }
  /// Every cycle before `end`.
  void run(Cycle end) {
    for (; now < end; ++now) crossbar.tick(now);
  }
  /// What a slice was given so far.
  Seen given(unsigned slice) { return taken(crossbar.slice(slice).request); }
  Seen stored(unsigned slice) { return taken(crossbar.aperture_store(slice)); }
  Seen answered(unsigned source) { return taken(crossbar.source(source).response); }

  CrossbarModel crossbar;
  Cycle now = 0;
  std::map<uint64_t, MemReq> last;  ///< by address
  std::vector<uint64_t> ids;

 private:
  void keep(const MemReq& r) { last[r.address] = r; }
  void keep(const MemResp&) {}
  template <class M>
  Seen taken(machine::Channel<M>& channel) {
    Seen all;
    for (Cycle at = channel.next_event(); at != kNever; at = channel.next_event()) {
      const M m = channel.pop(at);
      all.emplace_back(at, m.address);
      ids.push_back(m.id);
      keep(m);
      EXPECT_EQ(m.time, at);
    }
    return all;
  }
};

Config config(unsigned slices = 2, unsigned depth = 64) {
  return {3, slices, 256, 10, depth};
}

TEST(Crossbar, AddressesAreInterleaved) {
  const CrossbarModel crossbar(config());
  EXPECT_EQ(crossbar.slice_of(0), 0u);
  EXPECT_EQ(crossbar.slice_of(255), 0u);
  EXPECT_EQ(crossbar.slice_of(256), 1u);
  EXPECT_EQ(crossbar.slice_of(512), 0u);
}

TEST(Crossbar, ASliceIsGivenOneRequestACycleTheOldestArrivalFirst) {
  Bench b(config());
  b.send(2, request(1, 0x1000), 5);
  b.send(1, request(1, 0x3000), 5);
  b.send(1, request(2, 0x5000), 5);  // its port takes it in cycle 6
  b.send(0, request(1, 0x4000), 5);
  b.send(0, request(2, 0x2000), 6);
  EXPECT_EQ(b.crossbar.next_event(), 5u);
  b.run(40);
  // Arrivals: 0, 1, 2 in cycle 15, then 0, 1 in cycle 16.
  EXPECT_THAT(b.given(0), ElementsAre(Pair(16, 0x4000), Pair(17, 0x3000), Pair(18, 0x1000),
                                      Pair(19, 0x2000), Pair(20, 0x5000)));
  EXPECT_THAT(b.given(1), IsEmpty());
  EXPECT_EQ(b.crossbar.next_event(), kNever);
}

TEST(Crossbar, NobodyWaitsBehindARequestForAnotherSlice) {
  Bench b(config());
  for (unsigned s = 0; s < 3; ++s) b.send(s, request(1, 0x000), 1);
  b.send(2, request(2, 0x100), 1);
  b.run(20);
  EXPECT_THAT(b.given(0), ElementsAre(Pair(12, 0), Pair(13, 0), Pair(14, 0)));
  EXPECT_THAT(b.given(1), ElementsAre(Pair(13, 0x100)));
}

TEST(Crossbar, APlaceIsFreeWhenItsRequestIsGiven) {
  Bench b(config(2, 2));
  for (unsigned n = 0; n < 4; ++n) b.send(0, request(n, 0x1000 * n), 0);
  b.run(60);
  // Taken in cycles 0 and 1, given in 10 and 11; so the others are taken in 11 and 12.
  EXPECT_THAT(b.given(0),
              ElementsAre(Pair(11, 0x0000), Pair(12, 0x1000), Pair(22, 0x2000), Pair(23, 0x3000)));
}

TEST(Crossbar, RequestsAreGivenUnchangedButForTheirIdAndAnswersComeUnderIt) {
  Bench b(config());
  MemReq r = request((uint64_t{1} << 56) - 2, 0x140, MemOp::Write);
  r.cu = 7, r.wave = 9, r.sequence = 11, r.byte_mask = 0xff00;
  for (unsigned i = 0; i < 64; ++i) r.data[i] = static_cast<uint8_t>(3 * i);
  b.send(2, r, 1);
  b.run(20);
  ASSERT_THAT(b.given(1), ElementsAre(Pair(12, 0x140)));
  const MemReq& given = b.last[0x140];
  EXPECT_EQ(given.id, uint64_t{2} << 56 | r.id);
  EXPECT_EQ(given.cu, 7u);
  EXPECT_EQ(given.wave, 9u);
  EXPECT_EQ(given.sequence, 11u);
  EXPECT_EQ(given.op, MemOp::Write);
  EXPECT_EQ(given.byte_mask, 0xff00u);
  EXPECT_EQ(given.data, r.data);
  EXPECT_EQ(b.crossbar.busy_cycles(20), 9u) << "given in cycle 11";
  b.answer(1, given, 20);
  b.run(40);
  EXPECT_EQ(b.crossbar.busy_cycles(40), 9u);
  b.ids.clear();
  EXPECT_THAT(b.answered(2), ElementsAre(Pair(30, 0x140)));
  EXPECT_THAT(b.ids, ElementsAre(r.id));
  EXPECT_THAT(b.answered(0), IsEmpty());
}

/// Requests of source 0, one to each address, given by now.
std::vector<MemReq> given_of_source_0(Bench& b, const std::vector<uint64_t>& addresses) {
  for (const uint64_t address : addresses) b.send(0, request(address, address), 0);
  b.run(40);
  for (unsigned k = 0; k < b.crossbar.slices(); ++k) b.given(k);
  std::vector<MemReq> all;
  for (const uint64_t address : addresses) all.push_back(b.last[address]);
  return all;
}

TEST(Crossbar, ASourceIsAnsweredOnceACycle) {
  Bench b(config());
  const auto r = given_of_source_0(b, {0x000, 0x100, 0x200, 0x300});
  b.answer(1, r[1], 50);
  b.answer(0, r[0], 50);
  b.answer(0, r[2], 51);
  b.answer(1, r[3], 52);
  b.run(80);
  // Of the answers of cycle 50 the lower slice's is the first; the one of 51 is older than that
  // of 52.
  EXPECT_THAT(b.answered(0),
              ElementsAre(Pair(60, 0x000), Pair(61, 0x100), Pair(62, 0x200), Pair(63, 0x300)));
}

TEST(Crossbar, ASliceAnswersOnceACycle) {
  Bench b(config());
  b.send(1, request(1, 0x400), 0);
  const auto r = given_of_source_0(b, {0x000, 0x200});
  b.answer(0, r[0], 50);
  b.answer(0, b.last[0x400], 50);
  b.answer(0, r[1], 50);
  EXPECT_EQ(b.crossbar.next_event(), 50u);
  b.run(51);
  EXPECT_EQ(b.crossbar.next_event(), 51u);
  b.run(80);
  EXPECT_THAT(b.answered(0), ElementsAre(Pair(60, 0x000), Pair(62, 0x200)));
  EXPECT_THAT(b.answered(1), ElementsAre(Pair(61, 0x400)));
}

TEST(Crossbar, AnAnswerHasItsPlaceUntilItIsAtTheSource) {
  Bench b(config(2, 2));
  const auto r = given_of_source_0(b, {0x000, 0x200, 0x400, 0x600});
  for (const MemReq& each : r) b.answer(0, each, 50);
  b.run(100);
  EXPECT_THAT(b.answered(0),
              ElementsAre(Pair(60, 0x000), Pair(61, 0x200), Pair(70, 0x400), Pair(71, 0x600)));
}

TEST(Crossbar, ABroadcastGoesToEverySliceAndHasOneAnswer) {
  for (const MemOp op : {MemOp::Invalidate, MemOp::Writeback}) {
    Bench b(config());
    b.send(1, request(8, 0x000), 0);
    b.send(1, request(9, 0x180, op), 0);
    b.run(20);
    EXPECT_THAT(b.given(0), ElementsAre(Pair(11, 0x000), Pair(12, 0x180)));
    EXPECT_THAT(b.given(1), ElementsAre(Pair(12, 0x180)));
    const MemReq given = b.last[0x180];
    EXPECT_EQ(given.op, op);
    b.answer(1, given, 20);
    b.run(30);
    EXPECT_THAT(b.answered(1), IsEmpty()) << "one is missing";
    b.answer(0, b.last[0x000], 30);
    b.answer(0, given, 30);
    b.run(60);
    b.ids.clear();
    EXPECT_THAT(b.answered(1), ElementsAre(Pair(40, 0x000), Pair(41, 0x180)));
    EXPECT_THAT(b.ids, ElementsAre(8u, 9u));
    EXPECT_EQ(b.crossbar.next_event(), kNever);
  }
}

/// What a source is told: status and address.
std::pair<MemStatus, uint64_t> outcome(const std::vector<std::pair<unsigned, Cycle>>& faults) {
  Bench b(config(4));
  b.send(0, request(5, 0, MemOp::Writeback), 0);
  b.run(20);
  MemReq given = b.crossbar.slice(0).request.pop(19);
  std::map<std::pair<Cycle, unsigned>, MemStatus> order;
  for (unsigned k = 0; k < 4; ++k) order[{20, k}] = MemStatus::Ok;
  for (const auto& [slice, at] : faults) {
    order.erase({20, slice});
    order[{at, slice}] = MemStatus::Fault;
  }
  for (const auto& [when, status] : order) {
    given.address = status == MemStatus::Ok ? 0 : 0x1000 * (when.second + 1);
    b.answer(when.second, given, when.first, status);
  }
  b.run(80);
  const MemResp r = b.crossbar.source(0).response.pop(79);
  EXPECT_EQ(r.id, 5u);
  EXPECT_TRUE(b.crossbar.source(0).response.empty());
  return {r.status, r.address};
}

TEST(Crossbar, ABroadcastHasTheFirstFault) {
  EXPECT_THAT(outcome({}), Pair(MemStatus::Ok, 0u));
  EXPECT_THAT(outcome({{2, 20}}), Pair(MemStatus::Fault, 0x3000u));
  EXPECT_THAT(outcome({{1, 30}}), Pair(MemStatus::Fault, 0x2000u));
  EXPECT_THAT(outcome({{1, 30}, {3, 25}}), Pair(MemStatus::Fault, 0x4000u));
  EXPECT_THAT(outcome({{1, 20}, {3, 20}}), Pair(MemStatus::Fault, 0x2000u)) << "the lower slice";
  EXPECT_THAT(outcome({{0, 31}, {3, 30}, {2, 30}}), Pair(MemStatus::Fault, 0x3000u));
}

TEST(Crossbar, ASourceHasOneBroadcastUnderWay) {
  Bench b(config());
  b.send(0, request(1, 0x000, MemOp::Invalidate), 0);
  b.send(0, request(2, 0x080, MemOp::Invalidate), 0);
  b.send(0, request(3, 0x100), 0);  // behind it
  b.send(1, request(1, 0x040, MemOp::Invalidate), 0);
  b.run(30);
  EXPECT_THAT(b.given(0), ElementsAre(Pair(11, 0x000), Pair(12, 0x040)));
  EXPECT_THAT(b.given(1), ElementsAre(Pair(11, 0x000), Pair(12, 0x040)));
  b.answer(0, b.last[0x000], 30);
  b.answer(1, b.last[0x000], 35);
  b.run(70);
  // The last answer is taken in cycle 35, so the next one in 36.
  EXPECT_THAT(b.given(0), ElementsAre(Pair(47, 0x080)));
  EXPECT_THAT(b.given(1), ElementsAre(Pair(47, 0x080), Pair(48, 0x100)));
}

TEST(Crossbar, StoresToTheApertureAreAnsweredAtOnce) {
  Bench b(config());
  const auto r = given_of_source_0(b, {0x100});
  b.crossbar.aperture.push(Aperture{true, 0x10000, 0x1000}, 50);
  b.send(0, request(1, 0x10100, MemOp::Write), 40);  // given in cycle 50: too early
  b.send(1, request(2, 0x10140, MemOp::Write), 41);
  b.send(1, request(3, 0x10180, MemOp::Read), 42);
  b.send(1, request(4, 0x0f100, MemOp::Write), 43);
  b.send(1, request(5, 0x11100, MemOp::Write), 44);
  b.send(1, request(6, 0x10fc0, MemOp::Write), 45);
  b.answer(1, r[0], 51);  // the store is before it
  b.run(100);
  EXPECT_THAT(b.given(1), ElementsAre(Pair(51, 0x10100), Pair(53, 0x10180), Pair(54, 0x0f100),
                                      Pair(55, 0x11100)));
  EXPECT_THAT(b.stored(1), ElementsAre(Pair(52, 0x10140), Pair(56, 0x10fc0)));
  b.ids.clear();
  EXPECT_THAT(b.answered(1), ElementsAre(Pair(61, 0x10140), Pair(65, 0x10fc0)));
  EXPECT_THAT(b.ids, ElementsAre(2u, 6u));
  EXPECT_THAT(b.answered(0), ElementsAre(Pair(62, 0x100)));
  EXPECT_THAT(b.stored(0), IsEmpty());
  b.crossbar.aperture.push(Aperture{}, 100);
  b.send(1, request(7, 0x10140, MemOp::Write), 100);
  b.run(120);
  EXPECT_THAT(b.given(1), ElementsAre(Pair(111, 0x10140)));
}

TEST(Crossbar, AFullReceiverHoldsWhatItIsGiven) {
  Bench b(config());
  b.crossbar.slice(0).request = machine::Channel<MemReq>(1);
  b.send(0, request(1, 0x000), 0);
  b.send(0, request(2, 0x200), 0);
  b.run(30);
  EXPECT_EQ(b.crossbar.slice(0).request.size(), 1u);
  EXPECT_EQ(b.crossbar.slice(0).request.pop(29).address, 0u);
  b.run(31);
  EXPECT_EQ(b.crossbar.slice(0).request.pop(31).address, 0x200u);
}

/// Sources may be noticed late and in any order, as those of domains that ran ahead.
TEST(Crossbar, NoticesMayComeLateAndInAnyOrder) {
  std::vector<Seen> all;
  for (const bool late : {false, true}) {
    Bench b(config(1, 2));
    b.crossbar.rely_on_notices();
    for (unsigned n = 0; n < 4; ++n) {
      for (unsigned s = 0; s < 3; ++s) b.send(s, request(n, 0x1000 * s + 0x100 * n), 2 * n);
    }
    b.run(late ? b.crossbar.lookahead() : 0);
    for (const unsigned s : {1u, 0u, 2u}) {
      EXPECT_EQ(b.crossbar.notice(late ? 2 - s : s, 0), 10u);
    }
    b.run(100);
    all.push_back(b.given(0));
    EXPECT_EQ(all.back().size(), 12u);
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_THAT(std::vector(all[0].begin(), all[0].begin() + 4),
              ElementsAre(Pair(11, 0x0000), Pair(12, 0x1000), Pair(13, 0x2000), Pair(14, 0x0100)));
}

TEST(Crossbar, TellsWhomItHasSentSomething) {
  Bench b(config());
  std::vector<unsigned> slices, sources;
  b.send(2, request(1, 0x100), 0);
  b.run(10);
  b.crossbar.take_sent(slices, sources);
  EXPECT_THAT(slices, IsEmpty());
  b.run(12);
  b.crossbar.take_sent(slices, sources);
  EXPECT_THAT(slices, ElementsAre(1u));
  EXPECT_THAT(sources, IsEmpty());
  b.given(1);
  b.answer(1, b.last[0x100], 12);
  b.run(13);
  b.crossbar.take_sent(slices, sources);
  EXPECT_THAT(slices, IsEmpty());
  EXPECT_THAT(sources, ElementsAre(2u));
  b.send(0, request(1, 0x100), 13);
  b.run(24);
  b.crossbar.take_sent(slices, sources);
  EXPECT_THAT(slices, ElementsAre(1u)) << "again";
  EXPECT_THAT(sources, IsEmpty());
}

TEST(Crossbar, MoreSourcesTakeMoreBitsOfAnId) {
  EXPECT_EQ(id_source_bits(1), 8u);
  EXPECT_EQ(id_source_bits(256), 8u);
  EXPECT_EQ(id_source_bits(257), 9u);
  Config c = config();
  c.sources = 300;
  Bench b(c);
  b.send(299, request(6, 0x40), 0);
  b.run(20);
  b.given(0);
  EXPECT_EQ(b.last[0x40].id, uint64_t{299} << 55 | 6);
  b.answer(0, b.last[0x40], 20);
  b.run(40);
  EXPECT_THAT(b.answered(299), ElementsAre(Pair(30, 0x40)));
}

}  // namespace
}  // namespace cuvette::crossbar
