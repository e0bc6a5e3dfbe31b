// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A driver against the GPUs as SystemC modules: everything through sockets and memory, in the steps
// a gfx9 kernel driver takes. Queues come from memory queue descriptors laid out as
// tests/ledger/gfx9_structs.csv says, interrupts from the ring.
#include "driver_bench.h"
#include "trap_kernel.h"

namespace cuvette::gpu {
namespace {

template <class G>
void accesses(Bench<G>& b) {
  uint32_t value = 0;
  unsigned char enables[4] = {0xff, 0xff, 0, 0};
  const auto status = [&](bool write, uint64_t at, unsigned bytes, unsigned char* e = nullptr) {
    uint64_t room = 0;
    return b.access(write, at, &room, bytes, e);
  };
  EXPECT_EQ(b.read(CUVETTE_REG_CUVETTE_SIGNATURE), 0x56554343u);
  EXPECT_EQ(b.read(CUVETTE_REG_CUVETTE_COMPUTE_UNITS), 1u);
  EXPECT_EQ(b.read(CUVETTE_REG_GRBM_GFX_INDEX), 0xe0000000u);
  b.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 0x600d);
  EXPECT_EQ(status(true, CUVETTE_REG_GRBM_SCRATCH_REG0, 8), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(status(true, CUVETTE_REG_GRBM_SCRATCH_REG0, 4, enables),
            tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(status(true, CUVETTE_REG_GRBM_SCRATCH_REG0 + 1, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(status(false, 0x40, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(status(false, uint64_t{1} << 32 | CUVETTE_REG_GRBM_SCRATCH_REG0, 4),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(status(true, CUVETTE_REG_GRBM_STATUS, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(b.read(CUVETTE_REG_GRBM_SCRATCH_REG0), 0x600du);
  EXPECT_EQ(b.gpu->take_register_reports().size(), 6u);
  tlm::tlm_generic_payload t;
  t.set_command(tlm::TLM_READ_COMMAND);
  t.set_address(CUVETTE_REG_GRBM_SCRATCH_REG0);
  t.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  t.set_data_length(4);
  EXPECT_EQ(b.registers->transport_dbg(t), 4u);
  EXPECT_EQ(value, 0x600du);
}

template <class G>
void queues(Bench<G>& b) {
  b.start();
  // Before ACTIVE nothing runs; packets that are there already run without a doorbell.
  auto first = b.make_queue(1, 0, 2, 16);
  auto second = b.make_queue(2, 3, 7, 300);
  const auto early = b.submit(first, 3, 1001);
  b.ring(first.doorbell, early.index);
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_FALSE(b.done(early));
  b.heard.clear();
  b.take_entries();
  b.activate(first);
  b.activate(second);
  b.until([&] { return b.done(early); }, "the first dispatch");
  b.check(early);
  const auto other = b.submit(second, 7, 2002);
  b.ring(second.doorbell, other.index);
  EXPECT_NE(b.read(CUVETTE_REG_GRBM_STATUS) & CUVETTE_REG_GRBM_STATUS__GUI_ACTIVE__MASK, 0u);
  b.until([&] { return b.done(other); }, "the second dispatch");
  b.check(other);
  b.until([&] { return b.heard.size() == 2; }, "both interrupts");
  EXPECT_EQ(b.read(CUVETTE_REG_GRBM_STATUS), 0u);

  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 2u);
  const uint32_t events[] = {1001, 2002};
  const uint32_t rings[] = {0 | 1 << 2 | 2 << 4, 3 | 2 << 2 | 7 << 4};
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(entries[i].client(), 20u);
    EXPECT_EQ(entries[i].source(), 181u);
    EXPECT_EQ(entries[i].ring(), rings[i]);
    EXPECT_EQ(entries[i].vmid(), kVmid);
    EXPECT_EQ(entries[i].words[3], kPasid);
    EXPECT_EQ(entries[i].words[4], events[i]);
  }
  EXPECT_LT(entries[0].words[1], entries[1].words[1]) << "time stamps";

  // A bad packet stops its queue alone.
  hsa::KernelDispatchPacket bad;
  bad.header = hsa::encode(
      {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::None, hsa::FenceScope::None});
  b.ring(first.doorbell, *first.ring->submit(&bad));
  b.until([&] { return *hsa::Signal(b.memory, first.inactive).load() != 0; }, "the error");
  EXPECT_EQ(*hsa::Signal(b.memory, first.inactive).load(), int64_t{hsa::kQueueErrorDispatch});
  const auto after = b.submit(second, 9, 2003);
  b.ring(second.doorbell, after.index);
  b.until([&] { return b.done(after); }, "the other queue goes on");
  b.check(after);
  b.until([&] { return b.heard.size() == 4; }, "error and event");
  const auto more = b.take_entries();
  ASSERT_EQ(more.size(), 2u);
  EXPECT_EQ(more[0].source(), 183u);
  EXPECT_EQ(more[0].words[4], 32u | hsa::kQueueErrorDispatch << 10) << "doorbell and error";
  EXPECT_EQ(more[1].words[4], 2003u);
  b.select(1, 0, 2);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ERROR), CUVETTE_REG_CP_HQD_ERROR__AQL_ERROR__MASK);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_PQ_RPTR), 16u) << "one packet is complete";

  // Both leave; the second one comes back and goes on where it was.
  b.remove(first);
  b.remove(second);
  uint32_t word = 0;
  EXPECT_TRUE(b.memory.read_value(second.mqd + 4 * b.dwords.at("cp_mqd_readindex_lo"), &word));
  EXPECT_EQ(word, 2u);
  EXPECT_TRUE(b.memory.read_value(second.mqd + 4 * b.dwords.at("cp_hqd_pq_rptr"), &word));
  EXPECT_EQ(word, 32u);
  const auto last = b.submit(second, 11, 2004);
  b.ring(second.doorbell, last.index);
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_FALSE(b.done(last)) << "nobody is there";
  const auto unmapped = b.take_entries();
  ASSERT_EQ(unmapped.size(), 1u);
  EXPECT_EQ(unmapped[0].source(), 200u);
  EXPECT_EQ(unmapped[0].words[4], 600u);
  b.activate(second);
  b.until([&] { return b.done(last); }, "back again");
  b.check(last);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
  b.remove(second);
}

template <class G>
void faults(Bench<G>& b) {
  b.start();
  auto q = b.make_queue(1, 1, 0, 20);
  b.activate(q);
  const auto work = b.submit(q, 3, 1, kUnmapped);
  b.ring(q.doorbell, work.index);
  b.until([&] { return *hsa::Signal(b.memory, q.inactive).load() != 0; }, "the fault");
  b.until([&] { return !b.heard.empty(); }, "its interrupt");
  EXPECT_EQ(*hsa::Signal(b.memory, q.inactive).load(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS),
            kVmid << CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS__VMID__SHIFT | 1u << 4);
  EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_LO32),
            static_cast<uint32_t>(kUnmapped >> 12));
  EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_HI32), kUnmapped >> 44);
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].client(), 27u);
  EXPECT_EQ(entries[0].source(), 0u);
  EXPECT_EQ(entries[0].vmid(), kVmid);
  EXPECT_EQ(entries[0].words[4], static_cast<uint32_t>(kUnmapped >> 12));
  b.gpu->take_errors();
  b.write(CUVETTE_REG_GRBM_SOFT_RESET, CUVETTE_REG_GRBM_SOFT_RESET__SOFT_RESET_CP__MASK);
  b.write(CUVETTE_REG_GRBM_SOFT_RESET, 0);
  b.select(1, 1, 0);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 0u);
}

