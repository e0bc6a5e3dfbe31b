// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Vcache_instruction_rtl.h"
#include "Vcache_l2_rtl.h"
#include "Vcache_scalar_rtl.h"
#include "Vcache_vector_l1_rtl.h"
#include "cache/cache_model.h"
#include "ip/dut_cache.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/traffic/cache_traffic.h"
#include "ip/traffic/stalling_pins.h"
#include "test_vectors.h"

// rtl/cache in its four roles, small so that lines come and go, judged by the rules of the page
// whatever it chooses (docs/reference/cache.md).
namespace cuvette {
namespace {

using cache::Role;
using ip::traffic::StallingPins;
using Traffic = ip::traffic::CacheTraffic;

template <class Model, uint32_t kPorts>
std::unique_ptr<ip::PinDevice> make(uint64_t seed) {
  using Device = ip::VerilatedDevice<Model, ip::dut::CachePorts<Model, kPorts>, false>;
  const auto pins = ip::pin_channels(cache::kChannels, kPorts);
  return std::make_unique<ip::PinMonitor>(std::make_unique<Device>(seed, pins), pins,
                                          ip::ready_within(pins));
}

/// The RTL with assertions and random start values, its handshakes watched.
std::unique_ptr<ip::PinDevice> device(Role role, uint64_t seed) {
  switch (role) {
    case Role::VectorL1:
      return make<Vcache_vector_l1_rtl, 2>(seed);
    case Role::Scalar:
      return make<Vcache_scalar_rtl, 3>(seed);
    case Role::Instruction:
      return make<Vcache_instruction_rtl, 3>(seed);
    case Role::L2:
      break;
  }
  return make<Vcache_l2_rtl, 2>(seed);
}

/// The parameters of the cells (ip/cells.cmake).
cache::Config config_of(Role role) {
  cache::Config c;
  c.role = role;
  switch (role) {
    case Role::VectorL1:  // 4 sets, true LRU
      c.up_ports = 2, c.bytes = 1024, c.ways = 4, c.line_bytes = 64, c.hit_cycles = 7, c.misses = 4;
      break;
    case Role::Scalar:  // 2 sets, tree-PLRU
      c.up_ports = 3, c.bytes = 1024, c.ways = 4, c.line_bytes = 128, c.hit_cycles = 4;
      c.misses = 8;
      break;
    case Role::Instruction:  // 8 sets, true LRU
      c.up_ports = 3, c.bytes = 1024, c.ways = 2, c.line_bytes = 64, c.hit_cycles = 5, c.misses = 4;
      break;
    case Role::L2:  // 4 sets, true LRU
      c.up_ports = 2, c.bytes = 2048, c.ways = 4, c.line_bytes = 128, c.hit_cycles = 9;
      c.misses = 8, c.slices = 4, c.interleave_bytes = 256;
      break;
  }
  return c;
}

struct Outcome {
  std::optional<ip::BlockMismatch> mismatch;
  cache::Cache::Counters counters;
  uint64_t answers = 0, faults = 0, compared = 0;
  bool done = false;
};

Outcome run(std::unique_ptr<ip::PinDevice> device, const cache::Config& config,
            const Traffic::Options& options) {
  ip::CacheSeat seat(std::move(device), config, {}, {});
  Traffic traffic(seat, config, options);
  Outcome out;
  out.done = ip::traffic::drive(seat, traffic).done;
  out.mismatch = seat.kit().mismatch();
  out.counters = seat.counters();
  out.answers = traffic.answers();
  out.faults = traffic.faults();
  out.compared = seat.kit().compared();
  return out;
}

void expect_legal(const Outcome& r, unsigned requests) {
  ASSERT_FALSE(r.mismatch) << r.mismatch->report;
  EXPECT_TRUE(r.done);
  EXPECT_EQ(r.answers, requests);
  EXPECT_GT(r.compared, requests);
}

class CacheRtl : public ::testing::TestWithParam<Role> {};

INSTANTIATE_TEST_SUITE_P(Roles, CacheRtl,
                         ::testing::Values(Role::VectorL1, Role::Scalar, Role::Instruction,
                                           Role::L2),
                         [](const auto& role) { return std::string(cache::name_of(role.param)); });

unsigned requests() {
  return static_cast<unsigned>(test::vectors(4000));
}

/// Every port has blocks of its own, so that one order is legal alone.
TEST_P(CacheRtl, IsLegalForPortsWithBlocksOfTheirOwn) {
  for (const uint32_t seed : {1u, 77u, 4711u}) {
    SCOPED_TRACE(seed);
    Traffic::Options o;
    o.requests = requests();
    o.seed = seed;
    const Outcome r = run(device(GetParam(), seed), config_of(GetParam()), o);
    expect_legal(r, o.requests);
    EXPECT_GT(r.counters.read_hits, o.requests / 50);
    EXPECT_GT(r.counters.read_misses, o.requests / 50);
    EXPECT_GT(r.counters.invalidates, o.requests / 400);
    EXPECT_GT(r.faults, o.requests / 500);
  }
}

TEST_P(CacheRtl, IsLegalForPortsThatShareBlocks) {
  for (const uint32_t seed : {2u, 78u}) {
    SCOPED_TRACE(seed);
    Traffic::Options o;
    o.requests = requests();
    o.seed = seed;
    o.shared = true;
    expect_legal(run(device(GetParam(), seed), config_of(GetParam()), o), o.requests);
  }
}

TEST_P(CacheRtl, IsLegalWhenNobodyIsReady) {
  for (const uint32_t seed : {3u, 79u, 4713u}) {
    SCOPED_TRACE(seed);
    Traffic::Options o;
    o.requests = requests();
    o.seed = seed;
    o.maintenance = 5;
    const auto config = config_of(GetParam());
    auto stalls = std::make_unique<StallingPins>(
        device(GetParam(), seed), ip::pin_channels(cache::kChannels, config.up_ports), seed);
    expect_legal(run(std::move(stalls), config, o), o.requests);
  }
}

/// Cycles in which requests were taken and answers given at port 0, blocks asked for below, and
/// fills taken.
class Watch final : public ip::PinDevice {
 public:
  explicit Watch(std::unique_ptr<ip::PinDevice> device, unsigned ports)
      : device_(std::move(device)), ports_(ports) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    if (channel == 0) offered_ = beat != nullptr;
    if (channel == 2 * ports_ + 1) fills_ = beat != nullptr;
    device_->drive(channel, beat);
  }
  void accept(unsigned channel, bool ready) override { device_->accept(channel, ready); }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override { return device_->sample(channel, beat); }
  void clock() override {
    std::vector<uint8_t> beat(sizeof(memory::MemResp) + 64);
    if (offered_ && device_->ready(0)) requests.push_back(now_);
    if (device_->sample(ports_, beat.data())) answers.push_back(now_);
    if (device_->sample(2 * ports_, beat.data())) below.push_back(now_);
    if (fills_ && device_->ready(2 * ports_ + 1)) fills.push_back(now_);
    device_->clock();
    ++now_;
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

  void clear() {
    for (auto* cycles : {&requests, &answers, &below, &fills}) cycles->clear();
  }

  std::vector<unsigned> requests, answers, below, fills;

 private:
  std::unique_ptr<ip::PinDevice> device_;
  unsigned ports_, now_ = 0;
  bool offered_ = false, fills_ = false;
};

/// A cache with a level below, asked by hand.
class Bench {
 public:
  explicit Bench(Role role) : Bench(role, std::make_unique<Watch>(device(role, 1), ports(role))) {}

