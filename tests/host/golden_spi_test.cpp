// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches that golden executes behind the command processor of the C interface.
#include "host/golden_spi.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hsa/queue_error.h"
#include "trap_kernel.h"

namespace cuvette::host {
namespace {

constexpr uint64_t kCodeOffset = 256;

/// Word that the kernel stored. `in_kernel`: its descriptor has TRAP_PRESENT; `in_dispatch`: the
/// record of the command processor has, as for a queue that asks for the handler.
uint64_t trap(bool in_kernel, bool in_dispatch) {
  hsa::DeviceMemory memory;
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::All;
  const uint64_t kernel = *memory.allocate(1024, executable);
  const uint64_t handler = *memory.allocate(256, executable);
  const uint64_t out = *memory.allocate(8);
  const uint64_t kernarg = *memory.allocate(8);
  hsa::KernelDescriptor descriptor = trap_kernel::descriptor(in_kernel);
  descriptor.kernel_code_entry_byte_offset = kCodeOffset;
  EXPECT_TRUE(memory.write_value(kernel, descriptor).ok());
  EXPECT_TRUE(
      memory.write(kernel + kCodeOffset, trap_kernel::kCode, sizeof trap_kernel::kCode).ok());
  EXPECT_TRUE(memory.write(handler, trap_kernel::kHandler, sizeof trap_kernel::kHandler).ok());
  EXPECT_TRUE(memory.write_value(kernarg, out).ok());

  golden::Config config;
  config.target = isa::Target::Gfx908;
  GoldenSpi spi(memory, hsa::default_machine(hsa::Processor::Gfx908), config);
  spi::Dispatch d;
  d.kernel_object = kernel;
  d.kernarg = kernarg;
  d.rsrc2 = trap_kernel::descriptor(in_dispatch).compute_pgm_rsrc2;
  d.tba = handler;
  d.tma = 0x65432100;
  spi.dispatch.push(d, 1);
  spi.tick(1);
  EXPECT_FALSE(spi.dispatch_done.pop(2).error);
  for (const std::string& line : spi.take_errors()) ADD_FAILURE() << line;
  uint64_t value = 0;
  EXPECT_TRUE(memory.read_value(out, &value).ok());
  return value & trap_kernel::kTold;
}

TEST(GoldenSpi, TrapHandlersAreThoseOfTheDispatch) {
  EXPECT_EQ(trap(true, true), trap_kernel::told(0x65432100));
  EXPECT_EQ(trap(false, true), trap_kernel::told(0x65432100));
  EXPECT_EQ(trap(false, false), 0u);
}

TEST(GoldenSpi, AMaskMustLeaveAComputeUnit) {
  hsa::DeviceMemory memory;
  // 20 compute units in two engines of 10.
  GoldenSpi spi(memory, hsa::default_machine(hsa::Processor::Gfx908), {}, 20, 2);
  const auto code = [&](uint16_t first, uint16_t second) {
    spi::Dispatch d;
    d.cu_mask[0] = first;
    d.cu_mask[1] = second;
    d.kernel_object = 0x1000;  // nothing is there
    spi.dispatch.push(d, 1);
    spi.tick(1);
    const auto done = spi.dispatch_done.pop(2);
    EXPECT_TRUE(done.error);
    EXPECT_EQ(done.error_code, hsa::kQueueErrorResources);
    return done.error_address;
  };
  EXPECT_EQ(code(0xfc00, 0xfc00), 0u) << "behind the last compute unit";
  EXPECT_EQ(code(0xfc00, 0xfe00), 0x1000u) << "the mask is good, the kernel is not";
}

/// Stores s2 + 100 s3 at 4 s4 behind s[0:1]: of every work-group, user data first.
constexpr uint32_t kGridCode[] = {
    0x9205ff03, 0x00000064,  // s_mul_i32 s5, s3, 0x64
    0x81050205,              // s_add_i32 s5, s5, s2
    0x8e048204,              // s_lshl_b32 s4, s4, 2
    0x7e020204,              // v_mov_b32 v1, s4
    0x7e040205,              // v_mov_b32 v2, s5
    0xdc708000, 0x00000201,  // global_store_dword v1, v2, s[0:1]
    0xbf810000,              // s_endpgm
};

TEST(GoldenSpi, GridsOfRegistersHaveTheirUserDataAndStart) {
  hsa::DeviceMemory memory;
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::All;
  const uint64_t entry = *memory.allocate(1024, executable);
  const uint64_t out = *memory.allocate(64);
  ASSERT_TRUE(memory.write(entry, kGridCode, sizeof kGridCode).ok());
  golden::Config config;
  config.target = isa::Target::Gfx908;
  GoldenSpi spi(memory, hsa::default_machine(hsa::Processor::Gfx908), config);
  spi::Dispatch d;
  d.from_registers = true;
  d.entry = entry;
  d.rsrc1 = 0x00ac0040;
  d.rsrc2 = 4 << 1 | 1 << 7;  // 4 user SGPRs, work-group id x
  d.user_data = {static_cast<uint32_t>(out), static_cast<uint32_t>(out >> 32), 7, 3};
  d.grid = {64 * 5 + 1, 1, 1};
  d.workgroup = {64, 1, 1};
  d.start = {2, 0, 0};
  const auto run = [&] {
    spi.dispatch.push(d, 1);
    spi.tick(1);
    return spi.dispatch_done.pop(2);
  };
  EXPECT_FALSE(run().error);
  for (const std::string& line : spi.take_errors()) ADD_FAILURE() << line;
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t value = 0;
    ASSERT_TRUE(memory.read_value(out + 4 * i, &value).ok());
    EXPECT_EQ(value, i >= 2 && i < 6 ? 307u : 0u) << i;
  }
  d.start = {6, 0, 0};  // all of it lies before the start
  EXPECT_FALSE(run().error);
  d.start = {0, 0, 0};
  d.workgroup = {1025, 1, 1};
  EXPECT_EQ(run().error_code, hsa::kQueueErrorDispatch);
  d.workgroup = {64, 0, 1};
  EXPECT_EQ(run().error_code, hsa::kQueueErrorDispatch);
  d.workgroup = {64, 1, 1};
  d.rsrc1 = 15u << 6;  // 256 SGPRs
  EXPECT_EQ(run().error_code, hsa::kQueueErrorResources);
}

/// Grids from registers: one wave, user data as given, in a VMID of `contexts`.
struct Contexts {
  hsa::DeviceMemory memory;
  gpu::VmContexts contexts{memory.space()};
  golden::Config config = [] {
    golden::Config c;
    c.target = isa::Target::Gfx908;
    return c;
  }();
  GoldenSpi spi{memory, hsa::default_machine(hsa::Processor::Gfx908), config};

