// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sums in dynamic LDS, more of it than the kernel's own, by DPP-free trees.
#include <vector>

#include "check.h"

__global__ void reduce(const int* x, int* sums) {
  extern __shared__ int part[];
  const unsigned i = threadIdx.x;
  part[i] = x[blockIdx.x * blockDim.x + i];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (i < step) part[i] += part[i + step];
    __syncthreads();
  }
  if (i == 0) sums[blockIdx.x] = part[0];
}

int main() {
  const int groups = 12, items = 512;
  std::vector<int> x(groups * items), sums(groups);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * i % 1009) - 300;
  int *dx, *ds;
  HIP_OK(hipMalloc(&dx, x.size() * 4));
  HIP_OK(hipMalloc(&ds, sums.size() * 4));
  HIP_OK(hipMemcpy(dx, x.data(), x.size() * 4, hipMemcpyHostToDevice));
  reduce<<<groups, items, 48 * 1024>>>(dx, ds);
  HIP_OK(hipGetLastError());
  HIP_OK(hipMemcpy(sums.data(), ds, sums.size() * 4, hipMemcpyDeviceToHost));
  Check check;
  for (int g = 0; g < groups; ++g) {
    int sum = 0;
    for (int i = 0; i < items; ++i) sum += x[g * items + i];
    check.equal("sums", g, sums[g], sum);
  }
  return check.status();
}
