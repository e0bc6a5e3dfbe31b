// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches that golden executes behind the command processor of the C interface.
#include "host/golden_spi.h"

#include <gtest/gtest.h>

#include "hsa/queue_error.h"
#include "trap_kernel.h"

namespace cuvette::host {
namespace {

constexpr uint64_t kCodeOffset = 256;

/// What the kernel stored. `in_kernel`: its descriptor has TRAP_PRESENT; `in_dispatch`: the record
/// of the command processor has, as for a queue that asks for the handler.
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

TEST(GoldenSpi, VmidsWithPageTablesAreRefused) {
  hsa::DeviceMemory memory;
  golden::Config config;
  config.target = isa::Target::Gfx908;
  GoldenSpi spi(memory, hsa::default_machine(hsa::Processor::Gfx908), config);
  spi.refuse_when([](uint8_t vmid) { return vmid == 5; });
  spi::Dispatch d;
  d.vmid = 5;
  spi.dispatch.push(d, 1);
  spi.tick(1);
  EXPECT_EQ(spi.dispatch_done.pop(2).error_code, hsa::kQueueErrorDispatch);
  ASSERT_EQ(spi.take_errors().size(), 1u);
}

}  // namespace
}  // namespace cuvette::host
