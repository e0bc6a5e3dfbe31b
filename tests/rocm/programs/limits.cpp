// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// More memory than there is, a work-group that is too large, too much LDS; the device works on.
#include "check.h"

__global__ void one(int* x) {
  *x = 1;
}

int main() {
  Check check;
  void* p = nullptr;
  check.equal("memory", 0, static_cast<int>(hipMalloc(&p, size_t{1} << 50)),
              static_cast<int>(hipErrorOutOfMemory));
  int* x;
  HIP_OK(hipMalloc(&x, 4));
  HIP_OK(hipMemset(x, 0, 4));
  (void)hipGetLastError();
  hipLaunchKernelGGL(one, dim3(1), dim3(2048), 0, 0, x);
  check.equal("work-group", 0, hipGetLastError() != hipSuccess, true);
  hipLaunchKernelGGL(one, dim3(1), dim3(64), 80 * 1024, 0, x);
  check.equal("LDS", 0, hipGetLastError() != hipSuccess, true);
  one<<<1, 1>>>(x);
  int value = 0;
  HIP_OK(hipMemcpy(&value, x, 4, hipMemcpyDeviceToHost));
  check.equal("x", 0, value, 1);
  return check.status();
}
