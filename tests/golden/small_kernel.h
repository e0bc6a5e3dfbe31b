// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "golden/machine.h"

namespace cuvette::golden::testing {

/// A kernel of given machine code, in memory and ready to be dispatched: work-groups of one wave,
/// 8 VGPRs, s[0:1] the kernarg segment, which holds the address of `data`; s2 the work-group.
struct SmallKernel {
  hsa::DeviceMemory memory;
  hsa::KernelInfo kernel;
  DispatchRequest request;
  uint64_t data = 0;

  SmallKernel(const std::vector<uint32_t>& code, uint32_t groups, uint64_t data_bytes) {
    const uint64_t entry = place(4096, hsa::Access::All);
    const uint64_t kernarg = place(64, hsa::Access::ReadWrite);
    data = place(data_bytes, hsa::Access::ReadWrite);
    EXPECT_TRUE(memory.write(entry, code.data(), 4 * code.size()).ok());
    EXPECT_TRUE(memory.write_value(kernarg, data));
    kernel.name = "kernel";
    kernel.entry = entry;
    kernel.vgpr_count = 8;
    kernel.sgpr_count = 16;
    kernel.rsrc2.user_sgpr_count = 2;
    kernel.rsrc2.workgroup_id_x = true;
    kernel.user_sgprs.kernarg_segment_ptr = true;
    request.kernel = &kernel;
    request.grid = {64 * groups, 1, 1};
    request.workgroup = {64, 1, 1};
    request.kernarg = kernarg;
  }
  SmallKernel(const SmallKernel&) = delete;
  SmallKernel& operator=(const SmallKernel&) = delete;

  uint32_t word(uint64_t offset) {
    uint32_t value = 0;
    EXPECT_TRUE(memory.read_value(data + offset, &value));
    return value;
  }

 private:
  uint64_t place(uint64_t bytes, hsa::Access permitted) {
    hsa::DeviceMemory::Options options;
    options.permitted = permitted;
    auto at = memory.allocate(bytes, options);
    EXPECT_TRUE(at.ok());
    return *at;
  }
};

}  // namespace cuvette::golden::testing
