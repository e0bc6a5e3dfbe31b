// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// malloc() and free() in kernels: blocks of many sizes that live on to the next kernel, are where
// no other is, and can be had again.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.h"

constexpr unsigned kItems = 256;

__device__ unsigned bytes_of(unsigned item, unsigned round) {
  return 8 + (item * 37 + round * 101) % 3000 / 4 * 4;
}
__global__ void take(unsigned** blocks, unsigned round) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* const p = static_cast<unsigned*>(malloc(bytes_of(i, round)));
  blocks[i] = p;
  if (p == nullptr) return;
  for (unsigned w = 0; w < bytes_of(i, round) / 4; ++w) p[w] = i * 65536 + w;
}
/// Words that are not as they were left.
__global__ void give_back(unsigned** blocks, unsigned round, unsigned* changed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bad = 0;
  for (unsigned w = 0; w < bytes_of(i, round) / 4; ++w) bad += blocks[i][w] != i * 65536 + w;
  changed[i] = bad;
  free(blocks[i]);
}

int main() {
  Check check;
  unsigned** blocks;
  unsigned* changed;
  HIP_OK(hipMalloc(&blocks, kItems * sizeof(unsigned*)));
  HIP_OK(hipMalloc(&changed, kItems * sizeof(unsigned)));
  for (unsigned round = 0; round < 3; ++round) {
    take<<<kItems / 64, 64>>>(blocks, round);
    HIP_OK(hipDeviceSynchronize());
    std::vector<uintptr_t> places(kItems);
    HIP_OK(hipMemcpy(places.data(), blocks, kItems * sizeof(unsigned*), hipMemcpyDeviceToHost));
    give_back<<<kItems / 64, 64>>>(blocks, round, changed);
    std::vector<unsigned> bad(kItems);
    HIP_OK(hipMemcpy(bad.data(), changed, kItems * sizeof(unsigned), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < kItems; ++i) {
      check.equal("null", i, places[i] == 0, false);
      check.equal("changed words", i, bad[i], 0u);
    }
    std::sort(places.begin(), places.end());
    check.equal("different", round,
                std::adjacent_find(places.begin(), places.end()) == places.end(), true);
  }
  return check.status();
}
