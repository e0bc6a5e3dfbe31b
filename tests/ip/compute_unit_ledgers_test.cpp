// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// State of the checker of a compute unit: values of the LDS, bytes of requests and answers,
// translations. Expectations follow from docs/reference/compute_unit.md "A user's device".
#include <cstring>

#include <gtest/gtest.h>

#include "ip/common/translations.h"
#include "ip/compute_unit/lds_history.h"
#include "ip/compute_unit/traffic_ledger.h"

namespace cuvette::ip {
namespace {

using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using wave::MemoryAccess;
using wave::MemoryKind;
using wave::MemorySpace;

MemoryAccess lds_byte(MemoryKind kind, uint64_t address, uint8_t value) {
  MemoryAccess a;
  a.space = MemorySpace::Lds;
  a.kind = kind;
  a.size = 1;
  a.address = address;
  a.bytes[0] = value;
  a.old_bytes[0] = value;
  return a;
}

class Lds : public ::testing::Test {
 protected:
  void store(uint64_t wave, uint64_t order, uint8_t value) {
    EXPECT_EQ(lds.access(wave, order, lds_byte(MemoryKind::Store, 4, value)), "");
  }
  void load(uint64_t wave, uint64_t order, uint8_t value) {
    EXPECT_EQ(lds.access(wave, order, lds_byte(MemoryKind::Load, 4, value)), "");
  }
  void barrier(uint64_t first, uint64_t second) {
    lds.arrive(1, first);
    lds.arrive(2, second);
    EXPECT_EQ(lds.release(), "");
  }
  bool good() { return lds.end().empty(); }
  LdsHistory lds{64};
};

TEST_F(Lds, BeginsWithZeros) {
  load(1, 0, 0);
  EXPECT_TRUE(good());
  load(1, 1, 3);
  EXPECT_FALSE(good());
}
TEST_F(Lds, AWaveSeesItsOwnStore) {
  store(1, 0, 5);
  load(1, 1, 5);
  EXPECT_TRUE(good());
  load(1, 2, 0);
  EXPECT_FALSE(good());
}
TEST_F(Lds, ALoadThatIssuedBeforeAStoreMayRetireBehindIt) {
  store(1, 1, 5);
  load(1, 0, 0);
  EXPECT_TRUE(good());
}
TEST_F(Lds, AnotherWavesStoreIsSeenAtTheBarrier) {
  store(1, 0, 5);
  load(2, 0, 0);
  load(2, 1, 5);
  barrier(1, 2);
  load(2, 3, 5);
  EXPECT_TRUE(good());
  load(2, 4, 0);
  EXPECT_FALSE(good());
}
TEST_F(Lds, ALoadFromBeforeTheBarrierMayRetireBehindIt) {
  store(1, 0, 5);
  barrier(1, 7);
  load(2, 6, 0);
  EXPECT_TRUE(good());
  load(2, 8, 0);
  EXPECT_FALSE(good());
}
TEST_F(Lds, AStoreMayRetireBehindWhoSawIt) {
  load(2, 0, 9);
  store(1, 0, 9);
  EXPECT_TRUE(good());
  load(2, 1, 8);
  store(1, 1, 7);
  EXPECT_FALSE(good());
}
TEST_F(Lds, AnAtomicLeavesAnyValue) {
  EXPECT_EQ(lds.access(1, 0, lds_byte(MemoryKind::Atomic, 4, 1)), "");
  load(2, 0, 77);
  EXPECT_TRUE(good());
}
TEST_F(Lds, BytesBehindItsEndAreNoBytes) {
  EXPECT_NE(lds.access(1, 0, lds_byte(MemoryKind::Load, 64, 0)), "");
}

/// Physical is virtual plus 0x1000.
std::optional<uint64_t> physical(uint64_t va) {
  return va + 0x1000;
}
MemReq request(uint64_t id, MemOp op, uint64_t block, uint64_t mask, uint8_t fill = 0) {
  MemReq r;
  r.id = id;
  r.op = op;
  r.address = block;
  r.byte_mask = mask;
  r.data.fill(fill);
  return r;
}
MemResp answer(const MemReq& r, uint8_t fill) {
  MemResp a;
  a.id = r.id;
  a.data.fill(fill);
  return a;
}
MemoryAccess access(MemoryKind kind, uint64_t va, uint8_t value, uint8_t lane = 0) {
  MemoryAccess a;
  a.kind = kind;
  a.lane = lane;
  a.size = 1;
  a.address = va;
  a.bytes[0] = value;
  return a;
}
std::string account(TrafficLedger& ledger, const std::vector<MemoryAccess>& accesses) {
  std::vector<const MemoryAccess*> all;
  for (const MemoryAccess& a : accesses) all.push_back(&a);
  return ledger.account(all, physical);
}

TEST(Traffic, AnAnswerIsForOneInstruction) {
  TrafficLedger ledger;
  const MemReq r = request(1, MemOp::Read, 0x1040, 0xff);
  ledger.sent(r);
  EXPECT_NE(account(ledger, {access(MemoryKind::Load, 0x41, 7)}), "") << "no answer yet";
  ledger.answered(r, answer(r, 7));
  EXPECT_NE(account(ledger, {access(MemoryKind::Load, 0x41, 8)}), "") << "another value";
  EXPECT_NE(account(ledger, {access(MemoryKind::Load, 0x48, 7)}), "") << "not asked for";
  EXPECT_EQ(
      account(ledger, {access(MemoryKind::Load, 0x41, 7), access(MemoryKind::Load, 0x41, 7, 1)}),
      "");
  EXPECT_NE(account(ledger, {access(MemoryKind::Load, 0x41, 7)}), "") << "used";
}
TEST(Traffic, TheLastLanesByteIsSent) {
  TrafficLedger ledger;
  const std::vector<MemoryAccess> both = {access(MemoryKind::Store, 0x40, 1, 0),
                                          access(MemoryKind::Store, 0x40, 2, 1)};
  EXPECT_NE(account(ledger, both), "") << "nothing was sent";
  ledger.sent(request(1, MemOp::Write, 0x1040, 1, 1));
  EXPECT_NE(account(ledger, both), "") << "the first alone";
  ledger.clear();
  ledger.sent(request(1, MemOp::Write, 0x1040, 1, 2));
  EXPECT_EQ(account(ledger, both), "");
  EXPECT_EQ(ledger.left(), "");
  ledger.sent(request(2, MemOp::Write, 0x1040, 1, 1));
  ledger.sent(request(3, MemOp::Write, 0x1040, 3, 2));
  EXPECT_EQ(account(ledger, both), "");
  EXPECT_NE(ledger.left(), "") << "a byte of the second request";
}
TEST(Traffic, AtomicsAreSentAndReturnWhatTheyReturned) {
  TrafficLedger ledger;
  MemReq r = request(1, MemOp::AtomicReturn, 0x1044, 0, 0);
  r.atomic = base::AtomicOp::Add;
  r.atomic_bytes = 4;
  r.data[0] = 3;
  ledger.sent(r);
  ledger.answered(r, answer(r, 0));
  MemoryAccess a = access(MemoryKind::AtomicReturn, 0x44, 3);
  a.size = 4;
  a.atomic = base::AtomicOp::Add;
  a.old_bytes[0] = 1;
  EXPECT_NE(account(ledger, {a}), "") << "another old value";
  a.old_bytes[0] = 0;
  a.atomic = base::AtomicOp::Sub;
  EXPECT_NE(account(ledger, {a}), "") << "another operation";
  a.atomic = base::AtomicOp::Add;
  EXPECT_NE(ledger.left(), "");
  EXPECT_EQ(account(ledger, {a}), "");
  EXPECT_EQ(ledger.left(), "");
}

TEST(TranslationsTest, TheNewestAnswerCounts) {
  Translations t;
  const auto give = [&t](uint64_t va, uint64_t pa, uint64_t bytes, hsa::Access access) {
    memory::TranslateRequest asked;
    asked.va = va;
    asked.access = access;
    memory::TranslateResponse a;
    a.pa = pa;
    a.bytes = bytes;
    t.add(asked, a);
  };
  give(0x1000, 0x9000, 0x1000, hsa::Access::Read);
  EXPECT_EQ(t.physical(0, 0x1fff), 0x9fffu);
  EXPECT_EQ(t.physical(0, 0x2000), std::nullopt);
  EXPECT_EQ(t.physical(1, 0x1000), std::nullopt) << "another VMID";
  give(0x1400, 0x5400, 0x100, hsa::Access::Write);
  EXPECT_EQ(t.physical(0, 0x13ff), 0x93ffu);
  EXPECT_EQ(t.physical(0, 0x1400), 0x5400u);
  EXPECT_EQ(t.physical(0, 0x14ff), 0x54ffu);
  EXPECT_EQ(t.physical(0, 0x1500), 0x9500u);
  EXPECT_TRUE(t.permits(0x9000, hsa::Access::Read));
  EXPECT_FALSE(t.permits(0x9000, hsa::Access::Write));
  EXPECT_TRUE(t.permits(0x54ff, hsa::Access::Write));
  EXPECT_FALSE(t.permits(0x5500, hsa::Access::Write));
  memory::TranslateRequest refused;
  refused.va = 0x7000;
  memory::TranslateResponse none;
  none.bytes = 16;
  none.fault = hsa::Fault::Unmapped;
  t.add(refused, none);
  EXPECT_EQ(t.physical(0, 0x7000), std::nullopt);
}

}  // namespace
}  // namespace cuvette::ip
