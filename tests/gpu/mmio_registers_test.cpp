// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Semantics of registers without a machine behind: queue slots, doorbells, faults, the interrupt
// ring against the checklist of its layout.
#include "gpu/mmio_registers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "csv.h"
#include "hsa/queue_error.h"
#include "register_front_fixture.h"

namespace cuvette::gpu {
namespace {

TEST_F(MmioRegistersTest, ActivationMakesAQueueOfTheSlot) {
  start_engines();
  load(1, 2, 3);
  EXPECT_TRUE(bindings_.empty()) << "ACTIVE comes last";
  write(Reg::CP_HQD_ACTIVE, 1);
  ASSERT_EQ(bindings_.size(), 1u);
  const QueueBinding& b = bindings_[0];
  EXPECT_EQ(b.queue_address, 0u) << "found by the processor";
  EXPECT_EQ(b.ring_address, 0x10012345600u);
  EXPECT_EQ(b.ring_packets, 64u);
  EXPECT_EQ(b.read_report, 0x200005080u);
  EXPECT_EQ(b.mqd_address, 0x40000u);
  EXPECT_EQ(b.vmid, 9);
  EXPECT_EQ(b.priority, 15);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_EQ(bindings_.size(), 1u) << "it is active already";
  EXPECT_TRUE(front_.take_reports().empty());
}

TEST_F(MmioRegistersTest, AHaltedMicroEngineKeepsItsQueuesUntilItRuns) {
  load(1, 0, 0);
  write(Reg::CP_HQD_ACTIVE, 1);
  load(2, 1, 7);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_TRUE(bindings_.empty()) << "both are halted by reset";
  write(Reg::CP_MEC_CNTL, field::CP_MEC_CNTL::MEC_ME1_HALT.of(1));
  ASSERT_EQ(bindings_.size(), 1u) << "the second one runs";
  write(Reg::CP_MEC_CNTL, 0);
  ASSERT_EQ(bindings_.size(), 2u);
  write(Reg::CP_MEC_CNTL, field::CP_MEC_CNTL::MEC_ME2_HALT.of(1));
  EXPECT_EQ(dequeued_, (std::vector<uint32_t>{100}));
  write(Reg::CP_MEC_CNTL, 0);
  EXPECT_EQ(bindings_.size(), 2u) << "it is still leaving";
  tell(100, QueueState::Inactive, 5);
  ++now_;
  select(2, 1, 7);
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 1u);
  EXPECT_EQ(bindings_.size(), 3u) << "and back";
}

TEST_F(MmioRegistersTest, WhatIsNoQueueIsReportedAndStaysInactive) {
  struct Case {
    unsigned me;
    Reg reg;
    uint32_t value;
    const char* text;
  };
  const Case cases[] = {
      {0, Reg::CP_HQD_VMID, 1,
       "micro engine 0 pipe 1 queue 2: not modelled: a queue of the graphics micro engine"},
      {1, Reg::CP_HQD_PQ_CONTROL, 2,
       "micro engine 1 pipe 1 queue 2: not modelled: a queue without a ring of at least one "
       "packet"},
      {2, Reg::CP_HQD_PQ_RPTR_REPORT_ADDR_HI, 0,
       "micro engine 2 pipe 1 queue 2: not modelled: a queue without CP_HQD_PQ_RPTR_REPORT_ADDR"},
  };
  start_engines();
  for (const Case& c : cases) {
    load(c.me, 1, 2);
    write(Reg::CP_HQD_PQ_RPTR_REPORT_ADDR, 0);
    write(c.reg, c.value);
    write(Reg::CUVETTE_ERROR, ~0u);
    write(Reg::CP_HQD_ACTIVE, 1);
    EXPECT_TRUE(bindings_.empty()) << c.text;
    EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u) << c.text;
    EXPECT_EQ(read(Reg::CUVETTE_ERROR), field::CUVETTE_ERROR::NOT_MODELLED.mask()) << c.text;
    EXPECT_EQ(front_.take_reports(), std::vector<std::string>{c.text});
  }
}