template <class G>
void agents(Bench<G>& b) {
  b.start();
  auto q = b.make_queue(1, 0, 0, 12);
  b.activate(q);
  const uint64_t result = *b.memory.allocate(8);
  unsigned calls = 0;
  b.gpu->on_agent_dispatch([&](const command_processor::AgentDispatch& d) {
    ++calls;
    if (d.type != 5) return false;
    EXPECT_EQ(d.vmid, kVmid);
    EXPECT_TRUE(b.memory.write_value(d.return_address, d.arg[0] + d.arg[1]));
    return true;
  });
  hsa::AgentDispatchPacket p;
  p.header = hsa::encode(
      {hsa::PacketType::AgentDispatch, true, hsa::FenceScope::None, hsa::FenceScope::None});
  p.type = 5;
  p.return_address = result;
  p.arg[0] = 40;
  p.arg[1] = 2;
  p.completion_signal = hsa::Signal::create(b.memory, 1)->handle();
  b.ring(q.doorbell, *q.ring->submit(&p));
  b.until([&] { return *hsa::Signal(b.memory, p.completion_signal).load() == 0; }, "the answer");
  uint64_t value = 0;
  EXPECT_TRUE(b.memory.read_value(result, &value));
  EXPECT_EQ(value, 42u);
  p.type = 6;
  b.ring(q.doorbell, *q.ring->submit(&p));
  b.until([&] { return *hsa::Signal(b.memory, q.inactive).load() != 0; }, "the refusal");
  EXPECT_EQ(*hsa::Signal(b.memory, q.inactive).load(), int64_t{hsa::kQueueErrorPacket});
  EXPECT_EQ(calls, 2u);
}

