// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cache/cache_model.h"
#include "ip/cache/cache_rtl.h"
#include "memory/memory_model.h"

// Times of the cache in RTL and of the model, message by message, in every role.
namespace cuvette {
namespace {

using cache::Role;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;

constexpr uint64_t kBase = 0x10000;
constexpr Cycle kBelow = 40;      // of the level below, from a request to its answer
constexpr Cycle kFarBelow = 400;  // the same where requests pile up

/// A request of a scenario: `after` cycles behind its beginning, at a port.
struct Asked {
  Cycle after = 0;
  MemReq request;
  unsigned port = 0;
};
/// What was seen: requests to the level below and answers, with their cycles.
struct Seen {
  std::vector<std::pair<Cycle, uint64_t>> below;
  std::map<uint64_t, Cycle> answers;
};

MemReq word(MemOp op, uint64_t address, uint32_t value = 1) {
  MemReq r;
  r.op = op;
  const unsigned at = address % 64;
  const bool atomic = op == MemOp::Atomic || op == MemOp::AtomicReturn;
  r.address = atomic ? address : address - at;
  r.byte_mask = uint64_t{15} << at;
  std::memcpy(r.data.data() + (atomic ? 0 : at), &value, 4);
  return r;
}

class Bench {
 public:
  explicit Bench(std::unique_ptr<cache::Cache> cache, Cycle below = kBelow)
      : cache_(std::move(cache)) {
    EXPECT_TRUE(backing_.reserve(kBase, 0x100000).ok());
    memory::Config m;
    m.latency_cycles = below;
    m.backing = &backing_;
    memory_ = std::make_unique<memory::MemoryModel>(m);
    cache_->connect(down_);
    run({{0, word(MemOp::Read, kBase + 0x8000)}});  // behind the walk after reset
  }
  Seen run(const std::vector<Asked>& asked, Cycle cycles = 3000) {
    seen_ = {};
    start_ = now_;
    size_t next = 0;
    for (const Cycle end = now_ + cycles; now_ < end; ++now_) {
      for (; next < asked.size() && start_ + asked[next].after <= now_; ++next) {
        MemReq r = asked[next].request;
        r.id = next;
        r.time = now_;
        r.sequence = static_cast<uint32_t>(++sequence_);
        cache_->up(asked[next].port).request.push(r, now_);
      }
      step();
    }
    return seen_;
  }

 private:
  void step() {
    cache_->tick(now_);
    while (!down_.request.empty()) {
      const Cycle at = down_.request.next_event();
      const MemReq r = down_.request.pop(at);
      seen_.below.emplace_back(at - start_, r.address);
      memory_->port(0).request.push(r, at);
    }
    memory_->tick(now_);
    auto& back = memory_->port(0).response;
    while (!back.empty()) {
      const Cycle at = back.next_event();
      down_.response.push(back.pop(at), at);
    }
    for (unsigned p = 0; p < cache_->up_ports(); ++p) {
      auto& from = cache_->up(p).response;
      while (from.front(now_) != nullptr) seen_.answers[from.pop(now_).id] = now_ - start_;
    }
  }

