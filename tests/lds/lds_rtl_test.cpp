// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "lds_rtl.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "Vlds_rtl.h"
#include "base/bits.h"
#include "ip/common/verilated_model.h"
#include "ip/traffic/lds_traffic.h"

// rtl/lds against the reference core, request by request, and against the times of lds.md,
// cycle by cycle.
namespace cuvette::lds::testing {
namespace {

using ip::traffic::LdsOperation;
using ip::traffic::LdsRequests;
using ip::traffic::operations_of;

using wave::kLanes;
using wave::MemoryKind;

constexpr uint64_t kSeeds[] = {1, 77, 4711};
constexpr unsigned kBeatLanes = 16;

/// Number of requests of an operation.
unsigned requests_of_each() {
  const char* const text = std::getenv("CUVETTE_TEST_VECTORS");
  return text == nullptr ? 40 : static_cast<unsigned>(std::atoi(text));
}

/// A message of pins, from its lowest bit on.
template <class Words>
class Bits {
 public:
  explicit Bits(Words& words) : words_(words) {}
  void put(unsigned width, uint64_t value) {
    for (unsigned n = 0; n < width; ++n, ++at_) {
      const uint32_t bit = uint32_t{1} << (at_ % 32);
      uint32_t& word = words_[at_ / 32];
      word = (value >> n & 1) != 0 ? word | bit : word & ~bit;
    }
  }
  uint64_t take(unsigned width) {
    uint64_t value = 0;
    for (unsigned n = 0; n < width; ++n, ++at_) {
      value |= uint64_t{words_[at_ / 32] >> (at_ % 32) & 1} << n;
    }
    return value;
  }

 private:
  Words& words_;
  unsigned at_ = 0;
};

/// Fields of rtl/lds/lds_pkg.sv, the last one first.
template <class Words>
void put(Words& words, const Request& r, unsigned beat) {
  Bits<Words> bits(words);
  const unsigned first = beat * kBeatLanes;
  const auto lanes = [&](const auto& row) {
    for (unsigned l = 0; l < kBeatLanes; ++l) bits.put(32, row[first + l]);
  };
  for (const auto& row : r.compare) lanes(row);
  for (const auto& row : r.data) lanes(row);
  for (const auto& row : r.offset) lanes(row);
  bits.put(16, r.exec >> first);
  bits.put(5, r.bytes);
  bits.put(2, r.accesses);
  bits.put(1, r.operand_in_lds ? 1 : 0);
  bits.put(1, r.flush_out ? 1 : 0);
  bits.put(1, r.flush_in ? 1 : 0);
  bits.put(5, static_cast<uint64_t>(r.atomic));
  bits.put(2, static_cast<uint64_t>(r.kind));
  bits.put(32, r.limit);
  bits.put(32, r.base);
  bits.put(8, r.slot);
  bits.put(8, r.simd);
  bits.put(2, beat);
  bits.put(32, r.id);
}

/// The block at its pins beside the reference and the schedule.
class Bench {
 public:
  explicit Bench(uint64_t seed) : model_(seed), rng_(static_cast<uint32_t>(seed)) {
    model_.begin();
    model_->rst_ni = 0;
    model_->request_valid_i = 0;
    model_->response_ready_i = 0;
    for (unsigned n = 0; n < 2; ++n) {
      model_.settle();
      model_.clock();
    }
    model_->rst_ni = 1;
    clear();
  }

  void send(const Request& r) { to_send_.push_back(r); }
  /// Until everything has been answered. `calm`: beats come and go without pauses.
  void run(bool calm) {
    for (unsigned still = 0; !to_send_.empty() || !expected_.empty(); ++still) {
      if (cycle(calm)) still = 0;
      if (::testing::Test::HasFailure()) return;
      ASSERT_LT(still, 1000u) << "the block does nothing";
    }
    ASSERT_FALSE(model_.failure().has_value());
  }
  /// The whole memory, read through the block.
  void compare_memory() {
    Request r;
    r.bytes = 16;
    r.limit = kBytes;
    r.exec = ~uint64_t{0};
    for (uint32_t base = 0; base < kBytes; base += 1024) {
      r.base = base;
      for (unsigned l = 0; l < kLanes; ++l) r.offset[0][l] = 16 * l;
      send(r);
    }
    run(true);
  }
  Cycle cycles() const { return schedule_.now(); }
  uint64_t conflicts() const { return reference_.counters().conflict_cycles; }
  uint64_t lanes_compared() const { return lanes_compared_; }

