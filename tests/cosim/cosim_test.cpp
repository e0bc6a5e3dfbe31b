// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cosim by hand: what a device may and may not have seen, written down from the rules of
// golden/visible_memory.h as litmus histories.
#include <gmock/gmock.h>

#include "cosim_device.h"

namespace cuvette::golden::testing {
namespace {

using ::testing::HasSubstr;

TEST(Cosim, OwnStoreIsSeenBeforeAnybodyElseDoes) {
  Device d;
  d.start(1, 7, {kStore, kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.load(1, 7));
  EXPECT_EQ(d.cosim->counts().loads_determined, 1u);
  EXPECT_EQ(d.cosim->counts().loads_chosen, 0u);
}

TEST(Cosim, OwnStoreCannotBeMissed) {
  Device d;
  d.start(1, 7, {kStore, kLoad});
  GOOD(d.store(1, 7));
  EXPECT_FALSE(d.observe(1, 0));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("0x00000000 is not visible, legal is 0x00000007"));
  EXPECT_EQ(d.cosim->counts().loads_rejected, 1u);
}

TEST(Cosim, AnotherStoreIsTheFutureUntilDeclared) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad});
  GOOD(d.store(1, 7));
  EXPECT_FALSE(d.observe(2, 7));
}

TEST(Cosim, ADeclaredStoreMayBeSeenOrNot) {
  for (const uint32_t seen : {0u, 7u}) {
    Device d;
    d.start(1, 7, {kStore});
    d.start(2, 0, {kLoad});
    GOOD(d.store(1, 7));
    GOOD(d.declare(1, 0, 1));
    GOOD(d.load(2, seen));
    EXPECT_EQ(d.cosim->counts().loads_chosen, 1u);
  }
}

TEST(Cosim, AThirdValueIsNeverLegal) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  EXPECT_FALSE(d.observe(2, 6));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("legal are 0x00000000, 0x00000007"));
}

TEST(Cosim, WhatWasSeenIsNotUnseen) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad, kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.load(2, 7));
  EXPECT_FALSE(d.observe(2, 0));
}

TEST(Cosim, StaleValuesMayBeSeenTwice) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad, kLoad, kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.load(2, 0));
  GOOD(d.load(2, 0));
  GOOD(d.load(2, 7));
  EXPECT_EQ(d.cosim->counts().loads_chosen, 3u);
}

TEST(Cosim, AnInvalidationForbidsStaleValues) {
  for (const uint32_t seen : {0u, 7u}) {
    Device d;
    d.start(1, 7, {kStore});
    d.start(2, 0, {kMove, kInvalidate, kLoad});
    GOOD(d.store(1, 7));
    GOOD(d.declare(1, 0, 1));
    GOOD(d.move(2));
    GOOD(d.retire(d.record(2)));
    EXPECT_EQ(d.observe(2, seen), seen == 7) << d.cosim->mismatch();
  }
}

TEST(Cosim, AStoreDeclaredAfterTheInvalidationMayBeMissed) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kMove, kInvalidate, kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.move(2));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.retire(d.record(2)));
  GOOD(d.load(2, 0));
}

TEST(Cosim, AnObservationIsJudgedByWhatWasDeclaredThen) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kMove, kLoad});
  GOOD(d.store(1, 7));
  ASSERT_TRUE(d.cosim->observe_load(2, 1, 1, bytes_of(7)));  // not next: judged when it retires
  GOOD(d.declare(1, 0, 1));
  GOOD(d.move(2));
  EXPECT_FALSE(d.retire_load(2, 7));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("not visible"));
}

TEST(Cosim, AnObservationOfWhatIsNoLoadIsAMismatch) {
  Device now;
  now.start(1, 0, {kMove});
  EXPECT_FALSE(now.observe(1, 7));
  EXPECT_THAT(now.cosim->mismatch(), HasSubstr("a load is observed, expected none"));
  Device ahead;
  ahead.start(1, 0, {kMove, kMove});
  ASSERT_TRUE(ahead.cosim->observe_load(1, 1, 1, bytes_of(7)));  // judged when it retires
  ASSERT_TRUE(ahead.move(1)) << ahead.cosim->mismatch();
  EXPECT_FALSE(ahead.move(1));
  EXPECT_THAT(ahead.cosim->mismatch(), HasSubstr("a load is observed, expected none"));
}

