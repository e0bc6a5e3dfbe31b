// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cosim by hand: what a device may and may not have seen, written down from the rules of
// golden/visible_memory.h as litmus histories. Machine words are gfx908's (MI100 ISA 12).
#include "golden/cosim.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuvette::golden {
namespace {

using ::testing::HasSubstr;
using wave::MemoryKind;

using Words = std::vector<uint32_t>;
const Words kStore{0xdc708000, 0x00000200};           // global_store_dword v0, v2, s[0:1]
const Words kStoreByte{0xdc608000, 0x00000200};       // global_store_byte v0, v2, s[0:1]
const Words kLoad{0xdc508000, 0x01000000};            // global_load_dword v1, v0, s[0:1]
const Words kLoad2{0xdc548000, 0x04000000};           // global_load_dwordx2 v[4:5], v0, s[0:1]
const Words kAtomicAdd{0xdd098000, 0x01000200};       // global_atomic_add v1, v0, v2, s[0:1] glc
const Words kAtomicNoReturn{0xdd088000, 0x00000200};  // global_atomic_add v0, v2, s[0:1]
const Words kInvalidate{0xe0fc0000, 0x00000000};      // buffer_wbinvl1_vol
const Words kMove{0x7e060287};                        // v_mov_b32 v3, 7
const Words kScalarLoad{0xc0020100, 0x00000000};      // s_load_dword s4, s[0:1], 0x0
const Words kClock{0xc0900180, 0x00000000};           // s_memtime s[6:7]
const Words kLdsWrite{0xd81a0000, 0x00000200};        // ds_write_b32 v0, v2
const Words kLdsRead{0xd86c0000, 0x01000000};         // ds_read_b32 v1, v0
const Words kEnd{0xbf810000};                         // s_endpgm
const Words kLoadToLds{0xe0510000, 0x80020000};       // buffer_load_dword off, s[8:11], 0 lds
const Words kStoreLds{0xe0f50000, 0x80020000};        // buffer_store_lds_dword s[8:11], 0 lds
// image_sample v1, v[4:5], s[16:23], s[24:27] dmask:0x1
const Words kSample{0xf0800100, 0x00c40104};

constexpr uint64_t kX = 0x10000;  // s[0:1] of every wave; v0 is 0
constexpr uint32_t kMode = wave::kDefaultMode;

std::vector<uint8_t> bytes_of(uint32_t value) {
  std::vector<uint8_t> bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

/// A device that tells what it is told to tell. Lane 0 alone is active.
class Device {
 public:
  explicit Device(uint32_t memory = 0) : cosim(Cosim::create({})) {
    std::vector<uint32_t> words(64, memory);
    EXPECT_TRUE(cosim->load(kX, words.data(), 256).ok());
  }

  /// v2 holds `value`. s[8:11]: a buffer of 256 bytes at kX. s[16:27]: an image of 8 x 4 floats
  /// there, 16 to a row, and a sampler with `filter` (MI100 ISA tables 45 and 46). v4: 1/8.
  void start(uint64_t id, uint32_t value, const std::vector<Words>& program, uint32_t workgroup = 0,
             uint32_t filter = 0) {
    const uint64_t code = 0x100000 + 0x1000 * id;
    Words all;
    for (const Words& w : program) {
      pcs_[id].push_back(code + 4 * all.size());
      all.insert(all.end(), w.begin(), w.end());
    }
    all.insert(all.end(), {0xbf810000, 0xbf810000, 0xbf810000, 0xbf810000});
    ASSERT_TRUE(cosim->load(code, all.data(), 4 * all.size()).ok());
    programs_[id] = program;
    CosimWave w;
    w.id = id;
    w.pc = code;
    w.exec = 1;
    w.mode = kMode;
    w.vgprs = 8;
    w.sgprs = 32;
    w.lds_bytes = 256;
    w.workgroup = workgroup;
    w.sgpr = {uint32_t{kX}, 0};
    w.sgpr.resize(32);
    w.sgpr[8] = uint32_t{kX};
    w.sgpr[10] = 256;
    w.sgpr[11] = 0x27fac;
    w.sgpr[16] = uint32_t{kX} >> 8;
    w.sgpr[17] = 4u << 20 | 7u << 26;
    w.sgpr[18] = 7 | 3 << 14;
    w.sgpr[19] = 0x90000fac;
    w.sgpr[20] = 15 << 13;
    w.sgpr[24] = 0x1092;
    w.sgpr[25] = 0xf00000;
    w.sgpr[26] = filter << 20 | filter << 22 | 1 << 26;
    w.vgpr.resize(5);
    w.vgpr[2][0] = value;
    w.vgpr[4][0] = 0x3e000000;
    ASSERT_TRUE(cosim->start(w).ok());
  }

  wave::RetireRecord record(uint64_t id) const {
    wave::RetireRecord r;
    r.wave = id;
    r.order = next_.count(id) == 0 ? 0 : next_.at(id);
    r.pc = pcs_.at(id).at(r.order);
    const Words& words = programs_.at(id).at(r.order);
    r.instruction.length = static_cast<uint8_t>(words.size());
    std::copy(words.begin(), words.end(), r.instruction.words);
    r.exec = 1;
    r.mode = kMode;
    return r;
  }
  bool retire(const wave::RetireRecord& r) {
    ++next_[r.wave];
    return cosim->retire(r);
  }

  static wave::MemoryAccess access(MemoryKind kind, uint32_t value, uint8_t size = 4) {
    wave::MemoryAccess a;
    a.kind = kind;
    a.size = size;
    a.address = kX;
    std::memcpy(a.bytes, &value, size);
    return a;
  }
  bool store(uint64_t id, uint32_t value, uint8_t size = 4) {
    auto r = record(id);
    r.accesses.push_back(access(MemoryKind::Store, value, size));
    return retire(r);
  }
  static wave::VectorWrite v(uint16_t index, uint32_t value) {
    wave::VectorWrite w;
    w.index = index;
    w.lanes = 1;
    w.data[0] = value;
    return w;
  }
  bool observe(uint64_t id, uint32_t value) {
    return cosim->observe_load(id, next_[id], 1, bytes_of(value));
  }
  bool retire_load(uint64_t id, uint32_t value) {
    auto r = record(id);
    r.vector_writes.push_back(v(1, value));
    r.accesses.push_back(access(MemoryKind::Load, value));
    return retire(r);
  }
  bool load(uint64_t id, uint32_t value) { return observe(id, value) && retire_load(id, value); }
  bool declare(uint64_t id, uint64_t order, uint64_t serial) {
    return cosim->observe_store(id, order, 0, serial);
  }
  bool atomic(uint64_t id, uint32_t operand, uint32_t old) {
    auto r = record(id);
    auto a = access(MemoryKind::AtomicReturn, operand);
    a.atomic = base::AtomicOp::Add;
    a.glc = true;
    a.scope = wave::AccessScope::Agent;
    std::memcpy(a.old_bytes, &old, 4);
    r.accesses.push_back(a);
    r.vector_writes.push_back(v(1, old));
    return retire(r);
  }
  bool move(uint64_t id, uint32_t value = 7) {
    auto r = record(id);
    r.vector_writes.push_back(v(3, value));
    return retire(r);
  }

  std::unique_ptr<Cosim> cosim;

 private:
  std::map<uint64_t, std::vector<Words>> programs_;
  std::map<uint64_t, std::vector<uint64_t>> pcs_;
  std::map<uint64_t, uint64_t> next_;
};

#define GOOD(call) ASSERT_TRUE(call) << d.cosim->mismatch()

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

wave::MemoryAccess lds(MemoryKind kind, uint32_t value) {
  auto a = Device::access(kind, value);
  a.space = wave::MemorySpace::Lds;
  a.address = 0;
  return a;
}

TEST(Cosim, ALoadToLdsArrivesWhenItRetires) {
  Device d(5);
  d.start(1, 7, {kStore});
  d.start(2, 0, {kLoadToLds, kLdsRead});
  d.start(3, 0, {kLdsRead, kLdsRead});
  const auto read = [&](uint64_t id, uint32_t value) {
    auto r = d.record(id);
    r.accesses.push_back(lds(MemoryKind::Load, value));
    r.vector_writes.push_back(Device::v(1, value));
    return d.retire(r);
  };
  GOOD(d.store(1, 7));
  GOOD(d.declare(1, 0, 1));
  GOOD(d.observe(2, 7));  // judged now
  GOOD(read(3, 0));
  auto load = d.record(2);
  load.accesses = {Device::access(MemoryKind::Load, 7), lds(MemoryKind::Store, 7)};
  GOOD(d.retire(load));
  GOOD(read(2, 7));
  GOOD(read(3, 7));
  EXPECT_EQ(d.cosim->counts().loads_chosen, 1u);
}

TEST(Cosim, ALoadToLdsIsComparedThere) {
  Device d(5);
  d.start(1, 0, {kLoadToLds});
  auto load = d.record(1);
  load.accesses = {Device::access(MemoryKind::Load, 5), lds(MemoryKind::Store, 6)};
  EXPECT_FALSE(d.retire(load));
  EXPECT_THAT(d.cosim->mismatch(), HasSubstr("expected bytes 05000000, found 06000000"));
}

TEST(Cosim, AStoreFromLdsTakesWhatIsThere) {
  for (const uint32_t found : {7u, 0u}) {
    Device d(5);
    d.start(1, 7, {kLdsWrite, kStoreLds, kLoad});
    auto write = d.record(1);
    write.accesses = {lds(MemoryKind::Store, 7)};
    GOOD(d.retire(write));
    auto store = d.record(1);
    store.accesses = {Device::access(MemoryKind::Store, found), lds(MemoryKind::Load, found)};
    ASSERT_EQ(d.retire(store), found == 7) << d.cosim->mismatch();
    if (found != 7) continue;
    GOOD(d.load(1, 7));
  }
}

TEST(Cosim, WorkgroupsHaveLdsOfTheirOwn) {
  Device d;
  d.start(1, 7, {kLdsWrite}, 0);
  d.start(2, 0, {kLdsRead}, 1);
  auto write = d.record(1);
  write.accesses = {lds(MemoryKind::Store, 7)};
  GOOD(d.retire(write));
  auto read = d.record(2);
  read.accesses = {lds(MemoryKind::Load, 0)};
  read.vector_writes = {Device::v(1, 0)};
  GOOD(d.retire(read));
}

/// A sample of `texels`, fetched in this order at kX and kX + 4 in turn.
bool sample(Device& d, uint64_t id, const std::vector<uint32_t>& texels, uint32_t result) {
  auto r = d.record(id);
  for (size_t n = 0; n < texels.size(); ++n) {
    r.accesses.push_back(Device::access(MemoryKind::Load, texels[n]));
    r.accesses.back().address += 4 * (n % 2);
  }
  r.vector_writes = {Device::v(1, result)};
  return d.retire(r);
}

TEST(Cosim, SampledImagesReadMemory) {
  // 1/8 of 8 texels: the second one begins there.
  Device d;
  const uint32_t texels[2] = {0x3f800000, 0x40400000};
  ASSERT_TRUE(d.cosim->load(kX, texels, 8).ok());
  d.start(1, 0, {kSample});
  auto r = d.record(1);
  r.accesses = {Device::access(MemoryKind::Load, texels[1])};
  r.accesses[0].address += 4;
  r.vector_writes = {Device::v(1, texels[1])};
  GOOD(d.retire(r));
  // Bilinear: half of both, twice, for the row above is this one.
  d.start(2, 0, {kSample}, 0, 1);
  GOOD(sample(d, 2, {texels[0], texels[1], texels[0], texels[1]}, 0x40000000));
  EXPECT_EQ(d.cosim->counts().loads_determined, 2u);
  d.start(3, 0, {kSample}, 0, 1);
  EXPECT_FALSE(sample(d, 3, {texels[0], texels[1], texels[0], texels[1]}, 0x3f800000));
}

TEST(Cosim, SampledImagesAreObserved) {
  for (const uint32_t seen : {0u, 0x3f800000u, 0x40000000u}) {
    Device d;
    d.start(1, 0x3f800000, {kStore});
    d.start(2, 0, {kSample}, 0, 1);
    GOOD(d.store(1, 0x3f800000));
    GOOD(d.declare(1, 0, 1));
    std::vector<uint8_t> bytes(16);
    std::memcpy(&bytes[0], &seen, 4);
    std::memcpy(&bytes[8], &seen, 4);
    const bool legal = seen != 0x40000000u;
    ASSERT_EQ(d.cosim->observe_load(2, 0, 1, bytes), legal) << d.cosim->mismatch();
    if (!legal) continue;
    GOOD(sample(d, 2, {seen, 0, seen, 0}, seen == 0 ? 0u : 0x3f000000u));
    EXPECT_EQ(d.cosim->counts().loads_chosen, 1u);
  }
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
  EXPECT_FALSE(cosim->launch({}, 0, 0, 1).ok());
  EXPECT_FALSE(cosim->step(1).ok());
}

}  // namespace
}  // namespace cuvette::golden
