// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The cache block alone.
#include "cache_fixture.h"

namespace cuvette::cache {
namespace {

TEST_F(CacheTest, AMissFetchesTheBlockAndALaterReadHitsInHitCycles) {
  make(Role::VectorL1);
  poke(kBase + 4, 7);
  EXPECT_EQ(read(kBase + 4), 7u);
  EXPECT_EQ(sent_down_, 1u);
  poke(kBase + 8, 9);  // behind the cache's back
  const Cycle sent = now_;
  MemReq r = word(MemOp::Read, kBase + 8);
  const uint64_t id = send(r);
  settle();
  EXPECT_EQ(value_at(id, kBase + 8), 0u) << "the line holds what was there at the fill";
  EXPECT_EQ(times_[id], sent + 1 + kHit);
  EXPECT_EQ(sent_down_, 1u);
  EXPECT_EQ(cache_->counters().reads, 2u);
  EXPECT_EQ(cache_->counters().read_hits, 1u);
}

TEST_F(CacheTest, EveryAccessIsAHitOrAMissOnce) {
  make(Role::L2);
  write(kBase, 1);                          // allocates: a miss, no fill
  write(kBase + 4, 2);                      // a hit
  EXPECT_EQ(read(kBase), 1u);               // a hit: those bytes are there
  EXPECT_EQ(read(kBase + 64), 0u);          // a miss
  send(word(MemOp::Atomic, kBase + 128));   // a miss
  send(word(MemOp::Atomic, kBase + 128));   // waits for it: a miss
  send(word(MemOp::Read, kBase + 128), 1);  // the same
  settle();
  send(word(MemOp::Atomic, kBase + 128));  // a hit
  settle();
  const Cache::Counters c = cache_->counters();
  EXPECT_EQ(c.writes, 2u);
  EXPECT_EQ(c.write_hits, 1u);
  EXPECT_EQ(c.write_misses, 1u);
  EXPECT_EQ(c.reads, 3u);
  EXPECT_EQ(c.read_hits, 1u);
  EXPECT_EQ(c.read_misses, 2u);
  EXPECT_EQ(c.atomics, 3u);
  EXPECT_EQ(c.atomic_hits, 1u);
  EXPECT_EQ(c.atomic_misses, 2u);
  EXPECT_EQ(c.fills, 2u);
  EXPECT_EQ(c.forwards, 0u);
  EXPECT_EQ(c.stalls, 0u);
}

TEST_F(CacheTest, AccessesAreToldToTheWatcher) {
  using Kind = Cache::Event::Kind;
  make(Role::VectorL1);
  std::vector<std::tuple<Kind, Cycle, uint64_t>> events;
  std::vector<uint32_t> sequences;
  ASSERT_TRUE(cache_->watch([&](const Cache::Event& e) {
    events.emplace_back(e.kind, e.time, e.address);
    sequences.push_back(e.sequence);
  }));
  const auto access = [&](MemOp op, uint64_t address) {
    const Cycle start = now_;
    const uint64_t id = send(word(op, address, 1));
    settle();
    return std::pair(start + 1, times_[id]);
  };
  const auto missed = access(MemOp::Read, kBase + 4);
  const auto hit = access(MemOp::Read, kBase + 8);
  const auto written = access(MemOp::Write, kBase + 64);  // no allocation: passed on
  using Event = std::tuple<Kind, Cycle, uint64_t>;
  EXPECT_EQ(events, (std::vector<Event>{{Kind::Miss, missed.first, kBase},
                                        {Kind::Answer, missed.second, kBase},
                                        {Kind::Hit, hit.first, kBase},
                                        {Kind::Answer, hit.second, kBase},
                                        {Kind::Miss, written.first, kBase + 64},
                                        {Kind::Answer, written.second, kBase + 64}}));
  for (size_t n = 0; n < sequences.size(); n += 2) EXPECT_EQ(sequences[n], sequences[n + 1]);
  EXPECT_EQ(cache_->counters().forwards, 1u);
}

TEST_F(CacheTest, ARequestWithoutMissEntryStallsUntilAnAnswerIsBack) {
  make(Role::VectorL1, 1024, 2, 1);
  send(word(MemOp::Read, kBase));
  send(word(MemOp::Read, kBase + 64), 1);
  settle();
  EXPECT_EQ(answers_.size(), 2u);
  EXPECT_EQ(cache_->counters().stalls, 1u);
  // From its turn, a cycle after that of the other one, whose request is below 5 cycles after it,
  // until that has its answer, 4 cycles after the fill, and its entry counts as free, 3 later.
  EXPECT_EQ(cache_->counters().stall_cycles, 5 + kLatency + 4 + 3 - 1);
}

TEST_F(CacheTest, InvalidateMakesAStaleLineFresh) {
  make(Role::VectorL1);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase), 1u);
  maintain(MemOp::Invalidate);
  EXPECT_EQ(read(kBase), 2u);
}

