// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The registers of a GPU without a machine behind: what they ask of it is kept.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/mmio_registers.h"
#include "hsa/memory.h"

namespace cuvette::gpu {

using command_processor::Doorbell;
using command_processor::Interrupt;
using command_processor::QueueBinding;
using command_processor::QueueState;
using command_processor::QueueStatus;
using machine::Cycle;
using registers::Reg;
using registers::RegisterFile;
namespace field = registers::field;
using Status = MmioRegisters::Status;

class MmioRegistersTest : public testing::Test {
 protected:
  MmioRegistersTest() : contexts_(memory_.space()), front_(description(), contexts_, machine()) {
    contexts_.read_by([this](uint64_t pa, void* out, size_t bytes) {
      return memory_.backing().read(pa, out, bytes);
    });
  }

  static machine::GpuConfig description() {
    machine::GpuConfig d;
    d.compute_units = 20;
    d.clock_mhz = 1500;
    d.shared_aperture = 0x1000000000000;
    d.private_aperture = 0x2000000000000;
    return d;
  }
  MmioRegisters::Machine machine() {
    MmioRegisters::Machine m;
    m.bind = [this](const QueueBinding& b) {
      bindings_.push_back(b);
      return static_cast<uint32_t>(bindings_.size() + 99);
    };
    m.dequeue = [this](const command_processor::Dequeue& d) {
      dequeued_.push_back(d.queue);
      resets_.push_back(d.reset);
      saves_.push_back(d.save);
    };
    m.ring = [this](const Doorbell& d) { rings_.push_back(d); };
    m.interrupt = [this](Cycle at, const Interrupt& i) { raised_.emplace_back(at, i); };
    m.busy = [this] { return busy_; };
    m.ring_moved = [this] { ++moved_; };
    m.launch = [this](const command_processor::RegisterLaunch& l) { launches_.push_back(l); };
    m.command = [this](unsigned unit, const spi::WaveCommand& c) {
      commands_.emplace_back(unit, c);
    };
    m.inspect = [this](unsigned unit, unsigned simd, unsigned slot, uint32_t index,
                       unsigned lane) -> std::optional<uint32_t> {
      looks_.push_back({unit, simd, slot, index, lane});
      if (index == 0x999) return std::nullopt;
      return 1000 + index;
    };
    return m;
  }

  uint32_t read(Reg reg) {
    uint32_t value = 0;
    EXPECT_EQ(front_.read(now_, registers::info(reg).offset, 4, value), Status::Ok);
    return value;
  }
  void write(Reg reg, uint32_t value) {
    EXPECT_EQ(front_.write(now_, registers::info(reg).offset, 4, value), Status::Ok)
        << registers::info(reg).name;
  }
  void select(unsigned me, unsigned pipe, unsigned queue) {
    namespace f = field::GRBM_GFX_CNTL;
    write(Reg::GRBM_GFX_CNTL, f::MEID.of(me) | f::PIPEID.of(pipe) | f::QUEUEID.of(queue));
  }
  /// An AQL queue of 64 packets at 0x12345600, VMID 9, doorbell 20.
  void load(unsigned me, unsigned pipe, unsigned queue) {
    select(me, pipe, queue);
    write(Reg::CP_MQD_BASE_ADDR, 0x40000);
    write(Reg::CP_HQD_VMID, 9);
    write(Reg::CP_HQD_QUEUE_PRIORITY, 15);
    write(Reg::CP_HQD_PQ_BASE, 0x123456);
    write(Reg::CP_HQD_PQ_BASE_HI, 1);
    write(Reg::CP_HQD_PQ_RPTR_REPORT_ADDR, 0x5080);
    write(Reg::CP_HQD_PQ_RPTR_REPORT_ADDR_HI, 2);
    write(Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::QUEUE_SIZE.of(9));
    write(Reg::CP_HQD_AQL_CONTROL, 1);
    namespace d = field::CP_HQD_PQ_DOORBELL_CONTROL;
    write(Reg::CP_HQD_PQ_DOORBELL_CONTROL, d::DOORBELL_OFFSET.of(40) | d::DOORBELL_EN.of(1));
  }
  void start_engines() { write(Reg::CP_MEC_CNTL, 0); }
  void tell(uint32_t queue, QueueState state, uint64_t read_index, uint32_t error = 0) {
    front_.status(now_, {queue, state, read_index, error, 0});
  }
  static uint32_t pipe_enables() {
    namespace e = field::CP_ME1_PIPE0_INT_CNTL;
    return e::TIME_STAMP_INT_ENABLE.mask() | e::OPCODE_ERROR_INT_ENABLE.mask() |
           e::DEQUEUE_REQUEST_INT_ENABLE.mask();
  }

  hsa::DeviceMemory memory_;
  VmContexts contexts_;
  std::vector<QueueBinding> bindings_;
  std::vector<uint32_t> dequeued_;
  std::vector<bool> resets_, saves_;
  std::vector<command_processor::RegisterLaunch> launches_;
  std::vector<std::pair<unsigned, spi::WaveCommand>> commands_;
  std::vector<std::array<uint32_t, 5>> looks_;
  std::vector<Doorbell> rings_;
  std::vector<std::pair<Cycle, Interrupt>> raised_;
  bool busy_ = false;
  unsigned moved_ = 0;
  Cycle now_ = 1000;
  MmioRegisters front_;
};

}  // namespace cuvette::gpu
