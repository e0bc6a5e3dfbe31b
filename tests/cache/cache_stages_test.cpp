// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache_fixture.h"

namespace cuvette::cache {
namespace {

class CacheStagesTest : public CacheTest {};

/// Cycles of docs/reference/cache.md, counted by hand from the cycle in which the first request has
/// its turn.
TEST_F(CacheStagesTest, TakeTheirCycles) {
  make(Role::L2, 1024, 2, 8);  // 8 sets
  const auto after = [this](uint64_t id, Cycle turn) { return times_[id] - turn; };
  // Four requests of one block: asked for below 5 cycles after the first one's turn; the block
  // comes, has its turn a cycle later, and then those that wait, one in three cycles.
  Cycle turn = now_ + 1;
  std::vector<uint64_t> ids;
  for (unsigned n = 0; n < 4; ++n) ids.push_back(send(word(MemOp::Read, kBase + 4 * n)));
  settle();
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(after(ids[n], turn), 5 + kLatency + 4 + 3 * n + kHit);
  // Two blocks: the second one's turn comes three cycles behind the first one's request.
  turn = now_ + 1;
  const uint64_t first = send(word(MemOp::Read, kBase + 64));
  const uint64_t second = send(word(MemOp::Read, kBase + 128));
  settle();
  EXPECT_EQ(after(first, turn), 5 + kLatency + 4 + kHit);
  EXPECT_EQ(after(second, turn), 5 + kLatency + 4 + 6 + kHit);
  // A hit takes the cycle that it asks for between the requests that a fill has woken.
  turn = now_ + 1;
  ids.clear();
  for (unsigned n = 0; n < 3; ++n) ids.push_back(send(word(MemOp::Read, kBase + 192 + 4 * n)));
  while (now_ + 1 != turn + 5 + kLatency + 5) step();  // behind the first one's turn
  const uint64_t hit = send(word(MemOp::Read, kBase));
  settle();
  EXPECT_EQ(after(hit, turn), 5 + kLatency + 5 + kHit);
  EXPECT_EQ(after(ids[1], turn), 5 + kLatency + 4 + 3 + kHit);
  // An atomic on what is held: two cycles.
  turn = now_ + 1;
  ids = {send(word(MemOp::AtomicReturn, kBase, 1)), send(word(MemOp::AtomicReturn, kBase, 1))};
  settle();
  EXPECT_EQ(after(ids[0], turn), 1 + kHit);
  EXPECT_EQ(after(ids[1], turn), 2 + 1 + kHit);
  // An invalidate: a cycle for each set and three for each dirty line.
  write(kBase + 64, 7);
  MemReq r;
  r.op = MemOp::Invalidate;
  turn = now_ + 1;
  const uint64_t invalidated = send(r);
  settle();
  EXPECT_EQ(after(invalidated, turn), 8 + 2 * 3 + kHit - 1);
  // A write-back walks alike, and waits for its writes; nothing else is served before its answer.
  turn = now_ + 1;
  r.op = MemOp::Writeback;
  const uint64_t written = send(r);
  const uint64_t behind = send(word(MemOp::Read, kBase));
  settle();
  // The second dirty line, of set 1, is below 8 + 1 + 3 cycles after the turn.
  EXPECT_EQ(after(written, turn), 8 + 1 + 3 + kLatency + kHit - 2);
  EXPECT_EQ(after(behind, turn), after(written, turn) + kHit);
  // What goes past is answered two cycles before a hit would be.
  MemReq past = word(MemOp::Read, kBase + 512);
  past.mtype = Mtype::Uncached;
  turn = now_ + 1;
  const uint64_t passed = send(past);
  settle();
  EXPECT_EQ(after(passed, turn), 5 + kLatency + kHit - 2);
}

TEST_F(CacheStagesTest, ARequestStaysBehindOlderOnesThatAFillHasWoken) {
  make(Role::L2);
  poke(kBase, 5);
  const Cycle turn = now_ + 1;
  std::vector<uint64_t> ids;
  for (unsigned n = 0; n < 3; ++n) ids.push_back(send(word(MemOp::Read, kBase)));
  while (now_ + 1 != turn + 5 + kLatency + 5) step();  // behind the first one's turn
  const uint64_t store = send(word(MemOp::Write, kBase, 9));
  settle();
  for (const uint64_t id : ids) EXPECT_EQ(value_at(id, kBase), 5u);
  EXPECT_EQ(times_[store], times_[ids[2]] + 3);
  EXPECT_EQ(read(kBase), 9u);
}

/// What a block has of its own is written below in the two cycles before its fill is asked for.
TEST_F(CacheStagesTest, DirtyBytesGoBelowBeforeTheFillOfTheirBlock) {
  make(Role::L2);
  write(kBase, 7);
  const Cycle turn = now_ + 1;
  const uint64_t other = send(word(MemOp::Read, kBase + 4));
  const uint64_t behind = send(word(MemOp::Write, kBase + 64, 1));
  settle();
  EXPECT_EQ(times_[other], turn + 2 + 5 + kLatency + 4 + kHit);
  EXPECT_EQ(times_[behind], turn + 3 + kHit);
  EXPECT_EQ(cache_->counters().writebacks, 1u);
  EXPECT_EQ(read(kBase), 7u);
}

}  // namespace
}  // namespace cuvette::cache