  hsa::SparseMemory backing_;
  std::unique_ptr<cache::Cache> cache_;
  std::unique_ptr<memory::MemoryModel> memory_;
  cache::Cache::Port down_;
  Cycle now_ = 1, start_ = 0;
  uint64_t sequence_ = 0;
  Seen seen_;
};

/// Of scenarios, to look at what differs.
std::string text(const Seen& seen) {
  std::string out = "below:";
  for (const auto& [at, address] : seen.below) {
    out += " " + std::to_string(at) + " (" + std::to_string(address - kBase) + ")";
  }
  out += ", answers:";
  for (const auto& [id, at] : seen.answers) {
    out += " " + std::to_string(id) + " at " + std::to_string(at);
  }
  return out;
}

Cycle last_answer(const Seen& seen) {
  Cycle last = 0;
  for (const auto& [id, at] : seen.answers) last = std::max(last, at);
  return last;
}

/// Of long scenarios: the first request below or answer whose time differs.
std::string first_difference(const Seen& want, const Seen& got) {
  std::string out;
  const size_t count = std::min(want.below.size(), got.below.size());
  for (size_t n = 0; n < count; ++n) {
    if (want.below[n] == got.below[n]) continue;
    out += "below, message " + std::to_string(n) + ": " + std::to_string(want.below[n].second) +
           " at " + std::to_string(want.below[n].first) + ", RTL " +
           std::to_string(got.below[n].second) + " at " + std::to_string(got.below[n].first);
    break;
  }
  if (out.empty() && want.below.size() != got.below.size()) out = "below, another number of them";
  std::pair<Cycle, uint64_t> earliest{machine::kNever, 0};
  for (const auto& [id, at] : want.answers) {
    const auto other = got.answers.find(id);
    if (other != got.answers.end() && other->second == at) continue;
    earliest = std::min(earliest, {at, id});
  }
  if (earliest.first != machine::kNever) {
    out += "; answer to " + std::to_string(earliest.second) + " at " +
           std::to_string(earliest.first) + ", RTL " +
           std::to_string(got.answers.count(earliest.second) ? got.answers.at(earliest.second) : 0);
  }
  return out;
}

class CacheTimes : public testing::TestWithParam<Role> {};
INSTANTIATE_TEST_SUITE_P(Roles, CacheTimes,
                         testing::Values(Role::VectorL1, Role::Scalar, Role::Instruction, Role::L2),
                         [](const auto& role) { return std::string(cache::name_of(role.param)); });

/// One scenario after the other, on caches that keep what the ones before have brought.
TEST_P(CacheTimes, OfModelAndRtlAreTheSame) {
  const Role role = GetParam();
  const cache::Config c = ip::cache_build(role);
  auto made = ip::make_cache_rtl(c, true, 1, {}, {});
  ip::CacheSeat& seat = *made;
  Bench model(std::make_unique<cache::CacheModel>(c)), rtl(std::move(made));
  const auto both = [&](const char* what, const std::vector<Asked>& asked) {
    const Seen want = model.run(asked), got = rtl.run(asked);
    EXPECT_EQ(text(got), text(want)) << what;
    EXPECT_EQ(want.answers.size(), asked.size()) << what;
    ASSERT_FALSE(seat.kit().mismatch()) << what << ": " << seat.kit().mismatch()->report;
  };
  const auto read = [](uint64_t at) { return word(MemOp::Read, kBase + at); };
  const auto write = [](uint64_t at) { return word(MemOp::Write, kBase + at); };
  const auto add = [](uint64_t at) { return word(MemOp::AtomicReturn, kBase + at); };
  const auto maintain = [](MemOp op, memory::Scope scope = memory::Scope::Agent) {
    MemReq r;
    r.op = op;
    r.scope = scope;
    return r;
  };
  const auto past = [&](uint64_t at) {
    MemReq r = read(at);
    r.scope = memory::Scope::System;
    r.mtype = memory::Mtype::Uncached;
    return r;
  };
  both("a miss", {{0, read(0)}});
  both("a hit", {{0, read(0)}});
  both("hits", {{0, read(0)}, {0, read(4)}, {0, read(8)}, {5, read(12)}});
  both("four requests of a miss", {{0, read(64)}, {0, read(68)}, {0, read(72)}, {0, read(76)}});
  both("four misses", {{0, read(128)}, {0, read(192)}, {0, read(256)}, {0, read(320)}});
  both("hits under a miss", {{0, read(384)}, {0, read(0)}, {1, read(64)}});
  both("hits while a fill comes", {{0, read(448)},
                                   {43, read(0)},
                                   {44, read(64)},
                                   {45, read(128)},
                                   {46, read(192)},
                                   {47, read(0)},
                                   {48, read(64)}});
  both("a request behind those that a fill wakes",
       {{0, read(8192)}, {0, read(8196)}, {0, read(8200)}, {49, read(8204)}});
  both("a read that goes past", {{0, past(0)}});
  for (const Cycle turn : {42, 44, 45, 46}) {  // of 43, both answers are due at once
    both("a read that goes past, a hit when its answer comes", {{0, past(0)}, {turn, read(64)}});
  }
  both("an invalidate", {{0, maintain(MemOp::Invalidate), 1}});
  both("a read behind an invalidate", {{0, maintain(MemOp::Invalidate), 1}, {1, read(0)}});
  both("an invalidate behind a miss", {{0, read(512)}, {3, maintain(MemOp::Invalidate), 1}});
  if (role == Role::VectorL1) {
    both("an invalidate of two levels",
         {{0, maintain(MemOp::Invalidate, memory::Scope::System), 1}, {1, read(0)}});
  }
  if (role == Role::Instruction) return;  // nobody writes to it
  both("a write to a line that is held", {{0, write(0)}});
  both("a write to one that is not", {{0, write(4096)}});
  both("writes", {{0, write(576)}, {0, write(640)}, {0, write(704)}});
  both("atomics", {{0, add(0)}, {0, add(0)}, {0, add(64)}});
  both("atomics on what is not held", {{0, add(1024)}, {0, add(1024)}});
  both("a read that goes past dirty bytes", {{0, past(576)}});
  both("an invalidate behind a write", {{0, write(0)}, {1, maintain(MemOp::Invalidate), 1}});
  both("a write-back", {{0, maintain(MemOp::Writeback), 1}});
  both("a write-back behind writes",
       {{0, write(0)}, {0, write(64)}, {8, maintain(MemOp::Writeback), 1}, {9, read(0)}});
}

/// Mixtures of requests, in tenths of reads, writes and atomics; the rest goes past.
struct Mixture {
  const char* name;
  unsigned reads, writes, atomics;
  unsigned maintenance = 0;  ///< one in so many requests; 0: none
};
constexpr Mixture kReads{"reads", 10, 0, 0};
constexpr Mixture kMixtures[] = {
    {"writes", 6, 4, 0},          {"atomics", 6, 2, 2},        {"what goes past", 6, 2, 1},
    {"invalidates", 9, 0, 0, 60}, {"everything", 5, 3, 1, 40},
};

MemReq random_request(std::mt19937& random, const Mixture& mixture, uint64_t address) {
  if (mixture.maintenance != 0 && random() % mixture.maintenance == 0) {
    MemReq r;
    r.op = mixture.writes == 0 || random() % 2 == 0 ? MemOp::Invalidate : MemOp::Writeback;
    r.scope = random() % 2 == 0 ? memory::Scope::Agent : memory::Scope::System;
    return r;
  }
  const unsigned kind = random() % 10;
  if (kind < mixture.reads) return word(MemOp::Read, address);
  if (kind < mixture.reads + mixture.writes) return word(MemOp::Write, address);
  if (kind < mixture.reads + mixture.writes + mixture.atomics) {
    return word(random() % 2 == 0 ? MemOp::Atomic : MemOp::AtomicReturn, address);
  }
  MemReq r = word(random() % 2 == 0 || mixture.writes == 0 ? MemOp::Read : MemOp::Write, address);
  r.scope = memory::Scope::System;
  r.mtype = memory::Mtype::Uncached;
  return r;
}

/// Bursts of a requester that wait for misses, entries and places: words in a region a little
/// larger than the cache.
std::vector<Asked> bursts(const cache::Config& c, const Mixture& mixture, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Asked> asked;
  for (Cycle at = 0; asked.size() < 2000; at += random() % 600) {
    const uint64_t first = random() % (c.bytes * (8 + seed % 3) / 8) / 64 * 64;
    for (unsigned n = random() % 80 + 1; n != 0; --n) {
      const uint64_t address = seed % 2 == 0 ? first + n * 40 % 3200 : first + random() % 4096;
      asked.push_back({at, random_request(random, mixture, kBase + address / 4 * 4)});
    }
  }
  return asked;
}

/// What the model and the RTL make of the same bursts, for each of eight seeds.
void pile_up(Role role, const Mixture& mixture,
             const std::function<void(const Seen& model, const Seen& rtl)>& compare) {
  const cache::Config c = ip::cache_build(role);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(std::string(mixture.name) + ", seed " + std::to_string(seed));
    auto made = ip::make_cache_rtl(c, true, 1, {}, {});
    ip::CacheSeat& seat = *made;
    Bench model(std::make_unique<cache::CacheModel>(c), kFarBelow), rtl(std::move(made), kFarBelow);
    const std::vector<Asked> asked = bursts(c, mixture, seed);
    const Seen of_model = model.run(asked, 100'000), of_rtl = rtl.run(asked, 100'000);
    EXPECT_EQ(of_model.answers.size(), asked.size());
    EXPECT_EQ(of_rtl.answers.size(), asked.size());
    compare(of_model, of_rtl);
    ASSERT_FALSE(seat.kit().mismatch()) << seat.kit().mismatch()->report;
  }
}

TEST_P(CacheTimes, OfReadsThatPileUpAreTheSame) {
  pile_up(GetParam(), kReads,
          [](const Seen& model, const Seen& rtl) { EXPECT_EQ(first_difference(model, rtl), ""); });
}

/// With other requests the two differ where answers from below come between those of hits; the time
/// until everything is answered differs by at most 2 %.
TEST_P(CacheTimes, OfRequestsThatPileUpAreNearlyTheSame) {
  if (GetParam() == Role::Instruction) return;  // nobody writes to it
  for (const Mixture& mixture : kMixtures) {
    Cycle of_model = 0, of_rtl = 0;
    pile_up(GetParam(), mixture, [&](const Seen& model, const Seen& rtl) {
      of_model += last_answer(model);
      of_rtl += last_answer(rtl);
    });
    const auto ratio = static_cast<double>(of_rtl) / static_cast<double>(of_model);
    EXPECT_NEAR(ratio, 1, 0.02) << mixture.name;
    RecordProperty(mixture.name, std::to_string(ratio));
  }
}

}  // namespace
}  // namespace cuvette
