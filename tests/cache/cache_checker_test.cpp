// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache_checker_bench.h"

// The checker of caches: our own cache behind pins is legal in every role, and every way to go
// wrong is told under the name of its rule.
namespace cuvette {
namespace {

using namespace cache_bench;
using ::testing::HasSubstr;

/// Random traffic, with pauses in which everything comes to its end.
void run_random(Bench& bench, Role role, unsigned requests, uint32_t seed, bool both_ports) {
  std::mt19937 random(seed);
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned n = 0; n < requests && !bench.mismatch(); ++n) {
    const unsigned kind = below(100);
    const uint64_t offset = 4 * below(kBytes / 4 / 2);
    MemReq r;
    if (kind < 45 || role == Role::Instruction) {
      r = word(MemOp::Read, offset);
      r.byte_mask = below(3) == 0 ? ~uint64_t{0} : r.byte_mask;
    } else if (kind < 80) {
      r = word(MemOp::Write, offset, static_cast<uint32_t>(random()));
    } else if (kind < 90 || kind >= 98) {
      constexpr base::AtomicOp kOps[] = {base::AtomicOp::Add, base::AtomicOp::CmpSwap,
                                         base::AtomicOp::Swap, base::AtomicOp::UMax,
                                         base::AtomicOp::FAdd};
      r = word(below(2) != 0 ? MemOp::Atomic : MemOp::AtomicReturn, offset, below(3));
      r.atomic = kOps[below(5)];
    } else {
      r.op = below(2) != 0 ? MemOp::Invalidate : MemOp::Writeback;
      r.scope = below(3) == 0 ? Scope::System : Scope::Agent;
      r.glc = below(4) == 0;
    }
    if (r.op != MemOp::Invalidate && r.op != MemOp::Writeback) {
      // A page has one memory type.
      if (offset / 256 % 4 == 3) r.mtype = Mtype::Uncached;
      r.scope = static_cast<Scope>(below(4));
      r.glc = below(6) == 0;
    }
    const bool fence = r.op == MemOp::Invalidate || r.op == MemOp::Writeback;
    bench.send(r, fence || both_ports ? below(2) : 0);
    // The host writes behind the cache.
    if (below(10) == 0) {
      const uint32_t value = static_cast<uint32_t>(random());
      bench.memory_bytes().write(kBase + 4 * below(kBytes / 4), &value, 4);
    }
    for (unsigned pause = below(20) == 0 ? 100 : below(6); pause != 0; --pause) bench.step();
  }
  bench.settle(100'000);  // requests come faster than they can be served
  bench.seat().kit().conclude();
}

constexpr Role kRoles[] = {Role::VectorL1, Role::Scalar, Role::Instruction, Role::L2};

TEST(CacheChecker, OurCacheIsLegalInEveryRole) {
  for (const Role role : kRoles) {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(std::string(cache::name_of(role)) + ", seed " + std::to_string(seed));
      Bench bench(role);
      run_random(bench, role, 3000, seed, seed == 3);
      ASSERT_FALSE(bench.mismatch()) << bench.mismatch()->report;
      EXPECT_EQ(bench.answers.size(), 3000u);
      EXPECT_GT(bench.seat().kit().compared(), 10'000u);
      const cache::Cache::Counters c = bench.seat().counters();
      EXPECT_EQ(c.reads, c.read_hits + c.read_misses);
      EXPECT_GT(c.reads, 0u);
    }
  }
}

/// `scenario` with a tampered cache breaks `rule`, and `words` stand in the report; with ours it
/// breaks none.
void expect_rule(Role role, const Tampering& t, const std::function<void(Bench&)>& scenario,
                 const std::string& rule, const std::string& words) {
  SCOPED_TRACE(rule + ": " + words);
  Bench good(role);
  scenario(good);
  good.seat().kit().conclude();
  EXPECT_FALSE(good.mismatch()) << good.mismatch()->report;
  Bench bench(role, t);
  scenario(bench);
  bench.seat().kit().conclude();
  ASSERT_TRUE(bench.mismatch());
  EXPECT_EQ(bench.mismatch()->field, rule) << bench.mismatch()->report;
  EXPECT_THAT(bench.mismatch()->report, HasSubstr(words));
}

/// A function that is true but for its `count`-th call with a message that `is`.
template <class M>
std::function<bool(M&)> but_for(std::function<bool(const M&)> is, std::function<bool(M&)> act) {
  auto done = std::make_shared<bool>(false);
  return [=](M& m) {
    if (*done || !is(m)) return true;
    *done = true;
    return act(m);
  };
}
std::function<bool(const MemReq&)> op_is(MemOp op) {
  return [op](const MemReq& r) { return r.op == op; };
}
bool any(const MemResp&) {
  return true;
}

TEST(CacheChecker, DataOfReads) {
  const auto read_twice = [](Bench& b) {
    b.send_and_wait(word(MemOp::Read, 0x40));
    b.send_and_wait(word(MemOp::Read, 0x44));
  };
  Tampering wrong;
  wrong.answer = [](MemResp& r) {
    r.data[6] ^= 1;
    return true;
  };
  expect_rule(Role::L2, wrong, read_twice, "data",
              "answers Read of 0x10040 by compute unit 3 wave 7 sequence 101 with byte 0x10046 "
              "0x1, expected 0x0 from below");
  // A store that is not seen by a later read.
  Tampering forgets;
  forgets.answer = [](MemResp& r) {
    r.data[0] = 0;
    return true;
  };
  const auto write_and_read = [](Bench& b) {
    b.send_and_wait(word(MemOp::Read, 0x80));
    b.send_and_wait(word(MemOp::Write, 0x80, 0x5a));
    b.send_and_wait(word(MemOp::Read, 0x80));
  };
  for (const Role role : {Role::L2, Role::Scalar, Role::VectorL1}) {
    expect_rule(role, forgets, write_and_read, "data", "expected 0x5a");
  }
  // Requests of two reads and a write between them are not mixed up.
  const auto changes = [](Bench& b) {
    b.send_and_wait(word(MemOp::Read, 0x80));
    b.send(word(MemOp::Read, 0x80));
    b.send(word(MemOp::Write, 0x80, 0x77));
    b.settle();
  };
  Tampering early;
  early.answer = but_for<MemResp>([](const MemResp& r) { return r.id == 101; },
                                  [](MemResp& r) {
                                    r.data[0] = 0x77;
                                    return true;
                                  });
  expect_rule(Role::L2, early, changes, "data", "expected 0x0 from below");
}

/// A cache that keeps what an Invalidate should have dropped, and one that answers from what it
/// holds where it must not.
TEST(CacheChecker, StaleData) {
  const auto host_writes = [](Bench& b, bool fence, const MemReq& read) {
    const uint32_t value = 0x99;
    b.send_and_wait(word(MemOp::Read, 0x40));
    b.memory_bytes().write(kBase + 0x40, &value, 4);
    if (fence) b.send_and_wait(word(MemOp::Invalidate, 0), 1);
    b.send_and_wait(read);
  };
  Tampering deaf;
  deaf.request = [](MemReq& r) {
    if (r.op == MemOp::Invalidate) r.op = MemOp::Writeback;
    return true;
  };
  for (const Role role : kRoles) {
    expect_rule(
        role, deaf, [&](Bench& b) { host_writes(b, true, word(MemOp::Read, 0x40)); }, "data",
        "nothing is held that may be seen");
  }
  Tampering holds;
  holds.request = [](MemReq& r) {
    r.mtype = Mtype::ReadWrite;
    r.scope = Scope::Wave;
    return true;
  };
  expect_rule(
      Role::L2, holds, [&](Bench& b) { host_writes(b, false, uncached(word(MemOp::Read, 0x40))); },
      "data", "which it goes past to");
  expect_rule(
      Role::VectorL1, holds,
      [&](Bench& b) { host_writes(b, false, scoped(word(MemOp::Read, 0x40), Scope::Agent)); },
      "data", "which it goes past to");
}

TEST(CacheChecker, LostWrites) {
  const auto loses = [] {
    Tampering t;
    t.below = but_for<MemReq>(op_is(MemOp::Write), [](MemReq&) { return false; });
    return t;
  };
  const auto write_back = [](Bench& b) {
    b.send_and_wait(word(MemOp::Write, 0x80, 0x1234));
    b.send_and_wait(word(MemOp::Writeback, 0), 1);
  };
  for (const Role role : {Role::L2, Role::Scalar}) {
    expect_rule(role, loses(), write_back, "lost write",
                "bytes 0xf of block 0x10080 are not below");
    expect_rule(role, loses(), write_back, "lost write",
                "written by compute unit 3 wave 7 sequence 100");
  }
  expect_rule(Role::L2, loses(), write_back, "lost write", "sequence 100, serial 1");
  expect_rule(
      Role::VectorL1, loses(), [](Bench& b) { b.send_and_wait(word(MemOp::Write, 0x80, 1)); },
      "early answer", "before the level below has acknowledged bytes 0xf");
  expect_rule(
      Role::L2, loses(), [](Bench& b) { b.send_and_wait(uncached(word(MemOp::Write, 0x80, 1))); },
      "early answer", "acknowledges Write of 0x10080");
  // Other values than those of the store, and bytes that nobody has stored.
  Tampering changed;
  changed.below = [](MemReq& r) {
    if (r.op == MemOp::Write) r.data[1] ^= 0x80;
    return true;
  };
  expect_rule(Role::L2, changed, write_back, "write", "byte 0x10081 0x92, expected 0x12");
  Tampering wide;
  wide.below = [](MemReq& r) {
    if (r.op == MemOp::Write) r.byte_mask |= 0x100;
    return true;
  };
  expect_rule(Role::L2, wide, write_back, "write", "byte 0x10088 0x0, which no request has");
}

TEST(CacheChecker, WritesGoBelowOnce) {
  auto kept = std::make_shared<MemReq>();
  auto sent = std::make_shared<bool>(false);
  Tampering twice;
  twice.below = [kept](MemReq& r) {
    if (r.op == MemOp::Write) *kept = r;
    return true;
  };
  twice.more = [kept, sent](cache::Cache&, cache::Cache::Port& down, Cycle now) {
    if (kept->op != MemOp::Write || *sent) return;
    *sent = true;
    MemReq again = *kept;
    again.id = 0xabcdef;
    down.request.push(again, now + 1);
  };
  expect_rule(
      Role::L2, twice,
      [](Bench& b) {
        b.send_and_wait(word(MemOp::Write, 0x80, 0x1234));
        b.send_and_wait(word(MemOp::Writeback, 0), 1);
      },
      "write", "or which is below already");
}

/// The Writeback is answered before memory has what it writes.
TEST(CacheChecker, WritebackWaits) {
  auto writeback = std::make_shared<uint64_t>(0);
  Tampering hasty;
  hasty.request = [writeback](MemReq& r) {
    if (r.op == MemOp::Writeback) *writeback = r.id;
    return true;
  };
  hasty.answer = [writeback](MemResp& r) { return r.id != *writeback; };
  hasty.more = [writeback](cache::Cache& shell, cache::Cache::Port& down, Cycle now) {
    // As soon as the write is on its way.
    if (*writeback == 0 || down.request.empty() || *writeback == ~uint64_t{0}) return;
    MemResp r;
    r.id = *writeback;
    *writeback = ~uint64_t{0};
    shell.up(1).response.push(r, now + 2);
  };
  expect_rule(
      Role::L2, hasty,
      [](Bench& b) {
        b.send_and_wait(word(MemOp::Write, 0x80, 0x1234));
        b.send_and_wait(word(MemOp::Writeback, 0), 1);
      },
      "write-back", "before the level below has acknowledged the write of block 0x10080");
}

TEST(CacheChecker, RequestsBelowHaveACause) {
  const auto read = [](Bench& b) { b.send_and_wait(word(MemOp::Read, 0x40)); };
  Tampering astray;
  astray.below = [](MemReq& r) {
    r.address += 0x80;
    return true;
  };
  expect_rule(Role::L2, astray, read, "address", "nobody has asked for its line");
  Tampering odd;
  odd.below = [](MemReq& r) {
    r.address += 4;
    return true;
  };
  expect_rule(Role::L2, odd, read, "address", "expected whole blocks");
  Tampering other;
  other.below = [](MemReq& r) {
    r.mtype = Mtype::Uncached;
    return true;
  };
  expect_rule(Role::VectorL1, other, read, "attributes", "scope, cache bits and memory type");
  Tampering renamed;
  renamed.below = [](MemReq& r) {
    r.wave = 8;
    return true;
  };
  expect_rule(Role::Scalar, renamed, read, "attributes", "has these names");
  const auto store = [](Bench& b) {
    b.send_and_wait(uncached(word(MemOp::Write, 0x40, 1)));
    b.send_and_wait(uncached(word(MemOp::AtomicReturn, 0x80, 1)));
  };
  Tampering weaker;
  weaker.below = [](MemReq& r) {
    if (r.op == MemOp::Write) r.mtype = Mtype::ReadWrite;
    return true;
  };
  expect_rule(Role::L2, weaker, store, "attributes", "who has written these bytes");
  Tampering atomic;
  atomic.below = [](MemReq& r) {
    if (r.op == MemOp::AtomicReturn) r.mtype = Mtype::ReadWrite;
    return true;
  };
  expect_rule(Role::L2, atomic, store, "attributes", "with other scope, cache bits or memory type");
  Tampering same_id;
  same_id.below = [](MemReq& r) {
    r.id = 5;
    return true;
  };
  expect_rule(
      Role::L2, same_id,
      [](Bench& b) {
        b.send(word(MemOp::Read, 0x40));
        b.send_and_wait(word(MemOp::Read, 0x80));
      },
      "id", "which is under way already");
}

/// A store that is held and one that goes past, with equal bytes and both not sent yet: the
/// write-back may be of the first.
TEST(CacheChecker, EqualBytesOfTwoKinds) {
  for (const Role role : {Role::Scalar, Role::L2}) {
    Bench bench(role);
    bench.send(word(MemOp::Write, 0x40, 1));
    bench.send_and_wait(uncached(word(MemOp::Write, 0x40, 1)));
    bench.send_and_wait(word(MemOp::Read, 0x40));
    bench.seat().kit().conclude();
    EXPECT_FALSE(bench.mismatch()) << bench.mismatch()->report;
  }
}

TEST(CacheChecker, Atomics) {
  const auto add = [](Bench& b) {
    b.send_and_wait(word(MemOp::Write, 0x80, 0x81000010));
    b.send_and_wait(word(MemOp::Atomic, 0x80, 1));
    b.send_and_wait(word(MemOp::AtomicReturn, 0x80, 2));
    b.send_and_wait(word(MemOp::Read, 0x80));
    b.send_and_wait(word(MemOp::Writeback, 0), 1);
  };
  Tampering old;
  old.answer = but_for<MemResp>([](const MemResp& r) { return r.id == 102; },
                                [](MemResp& r) {
                                  r.data[0] ^= 1;
                                  return true;
                                });
  expect_rule(Role::L2, old, add, "atomic",
              "with the old value 0x10 in byte 0x10080, expected 0x11");
  // Not done: later reads see it.
  Tampering idle;
  idle.request = [](MemReq& r) {
    if (r.op == MemOp::Atomic) r.data[0] = 0;
    return true;
  };
  expect_rule(Role::L2, idle, add, "atomic", "expected 0x11 of compute unit 3 wave 7 sequence 101");
  Tampering double_add;
  double_add.request = [](MemReq& r) {
    if (r.op == MemOp::AtomicReturn) r.data[0] = 4;
    return true;
  };
  expect_rule(Role::L2, double_add, add, "data", "0x15, expected 0x13");
  // In a first level.
  Tampering own;
  own.below = but_for<MemReq>(op_is(MemOp::AtomicReturn), [](MemReq&) { return false; });
  const auto one = [](Bench& b) { b.send_and_wait(word(MemOp::AtomicReturn, 0x80, 2)); };
  expect_rule(Role::VectorL1, own, one, "atomic", "which never went below");
  Tampering other;
  other.below = [](MemReq& r) {
    r.data[0] ^= 1;
    return true;
  };
  expect_rule(Role::Scalar, other, one, "atomic", "nobody under way has asked for like this");
  Tampering changed;
  changed.answer = [](MemResp& r) {
    r.data[3] ^= 1;
    return true;
  };
  expect_rule(Role::VectorL1, changed, one, "atomic", "with another old value than below");
  auto sent = std::make_shared<bool>(false);
  auto kept = std::make_shared<MemReq>();
  Tampering twice;
  twice.below = [kept](MemReq& r) {
    *kept = r;
    return true;
  };
  twice.more = [kept, sent](cache::Cache&, cache::Cache::Port& down, Cycle now) {
    if (kept->op != MemOp::AtomicReturn || *sent) return;
    *sent = true;
    kept->id = 0x77777;
    down.request.push(*kept, now + 1);
  };
  expect_rule(Role::VectorL1, twice, one, "atomic", "which it has sent already");
}

TEST(CacheChecker, Answers) {
  const auto stores_twice = [](Bench& b) {
    b.send_and_wait(word(MemOp::Write, 0x80, 1));
    b.send_and_wait(word(MemOp::Write, 0x80, 2));
  };
  const auto change = [](const std::function<void(MemResp&)>& f) {
    Tampering t;
    t.answer = [f](MemResp& r) {
      f(r);
      return true;
    };
    return t;
  };
  expect_rule(Role::L2, change([](MemResp& r) { r.id ^= 0x100; }), stores_twice, "id",
              "that no request under way at the port has");
  expect_rule(Role::L2, change([](MemResp& r) { r.address += 64; }), stores_twice, "address",
              "with address 0x100c0");
  expect_rule(Role::L2, change([](MemResp& r) { r.serial = 1; }), stores_twice, "serial",
              "with serial 1, expected more than 1");
  expect_rule(Role::VectorL1, change([](MemResp& r) { r.serial += 1; }), stores_twice, "serial",
              "as from below");
  expect_rule(Role::Scalar, change([](MemResp& r) { r.serial = 4; }), stores_twice, "serial",
              "with serial 4, expected 0");
  expect_rule(Role::L2, change([](MemResp& r) { r.status = MemStatus::Fault; }), stores_twice,
              "status", "with a fault that the level below has not told");
  Tampering silent;
  silent.answer = but_for<MemResp>(any, [](MemResp&) { return false; });
  expect_rule(Role::L2, silent, stores_twice, "missing",
              "at the end, no answer to Write of 0x10080 by compute unit 3 wave 7 sequence 100");
  // Two reads of a block, answered the other way round.
  auto first = std::make_shared<std::optional<MemResp>>();
  Tampering swap;
  swap.answer = [first](MemResp& r) {
    if (r.id != 100) return true;
    *first = r;
    return false;
  };
  swap.more = [first](cache::Cache& shell, cache::Cache::Port&, Cycle now) {
    if (!*first || shell.up(0).response.empty()) return;
    shell.up(0).response.push(**first, now + 1);
    first->reset();
  };
  expect_rule(
      Role::L2, swap,
      [](Bench& b) {
        b.send(word(MemOp::Read, 0x40));
        b.send_and_wait(word(MemOp::Read, 0x44));
      },
      "order", "before Read of 0x10040 by compute unit 3 wave 7 sequence 100, which is older");
}

/// Faults are those of the level below, and a Writeback tells those of blocks it could not write.
TEST(CacheChecker, Faults) {
  const auto outside = [](Bench& b) {
    MemReq write = word(MemOp::Write, 0, 1);
    write.address = kBase + 0x20'0000;
    b.send_and_wait(write);
    b.send_and_wait(word(MemOp::Writeback, 0), 1);
    write.op = MemOp::Read;
    write.byte_mask <<= 8;
    b.send_and_wait(write);
  };
  Tampering hides;
  hides.answer = [](MemResp& r) {
    r.status = MemStatus::Ok;
    if (r.id == 101) r.address = 0;
    return true;
  };
  expect_rule(Role::L2, hides, outside, "status", "although block 0x210000 could not be written");
  const auto system = [](Bench& b) {
    b.send_and_wait(scoped(word(MemOp::Invalidate, 0), Scope::System));
  };
  Tampering alone;
  alone.below = but_for<MemReq>(op_is(MemOp::Invalidate), [](MemReq&) { return false; });
  expect_rule(Role::VectorL1, alone, system, "maintenance",
              "before the level below has answered it");
}

/// Dirty bytes that a host sees past the channels.
TEST(CacheChecker, DirtyBytesAreKnown) {
  Bench b(Role::L2);
  b.send_and_wait(word(MemOp::Write, 0x80, 0x01020304));
  uint8_t bytes[4] = {};
  EXPECT_TRUE(b.seat().peek(kBase + 0x80, bytes, 4));
  EXPECT_EQ(bytes[3], 1);
  EXPECT_FALSE(b.seat().peek(kBase + 0x84, bytes, 4));
  std::vector<std::pair<uint64_t, uint64_t>> dirty;
  const auto note = [&dirty](uint64_t address, uint64_t mask, const uint8_t*) {
    dirty.emplace_back(address, mask);
  };
  EXPECT_TRUE(b.seat().for_dirty(note));
  ASSERT_EQ(dirty.size(), 1u);
  EXPECT_EQ(dirty[0], std::pair(kBase + 0x80, uint64_t{0xf}));
  b.send_and_wait(word(MemOp::Writeback, 0), 1);
  dirty.clear();
  EXPECT_TRUE(b.seat().for_dirty(note));
  EXPECT_TRUE(dirty.empty());
  EXPECT_EQ(b.seat().counters().writebacks, 1u);
}

}  // namespace
}  // namespace cuvette
