// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command processor alone: a queue in device memory, a port that answers from it, an spi that
// only records.
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command_processor/command_processor_model.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {

using hsa::FenceScope;
using hsa::PacketType;
using machine::Cycle;
using memory::MemOp;

class FakeSpi final : public spi::Spi {
 public:
  void tick(Cycle) override {}
  Cycle next_event() const override { return machine::kNever; }
  unsigned compute_units() const override { return 0; }
  ComputeUnitPort& compute_unit(unsigned) override { return none_; }

 private:
  ComputeUnitPort none_;
};

class CommandProcessorTest : public testing::Test {
 protected:
  explicit CommandProcessorTest(isa::Target target = isa::Target::Gfx908)
      : processor_(config(memory_, target)) {
    processor_.connect(spi_, port_, {&near_}, {&far_});
    queue_ = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory_, {}));
    inactive_ = hsa::Signal::create(memory_, 0)->handle();
    EXPECT_TRUE(memory_.write_value(
        queue_->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_));
    kernel_ = *memory_.allocate(sizeof(hsa::KernelDescriptor));
    hsa::KernelDescriptor kd;
    kd.kernel_code_entry_byte_offset = 0x1000;
    kd.compute_pgm_rsrc1 = 0x123;
    kd.kernel_code_properties = 8;
    EXPECT_TRUE(memory_.write_value(kernel_, kd));
  }
  uint32_t word(uint64_t at) {
    uint32_t value = 0;
    EXPECT_TRUE(memory_.read_value(at, &value));
    return value;
  }
  uint64_t wide(uint64_t at) {
    uint64_t value = 0;
    EXPECT_TRUE(memory_.read_value(at, &value));
    return value;
  }
  static Config config(hsa::DeviceMemory& memory, isa::Target target) {
    Config c;
    c.target = target;
    c.packet_cycles = 10;
    c.poll_cycles = 20;
    c.address_space = &memory.space();
    return c;
  }
  void bind() {
    QueueBinding b;
    b.queue_address = queue_->address();
    b.doorbell = 5;
    number_ = processor_.bind(b, now_ + 1);
  }
  void ring(uint32_t doorbell = 5) { processor_.doorbell.push(Doorbell{doorbell, 0}, now_ + 1); }

  hsa::KernelDispatchPacket dispatch(bool barrier = false, FenceScope acquire = FenceScope::None,
                                     FenceScope release = FenceScope::None) {
    hsa::KernelDispatchPacket p;
    p.header = hsa::encode({PacketType::KernelDispatch, barrier, acquire, release});
    p.setup = 1;
    p.workgroup_size_x = 64;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = 256;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = kernel_;
    p.kernarg_address = 0x1234500;
    return p;
  }
  template <class Packet>
  void submit(const Packet& packet) {
    EXPECT_TRUE(queue_->submit(&packet).ok());
  }

  /// Caches answer after some cycles, memory at once and in order.
  void answer(cache::Cache::Port& port, const char* name) {
    while (port.request.front(now_) != nullptr) {
      const memory::MemReq r = port.request.pop(now_);
      memory::MemResp a;
      a.id = r.id;
      bool ok = true;
      if (r.op == MemOp::Read) ok = memory_.backing().read(r.address, a.data.data(), 64);
      if (r.op == MemOp::Write) {
        for (unsigned i = 0; i < 64; ++i) {
          if ((r.byte_mask >> i & 1) != 0) {
            ok = ok && memory_.backing().write(r.address + i, r.data.data() + i, 1);
          }
        }
        events_.push_back("write");
      }
      if (r.op == MemOp::Atomic) {
        uint64_t amount = 0;
        std::memcpy(&amount, r.data.data(), 8);
        EXPECT_EQ(r.atomic, base::AtomicOp::Sub);
        ok = memory_.backing().read_modify_write(
            r.address, 8, [amount](uint64_t v) { return v - amount; }, nullptr);
        events_.push_back("signal");
      }
      if (r.op == MemOp::Invalidate) events_.push_back(std::string("invalidate ") + name);
      if (r.op == MemOp::Writeback) events_.push_back(std::string("writeback ") + name);
      EXPECT_EQ(r.cu, 0xffff);
      if (r.op == refused_op_ && name == refuses_) {
        ok = false;
        a.address = 0xbad40;
      }
      a.status = ok ? memory::MemStatus::Ok : memory::MemStatus::Fault;
      port.response.push(a, now_ + 3);
    }
  }
  void run(unsigned cycles = 500) {
    for (unsigned i = 0; i < cycles; ++i, ++now_) {
      processor_.tick(now_);
      answer(port_, "memory");
      answer(near_, "near");
      answer(far_, "far");
      while (spi_.dispatch.front(now_) != nullptr) {
        dispatches_.push_back(spi_.dispatch.pop(now_));
        events_.push_back("dispatch");
      }
      while (hears_ && processor_.interrupt.front(now_) != nullptr) {
        interrupts_.push_back(processor_.interrupt.pop(now_));
      }
      while (processor_.queue_status.front(now_) != nullptr) {
        statuses_.push_back(processor_.queue_status.pop(now_));
      }
      while (processor_.register_access.front(now_) != nullptr) {
        const RegisterAccess access = processor_.register_access.pop(now_);
        RegisterDone done;
        done.error = true;
        if (registers_) done = registers_(access);
        done.id = access.id;
        processor_.register_done.push(done, now_ + 2);
      }
      while (spi_.cancel.front(now_) != nullptr) {
        cancels_.push_back(spi_.cancel.pop(now_).dispatch);
      }
      while (processor_.agent_dispatch.front(now_) != nullptr) {
        agents_.push_back(processor_.agent_dispatch.pop(now_));
      }
    }
  }
  void finish(size_t index, uint32_t error = 0) {
    spi::DispatchDone d;
    d.id = dispatches_.at(index).id;
    d.error = error != 0;
    d.error_code = error;
    d.error_address = 0xbad;
    spi_.dispatch_done.push(d, now_ + 1);
  }
  PacketType slot(uint64_t index) { return queue_->header(index)->type; }
  int64_t inactive() { return *hsa::Signal(memory_, inactive_).load(); }

  hsa::DeviceMemory memory_;
  CommandProcessorModel processor_;
  FakeSpi spi_;
  cache::Cache::Port port_, near_, far_;
  std::unique_ptr<hsa::Queue> queue_;
  uint64_t inactive_ = 0, kernel_ = 0;
  uint32_t number_ = 0;
  Cycle now_ = 0;
  std::vector<spi::Dispatch> dispatches_;
  std::vector<std::string> events_;
  std::vector<Interrupt> interrupts_;
  std::vector<QueueStatus> statuses_;
  std::vector<AgentDispatch> agents_;
  std::vector<uint32_t> cancels_;
  std::function<RegisterDone(const RegisterAccess&)> registers_;  // none: every access is refused
  std::string refuses_;  // "near", "far": what it has to write back cannot be written
  MemOp refused_op_ = MemOp::Writeback;
  bool hears_ = true;  // somebody takes the interrupts
};

}  // namespace cuvette::command_processor
