// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// State of the hardware registers with which the golden machine starts waves.
#include "small_kernel.h"

namespace cuvette::golden::testing {
namespace {

/// Assembled by llvm-mc for gfx908: bits 2:1 of HW_REG_STATUS into `data`.
const std::vector<uint32_t> kStorePriority = {0xc0060100, 0x00000000, 0xb8830842, 0x7e020203,
                                              0x7e000280, 0xbf8cc07f, 0xdc708000, 0x00040100,
                                              0xbf810000};

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

}  // namespace
}  // namespace cuvette::golden::testing
