// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_rtl.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Vmemory_rtl.h"
#include "hsa/backing.h"
#include "ip/dut_memory.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/memory/memory_seat.h"
#include "ip/traffic/memory_traffic.h"
#include "ip/traffic/stalling_pins.h"
#include "memory/memory_model.h"
#include "test_vectors.h"

// rtl/memory, small so that blocks, rows and banks meet, against our model; its times by hand
// (docs/reference/memory.md).
namespace cuvette {
namespace {

using ip::traffic::StallingPins;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using Map = ip::traffic::MemoryMap;
using Traffic = ip::traffic::MemoryTraffic;
using ::testing::ElementsAre;

/// Channels of a memory without one behind them: the ends at the pins of a Lockstep.
class Ends final : public memory::Memory {
 public:
  explicit Ends(unsigned ports) {
    for (unsigned p = 0; p < ports; ++p) ports_.push_back(std::make_unique<Port>());
  }
  void tick(Cycle) override {}
  Cycle next_event() const override { return machine::kNever; }
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return *ports_[index]; }
  memory::Memory::Traffic traffic() const override { return {}; }

 private:
  std::vector<std::unique_ptr<Port>> ports_;
};

/// A device in lockstep with the model.
class Seat {
 public:
  Seat(std::unique_ptr<ip::PinDevice> device, const Map& map) : ends(map.ports) {
    EXPECT_TRUE(backing_.reserve(map.base, map.bytes).ok());
    memory::Config config;
    config.ports = map.ports;
    config.backing = &backing_;
    kit_ = std::make_unique<Kit>(
        memory::kChannels, ends, std::make_unique<memory::MemoryModel>(config), std::move(device),
        ip::pin_channels(memory::kChannels, map.ports), ip::BlockPlace{"memory", 0, 0, "memory"},
        ip::LockstepOptions{}, Kit::OnMismatch{});
  }
  using Kit = ip::Lockstep<memory::Memory>;
  void tick(Cycle now) { kit_->tick(now); }
  Kit& kit() { return *kit_; }

  Ends ends;

