// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gds/gds_model.h"
#include "hsa/memory.h"
#include "ip/gds/gds_seat.h"
#include "ip/lockstep/core_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/memory/memory_seat.h"
#include "memory/memory_model.h"

// Seats with our model as reference whose order is the device's: the global data share and the
// device memory.
namespace cuvette {
namespace {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using ::testing::HasSubstr;

/// A block in C++ behind pins, watched.
template <class Core, size_t kCount>
std::unique_ptr<ip::PinDevice> device(const contract::ChannelInfo (&channels)[kCount],
                                      unsigned ports, std::function<std::unique_ptr<Core>()> make) {
  using Device = ip::CoreDevice<Core>;
  const auto pins = ip::pin_channels(channels, ports);
  const auto bind = [](Core& core, Device& d) { visit_channels(core, d); };
  return std::make_unique<ip::PinMonitor>(std::make_unique<Device>(std::move(make), bind, pins),
                                          pins);
}

constexpr unsigned kUnits = 3;

/// Our global data share, which serves the highest compute unit with a request first.
class OtherOrder final : public gds::Gds {
 public:
  explicit OtherOrder(std::function<bool(gds::Response&)> act)
      : inside_(gds::Config{isa::Target::Gfx908, kUnits, 10, 128}), act_(std::move(act)) {
    for (unsigned u = 0; u < kUnits; ++u) ports_.push_back(std::make_unique<gds::Port>());
  }
  void tick(Cycle now) override {
    inside_.waves.take_all(waves);
    // One at a time, so that the order is that of this class.
    for (unsigned n = 0; n < kUnits && under_way_ == 0; ++n) {
      auto& from = ports_[kUnits - 1 - n]->request;
      if (from.front(now) == nullptr) continue;
      const gds::Request r = from.pop(now);
      if (!r.withdraw) ++under_way_;
      inside_.compute_unit(kUnits - 1 - n).request.push(r, now);
    }
    inside_.tick(now);
    for (unsigned u = 0; u < kUnits; ++u) {
      under_way_ -= static_cast<unsigned>(inside_.compute_unit(u).taken.size());
      ports_[u]->taken.take_all(inside_.compute_unit(u).taken);
      auto& from = inside_.compute_unit(u).response;
      while (from.front(now) != nullptr) {
        gds::Response r = from.pop(now);
        if (!act_ || act_(r)) ports_[u]->response.push(r, now + 1);
      }
    }
  }
  Cycle next_event() const override { return 0; }
  unsigned compute_units() const override { return kUnits; }
  gds::Port& compute_unit(unsigned index) override { return *ports_[index]; }
  uint32_t size() const override { return inside_.size(); }
  void peek(uint32_t a, uint8_t* b, uint32_t n) const override { inside_.peek(a, b, n); }
  void poke(uint32_t a, const uint8_t* b, uint32_t n) override { inside_.poke(a, b, n); }
  Counters counters() const override { return inside_.counters(); }

 private:
  gds::GdsModel inside_;
  std::function<bool(gds::Response&)> act_;
  std::vector<std::unique_ptr<gds::Port>> ports_;
  unsigned under_way_ = 0;
};

struct GdsBench {
  explicit GdsBench(std::function<bool(gds::Response&)> act = {},
                    const ip::LockstepOptions& options = {})
      : seat(device<gds::Gds>(gds::kChannels, kUnits,
                              [act] { return std::make_unique<OtherOrder>(act); }),
             gds::Config{isa::Target::Gfx908, kUnits, 64, 128}, options, {}) {}
  void step() {
    seat.tick(now);
    for (unsigned u = 0; u < kUnits; ++u) {
      auto& port = seat.compute_unit(u);
      while (port.taken.front(now) != nullptr) port.taken.drop(now);
      while (port.response.front(now) != nullptr) answers.push_back(port.response.pop(now));
    }
    ++now;
  }
  void run(size_t count) {
    for (unsigned n = 0; answers.size() < count && !seat.kit().mismatch() && n < 30'000; ++n) {
      step();
    }
  }
  ip::GdsSeat seat;
  std::vector<gds::Response> answers;
  Cycle now = 1;
};

/// Adds 1 to a dword, by one lane, and gives the old value.
gds::Request ticket(uint32_t id) {
  gds::Request r;
  r.id = id;
  r.kind = wave::MemoryKind::AtomicReturn;
  r.atomic = base::AtomicOp::Add;
  r.exec[0] = 1;
  r.offset[0][0] = 16;
  r.data[0][0] = 1;
  return r;
}

TEST(GdsSeat, TheOrderBetweenComputeUnitsIsTheDevices) {
  GdsBench bench;
  constexpr uint32_t kEach = 50;
  for (uint32_t n = 0; n < kEach; ++n) {
    for (unsigned u = 0; u < kUnits; ++u) {
      bench.seat.compute_unit(u).request.push(ticket(100 * u + n), 2);
    }
  }
  bench.run(size_t{kEach} * kUnits);
  bench.seat.kit().conclude();
  ASSERT_FALSE(bench.seat.kit().mismatch()) << bench.seat.kit().mismatch()->report;
  ASSERT_EQ(bench.answers.size(), size_t{kEach} * kUnits);
  std::map<uint32_t, uint32_t> value;
  for (const auto& a : bench.answers) value[a.id] = a.data[0][0];
  // The last compute unit was served first, which ours would not do.
  EXPECT_LT(value[200 + kEach - 1], value[0 + kEach - 1]);
  uint8_t bytes[4] = {};
  bench.seat.peek(16, bytes, 4);
  EXPECT_EQ(bytes[0], kEach * kUnits);
}

TEST(GdsSeat, WhatIsPokedIsThere) {
  GdsBench bench;
  const uint8_t bytes[] = {7, 1, 0, 0};
  bench.seat.poke(16, bytes, 4);
  bench.seat.compute_unit(1).request.push(ticket(5), 2);
  bench.run(1);
  ASSERT_FALSE(bench.seat.kit().mismatch()) << bench.seat.kit().mismatch()->report;
  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0].data[0][0], 0x107u);
}