TEST(Cosim, OwnStoreIsTheFloorOfWhatFollows) {
  for (const uint32_t seen : {0u, 1u, 2u}) {
    Device d;
    d.start(1, 1, {kStore, kLoad});
    d.start(2, 2, {kStore});
    GOOD(d.store(1, 1));
    GOOD(d.declare(1, 0, 1));
    GOOD(d.store(2, 2));
    GOOD(d.declare(2, 0, 2));
    EXPECT_EQ(d.observe(1, seen), seen != 0) << d.cosim->mismatch();
  }
}

TEST(Cosim, ADwordIsNotTorn) {
  for (const uint32_t seen : {0x11111111u, 0x22222222u, 0x11112222u, 0x22221111u}) {
    Device d;
    d.start(1, 0x11111111, {kStore});
    d.start(2, 0x22222222, {kStore});
    d.start(3, 0, {kLoad});
    GOOD(d.store(1, 0x11111111));
    GOOD(d.store(2, 0x22222222));
    GOOD(d.declare(1, 0, 1));
    GOOD(d.declare(2, 0, 2));
    const bool whole = seen == 0x11111111 || seen == 0x22222222;
    EXPECT_EQ(d.observe(3, seen), whole) << d.cosim->mismatch();
  }
}

TEST(Cosim, ByteStoresMakeDwordsOfTheirOwn) {
  for (const uint32_t seen : {0xaaaaaaaau, 0xaaaaaa05u, 0xaaaa05aau}) {
    Device d(0xaaaaaaaa);
    d.start(1, 0x05, {kStoreByte});
    d.start(2, 0, {kLoad});
    GOOD(d.store(1, 0x05, 1));
    GOOD(d.declare(1, 0, 1));
    EXPECT_EQ(d.observe(2, seen), seen != 0xaaaa05aau) << d.cosim->mismatch();
  }
}

TEST(Cosim, OwnByteLiesOverWhatOthersStored) {
  // Own byte has no place yet; the rest of the dword may be old or new.
  for (const uint32_t seen : {0x00000005u, 0x22222205u, 0x22222222u, 0u}) {
    Device d;
    d.start(1, 0x05, {kStoreByte, kLoad});
    d.start(2, 0x22222222, {kStore});
    GOOD(d.store(2, 0x22222222));
    GOOD(d.declare(2, 0, 1));
    GOOD(d.store(1, 0x05, 1));
    EXPECT_EQ(d.observe(1, seen), (seen & 0xff) == 5) << d.cosim->mismatch();
  }
}

TEST(Cosim, TwoDwordsMayBeOfDifferentTimes) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad2});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  std::vector<uint8_t> both(8);
  both[0] = 7;
  GOOD(d.cosim->observe_load(2, 0, 1, both));
}

TEST(Cosim, AtomicsFollowTheLog) {
  Device d;
  d.start(1, 5, {kAtomicAdd});
  d.start(2, 3, {kAtomicAdd});
  d.start(3, 0, {kMove, kInvalidate, kLoad});
  GOOD(d.declare(1, 0, 1));
  GOOD(d.declare(2, 0, 2));
  GOOD(d.atomic(1, 5, 0));
  GOOD(d.atomic(2, 3, 5));
  GOOD(d.move(3));
  GOOD(d.retire(d.record(3)));
  GOOD(d.load(3, 8));
  EXPECT_EQ(d.cosim->counts().loads_determined, 1u);
}

TEST(Cosim, AnAtomicThatMissesAnotherIsCaught) {
  Device d;
  d.start(1, 5, {kAtomicAdd});
  d.start(2, 3, {kAtomicAdd});
  GOOD(d.declare(1, 0, 1));
  GOOD(d.declare(2, 0, 2));
  GOOD(d.atomic(1, 5, 0));
  EXPECT_FALSE(d.atomic(2, 3, 0));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("v1 lane 0: expected 0x5, found 0x0"));
}

TEST(Cosim, AnAtomicWithoutAPlaceCannotReturn) {
  Device d;
  d.start(1, 5, {kAtomicAdd});
  EXPECT_FALSE(d.atomic(1, 5, 0));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("no place in the log"));
}