 private:
  hsa::SparseMemory backing_;
  std::unique_ptr<Kit> kit_;
};

struct Outcome {
  std::optional<ip::BlockMismatch> mismatch;
  std::string wrong;
  uint64_t answers = 0, faults = 0, compared = 0, overtaken = 0;
  std::vector<unsigned> served;  ///< answers by port
  Cycle end = 0;
  bool done = false;
};

/// Writes every block of the map, then makes requests of all ports, against our model.
Outcome run(std::unique_ptr<ip::PinDevice> device, const Map& map,
            const Traffic::Options& options) {
  Seat seat(std::move(device), map);
  Traffic traffic(seat.ends, map, options);
  const auto driven = ip::traffic::drive(seat, traffic);
  Outcome out;
  out.done = driven.done;
  out.end = driven.end;
  out.mismatch = seat.kit().mismatch();
  out.wrong = traffic.wrong();
  out.answers = traffic.answers() - traffic.blocks();
  out.faults = traffic.faults();
  out.compared = seat.kit().compared();
  out.overtaken = traffic.overtaken();
  out.served = traffic.served();
  return out;
}

/// The parameters of the cell (ip/cells.cmake).
constexpr Map kCell{uint64_t{64} * 16384, 16384, 2, 128, 4, 128};
constexpr unsigned kLatency = 12, kTransfer = 2, kActivate = 5, kPrecharge = 3, kActive = 11,
                   kRecovery = 8, kOvertakes = 2;
/// Address maps of the builds of machines, at some address.
constexpr Map kBuild{uint64_t{1} << 32, 1 << 17, 1, 256, 16, 2048};

std::unique_ptr<ip::PinDevice> watched(std::unique_ptr<ip::PinDevice> device, unsigned ports) {
  const auto pins = ip::pin_channels(memory::kChannels, ports);
  return std::make_unique<ip::PinMonitor>(std::move(device), pins, ip::ready_within(pins));
}

/// The cell with assertions and random start values, its handshakes watched.
std::unique_ptr<ip::PinDevice> cell(uint64_t seed) {
  using Device = ip::VerilatedDevice<Vmemory_rtl, ip::dut::MemoryPorts<Vmemory_rtl, 2>, false>;
  return watched(std::make_unique<Device>(seed, ip::pin_channels(memory::kChannels, 2)), 2);
}

unsigned requests(int usual) {
  return static_cast<unsigned>(test::vectors(usual));
}

void expect_agreement(const Outcome& r, unsigned requests) {
  ASSERT_FALSE(r.mismatch) << r.mismatch->report;
  EXPECT_EQ(r.wrong, "");
  EXPECT_TRUE(r.done);
  EXPECT_EQ(r.answers, requests);
  EXPECT_GE(r.compared, requests);
}

TEST(MemoryRtl, AgreesWithTheModel) {
  for (const uint32_t seed : {1u, 77u, 4711u}) {
    SCOPED_TRACE(seed);
    const unsigned count = requests(20'000);
    const Outcome r = run(cell(seed), kCell, {count, seed, 24});
    expect_agreement(r, count);
    EXPECT_GT(r.faults, count / 200);
    EXPECT_GT(r.overtaken, count / 20);
    for (const uint64_t served : r.served) EXPECT_GT(served, count / 3);
  }
}

TEST(MemoryRtl, AgreesWhenNobodyIsReady) {
  const auto pins = ip::pin_channels(memory::kChannels, kCell.ports);
  for (const uint32_t seed : {2u, 78u, 4712u}) {
    SCOPED_TRACE(seed);
    const unsigned count = requests(12'000);
    auto stalls = std::make_unique<StallingPins>(cell(seed), pins, seed, true);
    expect_agreement(run(std::move(stalls), kCell, {count, seed, 40}), count);
  }
}

/// Requests one by one: nothing is taken out of order.
TEST(MemoryRtl, AgreesOneByOne) {
  const unsigned count = requests(4000);
  const Outcome r = run(cell(5), kCell, {count, 5, 1});
  expect_agreement(r, count);
  EXPECT_EQ(r.overtaken, 0u);
}

/// They have bytes at every address: what does not exist is the machine's to answer.
TEST(MemoryRtl, TheBuildsOfTheMachineAreTheSame) {
  const unsigned count = requests(6000);
  const auto checked = [](uint64_t seed) { return watched(ip::make_memory_check(seed), 1); };
  const Outcome fast = run(ip::make_memory_fast(), kBuild, {count, 9, 60, false});
  expect_agreement(fast, count);
  for (const uint64_t seed : {13u, 14u}) {
    const Outcome check = run(checked(seed), kBuild, {count, 9, 60, false});
    expect_agreement(check, count);
    EXPECT_EQ(check.end, fast.end);
    EXPECT_EQ(check.overtaken, fast.overtaken);
  }
}

/// Cycles in which requests were taken and answers given at port 0.
class Watch final : public ip::PinDevice {
 public:
  Watch(std::unique_ptr<ip::PinDevice> device, unsigned ports)
      : device_(std::move(device)), ports_(ports) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    if (channel == 0) offered_ = beat != nullptr;
    device_->drive(channel, beat);
  }
  void accept(unsigned channel, bool ready) override {
    device_->accept(channel, ready && (channel != ports_ || !holds));
  }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    return device_->sample(channel, beat) && (channel != ports_ || !holds);
  }
  void clock() override {
    std::vector<uint8_t> beat(ip::beat_bytes(ip::pin_channels(memory::kChannels, ports_)[ports_]));
    if (offered_ && device_->ready(0)) taken.push_back(now_);
    if (device_->sample(ports_, beat.data()) && !holds) {
      given.push_back(now_);
      memory::MemResp answer;
      contract::unpack(beat.data(), answer);
      ids.push_back(answer.id);
    }
    device_->clock();
    ++now_;
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

  std::vector<unsigned> taken, given;
  std::vector<uint64_t> ids;
  bool holds = false;  ///< the receiver is not ready

 private:
  std::unique_ptr<ip::PinDevice> device_;
  unsigned ports_, now_ = 0;
  bool offered_ = false;
};

/// A memory asked by hand at port 0.
class Bench {
 public:
  explicit Bench(std::unique_ptr<ip::PinDevice> device = cell(3), const Map& map = kCell)
      : map_(map), ends_(map.ports) {
    EXPECT_TRUE(backing_.reserve(map.base, map.bytes).ok());
    memory::Config config;
    config.ports = map.ports;
    config.backing = &backing_;
    auto watch = std::make_unique<Watch>(std::move(device), map.ports);
    watch_ = watch.get();
    kit_ = std::make_unique<ip::Lockstep<memory::Memory>>(
        memory::kChannels, ends_, std::make_unique<memory::MemoryModel>(config), std::move(watch),
        ip::pin_channels(memory::kChannels, map.ports), ip::BlockPlace{"memory", 0, 0, "memory"},
        ip::LockstepOptions{}, ip::Lockstep<memory::Memory>::OnMismatch{});
    MemReq fill;
    fill.op = MemOp::Write;
    fill.byte_mask = ~uint64_t{0};
    for (uint64_t at = 0; at < map.bytes_of_port(); at += 64) {
      fill.address = map.address(0, at);
      send(fill);
    }
    settle();
    // The tests' requests are in other rows than the last of the banks.
    clear();
  }
  ~Bench() {
    kit_->conclude();
    if (kit_->mismatch()) ADD_FAILURE() << kit_->mismatch()->report;
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void send(MemReq r) {
    r.id = next_id_++;
    ends_.port(0).request.push(r, now_);
  }
  /// Request to a row of a bank, whose rows are numbered.
  MemReq of(MemOp op, unsigned row, unsigned bank = 0, unsigned place = 0) const {
    MemReq r;
    r.op = op;
    r.byte_mask = op == MemOp::AtomicReturn ? 15 : ~uint64_t{0};
    r.address = map_.address(0, row * map_.row_stride() + bank * map_.row_bytes + place * 64);
    return r;
  }
  void read(unsigned row, unsigned bank = 0, unsigned place = 0) {
    send(of(MemOp::Read, row, bank, place));
  }
  void tick() {
    kit_->tick(now_++);
    while (ends_.port(0).response.front(now_) != nullptr) ends_.port(0).response.drop(now_);
  }
  void settle() {
    for (unsigned quiet = 0; quiet < 500;) {
      const size_t before = watch_->given.size();
      tick();
      quiet = watch_->given.size() == before ? quiet + 1 : 0;
    }
  }
  void clear() {
    watch_->taken.clear();
    watch_->given.clear();
    watch_->ids.clear();
    first_id_ = next_id_;
  }
  /// Cycles from the first request taken to the answers.
  std::vector<unsigned> answers() {
    settle();
    std::vector<unsigned> out;
    for (const unsigned at : watch_->given) out.push_back(at - watch_->taken.front());
    clear();
    return out;
  }
  /// The requests in the order of their answers.
  std::vector<unsigned> order() {
    settle();
    std::vector<unsigned> out;
    for (const uint64_t id : watch_->ids) out.push_back(static_cast<unsigned>(id - first_id_));
    clear();
    return out;
  }
  Watch& watch() { return *watch_; }

 private:
  Map map_;
  hsa::SparseMemory backing_;
  Ends ends_;
  std::unique_ptr<ip::Lockstep<memory::Memory>> kit_;
  Watch* watch_ = nullptr;
  Cycle now_ = 1;
  uint64_t next_id_ = 0, first_id_ = 0;
};

constexpr unsigned kHit = kLatency, kClosed = kLatency + kActivate,
                   kConflict = kLatency + kPrecharge + kActivate;

TEST(MemoryRtlTimes, OfOneRequest) {
  Bench bench;
  bench.read(2);
  EXPECT_THAT(bench.answers(), ElementsAre(kConflict));  // the bank's last row is open
  bench.read(2);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit));
  bench.read(2, 0, 1);  // the other block of the row
  EXPECT_THAT(bench.answers(), ElementsAre(kHit));
  bench.read(3);
  EXPECT_THAT(bench.answers(), ElementsAre(kConflict));
  for (const MemOp op : {MemOp::Write, MemOp::AtomicReturn}) {
    bench.send(bench.of(op, 3));
    EXPECT_THAT(bench.answers(), ElementsAre(kHit));
  }
  // No row is needed.
  MemReq none;
  none.op = MemOp::Invalidate;
  bench.send(none);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit));
  none.op = MemOp::Read;
  none.address = kCell.base + kCell.bytes;
  none.byte_mask = 1;
  bench.send(none);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit));
}