/// The device hears of a request in the cycle behind its last beat, and takes its beats once more.
TEST(GdsSeat, OtherTimesAreTold) {
  ip::LockstepOptions exact;
  exact.timing.kind = machine::TimingRule::Kind::Exact;
  GdsBench bench({}, exact);
  bench.seat.compute_unit(1).request.push(ticket(5), 2);
  bench.run(1);
  ASSERT_TRUE(bench.seat.kit().mismatch());
  EXPECT_EQ(bench.seat.kit().mismatch()->field, "time");
  EXPECT_THAT(bench.seat.kit().mismatch()->report,
              HasSubstr("taken[1] in cycle 6: nothing, expected id 5"));
}

TEST(GdsSeat, WrongAnswersAreTold) {
  const struct {
    std::function<bool(gds::Response&)> act;
    const char* field;
    const char* words;
  } cases[] = {
      {[](gds::Response& r) {
         r.data[0][0] ^= 1;
         return true;
       },
       "data", "response[1]: field data, row 0, lane 0: expected 0x0, the device gives 0x1"},
      {[](gds::Response& r) {
         r.id += 1;
         return true;
       },
       "order", "response[1]: a message that the reference does not give"},
      {[](gds::Response&) { return false; }, "missing", "the reference has given a response"},
  };
  for (const auto& c : cases) {
    GdsBench bench(c.act);
    bench.seat.compute_unit(1).request.push(ticket(5), 2);
    bench.run(1);
    bench.seat.kit().conclude();
    ASSERT_TRUE(bench.seat.kit().mismatch());
    EXPECT_EQ(bench.seat.kit().mismatch()->field, c.field);
    EXPECT_THAT(bench.seat.kit().mismatch()->report, HasSubstr(c.words));
  }
}

constexpr uint64_t kBase = 0x40000, kBytes = 0x2000;
constexpr unsigned kPorts = 2;

/// Our memory with bytes of its own, quicker than the reference, and changes of its answers.
class OwnBytes final : public memory::Memory {
 public:
  explicit OwnBytes(std::function<bool(MemResp&)> act) : act_(std::move(act)) {
    EXPECT_TRUE(backing_.reserve(kBase, kBytes).ok());
    memory::Config m;
    m.ports = kPorts;
    m.latency_cycles = 3;
    m.backing = &backing_;
    inside_ = std::make_unique<memory::MemoryModel>(m);
    for (unsigned p = 0; p < kPorts; ++p) ports_.push_back(std::make_unique<Port>());
  }
  void tick(Cycle now) override {
    for (unsigned p = 0; p < kPorts; ++p) inside_->port(p).request.take_all(ports_[p]->request);
    inside_->tick(now);
    for (unsigned p = 0; p < kPorts; ++p) {
      auto& from = inside_->port(p).response;
      while (from.front(now) != nullptr) {
        MemResp r = from.pop(now);
        if (!act_ || act_(r)) ports_[p]->response.push(r, now + 1);
      }
    }
  }
  Cycle next_event() const override { return 0; }
  unsigned ports() const override { return kPorts; }
  Port& port(unsigned index) override { return *ports_[index]; }
  Traffic traffic() const override { return {}; }

 private:
  hsa::SparseMemory backing_;
  std::unique_ptr<memory::MemoryModel> inside_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::function<bool(MemResp&)> act_;
};