TEST_F(MmioRegistersTest, RingsAreAsLongAsPointersOf32BitsReach) {
  start_engines();
  for (const uint32_t aql : {1u, 0u}) {
    for (const uint32_t size : {30u, 31u, 32u, 34u, 63u}) {
      load(1, 1, 2);
      write(Reg::CP_HQD_AQL_CONTROL, aql);
      write(Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::QUEUE_SIZE.of(size));
      bindings_.clear();
      write(Reg::CP_HQD_ACTIVE, 1);
      const auto reports = front_.take_reports();
      if (size == 30) {
        ASSERT_EQ(bindings_.size(), 1u) << aql;
        EXPECT_EQ(bindings_[0].ring_packets, 0x8000000u) << aql;
        EXPECT_TRUE(reports.empty()) << aql;
        write(Reg::CP_HQD_ACTIVE, 0);
        continue;
      }
      EXPECT_TRUE(bindings_.empty()) << aql << " " << size;
      EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u) << aql << " " << size;
      EXPECT_EQ(reports, std::vector<std::string>{"micro engine 1 pipe 1 queue 2: not modelled: a "
                                                  "ring of more than 2^31 dwords"})
          << aql << " " << size;
    }
  }
}

TEST_F(MmioRegistersTest, ShaderMemoryMustBeAsTheMachineHasIt) {
  start_engines();
  const auto activate = [&](uint32_t bases, uint32_t config) {
    write(Reg::GRBM_GFX_CNTL, field::GRBM_GFX_CNTL::VMID.of(9));
    write(Reg::SH_MEM_BASES, bases);
    write(Reg::SH_MEM_CONFIG, config);
    load(1, 0, 0);
    write(Reg::CP_HQD_ACTIVE, 0);
    write(Reg::CP_HQD_ACTIVE, 1);
    return front_.take_reports();
  };
  namespace f = field::SH_MEM_CONFIG;
  const uint32_t good = f::ALIGNMENT_MODE.of(3) | f::RETRY_DISABLE.of(1);
  EXPECT_TRUE(activate(0, 0).empty()) << "as after reset";
  EXPECT_TRUE(activate(0x00010002, good).empty());
  EXPECT_EQ(activate(0x60006000, good),
            std::vector<std::string>{"micro engine 1 pipe 0 queue 0: not modelled: SH_MEM_BASES "
                                     "0x60006000 of VMID 9, the machine has 0x10002"});
  const char* const expected = "of VMID 9, expected 64-bit addresses and unaligned accesses";
  for (const uint32_t bad : {good | f::ADDRESS_MODE.of(1), f::ALIGNMENT_MODE.of(2)}) {
    const auto reports = activate(0x00010002, bad);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].find(expected), std::string::npos) << reports[0];
  }
  EXPECT_EQ(bindings_.size(), 5u) << "the queues run all the same";
  uint32_t value = 0;
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(front_.read(now_, 0x40, 4, value), Status::UnknownOffset);
  EXPECT_EQ(front_.take_reports().size(), 1u) << "equal reports once";
}

TEST_F(MmioRegistersTest, ADequeueEndsWhenTheQueueIsGone) {
  start_engines();
  load(1, 0, 0);
  write(Reg::CP_HQD_ACTIVE, 1);
  write(Reg::CPC_INT_CNTL, pipe_enables());
  namespace request = field::CP_HQD_DEQUEUE_REQUEST;
  write(Reg::CP_HQD_DEQUEUE_REQUEST, request::DEQUEUE_REQ.of(1) | request::DEQUEUE_INT.of(1));
  EXPECT_EQ(dequeued_, std::vector<uint32_t>{100});
  front_.status(1010, {100, QueueState::Inactive, 7, 0, 0});
  now_ = 1009;
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 1u) << "not yet";
  now_ = 1010;
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u);
  EXPECT_EQ(request::DEQUEUE_REQ.get(read(Reg::CP_HQD_DEQUEUE_REQUEST)), 0u);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 7u * 16);
  ASSERT_EQ(raised_.size(), 1u);
  EXPECT_EQ(raised_[0].first, 1010u);
  EXPECT_EQ(raised_[0].second.source, command_processor::kDequeued);
  // An empty slot answers at once.
  select(1, 0, 1);
  write(Reg::CP_HQD_DEQUEUE_REQUEST, 3);
  EXPECT_EQ(read(Reg::CP_HQD_DEQUEUE_REQUEST), 0u);
  EXPECT_TRUE(front_.take_reports().empty());
}

