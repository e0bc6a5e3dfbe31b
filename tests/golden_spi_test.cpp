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

}  // namespace
}  // namespace cuvette::host