/// After reset banks are closed; a row has neighbours, the next one is of the next bank.
TEST(MemoryRtlTimes, BanksAreClosedAfterReset) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(kCell.base, kCell.bytes).ok());
  memory::Config config;
  config.ports = kCell.ports;
  config.backing = &backing;
  auto device = std::make_unique<Watch>(cell(8), kCell.ports);
  Watch& watch = *device;
  Ends ends(kCell.ports);
  ip::Lockstep<memory::Memory> kit(
      memory::kChannels, ends, std::make_unique<memory::MemoryModel>(config), std::move(device),
      ip::pin_channels(memory::kChannels, kCell.ports), {"memory", 0, 0, "memory"}, {}, {});
  Cycle now = 1;
  std::vector<unsigned> cycles;
  for (unsigned offset = 0; offset < 5 * 128; offset += 64) {
    MemReq r;
    r.op = MemOp::Write;
    r.byte_mask = ~uint64_t{0};
    r.id = offset;
    r.address = kCell.address(0, offset);
    ends.port(0).request.push(r, now);
    for (const Cycle end = now + 100; now < end; ++now) kit.tick(now);
    ASSERT_EQ(watch.given.size(), 1u);
    cycles.push_back(watch.given[0] - watch.taken[0]);
    watch.given.clear();
    watch.taken.clear();
  }
  EXPECT_THAT(cycles, ElementsAre(kClosed, kHit, kClosed, kHit, kClosed, kHit, kClosed, kHit,
                                  kConflict, kHit));
}