/// Word that the kernel left. `present`: COMPUTE_PGM_RSRC2.TRAP_PRESENT.
template <class G>
uint64_t trap(Bench<G>& b, const typename Bench<G>::UserQueue& q, bool present) {
  const hsa::KernelDescriptor descriptor = trap_kernel::descriptor(present);
  const uint64_t out = *b.memory.allocate(8);
  const uint64_t kernarg = *b.memory.allocate(8);
  EXPECT_TRUE(b.memory.write_value(kernarg, out));
  hsa::KernelDispatchPacket p;
  p.header = hsa::encode(
      {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
  p.setup = 1;
  p.workgroup_size_x = p.workgroup_size_y = p.workgroup_size_z = 1;
  p.grid_size_x = p.grid_size_y = p.grid_size_z = 1;
  p.kernel_object =
      b.load_kernel(descriptor, {std::begin(trap_kernel::kCode), std::end(trap_kernel::kCode)});
  p.kernarg_address = kernarg;
  p.completion_signal = hsa::Signal::create(b.memory, 1)->handle();
  b.ring(q.doorbell, *q.ring->submit(&p));
  b.until([&] { return *hsa::Signal(b.memory, p.completion_signal).load() == 0; }, "completion");
  uint64_t value = 0;
  EXPECT_TRUE(b.memory.read_value(out, &value));
  return value;
}

template <class G>
void traps(Bench<G>& b) {
  b.start();
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::All;
  const uint64_t handler = *b.memory.allocate(4096, executable);
  ASSERT_TRUE(b.memory.write(handler, trap_kernel::kHandler, sizeof trap_kernel::kHandler));
  ASSERT_EQ(handler % 256, 0u);
  b.select(0, 0, 0, kVmid);
  b.write(CUVETTE_REG_SQ_SHADER_TBA_LO, static_cast<uint32_t>(handler >> 8));
  b.write(CUVETTE_REG_SQ_SHADER_TBA_HI, static_cast<uint32_t>(handler >> 40));
  b.write(CUVETTE_REG_SQ_SHADER_TMA_LO, 0x654321);
  b.select(0, 0, 0);
  auto q = b.make_queue(1, 0, 2, 16);
  b.activate(q);
  const uint64_t told = trap_kernel::told(0x65432100);
  b.take_entries();
  b.heard.clear();
  EXPECT_EQ(trap(b, q, true) & trap_kernel::kTold, told);
  b.until([&] { return !b.heard.empty(); }, "the handler's interrupt");
  // LLVM AMDGPUUsage, compute_pgm_rsrc2: objects leave it 0, the packet processor sets it.
  EXPECT_EQ(trap(b, q, false) & trap_kernel::kTold, told) << "whatever the object says";
}

/// Reset in the middle of work: the queue is gone, registers have their reset values, and the GPU
/// can be brought up again.
template <class G>
void resets(Bench<G>& b) {
  const uint32_t signature = b.read(CUVETTE_REG_CUVETTE_SIGNATURE);
  const uint32_t mask = b.read(CUVETTE_REG_CC_GC_SHADER_ARRAY_CONFIG);
  b.start();
  b.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 0x600d);
  auto q = b.make_queue(1, 1, 0, 20);
  b.activate(q);
  const auto cut_off = b.submit(q, 3, 1);
  b.ring(q.doorbell, cut_off.index);
  EXPECT_FALSE(b.gpu->reset()) << "there is a queue";
  EXPECT_EQ(b.read(CUVETTE_REG_GRBM_SCRATCH_REG0), 0x600du) << "not yet";
  b.until([&] { return b.gpu->idle(); }, "the end of what ran");
  EXPECT_TRUE(b.gpu->reset());
  EXPECT_EQ(b.read(CUVETTE_REG_GRBM_SCRATCH_REG0), 0u);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_PQ_STATUS), 0u);
  EXPECT_EQ(b.read(CUVETTE_REG_CUVETTE_SIGNATURE), signature);
  EXPECT_EQ(b.read(CUVETTE_REG_CC_GC_SHADER_ARRAY_CONFIG), mask);
  b.select(q.me, q.pipe, q.queue);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 0u);
  EXPECT_TRUE(b.gpu->queue_report().empty());
  EXPECT_TRUE(b.gpu->wave_report().empty());
  EXPECT_FALSE(b.done(cut_off)) << "nobody is told of what was cancelled";

  b.start();
  auto again = b.make_queue(1, 1, 0, 20);
  b.activate(again);
  const auto work = b.submit(again, 5, 2);
  b.ring(again.doorbell, work.index);
  b.until([&] { return b.done(work); }, "work behind a reset");
  b.check(work);
  b.remove(again);
}