TEST_F(CacheTest, AReadAfterAnInvalidateDoesNotTakeAnOlderFill) {
  make(Role::VectorL1);
  poke(kBase, 1);
  const uint64_t before = send(word(MemOp::Read, kBase));
  for (int i = 0; i < 10; ++i) step();  // the memory has read its answer, which is on its way
  poke(kBase, 2);
  MemReq invalidate;
  invalidate.op = MemOp::Invalidate;
  send(invalidate, 1);
  step();
  step();
  const uint64_t after = send(word(MemOp::Read, kBase));
  settle();
  EXPECT_EQ(value_at(before, kBase), 1u);
  EXPECT_EQ(value_at(after, kBase), 2u);
}

TEST_F(CacheTest, StoresOfAVectorL1GoThroughAndKeepItsLineRight) {
  make(Role::VectorL1);
  EXPECT_EQ(read(kBase), 0u);
  write(kBase, 5);
  EXPECT_EQ(behind(kBase), 5u);
  const unsigned down = sent_down_;
  EXPECT_EQ(read(kBase), 5u);
  EXPECT_EQ(sent_down_, down) << "a hit";
  write(kBase + 0x400, 6);  // not held: no allocation
  EXPECT_EQ(behind(kBase + 0x400), 6u);
  EXPECT_EQ(read(kBase + 0x400), 6u);
  EXPECT_EQ(sent_down_, down + 2) << "the store and then a miss";
}

TEST_F(CacheTest, GlcReadsOfAnL1GoDownEveryTime) {
  make(Role::VectorL1);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase, true), 2u);
  poke(kBase, 3);
  EXPECT_EQ(read(kBase, true), 3u);
}

/// sc0 and sc1 of gfx942: those of the agent and the system must not see what the L1 has, those of
/// a work-group, which is on one compute unit, may (LLVM, memory model of gfx942).
TEST_F(CacheTest, ReadsOfTheAgentAndTheSystemGoPastAnL1) {
  using memory::Scope;
  make(Role::VectorL1);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase, true, Mtype::NonCoherent, Scope::Workgroup), 1u);
  EXPECT_EQ(read(kBase, false, Mtype::NonCoherent, Scope::Agent), 2u);
  EXPECT_EQ(read(kBase), 2u);
  poke(kBase, 3);
  EXPECT_EQ(read(kBase, true, Mtype::NonCoherent, Scope::System), 3u);
}

/// MTYPE UC bypasses the L2 (LLVM, memory models of gfx90a and gfx942); of first levels it is the
/// instruction's bits that count.
TEST_F(CacheTest, FirstLevelsHoldUncachedMemory) {
  for (const Role role : {Role::VectorL1, Role::Scalar}) {
    make(role);
    poke(kBase, 1);
    EXPECT_EQ(read(kBase, false, Mtype::Uncached), 1u);
    poke(kBase, 2);
    EXPECT_EQ(read(kBase, false, Mtype::Uncached), 1u);
    EXPECT_EQ(read(kBase, true, Mtype::Uncached), 2u);
    maintain(MemOp::Invalidate);
    poke(kBase, 3);
    EXPECT_EQ(read(kBase, false, Mtype::Uncached), 3u);
    MemReq w = word(MemOp::Write, kBase, 8);
    w.mtype = Mtype::Uncached;
    send(w);
    settle();
    EXPECT_EQ(behind(kBase), 8u) << "a store goes on at once";
    EXPECT_EQ(read(kBase, false, Mtype::Uncached), 8u);
  }
}