TEST_F(MmioRegistersTest, StatusesThatNobodyLooksAtDoNotPileUp) {
  start_engines();
  load(1, 0, 0);
  write(Reg::CP_HQD_ACTIVE, 1);
  select(1, 0, 1);
  load(1, 0, 1);
  write(Reg::CP_HQD_ACTIVE, 1);
  // A packet every 5 cycles, told 20 cycles ahead of the host.
  for (uint32_t i = 1; i <= 10000; ++i) {
    const Cycle host = now_ + Cycle{5} * i;
    for (const uint32_t queue : {100u, 101u}) {
      front_.status(host + 20, {queue, QueueState::Active, i, 0, 0}, host);
    }
    ASSERT_LE(front_.pending_statuses(), 2u * (1 + 20 / 5 + 1));
  }
  // The host sees the same values at its time as without.
  now_ += 50000;
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 9996u * 16);
  now_ += 9;
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 9997u * 16);
  now_ += 11;
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 10000u * 16);
  select(1, 0, 0);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 10000u * 16);
  EXPECT_EQ(front_.pending_statuses(), 0u);
}

TEST_F(MmioRegistersTest, StatusGoesIntoTheSlotsRegisters) {
  start_engines();
  load(1, 3, 1);
  write(Reg::CP_HQD_ACTIVE, 1);
  tell(100, QueueState::Active, 0x10000003);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 0x30u) << "32 bits of dwords";
  tell(100, QueueState::Failed, 4, hsa::kQueueErrorDispatch);
  EXPECT_EQ(read(Reg::CP_HQD_ERROR), field::CP_HQD_ERROR::AQL_ERROR.mask());
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 1u) << "it waits to be taken away";
  write(Reg::CP_HQD_ERROR, 0);
  tell(100, QueueState::Failed, 4, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(read(Reg::CP_HQD_ERROR), field::CP_HQD_ERROR::PQ_UTCL1_ERROR.mask());
  tell(77, QueueState::Active, 9);  // somebody else's
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 64u);
}

TEST_F(MmioRegistersTest, DoorbellsReachTheSlotThatHasThemInTheRange) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  front_.doorbell(now_, {20, 6});
  EXPECT_EQ(rings_.size(), 1u) << "DOORBELL_ENABLE is off: only for queues without registers";
  EXPECT_EQ(rings_[0].index, 20u);
  rings_.clear();
  write(Reg::CP_PQ_STATUS, field::CP_PQ_STATUS::DOORBELL_ENABLE.of(1));
  front_.doorbell(now_, {20, 6});
  ASSERT_EQ(rings_.size(), 1u);
  EXPECT_EQ(rings_[0].index, bindings_[0].doorbell);
  EXPECT_NE(rings_[0].index, 20u) << "doorbells of slots are the processor's own";
  EXPECT_EQ(read(Reg::CP_HQD_PQ_WPTR_LO), 6u * 16);
  namespace control = field::CP_HQD_PQ_DOORBELL_CONTROL;
  EXPECT_EQ(control::DOORBELL_HIT.get(read(Reg::CP_HQD_PQ_DOORBELL_CONTROL)), 1u);
  EXPECT_EQ(field::CP_PQ_STATUS::DOORBELL_UPDATED.get(read(Reg::CP_PQ_STATUS)), 1u);
  EXPECT_TRUE(raised_.empty());
  // Moved to another doorbell, switched off, out of range.
  write(Reg::CP_HQD_PQ_DOORBELL_CONTROL,
        control::DOORBELL_OFFSET.of(60) | control::DOORBELL_EN.of(1));
  front_.doorbell(now_, {30, 7});
  EXPECT_EQ(rings_.back().index, bindings_[0].doorbell);
  write(Reg::CP_HQD_PQ_DOORBELL_CONTROL, control::DOORBELL_OFFSET.of(60));
  rings_.clear();
  front_.doorbell(now_, {30, 8});
  EXPECT_EQ(rings_.back().index, 30u);
  ASSERT_EQ(raised_.size(), 1u) << "no queue has it";
  EXPECT_EQ(raised_[0].second.source, command_processor::kUnmappedDoorbell);
  EXPECT_EQ(raised_[0].second.queue, 30u);
  write(Reg::CP_HQD_PQ_DOORBELL_CONTROL,
        control::DOORBELL_OFFSET.of(60) | control::DOORBELL_EN.of(1));
  write(Reg::CP_MEC_DOORBELL_RANGE_UPPER, 60u << 2);
  front_.doorbell(now_, {30, 7});
  EXPECT_EQ(rings_.back().index, bindings_[0].doorbell) << "the last one of the range";
  write(Reg::CP_MEC_DOORBELL_RANGE_UPPER, 59u << 2);
  front_.doorbell(now_, {30, 9});
  EXPECT_EQ(rings_.back().index, 30u);
  EXPECT_EQ(raised_.size(), 1u) << "outside the range nobody listens";
  EXPECT_EQ(read(Reg::CP_HQD_PQ_WPTR_LO), 7u * 16);
  // A queue without registers keeps its doorbell without an interrupt.
  write(Reg::CP_MEC_DOORBELL_RANGE_UPPER, ~0u);
  QueueBinding plain;
  plain.doorbell = 50;
  front_.bound(5, plain);
  front_.doorbell(now_, {50, 1});
  EXPECT_EQ(raised_.size(), 1u);
  front_.unbound(5);
  front_.doorbell(now_, {50, 1});
  EXPECT_EQ(raised_.size(), 2u);
}