TEST(Cosim, AnAtomicMayBeDeclaredBehindYoungerStores) {
  Device d(1);
  d.start(1, 5, {kAtomicNoReturn, kStore, kLoad});
  d.start(2, 0, {kLoad});
  auto add = d.record(1);
  add.accesses = {Device::access(MemoryKind::Atomic, 5)};
  add.accesses[0].atomic = base::AtomicOp::Add;
  GOOD(d.retire(add));
  GOOD(d.store(1, 5));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.load(2, 6));
  GOOD(d.declare(1, 1, 2));
  GOOD(d.load(1, 5));
}

TEST(Cosim, AnAtomicIsNotDeclaredBeforeOlderStores) {
  Device d(1);
  d.start(1, 5, {kStore, kAtomicNoReturn});
  GOOD(d.store(1, 5));
  auto add = d.record(1);
  add.accesses = {Device::access(MemoryKind::Atomic, 5)};
  add.accesses[0].atomic = base::AtomicOp::Add;
  GOOD(d.retire(add));
  EXPECT_FALSE(d.declare(1, 1, 1));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("an older store of the wave has no place"));
}

TEST(Cosim, TheLogOnlyGrows) {
  Device d;
  d.start(1, 7, {kStore, kStore});
  GOOD(d.store(1, 7));
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 5));
  EXPECT_FALSE(d.declare(1, 1, 4));
}

TEST(Cosim, WithoutRacesNothingHasToBeObserved) {
  Device d(9);
  d.start(1, 7, {kLoad, kStore, kLoad});
  GOOD(d.retire_load(1, 9));
  GOOD(d.store(1, 7));
  GOOD(d.retire_load(1, 7));
  EXPECT_EQ(d.cosim->counts().loads_determined, 2u);
}

TEST(Cosim, RacesHaveToBeObserved) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  EXPECT_FALSE(d.retire_load(2, 7));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("not observed"));
}

TEST(Cosim, AnObservationDoesNotReachRegistersOtherwise) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.observe(2, 7));
  EXPECT_FALSE(d.retire_load(2, 0)) << "the device wrote something else than it loaded";
}

TEST(Cosim, ScalarAndVectorCacheAreTwo) {
  Device d;
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoad, kScalarLoad});
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.load(2, 7));
  GOOD(d.observe(2, 0));
}

TEST(Cosim, ClocksOnlyGoForward) {
  Device d;
  d.start(1, 0, {kClock, kClock});
  std::vector<uint8_t> now(8);
  now[0] = 9;
  GOOD(d.cosim->observe_load(1, 0, 1, now));
  auto r = d.record(1);
  r.scalar_writes = {{6, 9}};
  GOOD(d.retire(r));
  now[0] = 8;
  GOOD(d.cosim->observe_load(1, 1, 1, now));
  r = d.record(1);
  r.scalar_writes = {{6, 8}};
  EXPECT_FALSE(d.retire(r));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("clock 8 after 9"));
}

TEST(Cosim, LdsActsInTheOrderOfRetirement) {
  Device d;
  d.start(1, 7, {kLdsWrite});
  d.start(2, 0, {kLdsRead});
  auto write = d.record(1);
  write.accesses.push_back(Device::access(MemoryKind::Store, 7));
  write.accesses[0].space = wave::MemorySpace::Lds;
  write.accesses[0].address = 0;
  GOOD(d.retire(write));
  auto read = d.record(2);
  read.accesses.push_back(Device::access(MemoryKind::Load, 7));
  read.accesses[0].space = wave::MemorySpace::Lds;
  read.accesses[0].address = 0;
  read.vector_writes.push_back(Device::v(1, 7));
  GOOD(d.retire(read));
}

