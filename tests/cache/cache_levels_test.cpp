// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Effects of one Invalidate or Writeback on another, and on the level below (cache.md).
#include "cache_fixture.h"

namespace cuvette::cache {
namespace {

using memory::Scope;

MemReq maintenance(MemOp op, Scope scope = Scope::Agent) {
  MemReq r;
  r.op = op;
  r.scope = scope;
  return r;
}

/// A read between two invalidates waits for a fill from before both: the second one must not make
/// it one of those that may have the old bytes.
TEST_F(CacheTest, ASecondInvalidateLeavesWhatTheFirstOneSaid) {
  make(Role::VectorL1);
  poke(kBase, 1);
  const uint64_t before = send(word(MemOp::Read, kBase));
  for (int i = 0; i < 10; ++i) step();  // the answer of the memory is on its way
  poke(kBase, 2);
  const uint64_t first = send(maintenance(MemOp::Invalidate), 1);
  step();
  step();
  const uint64_t between = send(word(MemOp::Read, kBase));
  step();
  step();
  const uint64_t second = send(maintenance(MemOp::Invalidate), 1);
  step();
  step();
  const uint64_t after = send(word(MemOp::Read, kBase));
  step();
  step();
  EXPECT_EQ(sent_down_, 1u) << "all of it before the fill";
  settle();
  EXPECT_EQ(value_at(before, kBase), 1u);
  EXPECT_EQ(value_at(between, kBase), 2u);
  EXPECT_EQ(value_at(after, kBase), 2u);
  EXPECT_EQ(answers_.count(first) + answers_.count(second), 2u);
  EXPECT_EQ(cache_->counters().invalidates, 2u);
}

/// A vector L1 above an L2 above the memory.
class LevelsTest : public CacheTest {
 protected:
  LevelsTest() {
    make(Role::L2, 4096, 4);
    l2_ = std::move(cache_);
    make(Role::VectorL1);
    cache_->connect(between_);
    l2_->connect(down_);
  }
  void pass_levels_below() override {
    while (!between_.request.empty()) {
      const Cycle at = between_.request.next_event();
      passed_.push_back(between_.request.pop(at));
      l2_->up(0).request.push(passed_.back(), at);
    }
    l2_->tick(now_);
    auto& up = l2_->up(0).response;
    while (!up.empty()) {
      const Cycle at = up.next_event();
      between_.response.push(up.pop(at), at);
    }
    while (l2_->up(1).response.front(now_) != nullptr) {
      answers_of_l2_.push_back(l2_->up(1).response.pop(now_));
    }
  }
  uint32_t read(uint64_t address) {
    const uint64_t id = send(word(MemOp::Read, address));
    settle();
    return value_at(id, address);
  }
  MemResp ask(const MemReq& r, unsigned port = 0) {
    const uint64_t id = send(r, port);
    settle();
    EXPECT_EQ(answers_.count(id), 1u);
    return answers_[id];
  }
  size_t passed(MemOp op) const {
    return static_cast<size_t>(std::count_if(passed_.begin(), passed_.end(),
                                             [op](const MemReq& r) { return r.op == op; }));
  }