/// MTYPE CC: never dirty in the L2, and never older than what others wrote (LLVM, memory model of
/// gfx90a).
TEST_F(CacheTest, CoherentlyCachedMemoryIsNeverDirtyNorStaleInTheL2) {
  make(Role::L2);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase, false, Mtype::CoherentlyCached), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase, false, Mtype::CoherentlyCached), 2u);
  MemReq w = word(MemOp::Write, kBase, 8);
  w.mtype = Mtype::CoherentlyCached;
  send(w);
  settle();
  EXPECT_EQ(behind(kBase), 8u);
  MemReq add = word(MemOp::Atomic, kBase, 5);
  add.atomic = AtomicOp::Add;
  add.mtype = Mtype::CoherentlyCached;
  send(add);
  settle();
  EXPECT_EQ(behind(kBase), 13u);
}

/// Bytes that stores left here and memory does not have, still dirty or on their way.
TEST_F(CacheTest, DirtyBytesAreTold) {
  make(Role::L2);
  const auto told = [this] {
    std::map<uint64_t, uint32_t> words;
    EXPECT_TRUE(cache_->for_dirty([&](uint64_t address, uint64_t mask, const uint8_t* block) {
      for (unsigned at = 0; at < 64; at += 4) {
        if ((mask >> at & 15) == 15) std::memcpy(&words[address + at], block + at, 4);
      }
    }));
    return words;
  };
  EXPECT_TRUE(told().empty());
  write(kBase, 5);
  write(kBase + 68, 6);
  read(kBase + 128);
  const std::map<uint64_t, uint32_t> both{{kBase, 5}, {kBase + 68, 6}};
  EXPECT_EQ(told(), both);
  MemReq w;
  w.op = MemOp::Writeback;
  send(w);
  for (int i = 0; i < 4; ++i) step();
  EXPECT_EQ(told(), both) << "under way, and not acknowledged";
  write(kBase, 7);
  EXPECT_EQ(told(), (std::map<uint64_t, uint32_t>{{kBase, 7}}));
}

TEST_F(CacheTest, GlcReadsOfTheL2Hit) {
  make(Role::L2);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase, true), 1u) << "the L2 is where GLC points to";
}

TEST_F(CacheTest, UncachedReadsPassTheL2AndStoresAreThereAtOnce) {
  make(Role::L2);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  EXPECT_EQ(read(kBase, false, Mtype::Uncached), 2u);
  MemReq w = word(MemOp::Write, kBase + 64, 8);
  w.mtype = Mtype::Uncached;
  send(w);
  settle();
  EXPECT_EQ(behind(kBase + 64), 8u);
}

TEST_F(CacheTest, UncachedReadsSeeWhatTheL2HoldsDirty) {
  make(Role::L2);
  write(kBase, 3);
  EXPECT_EQ(behind(kBase), 0u);
  EXPECT_EQ(read(kBase, false, Mtype::Uncached), 3u);
  EXPECT_EQ(behind(kBase), 3u);
}

TEST_F(CacheTest, AnL2WritesBackOnRequestOnlyItsDirtyBytes) {
  make(Role::L2);
  write(kBase, 5);
  EXPECT_EQ(behind(kBase), 0u);
  poke(kBase + 4, 77);  // a neighbour the host wrote meanwhile
  maintain(MemOp::Writeback);
  EXPECT_EQ(behind(kBase), 5u);
  EXPECT_EQ(behind(kBase + 4), 77u);
  EXPECT_EQ(cache_->counters().writebacks, 1u);
  poke(kBase, 6);
  EXPECT_EQ(read(kBase), 5u) << "write-back keeps the line";
}

TEST_F(CacheTest, InvalidateKeepsDirtyBytes) {
  make(Role::L2);
  write(kBase, 5);
  maintain(MemOp::Invalidate);
  EXPECT_EQ(read(kBase), 5u);
  EXPECT_EQ(behind(kBase), 0u);
}