 private:
  struct Expected {
    Request request;
    Response response;
  };

  /// Memories begin with different contents: both are written.
  void clear() {
    Request r;
    r.kind = MemoryKind::Store;
    r.bytes = 16;
    r.limit = kBytes;
    r.exec = ~uint64_t{0};
    for (uint32_t base = 0; base < kBytes; base += 1024) {
      r.base = base;
      for (unsigned l = 0; l < kLanes; ++l) {
        r.offset[0][l] = 16 * l;
        for (auto& row : r.data) row[l] = rng_();
      }
      send(r);
    }
    run(true);
  }

  /// Answer of the reference; its conflicts are those of the schedule.
  Response answer(const Request& r) {
    const uint64_t before = conflicts();
    reference_.request.push(r, reference_now_);
    while (reference_.response.front(reference_now_) == nullptr) reference_.tick(reference_now_++);
    Response out = reference_.response.pop(reference_now_);
    reference_now_ += 1000;
    EXPECT_EQ(conflicts() - before, cost_of(r).conflict) << "id " << r.id;
    return out;
  }

  /// True when a beat moved.
  bool cycle(bool calm) {
    const bool offers = !to_send_.empty() && (offered_ || calm || rng_() % 4 != 0);
    const bool takes = calm || rng_() % 3 != 0;
    model_->request_valid_i = offers;
    model_->response_ready_i = takes;
    if (offers && !offered_) put(model_->request_i, to_send_.front(), beat_);
    offered_ = offers;
    model_.settle();
    const bool ready = model_->request_ready_o != 0;
    const bool valid = model_->response_valid_o != 0;
    EXPECT_EQ(ready, schedule_.request_ready()) << "cycle " << cycles();
    EXPECT_EQ(valid, schedule_.response_valid()) << "cycle " << cycles();
    const bool taken = offers && ready;
    const bool given = valid && takes;
    if (given) compare();
    const Request* const request = taken ? &to_send_.front() : nullptr;
    schedule_.clock(request, given);
    model_.clock();
    if (taken) {
      offered_ = false;
      if (++beat_ == Schedule::kBeats) {
        beat_ = 0;
        expected_.push_back({to_send_.front(), answer(to_send_.front())});
        to_send_.pop_front();
      }
    }
    return taken || given;
  }

  void compare() {
    ASSERT_FALSE(expected_.empty());
    const Request& r = expected_.front().request;
    const Response& want = expected_.front().response;
    Bits bits(model_->response_o);
    const unsigned first = given_ * kBeatLanes;
    EXPECT_EQ(bits.take(16), want.out_of_range >> first & 0xffff) << "id " << r.id;
    for (unsigned d = 0; d < 4; ++d) {
      for (unsigned l = first; l < first + kBeatLanes; ++l) {
        const uint64_t data = bits.take(32);
        if (r.kind == MemoryKind::Store || r.kind == MemoryKind::Atomic || !base::bit(r.exec, l)) {
          continue;
        }
        ++lanes_compared_;
        EXPECT_EQ(data, want.data[d][l]) << "id " << r.id << " lane " << l << " dword " << d;
      }
    }
    EXPECT_EQ(bits.take(2), given_);
    EXPECT_EQ(bits.take(32), r.id);
    if (++given_ == Schedule::kBeats) {
      given_ = 0;
      expected_.pop_front();
    }
  }