TEST_F(MmioRegistersTest, PollingTheWritePointerLooksAtTheQueuesOfItsBits) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  write(Reg::CP_PQ_WPTR_POLL_CNTL1, 1u << (2 * 8 + 4));
  EXPECT_TRUE(rings_.empty());
  write(Reg::CP_PQ_WPTR_POLL_CNTL1, 1u << (2 * 8 + 3));
  ASSERT_EQ(rings_.size(), 1u);
  EXPECT_EQ(rings_[0].index, bindings_[0].doorbell);
  EXPECT_EQ(read(Reg::CP_PQ_WPTR_POLL_CNTL1), 0u) << "one shot";
}

TEST_F(MmioRegistersTest, SoftResetTakesEveryQueueAway) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  write(Reg::COMPUTE_PGM_LO, 5);
  write(Reg::GRBM_SCRATCH_REG0, 6);
  write(Reg::GRBM_SOFT_RESET, field::GRBM_SOFT_RESET::SOFT_RESET_RLC.of(1));
  EXPECT_TRUE(dequeued_.empty());
  write(Reg::GRBM_SOFT_RESET, field::GRBM_SOFT_RESET::SOFT_RESET_CP.of(1));
  write(Reg::GRBM_SOFT_RESET, 0);
  EXPECT_EQ(dequeued_, std::vector<uint32_t>{100});
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u);
  EXPECT_EQ(read(Reg::CP_HQD_VMID), 0u);
  EXPECT_EQ(read(Reg::COMPUTE_PGM_LO), 0u);
  EXPECT_EQ(read(Reg::CP_MEC_CNTL), 0x50000000u) << "halted again";
  EXPECT_EQ(read(Reg::GRBM_SCRATCH_REG0), 6u);
  tell(100, QueueState::Inactive, 3);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 0u) << "what leaves late is not seen";
}

TEST_F(MmioRegistersTest, PacketsOfBeforeAResetReachNoRegister) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  const uint32_t offset = registers::info(Reg::COMPUTE_PGM_LO).offset;
  const auto access = [&](uint32_t queue, uint32_t value) {
    const uint32_t bank = field::GRBM_GFX_CNTL::MEID.of(1) | field::GRBM_GFX_CNTL::PIPEID.of(2) |
                          field::GRBM_GFX_CNTL::QUEUEID.of(3);
    return front_.packet_access(now_, {1, queue, bank, offset, true, value}).error;
  };
  EXPECT_FALSE(access(100, 5));
  EXPECT_EQ(read(Reg::COMPUTE_PGM_LO), 5u);
  write(Reg::GRBM_SOFT_RESET, field::GRBM_SOFT_RESET::SOFT_RESET_CP.of(1));
  EXPECT_TRUE(access(100, 6));
  EXPECT_EQ(read(Reg::COMPUTE_PGM_LO), 0u);
  write(Reg::GRBM_SOFT_RESET, 0);
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_FALSE(access(101, 7)) << "the slot's next queue";
  EXPECT_TRUE(access(100, 8));
  EXPECT_EQ(read(Reg::COMPUTE_PGM_LO), 7u);
}