TEST(MemoryRtlTimes, OfTheDataBus) {
  Bench bench;
  bench.read(2);
  bench.answers();
  for (unsigned n = 0; n < 4; ++n) bench.read(2, 0, n % 2);
  EXPECT_THAT(bench.answers(),
              ElementsAre(kHit, kHit + kTransfer, kHit + 2 * kTransfer, kHit + 3 * kTransfer));
  for (unsigned n = 0; n < 3; ++n) bench.send(bench.of(MemOp::AtomicReturn, 2));
  EXPECT_THAT(bench.answers(), ElementsAre(kHit, kHit + 2 * kTransfer, kHit + 4 * kTransfer));
  // Rows of two banks are opened at once.
  bench.read(5, 1);
  bench.read(5, 2);
  EXPECT_THAT(bench.answers(), ElementsAre(kConflict, kConflict + kTransfer));
}

TEST(MemoryRtlTimes, OfARowThatWasJustOpened) {
  Bench bench;
  bench.read(2);
  bench.read(3);
  // The first row is activated a cycle and a precharge after its request, and stays for its time.
  EXPECT_THAT(bench.answers(), ElementsAre(kConflict, kPrecharge + kActive + kConflict));
  bench.send(bench.of(MemOp::Write, 3));
  bench.read(4);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit, kRecovery + kConflict));
  bench.send(bench.of(MemOp::AtomicReturn, 4));
  bench.read(5);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit, kRecovery + kConflict));
  bench.read(5);
  bench.read(6);
  EXPECT_THAT(bench.answers(), ElementsAre(kHit, 1 + kConflict));  // after a read at once
}

/// An open row goes on while it is wanted, but not for ever.
TEST(MemoryRtlTimes, RequestsToAnOpenRowOvertakeSoManyTimes) {
  Bench bench;
  bench.read(2);
  bench.answers();
  static_assert(kOvertakes == 2);
  for (unsigned round = 0; round < 2; ++round) {  // a row that is opened again has as many
    for (const unsigned row : {2, 2, 2, 3, 2, 2, 2, 2}) bench.read(row);
    EXPECT_THAT(bench.order(), ElementsAre(0, 1, 2, 4, 5, 3, 6, 7)) << round;
  }
}

