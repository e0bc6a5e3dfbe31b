// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rows of the ABI checklist by id: the trap of a debugger, atomics on memory behind a link, waves
// per SIMD. Machine code of gfx908, assembled with llvm-mc 19.
#include "driver_bench.h"
#include "gpu/atomic_extension.h"
#include "hsa_ledger.h"

namespace cuvette::gpu {
namespace {

using Words = std::vector<uint32_t>;

/// A dispatch of one work-group without kernarg, or with this one.
template <class B>
uint64_t dispatch(B& b, const typename B::UserQueue& q, const hsa::KernelDescriptor& descriptor,
                  const Words& code, uint16_t items, uint64_t kernarg = 0, uint32_t grid = 0) {
  hsa::KernelDispatchPacket p;
  p.header = hsa::encode(
      {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
  p.setup = 1;
  p.workgroup_size_x = items;
  p.workgroup_size_y = p.workgroup_size_z = 1;
  p.grid_size_x = grid != 0 ? grid : items;
  p.grid_size_y = p.grid_size_z = 1;
  p.kernel_object = b.load_kernel(descriptor, code);
  p.kernarg_address = kernarg;
  p.completion_signal = hsa::Signal::create(b.memory, 1)->handle();
  b.ring(q.doorbell, *q.ring->submit(&p));
  return p.completion_signal;
}

/// The handler tells the host, halts the wave for when it is back in the program, and goes behind
/// S_TRAP.
const Words kHandler = {
    0xbf900001,  // s_sendmsg sendmsg(MSG_INTERRUPT)
    0xbf8d0001,  // s_sethalt 1
    0x806c846c,  // s_add_u32 ttmp0, ttmp0, 4
    0x826d806d,  // s_addc_u32 ttmp1, ttmp1, 0
    0xbe801f6c,  // s_rfe_b64 ttmp[0:1]
};
const Words kDebugtrap = {
    0x7e0002ff, 0x01234567,  // v_mov_b32 v0, 0x1234567   the argument
    0xbf920001,              // s_trap 1
    0xbf810000,              // s_endpgm
};

uint32_t look(Bench<Gpu>& b, uint32_t index, uint32_t lane = 0) {
  b.write(CUVETTE_REG_SQ_IND_INDEX, lane << 6 | index << 16);
  return b.read(CUVETTE_REG_SQ_IND_DATA);
}

void debugtrap(Bench<Gpu>& b) {
  b.start();
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::All;
  const uint64_t handler = *b.memory.allocate(4096, executable);
  ASSERT_TRUE(b.memory.write(handler, kHandler.data(), 4 * kHandler.size()));
  b.select(0, 0, 0, kVmid);
  b.write(CUVETTE_REG_SQ_SHADER_TBA_LO, static_cast<uint32_t>(handler >> 8));
  b.write(CUVETTE_REG_SQ_SHADER_TBA_HI, static_cast<uint32_t>(handler >> 40));
  b.select(0, 0, 0);
  b.write(CUVETTE_REG_CUVETTE_DEBUGGER, CUVETTE_REG_CUVETTE_DEBUGGER__ATTACHED__MASK);
  auto q = b.make_queue(1, 0, 0, 20);
  b.activate(q);
  hsa::KernelDescriptor descriptor;
  descriptor.compute_pgm_rsrc1 = 0x00ac0040;
  descriptor.compute_pgm_rsrc2 = 0x84 | 0x40;  // two user SGPRs, TRAP_PRESENT
  descriptor.kernel_code_properties = 4;       // the queue pointer
  const uint64_t signal = dispatch(b, q, descriptor, kDebugtrap, 64);
  b.until([&] { return !b.heard.empty(); }, "the debug exception");
  EXPECT_EQ(b.heard[0].source, command_processor::kWaveMessage | 1) << "A238";
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].source(), 239u) << "A238";
  b.until([&] { return (look(b, 0x12) >> 13 & 1) != 0; }, "A238: STATUS.HALT");
  for (const uint32_t lane : {0u, 1u, 63u}) EXPECT_EQ(look(b, 0x400, lane), 0x1234567u) << "A235";
  const uint64_t queue = uint64_t{look(b, 0x201)} << 32 | look(b, 0x200);
  EXPECT_EQ(queue, q.ring->address()) << "A236";
  EXPECT_EQ(look(b, 0x26d) >> 16 & 0xff, 1u) << "A237: the trap id";
  EXPECT_EQ(*hsa::Signal(b.memory, signal).load(), 1) << "A238";
  b.write(CUVETTE_REG_SQ_CMD, 1 | 1 << 4);  // goes on
  b.until([&] { return *hsa::Signal(b.memory, signal).load() == 0; }, "the end");
  for (const char* id : {"A235", "A236", "A237", "A238"}) hsa::Ledger::get().row(id);
  // Ten waves stay on each SIMD, and the eleventh waits.
  constexpr uint32_t kWaves = 41;
  const uint64_t many =
      dispatch(b, q, descriptor, {0xbf8d0001, 0xbf810000}, 64, 0, kWaves * 64);  // s_sethalt 1
  b.until([&] { return b.gpu->wave_report().size() >= 40; }, "forty waves");
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_EQ(b.gpu->wave_report().size(), 40u) << "A346: 4 SIMDs of 10";
  for (uint32_t simd = 0; simd < 4; ++simd) {
    for (uint32_t slot = 0; slot < 10; ++slot) {
      b.write(CUVETTE_REG_SQ_IND_INDEX, slot | simd << 4 | 0x12 << 16);
      EXPECT_EQ(b.read(CUVETTE_REG_SQ_IND_DATA) >> 16 & 1, 1u) << "A346 " << simd << " " << slot;
    }
    b.write(CUVETTE_REG_SQ_IND_INDEX, 10 | simd << 4 | 0x12 << 16);
    EXPECT_EQ(b.read(CUVETTE_REG_SQ_IND_DATA), 0u) << "A346";
  }
  b.until(
      [&] {
        b.write(CUVETTE_REG_SQ_CMD, 1 | 1 << 4);
        return *hsa::Signal(b.memory, many).load() == 0;
      },
      "all of them");
  hsa::Ledger::get().row("A346");
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
  b.remove(q);
}

/// One lane on a buffer behind s[0:1]: the accesses of the rows, each in a block of 64 bytes of its
/// own.
const Words kAtomics = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0x7e040285,              // v_mov_b32 v2, 5
    0x7e0c0287,              // v_mov_b32 v6, 7
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x7e000204,              // v_mov_b32 v0, s4
    0x7e020205,              // v_mov_b32 v1, s5
    0xdc500000, 0x04000000,  // flat_load_dword v4, v[0:1]
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xdc700040, 0x00000400,  // flat_store_dword v[0:1], v4 offset:64
    0x6a0a0480,              // v_sub_u32 v5, 0, v2
    0xdd080080, 0x00000200,  // flat_atomic_add v[0:1], v2 offset:128
    0xdd0800c0, 0x00000500,  // flat_atomic_add v[0:1], v5 offset:192
    0xdd000100, 0x00000200,  // flat_atomic_swap v[0:1], v2 offset:256
    0x7e060289,              // v_mov_b32 v3, 9
    0xdd040140, 0x00000200,  // flat_atomic_cmpswap v[0:1], v[2:3] offset:320
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xdc500180, 0x03000000,  // flat_load_dword v3, v[0:1] offset:384
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0x1e040d03,              // v_max_u32 v2, v3, v6
    0xdd050180, 0x04000200,  // flat_atomic_cmpswap v4, v[0:1], v[2:3] offset:384 glc
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0x7d940704,              // v_cmp_eq_u32 vcc, v4, v3
    0x7e060304,              // v_mov_b32 v3, v4
    0xbf86fff9,              // s_cbranch_vccz -7
    0xbf810000,              // s_endpgm
};

void pcie_atomics(Bench<LtGpu>& b) {
  b.start();
  auto q = b.make_queue(1, 0, 0, 20);
  b.activate(q);
  const uint64_t buffer = *b.memory.allocate(512);
  const uint32_t before[] = {0x77, 0, 100, 100, 100, 9, 3};
  for (uint32_t i = 0; i < 7; ++i) EXPECT_TRUE(b.memory.write_value(buffer + 64 * i, before[i]));
  const uint64_t kernarg = *b.memory.allocate(8);
  EXPECT_TRUE(b.memory.write_value(kernarg, buffer));
  hsa::KernelDescriptor descriptor;
  descriptor.kernarg_size = 8;
  descriptor.compute_pgm_rsrc1 = 0x00ac0041;  // eight VGPRs
  descriptor.compute_pgm_rsrc2 = 0x84;
  descriptor.kernel_code_properties = 8;
  struct Access {
    bool write, atomic;
    base::AtomicOp op;
  };
  std::map<uint64_t, std::vector<Access>> seen;  // by the place in the buffer
  const uint64_t start = b.memory.space().translate(kVmid, buffer, hsa::Access::Read).pa;
  b.dram().watch = [&](const tlm::tlm_generic_payload& t) {
    if (t.get_address() < start || t.get_address() >= start + 512) return;
    const auto* extension = t.get_extension<AtomicExtension>();
    seen[(t.get_address() - start) / 64].push_back(
        {t.is_write(), extension != nullptr,
         extension != nullptr ? extension->request.atomic : base::AtomicOp{}});
  };
  const uint64_t signal = dispatch(b, q, descriptor, kAtomics, 1, kernarg);
  b.until([&] { return *hsa::Signal(b.memory, signal).load() == 0; }, "the kernel");
  const uint32_t after[] = {0x77, 0x77, 105, 95, 5, 5, 7};
  for (uint32_t i = 0; i < 7; ++i) {
    uint32_t value = 0;
    EXPECT_TRUE(b.memory.read_value(buffer + 64 * i, &value));
    EXPECT_EQ(value, after[i]) << "A" << 239 + i;
  }
  ASSERT_EQ(seen[0].size(), 1u) << "A239: a load is a read";
  EXPECT_FALSE(seen[0][0].write || seen[0][0].atomic);
  ASSERT_EQ(seen[1].size(), 1u) << "A239: a store is a write";
  EXPECT_TRUE(seen[1][0].write);
  const auto operation = [&](uint64_t place, base::AtomicOp op, const char* id) {
    ASSERT_FALSE(seen[place].empty()) << id;
    EXPECT_TRUE(seen[place][0].atomic) << id;
    EXPECT_EQ(seen[place][0].op, op) << id;
  };
  operation(2, base::AtomicOp::Add, "A240");
  operation(3, base::AtomicOp::Add, "A241: a subtraction is the sum with the negated operand");
  operation(4, base::AtomicOp::Swap, "A242");
  operation(5, base::AtomicOp::CmpSwap, "A243");
  ASSERT_GE(seen[6].size(), 2u) << "A244: a load, then compare and swap";
  EXPECT_FALSE(seen[6][0].atomic);
  EXPECT_EQ(seen[6][1].op, base::AtomicOp::CmpSwap) << "A244";
  for (const char* id : {"A239", "A240", "A241", "A242", "A243", "A244"}) {
    hsa::Ledger::get().row(id);
  }
  b.remove(q);
}

/// Both machines in one simulation: SystemC elaborates once.
TEST(AbiDebug, TrapsOfADebuggerAndAtomicsBehindALink) {
  Bench<Gpu> first("first", debugtrap);
  Bench<LtGpu> second("second", pcie_atomics, true);
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
  first.expect_end();
  second.expect_end();
}

[[maybe_unused]] const auto* const kCount = hsa::count_rows("abi_debug_test");

}  // namespace
}  // namespace cuvette::gpu
