// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A word that is no instruction.
#include "check.h"

__global__ void stumble() {
  asm volatile(".long 0xbfff0000");
}

int main() {
  stumble<<<1, 64>>>();
  const hipError_t result = hipDeviceSynchronize();
  std::printf("went on: %s\n", hipGetErrorString(result));
  return 4;
}