/// The queue holds eight, and as many answers wait as are on their way at the full rate.
TEST(MemoryRtlTimes, RoomForRequestsAndAnswers) {
  Bench bench;
  bench.watch().holds = true;
  for (unsigned n = 0; n < 60; ++n) bench.read(2);
  for (unsigned n = 0; n < 300; ++n) bench.tick();
  constexpr unsigned kAnswers = 16;  // a power of two from kLatency / kTransfer + 4 on
  EXPECT_EQ(bench.watch().taken.size(), 8u + kAnswers);
  bench.watch().holds = false;
  bench.settle();
  EXPECT_EQ(bench.watch().given.size(), 60u);
}

/// docs/reference/memory.md, Timing of the RTL.
TEST(MemoryRtlTimes, OfTheBuilds) {
  Bench bench(watched(ip::make_memory_check(7), 1), kBuild);
  bench.read(1);
  EXPECT_THAT(bench.answers(), ElementsAre(350u + 21 + 21));
  bench.read(1, 0, 31);
  bench.read(1, 0, 30);
  EXPECT_THAT(bench.answers(), ElementsAre(350u, 350u + 3));
}

/// In its seat: bytes that host or loader write, and those of the device, are one memory.
TEST(MemoryRtl, HostAndDeviceSeeOneMemory) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(kBuild.base, kBuild.bytes).ok());
  memory::Config config = ip::memory_build();
  config.backing = &backing;
  memory::Registry registry;
  ip::register_memory(registry, {}, {}, 21);
  auto block = registry.make("lockstep-check", config);
  ASSERT_NE(block, nullptr);
  auto& kit = static_cast<ip::MemorySeat&>(*block).kit();
  ip::traffic::MemoryRequests requests(kBuild, 21, true);  // blocks without memory too
  const unsigned count = static_cast<unsigned>(test::vectors(3000));
  Cycle now = 1;
  unsigned answers = 0;
  const auto step = [&] {
    block->tick(now++);
    for (; block->port(0).response.front(now) != nullptr; ++answers) {
      block->port(0).response.drop(now);
    }
  };
  const auto settle = [&](unsigned sent) {
    for (unsigned wait = 0; answers < sent && wait < 20'000 && !kit.mismatch(); ++wait) step();
  };
  for (unsigned n = 0; n < count && !kit.mismatch(); ++n) {
    if (requests.below(20) == 0) {
      settle(n);
      const uint32_t value = requests.below(1u << 30);
      backing.write(kBuild.base + requests.below(kBuild.bytes / 4) * 4, &value, 4);
    }
    block->port(0).request.push(requests.make(0), now);
    for (unsigned pause = requests.below(4); pause != 0; --pause) step();
  }
  settle(count);
  kit.conclude();
  ASSERT_FALSE(kit.mismatch()) << kit.mismatch()->report;
  EXPECT_EQ(answers, count);
}

TEST(MemoryRtl, RefusesWhatItIsNotBuiltFor) {
  memory::Config config = ip::memory_build();
  EXPECT_EQ(ip::refuse_memory(config), "");
  config.ports = 32;
  EXPECT_EQ(ip::refuse_memory(config), "our RTL is built with slices 1, the machine has 32");
  memory::Registry registry;
  ip::register_memory(registry, {}, {}, 1);
  EXPECT_EQ(registry.make("rtl", config), nullptr);
  config = ip::memory_build();
  config.latency_cycles = 100;
  EXPECT_EQ(ip::refuse_memory(config),
            "our RTL is built with latency_cycles 350, the machine has 100");
  config = ip::memory_build();
  config.cycles_per_block = 4;
  EXPECT_EQ(ip::refuse_memory(config),
            "our RTL is built with cycles_per_block 3, the machine has 4");
}

}  // namespace
}  // namespace cuvette