TEST(Cosim, EveryItemOfARecordCounts) {
  const auto spoil = [](void (*change)(wave::RetireRecord&), const std::string& text) {
    Device d;
    d.start(1, 0, {kMove});
    auto r = d.record(1);
    r.vector_writes.push_back(Device::v(3, 7));
    change(r);
    EXPECT_FALSE(d.retire(r));
    EXPECT_THAT(d.cosim->mismatch(), HasSubstr(text));
    EXPECT_TRUE(d.cosim->failed());
    EXPECT_FALSE(d.cosim->observe_store(1, 0, 0, 1)) << "the first mismatch stays";
  };
  using R = wave::RetireRecord;
  spoil([](R& r) { r.vector_writes[0].data[0] = 8; }, "v3 lane 0: expected 0x7, found 0x8");
  spoil([](R& r) { r.vector_writes[0].lanes = 3; }, "v3 written lanes: expected 0x1, found 0x3");
  spoil([](R& r) { r.vector_writes[0].index = 4; }, "v3: not written");
  spoil([](R& r) { r.vector_writes.clear(); }, "v3: not written");
  spoil([](R& r) { r.vector_writes.push_back(Device::v(3, 8)); }, "v3: written twice");
  spoil([](R& r) { r.vector_writes.push_back(Device::v(5, 0)); }, "v5: written, expected not");
  spoil([](R& r) { r.scalar_writes.push_back({3, 1}); }, "s3: expected 0x0, found 0x1");
  spoil([](R& r) { r.pc += 4; }, "pc: expected 0x101000, found 0x101004");
  spoil([](R& r) { r.instruction.words[0] ^= 1; }, "word 0: expected 0x7e060287");
  spoil([](R& r) { r.exec = 3; }, "exec: expected 0x1, found 0x3");
  spoil([](R& r) { r.order = 1; }, "instruction 1 retires, expected 0");
  spoil([](R& r) { r.wave = 9; }, "wave 9 retires and was not started");
  spoil([](R& r) { r.flags = 1; }, "flags: expected 0x0, found 0x1");
  spoil([](R& r) { r.mode = 0; }, "mode: expected 0x3f0");
  spoil([](R& r) { r.accesses.push_back({}); }, "0 accesses expected, found 1");
}

TEST(Cosim, StoresAreCompared) {
  const auto spoil = [](void (*change)(wave::MemoryAccess&), const std::string& text) {
    Device d;
    d.start(1, 7, {kStore});
    auto r = d.record(1);
    r.accesses.push_back(Device::access(MemoryKind::Store, 7));
    change(r.accesses[0]);
    EXPECT_FALSE(d.retire(r));
    EXPECT_THAT(d.cosim->mismatch(), HasSubstr(text));
  };
  using A = wave::MemoryAccess;
  spoil([](A& a) { a.address += 4; }, "address: expected 0x10000, found 0x10004");
  spoil([](A& a) { a.bytes[0] = 6; }, "expected bytes 07000000, found 06000000");
  spoil([](A& a) { a.size = 2; }, "bytes: expected 0x4, found 0x2");
  spoil([](A& a) { a.lane = 1; }, "lane: expected 0x0, found 0x1");
  spoil([](A& a) { a.kind = MemoryKind::Load; }, "found a load");
  spoil([](A& a) { a.slc = true; }, "cache bits");
}

TEST(Cosim, StepsAlone) {
  Device d;
  d.start(1, 7, {kStore, kLoad, kEnd});
  auto store = d.cosim->step(1);
  ASSERT_TRUE(store.ok());
  ASSERT_EQ(store->accesses.size(), 1u);
  EXPECT_EQ(store->accesses[0].serial, 1u);
  auto load = d.cosim->step(1);
  ASSERT_TRUE(load.ok());
  EXPECT_EQ(load->vector_writes.at(0).data[0], 7u);
  EXPECT_TRUE(d.cosim->step(1).ok());
  EXPECT_FALSE(d.cosim->step(1).ok()) << "the wave has ended";
}

TEST(Cosim, BadCallsAreErrors) {
  auto cosim = Cosim::create({});
  CosimWave w;
  w.sgpr.resize(129);
  EXPECT_FALSE(cosim->start(w).ok());
  const uint8_t junk[64] = {1, 2, 3};
  EXPECT_FALSE(cosim->load_code_object(0x1000, junk, sizeof junk).ok());
  EXPECT_FALSE(cosim->load_code_object(0x1001, junk, sizeof junk).ok());
  const auto no_code = cosim->launch({}, 0, 0, 1);
  ASSERT_FALSE(no_code.ok());
  EXPECT_EQ(no_code.error().what.find("''"), std::string::npos) << no_code.error().what;
  EXPECT_FALSE(cosim->step(1).ok());
}

}  // namespace
}  // namespace cuvette::golden::testing