struct MemoryBench {
  explicit MemoryBench(std::function<bool(MemResp&)> act = {}) {
    EXPECT_TRUE(backing.reserve(kBase, kBytes).ok());
    memory::Config m;
    m.ports = kPorts;
    m.latency_cycles = 40;
    m.backing = &backing;
    seat = std::make_unique<ip::MemorySeat>(
        device<memory::Memory>(memory::kChannels, kPorts,
                               [act] { return std::make_unique<OwnBytes>(act); }),
        m, ip::LockstepOptions{}, ip::MemorySeat::Kit::OnMismatch{});
  }
  uint64_t send(MemReq r) {
    r.id = next_id++;
    seat->port(static_cast<unsigned>(r.address / 64 % kPorts)).request.push(r, now + 1);
    return r.id;
  }
  void step() {
    seat->tick(now);
    for (unsigned p = 0; p < kPorts; ++p) {
      while (seat->port(p).response.front(now) != nullptr) {
        const MemResp r = seat->port(p).response.pop(now);
        answers[r.id] = r;
      }
    }
    ++now;
  }
  void settle() {
    for (unsigned n = 0; n < 300 && !seat->kit().mismatch(); ++n) step();
  }
  hsa::SparseMemory backing;
  std::unique_ptr<ip::MemorySeat> seat;
  std::map<uint64_t, MemResp> answers;
  Cycle now = 1;
  uint64_t next_id = uint64_t{1} << 40;  // as large as those of an L2
};

MemReq request(MemOp op, uint64_t offset, uint32_t value = 0) {
  MemReq r;
  r.op = op;
  const auto at = static_cast<unsigned>(offset % 64);
  r.address = op == MemOp::AtomicReturn ? kBase + offset : kBase + offset - at;
  r.byte_mask = uint64_t{15} << at;
  r.atomic = base::AtomicOp::Add;
  std::memcpy(r.data.data() + (op == MemOp::AtomicReturn ? 0 : at), &value, 4);
  return r;
}

/// Stores of the host past the device reach it, and those of the device reach the host.
TEST(MemorySeat, HostAndDeviceSeeOneMemory) {
  MemoryBench bench;
  std::mt19937 random(7);
  std::map<uint64_t, uint32_t> want;  // by offset
  std::vector<std::pair<uint64_t, uint32_t>> reads;
  for (unsigned n = 0; n < 2000 && !bench.seat->kit().mismatch(); ++n) {
    const uint64_t offset = 4 * (random() % 64);
    const auto value = static_cast<uint32_t>(random());
    switch (random() % 4) {
      case 0:
        bench.settle();
        bench.backing.write(kBase + offset, &value, 4);
        want[offset] = value;
        break;
      case 1:
        bench.send(request(MemOp::Write, offset, value));
        want[offset] = value;
        break;
      case 2:
        reads.emplace_back(bench.send(request(MemOp::AtomicReturn, offset, value)), want[offset]);
        want[offset] += value;
        break;
      default:
        reads.emplace_back(bench.send(request(MemOp::Read, offset)), want[offset]);
        reads.back().second = want[offset];
        break;
    }
    for (unsigned pause = random() % 4; pause != 0; --pause) bench.step();
  }
  bench.settle();
  bench.seat->kit().conclude();
  ASSERT_FALSE(bench.seat->kit().mismatch()) << bench.seat->kit().mismatch()->report;
  for (const auto& [offset, value] : want) {
    uint32_t seen = 0;
    bench.backing.read(kBase + offset, &seen, 4);
    EXPECT_EQ(seen, value) << offset;
  }
  EXPECT_GT(bench.seat->kit().compared(), 2000u);
  EXPECT_GT(bench.seat->traffic().atomics, 300u);
}

/// The device is not asked for addresses without memory.
TEST(MemorySeat, FaultsAreTheMachines) {
  MemoryBench bench;
  MemReq read = request(MemOp::Read, kBytes + 64);
  const uint64_t id = bench.send(read);
  bench.settle();
  ASSERT_EQ(bench.answers.count(id), 1u);
  EXPECT_EQ(bench.answers[id].status, MemStatus::Fault);
  EXPECT_EQ(bench.seat->kit().seen(), 0u);
}

TEST(MemorySeat, WrongAnswersAreTold) {
  const uint32_t value = 0x11223344;
  const struct {
    std::function<bool(MemResp&)> act;
    const char* field;
    const char* words;
  } cases[] = {
      {[](MemResp& r) {
         r.data[5] ^= 1;
         return true;
       },
       "data", "response[0]: field data, lane 5: expected 0x33, the device gives 0x32"},
      {[](MemResp& r) {
         r.address += 64;
         return true;
       },
       "address", "response[0]: field address"},
      {[](MemResp& r) {
         r.status = MemStatus::Fault;
         return true;
       },
       "status", "response[0]: field status"},
      {[](MemResp& r) {
         r.serial = 1;
         return true;
       },
       "serial", "response: serial 1, expected 0"},
      {[](MemResp&) { return false; }, "missing", "the reference has given a response"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.words);
    MemoryBench bench(c.act);
    bench.backing.write(kBase + 4, &value, 4);
    bench.send(request(MemOp::Read, 4));
    bench.settle();
    bench.seat->kit().conclude();
    ASSERT_TRUE(bench.seat->kit().mismatch());
    EXPECT_EQ(bench.seat->kit().mismatch()->field, c.field) << bench.seat->kit().mismatch()->report;
    EXPECT_THAT(bench.seat->kit().mismatch()->report, HasSubstr(c.words));
  }
}

}  // namespace
}  // namespace cuvette
