// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// printf() of kernels: the host serves their calls while they run.
#include "check.h"

__global__ void tell() {
  if (threadIdx.x % 32 == 0) {
    printf("work-item %d of %d in group %d: %s %.3f %llx\n", static_cast<int>(threadIdx.x),
           static_cast<int>(blockDim.x), static_cast<int>(blockIdx.x), "text", 1.5,
           0x123456789abcdefull);
  }
}

int main() {
  tell<<<2, 64>>>();
  HIP_OK(hipDeviceSynchronize());
  std::printf("told\n");
  return 0;
}