TEST_F(MmioRegistersTest, StatusRegistersSayWhetherAnythingIsUnderWay) {
  namespace status = field::GRBM_STATUS;
  EXPECT_EQ(read(Reg::GRBM_STATUS), 0u);
  busy_ = true;
  EXPECT_EQ(read(Reg::GRBM_STATUS),
            status::GUI_ACTIVE.mask() | status::CP_BUSY.mask() | status::SPI_BUSY.mask());
  EXPECT_EQ(field::GRBM_STATUS2::CPC_BUSY.get(read(Reg::GRBM_STATUS2)), 1u);
  EXPECT_EQ(field::CP_STAT::CP_BUSY.get(read(Reg::CP_STAT)), 1u);
  now_ = 0x123456789a;
  write(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT, 1);
  now_ += 100;
  EXPECT_EQ(read(Reg::RLC_GPU_CLOCK_COUNT_LSB), 0x3456789au);
  EXPECT_EQ(read(Reg::RLC_GPU_CLOCK_COUNT_MSB), 0x12u);
  EXPECT_EQ(read(Reg::CUVETTE_SIGNATURE), 0x56554343u);
  EXPECT_EQ(read(Reg::CUVETTE_COMPUTE_UNITS), 20u);
  EXPECT_EQ(read(Reg::CUVETTE_CLOCK), 1500u);
}

TEST_F(MmioRegistersTest, ComputeUnitsAreSpreadOverShaderEngines) {
  // 20 units: two engines of ten.
  for (const uint32_t se : {0u, 1u}) {
    write(Reg::GRBM_GFX_INDEX, field::GRBM_GFX_INDEX::SE_INDEX.of(se));
    EXPECT_EQ(read(Reg::CC_GC_SHADER_ARRAY_CONFIG), 0xfc000000u) << se;
  }
}

TEST_F(MmioRegistersTest, PipeInterruptEnablesHaveTwoNames) {
  select(2, 3, 0);
  write(Reg::CPC_INT_CNTL, 1u << 26);
  const auto pipe3 = static_cast<Reg>(static_cast<unsigned>(Reg::CP_ME2_PIPE0_INT_CNTL) + 3);
  EXPECT_EQ(read(pipe3), 1u << 26);
  write(pipe3, 1u << 24);
  EXPECT_EQ(read(Reg::CPC_INT_CNTL), 1u << 24);
  EXPECT_EQ(read(Reg::CP_ME1_PIPE0_INT_CNTL), 0u);
}

TEST_F(MmioRegistersTest, TheInvalidationEnginesAnswer) {
  namespace request = field::VM_INVALIDATE_ENG0_REQ;
  EXPECT_EQ(read(Reg::VM_INVALIDATE_ENG0_SEM), 1u);
  EXPECT_EQ(read(Reg::VM_INVALIDATE_ENG0_SEM), 0u) << "taken";
  write(Reg::VM_INVALIDATE_ENG0_REQ, request::PER_VMID_INVALIDATE_REQ.of(0x204));
  EXPECT_EQ(read(Reg::VM_INVALIDATE_ENG0_ACK), 0x204u);
  write(Reg::VM_INVALIDATE_ENG0_SEM, 0);
  EXPECT_EQ(read(Reg::VM_INVALIDATE_ENG0_SEM), 1u);
}

TEST_F(MmioRegistersTest, TheFirstFaultStaysUntilItIsCleared) {
  hsa::DeviceMemory::Options read_only;
  read_only.permitted = hsa::Access::Read;
  const uint64_t there = *memory_.allocate(4096, read_only);
  QueueBinding b;
  b.vmid = 11;
  front_.bound(4, b);
  MmioRegisters::RingEntry entry;
  const auto fault = [&](uint64_t address) {
    return front_.route(now_, {hsa::kQueueErrorMemoryFault, 4, address}, entry);
  };
  namespace status = field::VM_L2_PROTECTION_FAULT_STATUS;
  EXPECT_EQ(fault(0x123456789abc), MmioRegisters::Route::Direct) << "no ring";
  uint32_t word = read(Reg::VM_L2_PROTECTION_FAULT_STATUS);
  EXPECT_EQ(word, status::VMID.of(11) | status::PERMISSION_FAULTS.of(1)) << "not mapped";
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32), 0x23456789u);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_HI32), 1u);
  fault(there);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_STATUS), word | status::MORE_FAULTS.mask());
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32), 0x23456789u);
  write(Reg::VM_L2_PROTECTION_FAULT_CNTL, read(Reg::VM_L2_PROTECTION_FAULT_CNTL) | 1);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_STATUS), 0u);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32), 0u);
  fault(there);
  word = read(Reg::VM_L2_PROTECTION_FAULT_STATUS);
  EXPECT_EQ(word, status::VMID.of(11) | status::PERMISSION_FAULTS.of(4) | status::RW.of(1))
      << "a write where only reads are permitted";
}