TEST_F(CacheTest, EvictionWritesBackTheLeastRecentlyUsedLine) {
  make(Role::L2, 128, 2);  // one set of two lines
  write(kBase, 1);
  write(kBase + 64, 2);
  EXPECT_EQ(read(kBase), 1u);  // now the second line is the oldest
  write(kBase + 128, 3);
  EXPECT_EQ(behind(kBase), 0u);
  EXPECT_EQ(behind(kBase + 64), 2u);
  EXPECT_EQ(cache_->counters().evictions, 1u);
  EXPECT_EQ(read(kBase + 64), 2u);
}

TEST_F(CacheTest, AStoreToAPartOfABlockIsMergedWithTheFill) {
  make(Role::L2);
  poke(kBase, 1);
  poke(kBase + 4, 2);
  write(kBase, 9);
  EXPECT_EQ(read(kBase + 4), 2u);
  EXPECT_EQ(read(kBase), 9u);
}

TEST_F(CacheTest, AtomicsHappenAtTheL2) {
  make(Role::L2);
  poke(kBase + 12, 40);
  MemReq add = word(MemOp::AtomicReturn, kBase + 12, 2);
  add.atomic = AtomicOp::Add;
  const uint64_t first = send(add);
  const uint64_t second = send(add);
  settle();
  uint32_t old = 0;
  std::memcpy(&old, answers_[first].data.data(), 4);
  EXPECT_EQ(old, 40u);
  std::memcpy(&old, answers_[second].data.data(), 4);
  EXPECT_EQ(old, 42u);
  EXPECT_LT(answers_[first].serial, answers_[second].serial);
  EXPECT_EQ(read(kBase + 12), 44u);
  EXPECT_EQ(behind(kBase + 12), 40u) << "dirty in the L2";
}

TEST_F(CacheTest, AtomicsPassAnL1AndDropItsLine) {
  make(Role::VectorL1);
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  MemReq add = word(MemOp::AtomicReturn, kBase, 5);
  add.atomic = AtomicOp::Add;
  const uint64_t id = send(add);
  settle();
  uint32_t old = 0;
  std::memcpy(&old, answers_[id].data.data(), 4);
  EXPECT_EQ(old, 1u);
  EXPECT_EQ(read(kBase), 6u);
}

TEST_F(CacheTest, UncachedAtomicsHappenBehindTheL2) {
  make(Role::L2);
  write(kBase, 10);
  MemReq add = word(MemOp::Atomic, kBase, 5);
  add.atomic = AtomicOp::Add;
  add.mtype = Mtype::Uncached;
  send(add);
  settle();
  EXPECT_EQ(behind(kBase), 15u);
}

TEST_F(CacheTest, RequestsToOneBlockStayInOrderBehindItsMiss) {
  make(Role::L2);
  poke(kBase, 1);
  const uint64_t a = send(word(MemOp::Read, kBase));
  send(word(MemOp::Write, kBase, 2));
  const uint64_t b = send(word(MemOp::Read, kBase));
  settle();
  EXPECT_EQ(value_at(a, kBase), 1u);
  EXPECT_EQ(value_at(b, kBase), 2u);
}

TEST_F(CacheTest, OldestTimeThenComputeUnitIsServedFirst) {
  make(Role::L2);
  MemReq high = word(MemOp::AtomicReturn, kBase, 1);
  high.atomic = AtomicOp::Add;
  high.cu = 7;
  MemReq low = high;
  low.cu = 3;
  const uint64_t from7 = send(high, 0);
  const uint64_t from3 = send(low, 1);
  settle();
  EXPECT_LT(answers_[from3].serial, answers_[from7].serial);
}

TEST_F(CacheTest, AHitOvertakesAMiss) {
  make(Role::VectorL1);
  EXPECT_EQ(read(kBase), 0u);
  order_.clear();
  const uint64_t miss = send(word(MemOp::Read, kBase + 64));
  const uint64_t hit = send(word(MemOp::Read, kBase));
  settle();
  EXPECT_EQ(order_, (std::vector<uint64_t>{hit, miss}));
}