  void read(uint64_t address) {
    memory::MemReq r;
    r.byte_mask = ~uint64_t{0};
    r.address = address;
    send(r);
  }
  void send(memory::MemReq r) {
    r.id = next_id_++;
    r.time = now_ + 1;
    r.sequence = static_cast<uint32_t>(r.id);
    seat_.up(0).request.push(r, now_ + 1);
  }
  void settle() {
    for (const machine::Cycle end = now_ + 600; now_ < end; ++now_) {
      seat_.tick(now_);
      below_.step(now_);
      while (seat_.up(0).response.front(now_) != nullptr) seat_.up(0).response.drop(now_);
    }
    ASSERT_FALSE(seat_.kit().mismatch()) << seat_.kit().mismatch()->report;
  }
  /// Reads one block after the other; how many of them were asked for below.
  uint64_t misses_of(const std::vector<uint64_t>& addresses) {
    const uint64_t before = seat_.counters().fills;
    for (const uint64_t address : addresses) {
      read(address);
      settle();
    }
    return seat_.counters().fills - before;
  }
  Watch& watch() { return *watch_; }

 private:
  static unsigned ports(Role role) { return config_of(role).up_ports; }
  Bench(Role role, std::unique_ptr<Watch> watch)
      : watch_(watch.get()), seat_(std::move(watch), config_of(role), {}, {}), below_(down_, 1) {
    seat_.connect(down_);
  }