// ---- the interrupt ring ----

/// Rows of tests/ledger/gfx9_structs.csv that say where a field of a ring entry lies.
struct EntryField {
  unsigned dword = 0, low = 0, high = 0;
};
EntryField ledger_field(const std::string& structure, const std::string& name) {
  for (const csv::Row& c : csv::read("ledger/gfx9_structs.csv")) {
    if (c.size() < 7 || c[0] != structure || c[6] != name) continue;
    return {static_cast<unsigned>(std::stoul(c[1])), static_cast<unsigned>(std::stoul(c[4])),
            static_cast<unsigned>(std::stoul(c[5]))};
  }
  ADD_FAILURE() << "gfx9_structs.csv has no row " << structure << " " << name;
  return {};
}
uint32_t ledger_value(const std::string& structure, const std::string& name) {
  for (const csv::Row& c : csv::read("ledger/gfx9_structs.csv")) {
    if (c.size() >= 7 && c[0] == structure && c[6] == name) {
      return static_cast<uint32_t>(std::stoul(c[1]));
    }
  }
  ADD_FAILURE() << "gfx9_structs.csv has no row " << structure << " " << name;
  return 0;
}

class RingTest : public MmioRegistersTest {
 protected:
  RingTest() {
    namespace cntl = field::IH_RB_CNTL;
    write(Reg::IH_RB_BASE, 0x120);
    write(Reg::IH_RB_BASE_HI, 1);
    // 256 bytes: eight entries.
    write(Reg::IH_RB_CNTL, cntl::RB_ENABLE.of(1) | cntl::RB_SIZE.of(6) | cntl::ENABLE_INTR.of(1));
    start_engines();
    load(2, 1, 5);
    write(Reg::CP_HQD_ACTIVE, 1);
    write(Reg::CPC_INT_CNTL, pipe_enables());
    write(static_cast<Reg>(static_cast<unsigned>(Reg::IH_VMID_0_LUT) + 9), 0x4321);
  }
  uint32_t get(const std::string& structure, const std::string& name) {
    const EntryField f = ledger_field(structure, name);
    const uint32_t word = entry_.at(f.dword) >> f.low;
    const unsigned width = f.high - f.low + 1;
    return width == 32 ? word : word & ((1u << width) - 1);
  }
  MmioRegisters::Route route(uint32_t source, uint32_t queue, uint64_t context) {
    return front_.route(now_, {source, queue, context}, entry_);
  }
  void expect_kind(const char* client, const char* source) {
    EXPECT_EQ(get("ih_ring_entry", "client_id"), ledger_value("ih_client_id", client));
    EXPECT_EQ(get("ih_ring_entry", "source_id"), ledger_value("ih_source_id", source));
  }

  MmioRegisters::RingEntry entry_{};
};

TEST_F(RingTest, AnEventNamesItsQueueProcessAndTime) {
  now_ = 0x00a1b2c3d4e5;
  ASSERT_EQ(route(0, 100, 0x77), MmioRegisters::Route::Ring);
  expect_kind("GRBM_CP", "CP_EOP_INTERRUPT");
  EXPECT_EQ(get("ih_entry.cp_eop", "me"), 2u);
  EXPECT_EQ(get("ih_entry.cp_eop", "pipe"), 1u);
  EXPECT_EQ(get("ih_entry.cp_eop", "queue"), 5u);
  EXPECT_EQ(get("ih_entry.cp_eop", "int_ctxid"), 0x77u);
  EXPECT_EQ(get("ih_ring_entry", "vmid"), 9u);
  EXPECT_EQ(get("ih_ring_entry", "pasid"), 0x4321u);
  EXPECT_EQ(get("ih_ring_entry", "timestamp_lo"), 0xb2c3d4e5u);
  EXPECT_EQ(get("ih_ring_entry", "timestamp_hi"), 0xa1u);
  EXPECT_EQ(get("ih_ring_entry", "vmid_type"), 0u);
}

