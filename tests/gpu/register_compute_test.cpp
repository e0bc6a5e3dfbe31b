// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Semantics of registers without a machine behind: rings of PM4 packets, grids from COMPUTE_*,
// accesses of packets, commands to waves.
#include "hsa/queue_error.h"
#include "register_front_fixture.h"

namespace cuvette::gpu {
namespace {

using command_processor::RegisterDone;
using spi::WaveAction;

class RegisterComputeTest : public MmioRegistersTest {
 protected:
  /// A ring of 1024 dwords.
  void load_pm4(unsigned me, unsigned pipe, unsigned queue) {
    load(me, pipe, queue);
    write(Reg::CP_HQD_AQL_CONTROL, 0);
    write(Reg::CP_HQD_PQ_WPTR_POLL_ADDR, 0x7000);
    write(Reg::CP_HQD_PQ_WPTR_POLL_ADDR_HI, 3);
  }
  void open_doorbells() {
    write(Reg::CP_PQ_STATUS, field::CP_PQ_STATUS::DOORBELL_ENABLE.of(1));
    write(Reg::CP_MEC_DOORBELL_RANGE_LOWER, 0);
  }
  static uint32_t bank(unsigned me, unsigned pipe, unsigned queue, unsigned vmid = 0) {
    return pipe | me << 2 | vmid << 4 | queue << 8;
  }
};

TEST_F(RegisterComputeTest, ARingOfPm4PacketsIsAQueueToo) {
  start_engines();
  load_pm4(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  ASSERT_EQ(bindings_.size(), 1u);
  const QueueBinding& b = bindings_[0];
  EXPECT_TRUE(b.pm4);
  EXPECT_FALSE(b.kernel_queue);
  EXPECT_EQ(b.ring_packets, 64u);
  EXPECT_EQ(b.read_report, 0x200005080u);
  EXPECT_EQ(b.write_poll, 0x300007000u);
  EXPECT_EQ(b.read_pointer, 0u);
  EXPECT_EQ(b.write_pointer, 0u);
  EXPECT_EQ(b.bank, bank(1, 2, 3, 9));
  EXPECT_TRUE(front_.take_reports().empty());
  load(1, 2, 4);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_FALSE(bindings_.at(1).pm4);
  // Without a report, because the driver wants none.
  load_pm4(2, 0, 0);
  write(Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::QUEUE_SIZE.of(9) |
                                    field::CP_HQD_PQ_CONTROL::NO_UPDATE_RPTR.of(1));
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_EQ(bindings_.at(2).read_report, 0u);
}

TEST_F(RegisterComputeTest, TheKernelQueueIsNamedByTheSchedulersRegister) {
  start_engines();
  load_pm4(2, 1, 3);
  write(Reg::RLC_CP_SCHEDULERS, 2 << 5 | 1 << 3 | 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_FALSE(bindings_.at(0).kernel_queue) << "not valid";
  write(Reg::CP_HQD_ACTIVE, 0);
  write(Reg::RLC_CP_SCHEDULERS, (0x80u | 2 << 5 | 1 << 3 | 3) << 8);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_TRUE(bindings_.at(1).kernel_queue);
  load_pm4(2, 1, 4);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_FALSE(bindings_.at(2).kernel_queue) << "another slot";
}

TEST_F(RegisterComputeTest, TheFirstKernelQueueSinceAResetIsFresh) {
  const auto activate = [&](uint32_t schedulers) {
    start_engines();
    load_pm4(2, 1, 3);
    write(Reg::RLC_CP_SCHEDULERS, schedulers);
    write(Reg::CP_HQD_ACTIVE, 0);
    write(Reg::CP_HQD_ACTIVE, 1);
    return bindings_.back().fresh;
  };
  constexpr uint32_t kNamed = 0x80u | 2 << 5 | 1 << 3 | 3;
  EXPECT_FALSE(activate(0)) << "no kernel queue";
  EXPECT_TRUE(activate(kNamed));
  EXPECT_FALSE(activate(kNamed));
  // Halted and back: it goes on with what it knows.
  write(Reg::CP_MEC_CNTL, field::CP_MEC_CNTL::MEC_ME2_HALT.of(1));
  tell(static_cast<uint32_t>(99 + bindings_.size()), QueueState::Inactive, 0);
  const size_t before = bindings_.size();
  write(Reg::CP_MEC_CNTL, 0);
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 1u);
  ASSERT_EQ(bindings_.size(), before + 1);
  EXPECT_TRUE(bindings_.back().kernel_queue);
  EXPECT_FALSE(bindings_.back().fresh);
  write(Reg::GRBM_SOFT_RESET, field::GRBM_SOFT_RESET::SOFT_RESET_CPC.of(1));
  write(Reg::GRBM_SOFT_RESET, 0);
  EXPECT_FALSE(activate(0));
  EXPECT_TRUE(activate(kNamed));
}

TEST_F(RegisterComputeTest, PointersOfAQueueThatComesBackFitEachOther) {
  struct Case {
    uint32_t read, low, high;              // registers
    uint64_t read_pointer, write_pointer;  // dwords since the start
  };
  const Case cases[] = {
      {100, 200, 0, 100, 200},
      {1000, 1024 + 10, 0, 1000, 1034},  // the ring's end lies between them
      {10, 10, 5, (5ull << 32) | 10, (5ull << 32) | 10},
      {1023, 0, 1, (1ull << 32) - 1, 1ull << 32},
      {100, 0, 0, 100, 100},   // nothing was ever written here
      {1024 + 5, 9, 0, 5, 9},  // a place in the ring
  };
  start_engines();
  for (const Case& c : cases) {
    load_pm4(1, 0, 0);
    write(Reg::CP_HQD_PQ_RPTR, c.read);
    write(Reg::CP_HQD_PQ_WPTR_LO, c.low);
    write(Reg::CP_HQD_PQ_WPTR_HI, c.high);
    write(Reg::CP_HQD_ACTIVE, 1);
    EXPECT_EQ(bindings_.back().read_pointer, c.read_pointer);
    EXPECT_EQ(bindings_.back().write_pointer, c.write_pointer);
    write(Reg::CP_HQD_ACTIVE, 0);
  }
}

TEST_F(RegisterComputeTest, WritePointersComeByDoorbellRegisterAndMemory) {
  start_engines();
  open_doorbells();
  load_pm4(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  front_.doorbell(now_, {20, 77});
  ASSERT_EQ(rings_.size(), 1u);
  EXPECT_EQ(rings_[0].index, bindings_[0].doorbell);
  EXPECT_EQ(rings_[0].value, 77u);
  EXPECT_FALSE(rings_[0].poll);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_WPTR_LO), 77u) << "dwords";
  write(Reg::CP_HQD_PQ_WPTR_HI, 1);
  EXPECT_EQ(rings_.back().value, (1ull << 32) | 77);
  write(Reg::CP_PQ_WPTR_POLL_CNTL1, 1u << (2 * 8 + 3));
  EXPECT_TRUE(rings_.back().poll);
  // When packets were taken from memory, the register follows.
  write(Reg::CP_HQD_PQ_WPTR_HI, 0);
  tell(100, QueueState::Active, 2000);
  ++now_;
  EXPECT_EQ(read(Reg::CP_HQD_PQ_WPTR_LO), 2000u);
  EXPECT_EQ(read(Reg::CP_HQD_PQ_RPTR), 2000u - 1024) << "a place in the ring";
  tell(100, QueueState::Failed, 2000, 256);
  ++now_;
  EXPECT_EQ(read(Reg::CP_HQD_ERROR), 0u);
  EXPECT_EQ(
      front_.take_reports(),
      std::vector<std::string>{"micro engine 1 pipe 2 queue 3: stopped with error 0x100 by the "
                               "PM4 packet at dword 0x3d0 of its ring"});
}

TEST_F(RegisterComputeTest, DequeueRequestsResetWhenAskedTo) {
  start_engines();
  load_pm4(1, 0, 0);
  write(Reg::CP_HQD_ACTIVE, 1);
  write(Reg::CP_HQD_DEQUEUE_REQUEST, 1);
  write(Reg::CP_HQD_DEQUEUE_REQUEST, 2);
  EXPECT_EQ(dequeued_, (std::vector<uint32_t>{100, 100}));
  EXPECT_EQ(resets_, (std::vector<bool>{false, true}));
  EXPECT_TRUE(front_.take_reports().empty());
  tell(100, QueueState::Inactive, 3);
  ++now_;
  EXPECT_EQ(read(Reg::CP_HQD_ACTIVE), 0u);
}

TEST_F(RegisterComputeTest, TheInitiatorStartsAGridOfTheSlotsState) {
  start_engines();
  load_pm4(1, 2, 3);
  write(Reg::COMPUTE_PGM_LO, 0x123456);
  write(Reg::COMPUTE_PGM_HI, 0x12);
  write(Reg::COMPUTE_PGM_RSRC1, 0xabc);
  write(Reg::COMPUTE_PGM_RSRC3, 5);
  namespace rsrc2 = field::COMPUTE_PGM_RSRC2;
  write(Reg::COMPUTE_PGM_RSRC2, rsrc2::LDS_SIZE.of(3) | rsrc2::USER_SGPR.of(7));
  write(Reg::COMPUTE_NUM_THREAD_X, 40u << 16 | 64);
  write(Reg::COMPUTE_NUM_THREAD_Y, 4);
  write(Reg::COMPUTE_NUM_THREAD_Z, 2);
  write(Reg::COMPUTE_DIM_X, 10);
  write(Reg::COMPUTE_DIM_Y, 6);
  write(Reg::COMPUTE_DIM_Z, 5);
  write(Reg::COMPUTE_START_X, 1);
  write(Reg::COMPUTE_START_Y, 2);
  write(Reg::COMPUTE_START_Z, 3);
  write(Reg::COMPUTE_VMID, 5);
  write(Reg::COMPUTE_TMPRING_SIZE, field::COMPUTE_TMPRING_SIZE::WAVESIZE.of(3));
  write(Reg::COMPUTE_DISPATCH_SCRATCH_BASE_LO, 0x77);
  for (unsigned i = 0; i < 16; ++i) {
    write(static_cast<Reg>(static_cast<unsigned>(Reg::COMPUTE_USER_DATA_0) + i), 0x100 + i);
  }
  select(0, 0, 0);
  write(Reg::GRBM_GFX_CNTL, field::GRBM_GFX_CNTL::VMID.of(5));
  write(Reg::SQ_SHADER_TBA_LO, 0x44);
  write(Reg::SQ_SHADER_TMA_LO, 0x55);
  namespace f = field::COMPUTE_DISPATCH_INITIATOR;
  select(1, 2, 3);
  write(Reg::COMPUTE_DISPATCH_INITIATOR, f::PARTIAL_TG_EN.of(1));
  EXPECT_TRUE(launches_.empty()) << "no shader";
  write(Reg::COMPUTE_DISPATCH_INITIATOR, f::COMPUTE_SHADER_EN.of(1));
  ASSERT_EQ(launches_.size(), 1u);
  const auto& l = launches_[0];
  EXPECT_EQ(l.id, 0u);
  EXPECT_EQ(l.queue, 0xffff0533u) << "no queue; VMID 5, slot 51";
  EXPECT_FALSE(l.invalidate);
  const spi::Dispatch& d = l.dispatch;
  EXPECT_TRUE(d.from_registers);
  EXPECT_EQ(d.entry, 0x120012345600u);
  EXPECT_EQ(d.rsrc1, 0xabcu);
  EXPECT_EQ(d.rsrc3, 0u) << "gfx908 has no such register";
  EXPECT_EQ(d.group_bytes, 1536u);
  EXPECT_EQ(d.workgroup, (std::array<uint16_t, 3>{64, 4, 2}));
  EXPECT_EQ(d.grid, (std::array<uint32_t, 3>{640, 24, 10}));
  EXPECT_EQ(d.start, (std::array<uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(d.vmid, 5);
  EXPECT_EQ(d.scratch_bytes_per_wave, 3072u);
  EXPECT_EQ(d.private_bytes, 48u);
  EXPECT_EQ(d.scratch_base, 0x7700u);
  EXPECT_EQ(d.tba, 0x4400u);
  EXPECT_EQ(d.tma, 0x5500u);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(d.user_data[i], 0x100 + i);
  // Partial work-groups, work-items, from the origin, caches first.
  write(Reg::COMPUTE_DISPATCH_INITIATOR,
        f::COMPUTE_SHADER_EN.of(1) | f::PARTIAL_TG_EN.of(1) | f::VECTOR_L1_INV_VOL.of(1));
  EXPECT_EQ(launches_.back().dispatch.grid, (std::array<uint32_t, 3>{9 * 64 + 40, 24, 10}));
  EXPECT_TRUE(launches_.back().invalidate);
  write(Reg::COMPUTE_DISPATCH_INITIATOR,
        f::COMPUTE_SHADER_EN.of(1) | f::USE_THREAD_DIMENSIONS.of(1) | f::FORCE_START_AT_000.of(1));
  EXPECT_EQ(launches_.back().dispatch.grid, (std::array<uint32_t, 3>{10, 6, 5}));
  EXPECT_EQ(launches_.back().dispatch.start, (std::array<uint32_t, 3>{0, 0, 0}));
  // More work-items than 32 bits: a size the spi refuses.
  write(Reg::COMPUTE_DIM_X, 0x10000000);
  write(Reg::COMPUTE_DISPATCH_INITIATOR, 1);
  EXPECT_EQ(launches_.back().dispatch.grid[0], 0u);
  const size_t before = launches_.size();
  write(Reg::COMPUTE_DIM_Y, 0);
  write(Reg::COMPUTE_DISPATCH_INITIATOR, 1);
  EXPECT_EQ(launches_.size(), before) << "no work-group";
  write(Reg::COMPUTE_DISPATCH_INITIATOR, 1 | f::RESTORE.of(1));
  EXPECT_EQ(launches_.size(), before);
  EXPECT_EQ(front_.take_reports().size(), 1u);
  // With a queue in the slot the grid is the queue's.
  write(Reg::COMPUTE_DIM_Y, 1);
  write(Reg::CP_HQD_ACTIVE, 1);
  write(Reg::COMPUTE_DISPATCH_INITIATOR, 1);
  EXPECT_EQ(launches_.back().queue, 100u);
  EXPECT_EQ(launches_.back().dispatch.vmid, 9);
  EXPECT_EQ(launches_.back().dispatch.queue_priority, 15);
}

TEST_F(RegisterComputeTest, ErrorsOfGridsWithoutAQueueNameTheirOwnSlotAndVmid) {
  write(Reg::IH_RB_CNTL, field::IH_RB_CNTL::RB_ENABLE.of(1));
  const auto grid = [&](unsigned me, unsigned pipe, unsigned queue, uint32_t vmid) {
    select(me, pipe, queue);
    for (const Reg reg : {Reg::COMPUTE_DIM_X, Reg::COMPUTE_DIM_Y, Reg::COMPUTE_DIM_Z}) {
      write(reg, 1);
    }
    write(Reg::COMPUTE_VMID, vmid);
    write(Reg::COMPUTE_DISPATCH_INITIATOR, 1);
  };
  grid(1, 2, 3, 5);
  grid(1, 2, 3, 6);  // the same slot
  grid(2, 1, 4, 7);
  ASSERT_EQ(launches_.size(), 3u);
  // ME in bits 3:2, PIPE in 1:0, queue in 6:4 of the ring id.
  const uint32_t rings[] = {1 << 2 | 2 | 3 << 4, 1 << 2 | 2 | 3 << 4, 2 << 2 | 1 | 4 << 4};
  for (unsigned i = 0; i < 3; ++i) {
    MmioRegisters::RingEntry entry{};
    ASSERT_EQ(front_.route(now_, {hsa::kQueueErrorException, launches_[i].queue, 0}, entry),
              MmioRegisters::Route::Ring);
    EXPECT_EQ(entry[0] >> 24, 5 + i) << "VMID of grid " << i;
    EXPECT_EQ(entry[0] >> 16 & 0xff, rings[i]) << "slot of grid " << i;
  }
}

TEST_F(RegisterComputeTest, MasksOfComputeUnitsBelongToTheSlot) {
  start_engines();
  load(1, 2, 3);
  EXPECT_EQ(read(Reg::COMPUTE_STATIC_THREAD_MGMT_SE0), ~0u);
  EXPECT_EQ(read(Reg::COMPUTE_STATIC_THREAD_MGMT_SE7), ~0u);
  const Reg masks[] = {Reg::COMPUTE_STATIC_THREAD_MGMT_SE0, Reg::COMPUTE_STATIC_THREAD_MGMT_SE1,
                       Reg::COMPUTE_STATIC_THREAD_MGMT_SE2, Reg::COMPUTE_STATIC_THREAD_MGMT_SE3,
                       Reg::COMPUTE_STATIC_THREAD_MGMT_SE4, Reg::COMPUTE_STATIC_THREAD_MGMT_SE5,
                       Reg::COMPUTE_STATIC_THREAD_MGMT_SE6, Reg::COMPUTE_STATIC_THREAD_MGMT_SE7};
  uint32_t value = 0xbeef0001;
  for (const Reg reg : masks) write(reg, value++);
  const spi::CuMask expected = {1, 2, 3, 4, 5, 6, 7, 8};
  write(Reg::CP_HQD_ACTIVE, 1);
  ASSERT_EQ(bindings_.size(), 1u);
  EXPECT_EQ(bindings_[0].cu_mask, expected) << "SH0_CU_EN of each engine";
  for (const Reg reg : {Reg::COMPUTE_DIM_X, Reg::COMPUTE_DIM_Y, Reg::COMPUTE_DIM_Z}) write(reg, 1);
  write(Reg::COMPUTE_DISPATCH_INITIATOR, 1);
  ASSERT_EQ(launches_.size(), 1u);
  EXPECT_EQ(launches_[0].dispatch.cu_mask, expected);
  load(1, 2, 4);
  write(Reg::CP_HQD_ACTIVE, 1);
  EXPECT_EQ(bindings_.at(1).cu_mask, spi::kAllUnits) << "of another slot";
  write(Reg::GRBM_SOFT_RESET, field::GRBM_SOFT_RESET::SOFT_RESET_CP.mask());
  select(1, 2, 3);
  for (const Reg reg : masks) EXPECT_EQ(read(reg), ~0u) << registers::info(reg).name;
}

TEST_F(RegisterComputeTest, PacketsAccessTheBanksTheyName) {
  select(2, 1, 1);
  const auto access = [&](uint32_t of, Reg reg, bool writes, uint32_t value = 0) {
    return front_.packet_access(now_, {42, 7, of, registers::info(reg).offset, writes, value});
  };
  EXPECT_FALSE(access(bank(1, 2, 3), Reg::COMPUTE_PGM_LO, true, 0x99).error);
  RegisterDone done = access(bank(1, 2, 3), Reg::COMPUTE_PGM_LO, false);
  EXPECT_EQ(done.id, 42u);
  EXPECT_EQ(done.value, 0x99u);
  EXPECT_EQ(access(bank(2, 1, 1), Reg::COMPUTE_PGM_LO, false).value, 0u);
  EXPECT_EQ(read(Reg::COMPUTE_PGM_LO), 0u) << "the host's bank stays";
  EXPECT_EQ(read(Reg::GRBM_GFX_CNTL), bank(2, 1, 1));
  EXPECT_TRUE(front_.take_reports().empty());
  EXPECT_TRUE(access(0, Reg::GRBM_STATUS, true, 1).error) << "read-only";
  EXPECT_TRUE(access(0, Reg::GRBM_GFX_CNTL, true, 1).error) << "no selection by packets";
  EXPECT_TRUE(front_.packet_access(now_, {1, 7, 0, 0x40, false, 0}).error) << "no register";
  EXPECT_EQ(front_.take_reports().size(), 3u);
  // A grid says which access started it.
  for (const Reg reg : {Reg::COMPUTE_DIM_X, Reg::COMPUTE_DIM_Y, Reg::COMPUTE_DIM_Z}) {
    access(bank(1, 2, 3), reg, true, 1);
  }
  access(bank(1, 2, 3), Reg::COMPUTE_DISPATCH_INITIATOR, true, 1);
  ASSERT_EQ(launches_.size(), 1u);
  EXPECT_EQ(launches_[0].id, 42u);
}

TEST_F(RegisterComputeTest, CommandsGoToTheSelectedComputeUnits) {
  namespace index = field::GRBM_GFX_INDEX;
  namespace cmd = field::SQ_CMD;
  // 20 compute units in two engines of 10.
  write(Reg::SQ_CMD, cmd::CMD.of(3) | cmd::MODE.of(1));
  EXPECT_EQ(commands_.size(), 20u) << "broadcast, as after reset";
  EXPECT_EQ(commands_[0].second.action, WaveAction::Kill);
  EXPECT_FALSE(commands_[0].second.one);
  commands_.clear();
  write(Reg::GRBM_GFX_INDEX, index::SE_INDEX.of(1) | index::INSTANCE_INDEX.of(4));
  write(Reg::SQ_CMD, cmd::CMD.of(1) | cmd::DATA.of(1) | cmd::SIMD_ID.of(2) | cmd::WAVE_ID.of(7) |
                         cmd::CHECK_VMID.of(1) | cmd::VM_ID.of(9));
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].first, 14u);
  const spi::WaveCommand& c = commands_[0].second;
  EXPECT_EQ(c.action, WaveAction::Halt);
  EXPECT_TRUE(c.one);
  EXPECT_EQ(c.simd, 2);
  EXPECT_EQ(c.slot, 7);
  EXPECT_TRUE(c.of_vmid);
  EXPECT_EQ(c.vmid, 9);
  EXPECT_FALSE(c.of_dispatch);
  write(Reg::SQ_CMD, cmd::CMD.of(1));
  EXPECT_EQ(commands_.back().second.action, WaveAction::Resume);
  write(Reg::SQ_CMD, 0);
  EXPECT_EQ(commands_.size(), 2u);
  write(Reg::SQ_CMD, cmd::CMD.of(2));
  write(Reg::SQ_CMD, cmd::CMD.of(3) | cmd::MODE.of(2));
  EXPECT_EQ(commands_.size(), 2u);
  EXPECT_EQ(front_.take_reports().size(), 2u) << "saving; by queue";
  // A look: the same selection, the index moves when it is told to.
  namespace ind = field::SQ_IND_INDEX;
  write(Reg::SQ_IND_INDEX, ind::SIMD_ID.of(3) | ind::WAVE_ID.of(5) | ind::THREAD_ID.of(33) |
                               ind::INDEX.of(0x400) | ind::AUTO_INCR.of(1));
  EXPECT_EQ(read(Reg::SQ_IND_DATA), 1000u + 0x400);
  EXPECT_EQ(read(Reg::SQ_IND_DATA), 1000u + 0x401);
  EXPECT_EQ(looks_.at(0), (std::array<uint32_t, 5>{14, 3, 5, 0x400, 33}));
  write(Reg::SQ_IND_INDEX, ind::INDEX.of(0x999));
  EXPECT_EQ(read(Reg::SQ_IND_DATA), 0u) << "nothing there";
  // The debugger, to all of them and once.
  commands_.clear();
  write(Reg::CUVETTE_DEBUGGER, 1);
  write(Reg::CUVETTE_DEBUGGER, 1);
  ASSERT_EQ(commands_.size(), 20u);
  EXPECT_EQ(commands_[7].second.action, WaveAction::Attach);
  write(Reg::CUVETTE_DEBUGGER, 0);
  EXPECT_EQ(commands_.back().second.action, WaveAction::Detach);
}

}  // namespace
}  // namespace cuvette::gpu