  Watch* watch_;
  cache::Cache::Port down_;
  ip::CacheSeat seat_;
  ip::traffic::LevelBelow below_;
  machine::Cycle now_ = 1;
  uint64_t next_id_ = 1;
};

TEST(CacheRtlTimes, HitsAndMissesTakeTheirCycles) {
  for (const Role role : {Role::VectorL1, Role::Scalar, Role::Instruction, Role::L2}) {
    SCOPED_TRACE(cache::name_of(role));
    Bench bench(role);
    Watch& watch = bench.watch();
    bench.read(0x8040);  // behind the reset's walk
    bench.settle();
    watch.clear();
    for (unsigned n = 0; n < 3; ++n) bench.read(0x8000);
    bench.settle();
    ASSERT_EQ(watch.below.size(), 1u);
    ASSERT_EQ(watch.fills.size(), 1u);
    ASSERT_EQ(watch.answers.size(), 3u);
    EXPECT_EQ(watch.below[0], watch.requests[0] + 4);
    for (unsigned n = 0; n < 3; ++n) {
      EXPECT_EQ(watch.answers[n], watch.fills[0] + config_of(role).hit_cycles + 4 + 3 * n);
    }
    watch.clear();
    for (unsigned n = 0; n < 20; ++n) bench.read(0x8000);
    bench.settle();
    ASSERT_EQ(watch.requests.size(), 20u);
    ASSERT_EQ(watch.answers.size(), 20u);
    for (unsigned n = 0; n < 20; ++n) {
      EXPECT_EQ(watch.requests[n], watch.requests[0] + n);
      EXPECT_EQ(watch.answers[n], watch.requests[n] + config_of(role).hit_cycles);
    }
  }
}

TEST(CacheRtlTimes, ReplacesTheLeastRecentlyUsed) {
  Bench bench(Role::VectorL1);
  const uint64_t a = 0x8000, b = a + 256, c = b + 256, d = c + 256, e = d + 256;  // of one set
  EXPECT_EQ(bench.misses_of({a, b, c, d}), 4u);
  EXPECT_EQ(bench.misses_of({b, a}), 0u);
  EXPECT_EQ(bench.misses_of({e}), 1u);  // in place of c
  EXPECT_EQ(bench.misses_of({d, b, a, e}), 0u);
  EXPECT_EQ(bench.misses_of({c}), 1u);  // in place of d
  EXPECT_EQ(bench.misses_of({a, b, c, e}), 0u);
  EXPECT_EQ(bench.misses_of({d}), 1u);
}

/// Ways 0 and 1, 2 and 3 are sons of a node each.
TEST(CacheRtlTimes, ReplacesByTheTree) {
  Bench bench(Role::Scalar);
  const uint64_t a = 0x8000, b = a + 256, c = b + 256, d = c + 256, e = d + 256, f = e + 256;
  EXPECT_EQ(bench.misses_of({a, b, c, d}), 4u);
  EXPECT_EQ(bench.misses_of({a}), 0u);  // the other pair is older, and in it c
  EXPECT_EQ(bench.misses_of({e}), 1u);  // in place of c
  EXPECT_EQ(bench.misses_of({a, d}), 0u);
  EXPECT_EQ(bench.misses_of({f}), 1u);  // the pair of a, in it b
  EXPECT_EQ(bench.misses_of({a, d, e, f}), 0u);
  EXPECT_EQ(bench.misses_of({b}), 1u);
  EXPECT_EQ(bench.misses_of({c}), 1u);
}

/// Our model of the same cache with a level below.
class Model {
 public:
  explicit Model(const cache::Config& config) : cache_(config), below_(down_, 1) {
    cache_.connect(down_);
  }
  /// Reads a block; whether it was asked for below.
  bool misses(uint64_t address) {
    const uint64_t before = cache_.counters().fills;
    memory::MemReq r;
    r.byte_mask = ~uint64_t{0};
    r.address = address;
    r.time = now_ + 1;
    cache_.up(0).request.push(r, now_ + 1);
    auto& answers = cache_.up(0).response;
    for (const machine::Cycle end = now_ + 600; now_ < end; ++now_) {
      cache_.tick(now_);
      below_.step(now_);
      while (answers.front(now_) != nullptr) answers.drop(now_);
    }
    return cache_.counters().fills != before;
  }