TEST(RegistersOfGpu, AResetLeavesNothingBehind) {
  Bench<Gpu>::go(resets<Gpu>);
}
TEST(RegistersOfLtGpu, AResetLeavesNothingBehind) {
  Bench<LtGpu>::go(resets<LtGpu>);
}
TEST(RegistersOfGpu, AccessesAreChecked) {
  Bench<Gpu>::go(accesses<Gpu>);
}
TEST(RegistersOfGpu, QueuesComeFromMemoryQueueDescriptors) {
  Bench<Gpu>::go(queues<Gpu>);
}
TEST(RegistersOfGpu, AFaultIsLatchedAndToldInTheRing) {
  Bench<Gpu>::go(faults<Gpu>);
}
TEST(RegistersOfGpu, AgentDispatchPacketsAreServedByTheHost) {
  Bench<Gpu>::go(agents<Gpu>);
}
TEST(RegistersOfGpu, TrapHandlersBelongToTheirVmid) {
  Bench<Gpu>::go(traps<Gpu>);
}
TEST(RegistersOfLtGpu, TrapHandlersBelongToTheirVmid) {
  Bench<LtGpu>::go(traps<LtGpu>);
}
TEST(RegistersOfGpu, NothingDependsOnLookaheadOrOrderOfProcesses) {
  expect_same_in_any_order(queues<Gpu>, 4, 50);
}
TEST(RegistersOfGpu, TheInterruptRingMayBeInOutsideMemory) {
  Bench<Gpu>::go(queues<Gpu>, true);
}
TEST(RegistersOfLtGpu, TheInterruptRingMayBeInOutsideMemory) {
  Bench<LtGpu>::go(queues<LtGpu>, true);
}
TEST(RegistersOfLtGpu, AccessesAreChecked) {
  Bench<LtGpu>::go(accesses<LtGpu>);
}
TEST(RegistersOfLtGpu, QueuesComeFromMemoryQueueDescriptors) {
  Bench<LtGpu>::go(queues<LtGpu>);
}
TEST(RegistersOfLtGpu, AFaultIsLatchedAndToldInTheRing) {
  Bench<LtGpu>::go(faults<LtGpu>);
}
TEST(RegistersOfLtGpu, AgentDispatchPacketsAreServedByTheHost) {
  Bench<LtGpu>::go(agents<LtGpu>);
}

}  // namespace
}  // namespace cuvette::gpu
