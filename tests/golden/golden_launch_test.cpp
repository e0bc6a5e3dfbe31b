// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// State of the hardware registers with which the golden machine starts waves.
#include "small_kernel.h"

namespace cuvette::golden::testing {
namespace {

/// Assembled by llvm-mc for gfx908: bits 2:1 of HW_REG_STATUS into `data`.
const std::vector<uint32_t> kStorePriority = {0xc0060100, 0x00000000, 0xb8830842,
                                              0x7e020203, 0x7e000280, 0xbf8cc07f,
                                              0xdc708000, 0x00040100, 0xbf810000};

/// STATUS.SPI_PRIO is PRIORITY of COMPUTE_PGM_RSRC1 (Vega ISA 3.4).
TEST(GoldenLaunch, PriorityIsInStatus) {
  for (uint8_t priority = 0; priority < 4; ++priority) {
    SmallKernel run(kStorePriority, 1, 4096);
    run.kernel.rsrc1.priority = priority;
    Machine machine(run.memory, Config{});
    const auto report = machine.run(run.request);
    ASSERT_TRUE(report.ok());
    EXPECT_TRUE(report->failures.empty());
    EXPECT_EQ(run.word(0), priority);
  }
}

/// Assembled by llvm-mc for gfx908: HW_REG_STATUS and HW_REG_LDS_ALLOC into `data`, of work-groups
/// of any size.
const std::vector<uint32_t> kStoreRegisters = {0xc0060100, 0x00000000, 0xb883f802, 0x7e020203,
                                               0xb883f806, 0x7e040203, 0x7e000280, 0xbf8cc07f,
                                               0xdc748000, 0x00040100, 0xbf810000};

/// STATUS.IN_TG, and LDS_ALLOC.LDS_SIZE in units of 64 dwords of blocks of 128 (MI100 ISA table 7,
/// 3.6.5).
TEST(GoldenLaunch, SizesOfTheWorkgroup) {
  constexpr uint32_t kInTg = 1u << 11;
  for (const uint32_t bytes : {0u, 4u, 512u, 516u}) {
    for (const uint16_t items : {64, 128}) {
      SmallKernel run(kStoreRegisters, 1, 4096);
      run.request.grid = {items, 1, 1};
      run.request.workgroup = {items, 1, 1};
      run.request.group_bytes = bytes;
      Machine machine(run.memory, Config{});
      const auto report = machine.run(run.request);
      ASSERT_TRUE(report.ok());
      EXPECT_TRUE(report->failures.empty());
      EXPECT_EQ(run.word(0) & kInTg, items > 64 ? kInTg : 0u);
      EXPECT_EQ(run.word(4) >> 12 & 0x1ff, (bytes + 511) / 512 * 2);
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::testing