 private:
  cache::Cache::Port down_;
  cache::CacheModel cache_;
  ip::traffic::LevelBelow below_;
  machine::Cycle now_ = 1;
};

/// Reads of more blocks than fit: the same ones miss in the model with the policy of the RTL.
TEST(CacheRtlTimes, ReplacesAsTheModel) {
  for (const Role role : {Role::VectorL1, Role::Scalar, Role::Instruction, Role::L2}) {
    SCOPED_TRACE(cache::name_of(role));
    cache::Config config = config_of(role);
    config.replacement = role == Role::Scalar ? "tree_plru" : "lru";
    Bench bench(role);
    Model model(config);
    std::mt19937 random(static_cast<unsigned>(role) + 1);
    const unsigned held = config.bytes / 64, pieces = config.interleave_bytes / 64;
    unsigned missed = 0;
    constexpr unsigned kReads = 200;
    for (unsigned n = 0; n < kReads; ++n) {
      const uint64_t block = random() % (held * 3 / 2);
      const uint64_t own = block / pieces * pieces * config.slices + block % pieces;
      const uint64_t address = 0x10000 + own * 64;
      if (ip::traffic::LevelBelow::is_absent(address)) continue;
      const bool misses = model.misses(address);
      ASSERT_EQ(bench.misses_of({address}) != 0, misses) << "read " << n << " of block " << block;
      missed += misses ? 1 : 0;
    }
    EXPECT_GT(missed, kReads / 5);
    EXPECT_LT(missed, kReads * 4 / 5);
  }
}

/// A dirty line that has been used least recently stays when there is a place without a line.
TEST(CacheRtlTimes, TakesAPlaceWithoutALineFirst) {
  Bench bench(Role::Scalar);
  const uint64_t a = 0x8000, b = a + 256, c = b + 256, d = c + 256, e = d + 256;
  memory::MemReq store;
  store.op = memory::MemOp::Write;
  store.address = a;
  store.byte_mask = ~uint64_t{0};
  bench.send(store);
  bench.settle();
  EXPECT_EQ(bench.misses_of({b, c, d}), 3u);
  memory::MemReq invalidate;
  invalidate.op = memory::MemOp::Invalidate;
  bench.send(invalidate);
  bench.settle();
  EXPECT_EQ(bench.misses_of({e}), 1u);
  EXPECT_EQ(bench.misses_of({a, e}), 0u);
  EXPECT_EQ(bench.misses_of({b, c}), 2u);
}

TEST(CacheRtlTimes, AnInvalidateOfTheLevelBelowKeepsTheBytes) {
  Bench bench(Role::VectorL1);
  memory::MemReq invalidate;
  invalidate.op = memory::MemOp::Invalidate;
  invalidate.scope = memory::Scope::System;
  invalidate.glc = true;
  EXPECT_EQ(bench.misses_of({0x8000}), 1u);
  bench.send(invalidate);
  bench.settle();
  EXPECT_EQ(bench.misses_of({0x8000}), 0u);
  invalidate.glc = false;
  bench.send(invalidate);
  bench.settle();
  EXPECT_EQ(bench.misses_of({0x8000}), 1u);
}

}  // namespace
}  // namespace cuvette