  Contexts() {
    contexts.read_by([this](uint64_t pa, void* out, size_t bytes) {
      return memory.backing().read(pa, out, bytes);
    });
    spi.see_by(contexts);
  }
  uint64_t page() {
    hsa::DeviceMemory::Options options;
    options.alignment = 4096;
    options.permitted = hsa::Access::All;
    return *memory.allocate(4096, options);
  }
  uint32_t word(uint64_t at) const {
    uint32_t value = 0;
    EXPECT_TRUE(memory.read_value(at, &value).ok());
    return value;
  }
  spi::DispatchDone run(uint8_t vmid, uint64_t entry, const std::array<uint32_t, 16>& user_data,
                        unsigned items) {
    spi::Dispatch d;
    d.vmid = vmid;
    d.from_registers = true;
    d.entry = entry;
    d.rsrc1 = 0x00ac0042;  // 12 VGPRs
    d.rsrc2 = 6 << 1;
    d.user_data = user_data;
    d.grid = {items, 1, 1};
    d.workgroup = {64, 1, 1};
    spi.dispatch.push(d, 1);
    spi.tick(1);
    return spi.dispatch_done.pop(2);
  }
};

/// Stores of one wave around the address in s[0:1]; v0 is the work-item.
constexpr uint32_t kRingCode[] = {
    0x7e020280,              // v_mov_b32 v1, 0
    0x7e040300,              // v_mov_b32 v2, v0
    0x7e060280,              // v_mov_b32 v3, 0
    0xdc748000, 0x00000201,  // global_store_dwordx2 v1, v[2:3], s[0:1]
    0xdc608008, 0x00000201,  // global_store_byte v1, v2, s[0:1] offset:8
    0x7e080285,              // v_mov_b32 v4, 5
    0x7e0a0286,              // v_mov_b32 v5, 6
    0x7e0c0287,              // v_mov_b32 v6, 7
    0x7e0e0288,              // v_mov_b32 v7, 8
    0xdc7c8010, 0x00000401,  // global_store_dwordx4 v1, v[4:7], s[0:1] offset:16
    0xdc708028, 0x00000001,  // global_store_dword v1, v0, s[0:1] offset:40
    0xdc708034, 0x00000001,  // global_store_dword v1, v0, s[0:1] offset:52
    0x24100083,              // v_lshlrev_b32 v8, 3, v0
    0xdc748040, 0x00000208,  // global_store_dwordx2 v8, v[2:3], s[0:1] offset:64
    0xdc748000, 0x00000401,  // global_store_dwordx2 v1, v[4:5], s[0:1]
    0xbf810000,              // s_endpgm
};

TEST(GoldenSpi, AStoreInstructionRingsADoorbellOnce) {
  Contexts c;
  constexpr uint64_t kAperture = 0x7e0000000000;
  const uint64_t entry = c.page();
  ASSERT_TRUE(c.memory.write(entry, kRingCode, sizeof kRingCode).ok());
  const auto run = [&](uint64_t first) {
    return c.run(1, entry, {static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32)}, 64);
  };
  const uint64_t first = kAperture + 8 * 100;
  const auto without = run(first);
  EXPECT_EQ(without.error_code, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(without.error_address, first);
  EXPECT_TRUE(c.spi.take_rung().empty());
  c.contexts.doorbells().place(true, kAperture);
  EXPECT_FALSE(run(first).error);
  // The last lane counts; bytes and upper halves alone do not ring.
  std::vector<std::pair<uint32_t, uint64_t>> expected = {
      {100, 63}, {102, 5 | uint64_t{6} << 32}, {103, 7 | uint64_t{8} << 32}, {105, 63}};
  for (uint32_t lane = 0; lane < 64; ++lane) expected.emplace_back(108 + lane, lane);
  expected.emplace_back(100, 5 | uint64_t{6} << 32);
  const auto rung = [&c] {
    std::vector<std::pair<uint32_t, uint64_t>> all;
    for (const auto& d : c.spi.take_rung()) all.emplace_back(d.index, d.value);
    return all;
  };
  EXPECT_EQ(rung(), expected);
  EXPECT_TRUE(rung().empty());
  // Memory where the aperture is gets nothing, before and behind it all.
  constexpr uint64_t kBytes = gpu::DoorbellAperture::kBytes;
  hsa::DeviceMemory::Options options;
  options.alignment = kBytes;
  const uint64_t block = *c.memory.allocate(2 * kBytes, options);
  c.contexts.doorbells().place(true, block);
  EXPECT_FALSE(run(block + 8 * 100).error);
  EXPECT_EQ(rung(), expected);
  for (uint64_t i = 0; i < 72; ++i) EXPECT_EQ(c.word(block + 8 * (100 + i)), 0u) << i;
  EXPECT_FALSE(run(block + kBytes - 16).error);
  expected = {{kBytes / 8 - 2, 63}, {kBytes / 8 - 2, 5 | uint64_t{6} << 32}};
  EXPECT_EQ(rung(), expected);
  EXPECT_EQ(c.word(block + kBytes), 5u) << "the 16 bytes behind the aperture";
  EXPECT_EQ(c.word(block + kBytes + 12), 8u);
  EXPECT_EQ(c.word(block + kBytes - 8), 0u);
}

/// Stores 7 at s[0:1], the new entry s[4:5] to s[2:3] + 8, 7 behind the first 7, and loads that.
constexpr uint32_t kMoveCode[] = {
    0x7e000280,              // v_mov_b32 v0, 0
    0x7e020204,              // v_mov_b32 v1, s4
    0x7e040205,              // v_mov_b32 v2, s5
    0x7e060287,              // v_mov_b32 v3, 7
    0xdc708000, 0x00000300,  // global_store_dword v0, v3, s[0:1]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xdc748008, 0x00020100,  // global_store_dwordx2 v0, v[1:2], s[2:3] offset:8
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xdc708004, 0x00000300,  // global_store_dword v0, v3, s[0:1] offset:4
    0xdc508004, 0x04000000,  // global_load_dword v4, v0, s[0:1] offset:4
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xdc708008, 0x00000400,  // global_store_dword v0, v4, s[0:1] offset:8
    0xbf810000,              // s_endpgm
};

TEST(GoldenSpi, EntriesAreReadForEveryAccess) {
  Contexts c;
  constexpr uint64_t kBase = 0x700000000000;
  constexpr uint8_t kVmid = 5;
  // Code, a page that moves, and the table itself some way behind, as what was found for one access
  // may be remembered for those nearby.
  constexpr uint64_t kTablePage = 40;
  const uint64_t entry = c.page(), before = c.page(), after = c.page(), table = c.page();
  ASSERT_TRUE(c.memory.write(entry, kMoveCode, sizeof kMoveCode).ok());
  const uint64_t entries[] = {entry | 0x11, before | 0x61};
  ASSERT_TRUE(c.memory.write(table, entries, sizeof entries).ok());
  ASSERT_TRUE(c.memory.write_value(table + 8 * kTablePage, table | 0x61).ok());
  gpu::VmContexts::Context context;
  context.enabled = true;
  context.root = table | 1;
  context.first = kBase >> 12;
  context.last = context.first + kTablePage;
  c.contexts.set(kVmid, context);
  const uint64_t moved = kBase + 0x1000, tables = kBase + 0x1000 * kTablePage, now = after | 0x61;
  const auto low = [](uint64_t v) { return static_cast<uint32_t>(v); };
  const auto high = [](uint64_t v) { return static_cast<uint32_t>(v >> 32); };
  const std::array<uint32_t, 16> data{low(moved),   high(moved), low(tables),
                                      high(tables), low(now),    high(now)};
  EXPECT_FALSE(c.run(kVmid, kBase, data, 1).error);
  for (const std::string& line : c.spi.take_errors()) ADD_FAILURE() << line;
  EXPECT_EQ(c.word(before), 7u);
  EXPECT_EQ(c.word(before + 4), 0u);
  EXPECT_EQ(c.word(after), 0u);
  EXPECT_EQ(c.word(after + 4), 7u);
  EXPECT_EQ(c.word(after + 8), 7u);
  // The same addresses are nothing in another VMID, and the first entry may not be written.
  EXPECT_EQ(c.run(0, kBase, data, 1).error_address, kBase);
  auto bad = data;
  bad[0] = low(kBase + 16);
  const auto done = c.run(kVmid, kBase, bad, 1);
  EXPECT_EQ(done.error_code, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(done.error_address, kBase + 16);
}

}  // namespace
}  // namespace cuvette::host
