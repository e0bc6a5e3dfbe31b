// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cooperative launches: a grid that waits for all of its work-groups between steps, groups of a
// work-group, and launches that cannot be.
#include <vector>

#include "check.h"
// Behind hip_runtime.h, whose names it needs.
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

/// Every element adds its neighbour's value of the step before.
__global__ void steps(unsigned* now, unsigned* next, unsigned count, unsigned rounds) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned neighbour =
        __hip_atomic_load(now + (i + 65) % count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    const unsigned own = __hip_atomic_load(now + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_store(next + i, own + neighbour, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    grid.sync();
    unsigned* const last = now;
    now = next;
    next = last;
  }
}

/// Sums of the work-groups, by halves.
__global__ void halves(unsigned* values, unsigned* sums) {
  __shared__ unsigned part[128];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned me = static_cast<unsigned>(block.thread_rank());
  part[me] = values[blockIdx.x * 128 + me];
  for (unsigned width = 64; width != 0; width /= 2) {
    block.sync();
    if (me < width) part[me] += part[me + width];
  }
  if (me == 0) sums[blockIdx.x] = part[0];
}

int main() {
  Check check;
  hipDeviceProp_t properties;
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  check.equal("cooperativeLaunch", 0, properties.cooperativeLaunch, 1);

  for (const unsigned groups : {1u, 3u, 8u}) {
    const unsigned count = groups * 128;
    std::vector<unsigned> values(count);
    for (unsigned i = 0; i < count; ++i) values[i] = i * i + 1;
    unsigned *a, *b, *sums;
    HIP_OK(hipMalloc(&a, count * 4));
    HIP_OK(hipMalloc(&b, count * 4));
    HIP_OK(hipMalloc(&sums, groups * 4));
    HIP_OK(hipMemcpy(a, values.data(), count * 4, hipMemcpyHostToDevice));
    unsigned size = count, rounds = 6;
    void* arguments[] = {&a, &b, &size, &rounds};
    HIP_OK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(steps), dim3(groups), dim3(128),
                                      arguments, 0, nullptr));
    void* reduce[] = {&a, &sums};
    HIP_OK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(halves), dim3(groups), dim3(128),
                                      reduce, 0, nullptr));
    HIP_OK(hipDeviceSynchronize());
    for (unsigned r = 0; r < rounds; ++r) {
      const std::vector<unsigned> old = values;
      for (unsigned i = 0; i < count; ++i) values[i] = old[i] + old[(i + 65) % count];
    }
    std::vector<unsigned> found(count), found_sums(groups);
    HIP_OK(hipMemcpy(found.data(), a, count * 4, hipMemcpyDeviceToHost));
    HIP_OK(hipMemcpy(found_sums.data(), sums, groups * 4, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; ++i) check.equal("steps", i, found[i], values[i]);
    for (unsigned g = 0; g < groups; ++g) {
      unsigned sum = 0;
      for (unsigned i = 0; i < 128; ++i) sum += values[g * 128 + i];
      check.equal("sums", g, found_sums[g], sum);
    }
    HIP_OK(hipFree(a));
    HIP_OK(hipFree(b));
    HIP_OK(hipFree(sums));
  }

  // More work-groups than the device holds at once would wait for each other for ever.
  int most = 0;
  HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&most, steps, 128, 0));
  unsigned* none = nullptr;
  unsigned zero = 0;
  void* arguments[] = {&none, &none, &zero, &zero};
  const dim3 too_many(static_cast<unsigned>(most * properties.multiProcessorCount + 1));
  check.equal("too many", 0,
              static_cast<int>(hipLaunchCooperativeKernel(reinterpret_cast<void*>(steps), too_many,
                                                          dim3(128), arguments, 0, nullptr)),
              static_cast<int>(hipErrorCooperativeLaunchTooLarge));
  return check.status();
}
