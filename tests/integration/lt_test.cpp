// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The loosely timed memory target, the shell that carries a core's requests to it, and blocks alone
// in a testbench.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/configs.h"
#include "gpu/lt_blocks.h"
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

LtShell::Options with_dmi() {
  LtShell::Options o;
  o.dmi = true;
  return o;
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
  LtShell shell("shell", core, kPeriod, {});
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
  LtShell shell("shell", core, kPeriod, with_dmi());
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

TEST(LtShell, DoorbellsOverMemoryRingBesideDmi) {
  hsa::SparseMemory backing;
  constexpr uint64_t kPlace = DoorbellAperture::kBytes;
  ASSERT_TRUE(backing.reserve(kPlace - 0x10000, 0x20000).ok());
  LtMemory memory("memory", backing, kPeriod * 30, 1);
  DoorbellAperture doorbells;
  doorbells.place(true, kPlace);
  std::vector<command_processor::Doorbell> rung;
  memory.connect_doorbells(doorbells,
                           [&](const command_processor::Doorbell& d) { rung.push_back(d); });
  Script core;
  MemReq store = request(MemOp::Write, kPlace, 0xff);
  store.data[0] = 9;
  MemReq beside = request(MemOp::Write, kPlace - 64, 0xff);
  beside.data[0] = 4;
  core.requests = {store, request(MemOp::Read, kPlace, 0xff), store, beside, beside, store};
  LtShell shell("shell", core, kPeriod, with_dmi());
  shell.carry(core.port);
  shell.memory.bind(memory.sockets[0]);
  sc_core::sc_start();
  ASSERT_EQ(core.answers.size(), 6u);
  EXPECT_EQ(rung.size(), 3u);
  uint8_t stored = 0;
  ASSERT_TRUE(backing.read(kPlace, &stored, 1));
  EXPECT_EQ(stored, 0);
  ASSERT_TRUE(backing.read(kPlace - 64, &stored, 1));
  EXPECT_EQ(stored, 4);
}

TEST(LtShell, ATargetThatIgnoresTheExtensionGetsAReadAndAWrite) {
  PlainTarget target("target");
  target.value = 5;
  Script core;
  core.requests = {add_of(0, 7), add_of(0, 1)};
  LtShell shell("shell", core, kPeriod, with_dmi());
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
  LtShell shell("shell", core, kPeriod, with_dmi());
  shell.carry(core.port);
  shell.memory.bind(memory.sockets[0]);
  tlm::tlm_global_quantum::instance().set(kPeriod * 100);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_FALSE(core.ticks.empty());
  EXPECT_EQ(core.ticks.back(), 93u);  // one every 31 cycles, below 100
  sc_core::sc_start(kPeriod * 150);
  EXPECT_EQ(core.ticks.back(), 186u);  // the quantum after 100 ends at 200
}

machine::GpuConfig small() {
  auto d = machine::load_description(std::string(CUVETTE_SOURCE_DIR) + "/config/small.yaml");
  EXPECT_TRUE(d.ok()) << d.error().str();
  return *d;
}

/// A testbench around an spi: the command processor on one side, compute units on the other.
class AroundSpi final : public sc_core::sc_module {
 public:
  AroundSpi(const sc_core::sc_module_name& name, unsigned units)
      : sc_module(name),
        dispatch("dispatch"),
        dispatch_done("dispatch_done"),
        launch("launch", units),
        done("done", units) {
    dispatch_done.register_b_transport(this, &AroundSpi::take_dispatch_done);
    for (unsigned i = 0; i < units; ++i) {
      launch[i].register_b_transport(this, &AroundSpi::take_launch, static_cast<int>(i));
    }
  }
  RecordInitiator<AroundSpi, spi::Dispatch> dispatch;
  RecordTarget<AroundSpi, spi::DispatchDone> dispatch_done;
  sc_core::sc_vector<TaggedRecordTarget<AroundSpi, spi::WaveLaunch>> launch;
  sc_core::sc_vector<RecordInitiator<AroundSpi, spi::WaveDone>> done;

  struct Launched {
    int unit;
    sc_time at;
    spi::WaveLaunch wave;
  };
  std::vector<Launched> launched;
  std::vector<spi::DispatchDone> finished;

 private:
  void take_launch(int unit, tlm::tlm_generic_payload& trans, sc_time& delay) {
    const auto* wave = record_of<spi::WaveLaunch>(trans);
    ASSERT_NE(wave, nullptr);
    launched.push_back({unit, sc_core::sc_time_stamp() + delay, *wave});
  }
  void take_dispatch_done(tlm::tlm_generic_payload& trans, sc_time&) {
    const auto* record = record_of<spi::DispatchDone>(trans);
    ASSERT_NE(record, nullptr);
    finished.push_back(*record);
  }
};

TEST(LtBlocks, AnSpiAloneTurnsADispatchIntoWavesAndTheirEndsIntoItsEnd) {
  spi::Config config;
  config.compute_units = 2;
  config.launch_cycles = 4;
  spi::Registry registry = tlm_registries().spis;
  LtSpi spi("spi", registry.make("tlm", config), kPeriod, 8);
  AroundSpi around("around", 2);
  around.dispatch.bind(spi.dispatch);
  spi.dispatch_done.bind(around.dispatch_done);
  for (unsigned i = 0; i < 2; ++i) {
    spi.launch[i].bind(around.launch[i]);
    around.done[i].bind(spi.done[i]);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  spi::Dispatch d;
  d.id = 7;
  d.grid = {128, 1, 1};
  d.workgroup = {64, 1, 1};
  d.entry = 0x4000;
  send_record(around.dispatch, d, kPeriod * 100);
  sc_core::sc_start();
  ASSERT_EQ(around.launched.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(around.launched[i].unit, static_cast<int>(i)) << "round robin";
    EXPECT_EQ(around.launched[i].wave.pc, 0x4000u);
    EXPECT_EQ(around.launched[i].wave.workgroup_id[0], i);
    // It arrives at 100, is placed then, leaves 4 cycles later, and travels 8; the shader engine of
    // both launches one wave a cycle.
    EXPECT_EQ(around.launched[i].at, kPeriod * (112 + i));
  }
  EXPECT_TRUE(around.finished.empty());
  for (unsigned i = 0; i < 2; ++i) {
    const auto& wave = around.launched[i].wave;
    spi::WaveDone done;
    done.id = wave.id;
    done.simd = wave.simd;
    done.slot = wave.slot;
    done.dispatch = wave.dispatch;
    done.workgroup = wave.workgroup;
    send_record(around.done[i], done, kPeriod * 10);
    sc_core::sc_start();
    EXPECT_EQ(around.finished.size(), i);
  }
  ASSERT_EQ(around.finished.size(), 1u);
  EXPECT_EQ(around.finished[0].id, 7u);
  EXPECT_FALSE(around.finished[0].error);
  EXPECT_TRUE(spi.idle());
}

/// A testbench around a compute unit: the spi.
class AroundUnit final : public sc_core::sc_module {
 public:
  explicit AroundUnit(const sc_core::sc_module_name& name)
      : sc_module(name), launch("launch"), done("done") {
    done.register_b_transport(this, &AroundUnit::take_done);
  }
  RecordInitiator<AroundUnit, spi::WaveLaunch> launch;
  RecordTarget<AroundUnit, spi::WaveDone> done;
  std::vector<spi::WaveDone> ended;

 private:
  void take_done(tlm::tlm_generic_payload& trans, sc_time&) {
    const auto* record = record_of<spi::WaveDone>(trans);
    ASSERT_NE(record, nullptr);
    ended.push_back(*record);
  }
};

TEST(LtBlocks, AComputeUnitAloneRunsAWaveFromItsMemory) {
  constexpr uint64_t kCode = 0x10000, kOut = 0x11000;
  // v_lshlrev_b32 v1, 2, v0; global_store_dword v1, v0, s[4:5]; s_endpgm
  constexpr uint32_t kWords[] = {0x24020082, 0xdc708000, 0x00040001, 0xbf810000};
  hsa::SparseMemory backing;
  ASSERT_TRUE(backing.reserve(kCode, 0x2000).ok());
  ASSERT_TRUE(backing.write(kCode, kWords, sizeof kWords));
  hsa::AddressSpace space;
  ASSERT_TRUE(space.map(kCode, 0x1000, hsa::Access::Execute).ok());
  ASSERT_TRUE(space.map(kOut, 0x1000, hsa::Access::ReadWrite).ok());
  const auto registries = tlm_registries();
  LtMemory memory("memory", backing, kPeriod * 30, 1);
  LtComputeUnit unit(
      "unit",
      registries.compute_units.make(
          "tlm", compute_unit_config(small(), registries, space, isa::Target::Gfx908, {})),
      0, kPeriod, 8, {});
  AroundUnit around("around");
  unit.memory.bind(memory.sockets[0]);
  around.launch.bind(unit.launch);
  unit.done.bind(around.done);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  spi::WaveLaunch wave;
  wave.id = 3;
  wave.pc = kCode;
  wave.exec = ~uint64_t{0};
  wave.vgpr_count = wave.acc_count = 4;
  wave.sgpr_count = 16;
  wave.sgprs = 6;
  wave.sgpr[4] = static_cast<uint32_t>(kOut);
  wave.vgprs = 1;
  for (unsigned lane = 0; lane < 64; ++lane) wave.vgpr[0][lane] = lane;
  send_record(around.launch, wave, kPeriod * 5);
  sc_core::sc_start();
  ASSERT_EQ(around.ended.size(), 1u);
  EXPECT_EQ(around.ended[0].id, 3u);
  EXPECT_FALSE(around.ended[0].error) << unit.core().failure();
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t value = ~0u;
    ASSERT_TRUE(backing.read(kOut + 4 * i, &value, 4));
    EXPECT_EQ(value, i);
  }
  EXPECT_TRUE(unit.idle());
}

TEST(LtBlocks, ARecordTargetRefusesWhatIsNoRecord) {
  tlm::tlm_generic_payload trans;
  spi::WaveDone record;
  trans.set_command(tlm::TLM_WRITE_COMMAND);
  trans.set_address(0);
  trans.set_data_ptr(reinterpret_cast<unsigned char*>(&record));
  trans.set_data_length(sizeof record);
  EXPECT_NE(record_of<spi::WaveDone>(trans), nullptr);
  trans.set_data_length(4);
  EXPECT_EQ(record_of<spi::WaveDone>(trans), nullptr);
  EXPECT_EQ(trans.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  trans.set_address(8);
  EXPECT_EQ(record_of<spi::WaveDone>(trans), nullptr);
  EXPECT_EQ(trans.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  trans.set_command(tlm::TLM_READ_COMMAND);
  EXPECT_EQ(record_of<spi::WaveDone>(trans), nullptr);
  EXPECT_EQ(trans.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

}  // namespace
}  // namespace cuvette::gpu