TEST_F(RingTest, ABadPacketNamesItsDoorbellAndError) {
  ASSERT_EQ(route(hsa::kQueueErrorVendorPacket, 100, 0), MmioRegisters::Route::Ring);
  expect_kind("GRBM_CP", "CP_BAD_OPCODE_ERROR");
  EXPECT_EQ(get("ih_entry.cp_bad_opcode", "doorbell_id"), 40u);
  EXPECT_EQ(get("ih_entry.cp_bad_opcode", "error_code"), hsa::kQueueErrorVendorPacket);
}

TEST_F(RingTest, AFaultNamesItsPage) {
  ASSERT_EQ(route(hsa::kQueueErrorMemoryFault, 100, 0x7654321fed00), MmioRegisters::Route::Ring);
  expect_kind("UTCL2", "VM_FAULT");
  EXPECT_EQ(get("ih_entry.vm_fault", "page_addr_lo"), 0x654321feu);
  EXPECT_EQ(get("ih_entry.vm_fault", "page_addr_hi"), 0x7u);
  EXPECT_EQ(get("ih_entry.vm_fault", "prot_valid"), 1u);
  EXPECT_EQ(get("ih_entry.vm_fault", "write"), 0u);
  EXPECT_EQ(get("ih_ring_entry", "vmid"), 9u);
}

TEST_F(RingTest, AMessageNamesItsComputeUnitAndOtherMessagesStayOut) {
  // 20 compute units in two engines: unit 13 is the fourth of the second.
  ASSERT_EQ(route(command_processor::kWaveMessage | 1, 13, 0xffabcdef), MmioRegisters::Route::Ring);
  expect_kind("SE1SH", "SQ_INTERRUPT_ID");
  EXPECT_EQ(get("ih_entry.sq_int_inst", "cu_id"), 3u);
  EXPECT_EQ(get("ih_entry.sq_int_inst", "se_id"), 1u);
  EXPECT_EQ(get("ih_entry.sq_int_inst", "encoding"), 1u);
  EXPECT_EQ(get("ih_entry.sq_int_inst", "data_lo"), 0xdefu);
  EXPECT_EQ(get("ih_entry.sq_int_inst", "data_mid"), 0xcu);
  EXPECT_EQ(get("ih_entry.sq_int_inst", "data_hi"), 0xabu);
  EXPECT_EQ(route(command_processor::kWaveMessage | 4, 13, 0), MmioRegisters::Route::Direct);
}

TEST_F(RingTest, IllegalInstructionsDoorbellsAndDequeuesHaveTheirSources) {
  ASSERT_EQ(route(hsa::kQueueErrorIllegalInstruction, 100, 0), MmioRegisters::Route::Ring);
  expect_kind("SE0SH", "SQ_INTERRUPT_ID");
  EXPECT_EQ(get("ih_entry.sq_int_error", "encoding"), 2u);
  EXPECT_EQ(get("ih_entry.sq_int_error", "err_type"), 1u);
  ASSERT_EQ(route(command_processor::kUnmappedDoorbell, 33, 5), MmioRegisters::Route::Ring);
  expect_kind("GRBM_CP", "CP_VM_DOORBELL");
  EXPECT_EQ(entry_[4], 66u);
  tell(100, QueueState::Inactive, 0);
  ASSERT_EQ(route(command_processor::kDequeued, 100, 0), MmioRegisters::Route::Ring);
  expect_kind("GRBM_CP", "CP_PREEMPT_ACK");
  EXPECT_EQ(get("ih_entry.cp_eop", "queue"), 5u) << "its slot is known although it is gone";
}