TEST_F(CacheTest, NoMoreMissesThanItsDescriptionSays) {
  make(Role::VectorL1, 1024, 2, 2);
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < 6; ++i) {
    poke(kBase + i * 64, i + 100);
    ids.push_back(send(word(MemOp::Read, kBase + i * 64)));
  }
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(sent_down_, 2u);
  settle();
  EXPECT_EQ(sent_down_, 6u);
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(value_at(ids[i], kBase + i * 64), i + 100);
}

TEST_F(CacheTest, AWritebackWaitsForOlderStoresBehindAMiss) {
  for (const Role role : {Role::Scalar, Role::L2}) {
    make(role);
    const uint64_t block = role == Role::L2 ? kBase + 0x800 : kBase;
    send(word(MemOp::Read, block + 4));
    send(word(MemOp::Write, block, 5));  // behind the miss
    MemReq r;
    r.op = MemOp::Writeback;
    const uint64_t id = send(r, 1);
    for (int i = 0; i < 2000 && answers_.count(id) == 0; ++i) step();
    ASSERT_EQ(answers_.count(id), 1u);
    EXPECT_EQ(behind(block), 5u) << static_cast<int>(role);
    settle();
  }
}

/// The second one waits for the miss of the first.
TEST_F(CacheTest, AWritebackWaitsForOlderAtomicsToo) {
  make(Role::L2);
  poke(kBase, 40);
  MemReq add = word(MemOp::Atomic, kBase, 2);
  add.atomic = AtomicOp::Add;
  send(add);
  send(add);
  MemReq r;
  r.op = MemOp::Writeback;
  const uint64_t id = send(r, 1);
  for (int i = 0; i < 2000 && answers_.count(id) == 0; ++i) step();
  ASSERT_EQ(answers_.count(id), 1u);
  EXPECT_EQ(behind(kBase), 44u);
}

TEST_F(CacheTest, AStoreThatIsEvictedWhileItsBlockIsFetchedIsNotLost) {
  make(Role::L2, 128, 2);                                     // one set of two lines
  write(kBase, 5);                                            // 4 bytes of the block
  const uint64_t other = send(word(MemOp::Read, kBase + 8));  // fetches the rest of it
  const uint64_t same = send(word(MemOp::Read, kBase));       // behind that miss
  send(word(MemOp::Write, kBase + 64, 6));
  send(word(MemOp::Write, kBase + 128, 7));  // evicts the first line
  settle();
  EXPECT_EQ(behind(kBase), 5u);
  EXPECT_EQ(value_at(other, kBase + 8), 0u);
  EXPECT_EQ(value_at(same, kBase), 5u);
  EXPECT_EQ(read(kBase), 5u);
}

/// Each fill takes the line from the one before it; reads that wait behind a fill are answered by
/// it all the same.
TEST_F(CacheTest, ACacheOfOneLineAnswersEveryRead) {
  for (const Role role : {Role::VectorL1, Role::L2}) {
    make(role, 64, 1, 16);
    std::vector<std::pair<uint64_t, uint64_t>> asked;
    for (uint32_t round = 0; round < 3; ++round) {
      for (uint32_t i = 0; i < 8; ++i) {
        const uint64_t at = kBase + 64 * i + 4 * round;
        poke(at, 100 * i + round);
        asked.emplace_back(send(word(MemOp::Read, at), round % 2), at);
      }
    }
    settle();
    for (const auto& [id, at] : asked) {
      EXPECT_EQ(value_at(id, at), 100 * ((at - kBase) / 64) + at % 64 / 4);
    }
    EXPECT_EQ(cache_->counters().fills, 8u) << "all came before the first fill";
  }
}