  ip::VerilatedModel<Vlds_rtl, false> model_;
  LdsModel reference_{Config{1, 32}};
  Schedule schedule_;
  std::mt19937 rng_;
  Cycle reference_now_ = 0;
  std::deque<Request> to_send_;
  std::deque<Expected> expected_;
  bool offered_ = false;
  unsigned beat_ = 0, given_ = 0;
  uint64_t lanes_compared_ = 0;
};

/// Operations of all targets.
std::set<LdsOperation> all_operations() {
  std::set<LdsOperation> out;
  for (const isa::Target t : isa::kAllTargets) {
    for (const LdsOperation& o : operations_of(t)) out.insert(o);
  }
  return out;
}

TEST(LdsRtl, EveryOperationOfEveryTargetDoesWhatTheReferenceDoes) {
  uint64_t operations = 0, requests = 0, lanes = 0, conflicts = 0, cycles = 0;
  for (const LdsOperation& o : all_operations()) {
    SCOPED_TRACE(text(o));
    const unsigned number = static_cast<unsigned>(operations);
    Bench bench(kSeeds[operations++ % std::size(kSeeds)]);
    LdsRequests maker(number);
    for (unsigned n = 0; n < requests_of_each(); n += 20) {
      for (unsigned m = 0; m < 20; ++m) {
        if (o.is_atomic() && m % 5 == 0) bench.send(maker.fill());
        bench.send(maker.make(o));
      }
      bench.run(n % 60 != 20);
      if (HasFailure()) return;
    }
    bench.compare_memory();
    if (HasFailure()) return;
    requests += requests_of_each();
    lanes += bench.lanes_compared();
    conflicts += bench.conflicts();
    cycles += bench.cycles();
  }
  std::printf("lds: %lu operations, %lu requests, %lu dwords, %lu conflict cycles, %lu cycles\n",
              operations, requests, lanes, conflicts, cycles);
  EXPECT_GE(operations, 80u);
}

TEST(LdsRtl, OperationsMixed) {
  const std::set<LdsOperation> all = all_operations();
  const std::vector<LdsOperation> operations(all.begin(), all.end());
  for (const uint64_t seed : kSeeds) {
    Bench bench(seed);
    LdsRequests maker(static_cast<uint32_t>(seed));
    for (unsigned n = 0; n < 2 * std::min(1000u, requests_of_each()); ++n) {
      bench.send(maker.make(operations[maker.draw(static_cast<uint32_t>(operations.size()))]));
      if (n % 40 == 39) bench.run(n % 120 == 119);
      if (HasFailure()) return;
    }
    bench.compare_memory();
  }
}

/// The pattern of tests/lds/lds_test.cpp, where conflicts are counted by hand.
TEST(LdsRtl, ConflictsByHand) {
  struct Case {
    MemoryKind kind;
    uint32_t stride;
    uint8_t bytes;
    uint32_t busy, conflict;
  };
  for (const Case& c :
       {Case{MemoryKind::Load, 4, 4, 2, 0}, Case{MemoryKind::Load, 128, 4, 64, 62},
        Case{MemoryKind::Store, 132, 4, 2, 0}, Case{MemoryKind::Load, 0, 4, 2, 0},
        Case{MemoryKind::Atomic, 0, 4, 64, 62}, Case{MemoryKind::Load, 8, 8, 4, 0},
        Case{MemoryKind::Load, 16, 16, 8, 0}, Case{MemoryKind::Load, 128, 8, 64, 60}}) {
    Bench bench(1);
    Request r;
    r.kind = c.kind;
    r.bytes = c.bytes;
    r.limit = kBytes;
    r.exec = ~uint64_t{0};
    for (unsigned l = 0; l < kLanes; ++l) r.offset[0][l] = c.stride * l;
    EXPECT_EQ(cost_of(r).busy, c.busy);
    EXPECT_EQ(cost_of(r).conflict, c.conflict);
    const Cycle before = bench.cycles();
    bench.send(r);
    bench.run(true);
    // Four beats come, four go.
    EXPECT_EQ(bench.cycles() - before, 4 + Schedule::kLatency + c.conflict + 4);
  }
}

}  // namespace
}  // namespace cuvette::lds::testing
