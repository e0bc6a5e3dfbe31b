// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The loosely timed memory target, and the shell that carries a core's requests to it.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/lt_memory.h"
#include "gpu/lt_shell.h"

namespace cuvette::gpu {
namespace {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using sc_core::sc_time;

const sc_time kPeriod(1, sc_core::SC_NS);

/// Sends one request per entry, each when the answer to the one before has come.
class Script final : public machine::Core {
 public:
  void tick(Cycle now) override {
    ticks.push_back(now);
    if (port.response.front(now) != nullptr) answers.push_back(port.response.pop(now));
    if (sent < requests.size() && answers.size() == sent) {
      port.request.push(requests[sent++], now + 1);
    }
  }
  Cycle next_event() const override {
    if (sent < requests.size() && answers.size() == sent) {
      return ticks.empty() ? start : ticks.back() + 1;
    }
    return port.response.next_event();
  }

  cache::Cache::Port port;
  std::vector<MemReq> requests;
  std::vector<MemResp> answers;
  std::vector<Cycle> ticks;
  size_t sent = 0;
  Cycle start = 10;
};

/// Eight bytes that know no extension, and count what they are asked.
class PlainTarget final : public sc_core::sc_module {
 public:
  explicit PlainTarget(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &PlainTarget::b_transport);
  }
  tlm_utils::simple_target_socket<PlainTarget, 64> socket;
  uint64_t value = 0;
  unsigned reads = 0, writes = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& trans, sc_time&) {
    if (trans.is_read()) {
      ++reads;
      std::memcpy(trans.get_data_ptr(), &value, trans.get_data_length());
    } else {
      ++writes;
      std::memcpy(&value, trans.get_data_ptr(), trans.get_data_length());
    }
    trans.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

MemReq request(MemOp op, uint64_t address, uint64_t mask) {
  static uint64_t id = 100;
  MemReq r;
  r.id = id++;
  r.op = op;
  r.address = address;
  r.byte_mask = mask;
  return r;
}

MemReq add_of(uint64_t address, uint32_t operand) {
  MemReq r = request(MemOp::AtomicReturn, address, 0xf);
  r.atomic = base::AtomicOp::Add;
  std::memcpy(r.data.data(), &operand, 4);
  return r;
}

uint32_t word(const MemResp& response) {
  uint32_t value = 0;
  std::memcpy(&value, response.data.data(), 4);
  return value;
}

TEST(LtShell, CarriesReadsMaskedWritesAtomicsAndFaultsWithTheirTime) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(0x10000, 0x1000).ok());
  const uint32_t before = 40;
  ASSERT_TRUE(backing.write(0x10040, &before, 4));
  LtMemory memory("memory", backing, kPeriod * 30, 1);
  Script core;
  MemReq write = request(MemOp::Write, 0x10000, 0x0ff0f0);
  write.data.fill(0xab);
  core.requests = {write, request(MemOp::Read, 0x10000, ~uint64_t{0}), add_of(0x10040, 2),
                   request(MemOp::Read, 0x20000, 0xff), request(MemOp::Invalidate, 0, 0)};
  LtShell shell("shell", core, kPeriod, false);
  shell.carry(core.port);
  shell.memory.bind(memory.sockets[0]);
  tlm::tlm_global_quantum::instance().set(kPeriod * 50);
  sc_core::sc_start();

  ASSERT_EQ(core.answers.size(), 5u);
  // Sent at 10, at the target at 11, 30 cycles there.
  EXPECT_EQ(core.answers[0].time, 41u);
  EXPECT_EQ(core.answers[0].id, core.requests[0].id);
  for (unsigned i = 0; i < 64; ++i) {
    const bool written = (i >= 4 && i < 8) || (i >= 12 && i < 20);
    EXPECT_EQ(core.answers[1].data[i], written ? 0xab : 0) << i;
  }
  EXPECT_EQ(word(core.answers[2]), 40u);
  uint32_t after = 0;
  ASSERT_TRUE(backing.read(0x10040, &after, 4));
  EXPECT_EQ(after, 42u);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(core.answers[i].status, i == 3 ? memory::MemStatus::Fault : memory::MemStatus::Ok)
        << i;
  }
  // No cache, nothing to wait for: one cycle there, one back.
  EXPECT_EQ(core.answers[4].time, core.answers[3].time + 2);
  EXPECT_TRUE(shell.idle());
}

TEST(LtShell, ReadsAndWritesThroughDmiAsThroughTransport) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(0x10000, 0x10000).ok());
  LtMemory memory("memory", backing, kPeriod * 30, 1);
  Script core;
  MemReq write = request(MemOp::Write, 0x10100, 0x5);
  write.data.fill(0x77);
  core.requests = {request(MemOp::Read, 0x10000, 0xff), write, request(MemOp::Read, 0x10100, 0xf)};
  LtShell shell("shell", core, kPeriod, true);
  shell.carry(core.port);
  shell.memory.bind(memory.sockets[0]);
  sc_core::sc_start();
  ASSERT_EQ(core.answers.size(), 3u);
  EXPECT_EQ(word(core.answers[2]), 0x00770077u);
  uint32_t stored = 0;
  ASSERT_TRUE(backing.read(0x10100, &stored, 4));
  EXPECT_EQ(stored, 0x00770077u);
  // As long as by transport: 1 cycle to the target, 30 there, the next sent when it is back.
  EXPECT_EQ(core.answers[0].time, 41u);
  EXPECT_EQ(core.answers[1].time, 72u);
  EXPECT_EQ(core.answers[2].time, 103u);

  // After the pointers are taken back, the range may go: the next access is a fault, not a
  // dangling pointer.
  memory.invalidate_dmi();
  ASSERT_TRUE(backing.release(0x10000).ok());
  core.requests.push_back(request(MemOp::Read, 0x10000, 0xff));
  shell.wake();
  sc_core::sc_start();
  ASSERT_EQ(core.answers.size(), 4u);
  EXPECT_EQ(core.answers[3].status, memory::MemStatus::Fault);
}

TEST(LtShell, ATargetThatIgnoresTheExtensionGetsAReadAndAWrite) {
  PlainTarget target("target");
  target.value = 5;
  Script core;
  core.requests = {add_of(0, 7), add_of(0, 1)};
  LtShell shell("shell", core, kPeriod, true);
  shell.carry(core.port);
  shell.memory.bind(target.socket);
  sc_core::sc_start();
  ASSERT_EQ(core.answers.size(), 2u);
  EXPECT_EQ(word(core.answers[0]), 5u);
  EXPECT_EQ(word(core.answers[1]), 12u);
  EXPECT_EQ(target.value, 13u);
  EXPECT_EQ(target.reads, 2u);
  EXPECT_EQ(target.writes, 2u);
}

TEST(LtShell, RunsAheadByAQuantumAndNotFurther) {
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(0x10000, 0x1000).ok());
  LtMemory memory("memory", backing, kPeriod * 30, 1);
  Script core;
  core.start = 0;
  core.requests.assign(20, request(MemOp::Read, 0x10000, 0xff));
  LtShell shell("shell", core, kPeriod, true);
  shell.carry(core.port);
  shell.memory.bind(memory.sockets[0]);
  tlm::tlm_global_quantum::instance().set(kPeriod * 100);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_FALSE(core.ticks.empty());
  EXPECT_EQ(core.ticks.back(), 93u);  // one every 31 cycles, below 100
  sc_core::sc_start(kPeriod * 150);
  EXPECT_EQ(core.ticks.back(), 186u);  // the quantum after 100 ends at 200
}

}  // namespace
}  // namespace cuvette::gpu