TEST_F(CacheTest, AnL2OfOneLineDoesEveryAtomic) {
  make(Role::L2, 64, 1, 16);
  MemReq add = word(MemOp::AtomicReturn, kBase, 1);
  add.atomic = AtomicOp::Add;
  std::vector<uint64_t> ids;
  for (uint32_t n = 0; n < 24; ++n) {
    add.address = kBase + 64 * (n % 8);
    ids.push_back(send(add, n % 2));
  }
  settle();
  for (const uint64_t id : ids) EXPECT_EQ(answers_.count(id), 1u);
  EXPECT_EQ(cache_->counters().fills, 8u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(read(kBase + 64 * i), 3u);
}

TEST_F(CacheTest, AddressesWithoutMemoryFault) {
  make(Role::L2);
  const uint64_t id = send(word(MemOp::Read, 0x40));
  settle();
  ASSERT_EQ(answers_.count(id), 1u);
  EXPECT_EQ(answers_[id].status, MemStatus::Fault);
}

TEST_F(CacheTest, AStoreThatCannotBeWrittenBackIsAFaultOfTheNextWriteback) {
  make(Role::L2);
  const uint64_t store = send(word(MemOp::Write, 0x84));
  settle();
  EXPECT_EQ(answers_[store].status, MemStatus::Ok) << "the line is held";
  MemReq r;
  r.op = MemOp::Writeback;
  uint64_t id = send(r);
  settle();
  EXPECT_EQ(answers_[id].status, MemStatus::Fault);
  EXPECT_EQ(answers_[id].address, 0x80u) << "the block";
  id = send(r);
  settle();
  EXPECT_EQ(answers_[id].status, MemStatus::Ok) << "told once";

  make(Role::L2, 64, 1);
  send(word(MemOp::Write, 0x100));
  write(kBase, 1);  // evicts it
  r.op = MemOp::Invalidate;
  id = send(r);
  settle();
  EXPECT_EQ(answers_[id].status, MemStatus::Ok) << "writes nothing";
  r.op = MemOp::Writeback;
  id = send(r);
  settle();
  EXPECT_EQ(answers_[id].status, MemStatus::Fault);
  EXPECT_EQ(answers_[id].address, 0x100u);
}

TEST_F(CacheTest, NextEventNeverMissesWork) {
  make(Role::L2);
  EXPECT_EQ(cache_->next_event(), machine::kNever);
  poke(kBase, 3);
  const uint64_t id = send(word(MemOp::Read, kBase));
  EXPECT_EQ(cache_->next_event(), now_ + 1);
  // Ticking only when asked to gives the same time as ticking always.
  Cycle skipped = 0;
  for (int i = 0; i < 400 && answers_.count(id) == 0; ++i) {
    if (cache_->next_event() > now_ && memory_->next_event() > now_ &&
        cache_->up(0).response.next_event() > now_) {
      ++now_;
      ++skipped;
    } else {
      step();
    }
  }
  ASSERT_EQ(answers_.count(id), 1u);
  EXPECT_GT(skipped, 30u);
  // One cycle to the cache, five to the memory, its latency, four to the woken read's turn, the
  // hit.
  EXPECT_EQ(times_[id], Cycle{1 + 5 + kLatency + 4 + kHit});
}

TEST_F(CacheTest, PeekShowsWhatWouldBeAnswered) {
  make(Role::L2);
  uint32_t v = 0;
  EXPECT_FALSE(cache_->peek(kBase, reinterpret_cast<uint8_t*>(&v), 4));
  write(kBase, 21);
  EXPECT_TRUE(cache_->peek(kBase, reinterpret_cast<uint8_t*>(&v), 4));
  EXPECT_EQ(v, 21u);
  EXPECT_FALSE(cache_->peek(kBase, reinterpret_cast<uint8_t*>(&v), 8)) << "only 4 bytes are valid";
}

TEST(TagStore, ASliceUsesAllItsSets) {
  // 4 slices of 256-byte pieces: slice 0 sees pieces 0, 4, 8, ... With 8 sets of one 64-byte line
  // it can hold two whole pieces.
  Config config;
  config.bytes = 8 * 64, config.ways = 1, config.slices = 4, config.interleave_bytes = 256;
  TagStore tags(config);
  for (const uint64_t piece : {uint64_t{0}, uint64_t{4}}) {
    for (uint64_t line = 0; line < 4; ++line) {
      const uint64_t address = piece * 256 + line * 64;
      TagStore::Line& victim = tags.victim(address);
      EXPECT_FALSE(victim.used) << std::hex << address;
      tags.claim(victim, address);
    }
  }
  EXPECT_TRUE(tags.victim(8 * 256).used);
}

}  // namespace
}  // namespace cuvette::cache