  std::unique_ptr<CacheModel> l2_;
  Cache::Port between_;
  std::vector<MemReq> passed_;
  std::vector<MemResp> answers_of_l2_;
};

TEST_F(LevelsTest, AnInvalidateEndsAtItsLevelUnlessItsScopeIsTheSystem) {
  for (const Scope scope : {Scope::Wave, Scope::Workgroup, Scope::Agent}) {
    poke(kBase, 1);
    ask(maintenance(MemOp::Invalidate, Scope::System));
    EXPECT_EQ(read(kBase), 1u);
    poke(kBase, 2);
    const size_t before = passed(MemOp::Invalidate);
    ask(maintenance(MemOp::Invalidate, scope));
    EXPECT_EQ(passed(MemOp::Invalidate), before);
    EXPECT_EQ(read(kBase), 1u) << "the L2 has it";
  }
  ask(maintenance(MemOp::Invalidate, Scope::System));
  EXPECT_EQ(read(kBase), 2u);
}

/// BUFFER_INVL2: GLC goes past the L1 here, too.
TEST_F(LevelsTest, AnInvalidateOfTheL2LeavesTheL1) {
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  MemReq r = maintenance(MemOp::Invalidate, Scope::System);
  r.glc = true;
  ask(r);
  EXPECT_EQ(cache_->counters().invalidates, 0u);
  EXPECT_EQ(l2_->counters().invalidates, 1u);
  EXPECT_EQ(read(kBase), 1u) << "the L1 has it";
  ask(maintenance(MemOp::Invalidate));
  EXPECT_EQ(read(kBase), 2u);
}

TEST_F(LevelsTest, AWritebackReachesMemoryWithSystemScopeAlone) {
  send(word(MemOp::Write, kBase, 7));
  settle();
  for (const Scope scope : {Scope::Wave, Scope::Workgroup, Scope::Agent}) {
    EXPECT_EQ(ask(maintenance(MemOp::Writeback, scope)).status, MemStatus::Ok);
    EXPECT_EQ(behind(kBase), 0u);
  }
  EXPECT_EQ(passed(MemOp::Writeback), 0u);
  EXPECT_EQ(ask(maintenance(MemOp::Writeback, Scope::System)).status, MemStatus::Ok);
  EXPECT_EQ(behind(kBase), 7u);
  EXPECT_EQ(read(kBase), 7u);
}

/// Stores of the same wave, one of them behind a miss of the L1.
TEST_F(LevelsTest, AWritebackTakesTheStoresBeforeItAlong) {
  send(word(MemOp::Read, kBase + 64));
  send(word(MemOp::Write, kBase + 64, 3));
  send(word(MemOp::Write, kBase + 128, 4));
  const uint64_t id = send(maintenance(MemOp::Writeback, Scope::System));
  while (answers_.count(id) == 0) step();
  EXPECT_EQ(behind(kBase + 64), 3u);
  EXPECT_EQ(behind(kBase + 128), 4u);
}

TEST_F(LevelsTest, AFaultOfTheL2IsTold) {
  send(word(MemOp::Write, 0x84, 1));  // nothing is there
  settle();
  const MemResp r = ask(maintenance(MemOp::Writeback, Scope::System));
  EXPECT_EQ(r.status, MemStatus::Fault);
  EXPECT_EQ(r.address, 0x80u);
  EXPECT_EQ(ask(maintenance(MemOp::Writeback, Scope::System)).status, MemStatus::Ok);
}

/// The load behind it does not wait for its answer (LLVM's acquire sequence has no wait there), and
/// a fill of another wave meanwhile may be from before the L2 forgot.
TEST_F(LevelsTest, LoadsBehindAnInvalidateSeeNothingOlder) {
  poke(kBase, 1);
  poke(kBase + 64, 1);
  EXPECT_EQ(read(kBase), 1u);
  EXPECT_EQ(read(kBase + 64), 1u);
  ask(maintenance(MemOp::Invalidate));  // the L2 holds both, the L1 none
  poke(kBase, 2);
  poke(kBase + 64, 2);
  const uint64_t older = send(word(MemOp::Read, kBase));
  send(maintenance(MemOp::Invalidate, Scope::System));
  const uint64_t behind_it = send(word(MemOp::Read, kBase));
  const uint64_t other = send(word(MemOp::Read, kBase + 64), 1);
  settle();
  EXPECT_EQ(value_at(older, kBase), 1u);
  EXPECT_EQ(value_at(behind_it, kBase), 2u);
  EXPECT_EQ(value_at(other, kBase + 64), 2u);
}

/// Two at once, of two requesters: each keeps its own reach.
TEST_F(LevelsTest, PendingInvalidatesKeepTheirScope) {
  poke(kBase, 1);
  EXPECT_EQ(read(kBase), 1u);
  poke(kBase, 2);
  const uint64_t near = send(maintenance(MemOp::Invalidate), 0);
  const uint64_t also = send(maintenance(MemOp::Invalidate, Scope::Workgroup), 1);
  settle();
  EXPECT_EQ(answers_.count(near) + answers_.count(also), 2u);
  EXPECT_EQ(passed(MemOp::Invalidate), 0u);
  EXPECT_EQ(l2_->counters().invalidates, 0u);
  EXPECT_EQ(read(kBase), 1u);
  send(maintenance(MemOp::Invalidate, Scope::System), 0);
  send(maintenance(MemOp::Invalidate), 1);
  settle();
  EXPECT_EQ(passed(MemOp::Invalidate), 1u);
  EXPECT_EQ(l2_->counters().invalidates, 1u);
  EXPECT_EQ(cache_->counters().invalidates, 4u);
  EXPECT_EQ(read(kBase), 2u);
}

}  // namespace
}  // namespace cuvette::cache