TEST_F(RingTest, PipesThatAreNotEnabledAreMasked) {
  select(2, 1, 0);
  write(Reg::CPC_INT_CNTL, 0);
  EXPECT_EQ(route(0, 100, 1), MmioRegisters::Route::Masked);
  EXPECT_EQ(route(hsa::kQueueErrorDispatch, 100, 1), MmioRegisters::Route::Masked);
  EXPECT_EQ(route(hsa::kQueueErrorMemoryFault, 100, 1), MmioRegisters::Route::Ring)
      << "faults are not the pipe's";
  QueueBinding plain;
  front_.bound(3, plain);
  EXPECT_EQ(route(0, 3, 1), MmioRegisters::Route::Ring) << "bound without registers";
  write(Reg::CPC_INT_CNTL, field::CP_ME1_PIPE0_INT_CNTL::TIME_STAMP_INT_ENABLE.of(1));
  EXPECT_EQ(route(0, 100, 1), MmioRegisters::Route::Ring);
  EXPECT_EQ(route(hsa::kQueueErrorDispatch, 100, 1), MmioRegisters::Route::Masked);
}

TEST_F(RingTest, TheWritePointerWrapsAndAFullRingWaits) {
  for (unsigned i = 0; i < 7; ++i) {
    EXPECT_EQ(front_.ring_slot().address, 0x10000012000u + 32 * i);
    EXPECT_FALSE(front_.ring_slot().full) << i;
    EXPECT_EQ(front_.ring_advance(), 0u) << "no copy asked for";
    EXPECT_EQ(read(Reg::IH_RB_WPTR), 32 * (i + 1));
  }
  EXPECT_TRUE(front_.ring_slot().full) << "the pointers may not meet";
  EXPECT_EQ(field::IH_STATUS::RB_FULL.get(read(Reg::IH_STATUS)), 1u);
  const unsigned before = moved_;
  write(Reg::IH_RB_RPTR, 64);
  EXPECT_EQ(moved_, before + 1);
  EXPECT_FALSE(front_.ring_slot().full);
  front_.ring_advance();
  EXPECT_EQ(read(Reg::IH_RB_WPTR), 0u) << "around";
}

TEST_F(RingTest, TheRingIsAsLongAsItsPointersReach) {
  const std::pair<uint32_t, uint32_t> sizes[] = {
      {0, 32},       {3, 32},       {4, 64},       {15, 0x20000}, {16, 0x40000},
      {17, 0x40000}, {29, 0x40000}, {30, 0x40000}, {31, 0x40000},
  };
  write(Reg::IH_RB_RPTR, 96);
  for (const auto& [size, bytes] : sizes) {
    write(Reg::IH_RB_CNTL, field::IH_RB_CNTL::RB_SIZE.of(size));
    write(Reg::IH_RB_WPTR, bytes - 32);
    EXPECT_EQ(field::IH_STATUS::RB_FULL.get(read(Reg::IH_STATUS)), 0u) << size;
    EXPECT_EQ(front_.ring_slot().address, 0x10000012000u + bytes - 32) << size;
    front_.ring_advance();
    EXPECT_EQ(read(Reg::IH_RB_WPTR), 0u) << size;
  }
}

TEST_F(RingTest, WithOverflowDetectionOldEntriesAreLostAndSaidToBe) {
  namespace cntl = field::IH_RB_CNTL;
  const uint32_t control = cntl::RB_ENABLE.of(1) | cntl::RB_SIZE.of(6) |
                           cntl::WPTR_OVERFLOW_ENABLE.of(1) | cntl::WPTR_WRITEBACK_ENABLE.of(1);
  write(Reg::IH_RB_CNTL, control);
  write(Reg::IH_RB_WPTR_ADDR_LO, 0x8000);
  write(Reg::IH_RB_WPTR_ADDR_HI, 3);
  EXPECT_FALSE(front_.ring_interrupts());
  for (unsigned i = 0; i < 7; ++i) {
    EXPECT_EQ(front_.ring_advance(), 0x300008000u);
    EXPECT_EQ(read(Reg::IH_RB_WPTR) & 1, 0u);
  }
  EXPECT_FALSE(front_.ring_slot().full);
  front_.ring_advance();
  EXPECT_EQ(read(Reg::IH_RB_WPTR), 1u) << "offset 0 and the overflow flag";
  EXPECT_EQ(field::IH_STATUS::RB_OVERFLOW.get(read(Reg::IH_STATUS)), 1u);
  write(Reg::IH_RB_CNTL, control | cntl::WPTR_OVERFLOW_CLEAR.of(1));
  EXPECT_EQ(read(Reg::IH_RB_WPTR), 0u);
}

}  // namespace
}  // namespace cuvette::gpu
