// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Two streams with events between them, asynchronous copies, times of events, callbacks of the
// host.
#include <vector>

#include "check.h"

__global__ void scale(int* x, int n, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] *= factor;
}
__global__ void sum(const int* x, const int* y, int* z, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) z[i] = x[i] + y[i];
}

void called(hipStream_t, hipError_t status, void* flag) {
  *static_cast<int*>(flag) = status == hipSuccess ? 1 : -1;
}

int main() {
  const int n = 4096;
  const size_t bytes = n * sizeof(int);
  int *x, *y, *z;  // pinned memory of the host
  HIP_OK(hipHostMalloc(&x, bytes));
  HIP_OK(hipHostMalloc(&y, bytes));
  HIP_OK(hipHostMalloc(&z, bytes));
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 2 * i + 1;
  }
  int *dx, *dy, *dz;
  HIP_OK(hipMalloc(&dx, bytes));
  HIP_OK(hipMalloc(&dy, bytes));
  HIP_OK(hipMalloc(&dz, bytes));
  hipStream_t one, two;
  HIP_OK(hipStreamCreate(&one));
  HIP_OK(hipStreamCreate(&two));
  hipEvent_t begin, ready, end;
  HIP_OK(hipEventCreate(&begin));
  HIP_OK(hipEventCreate(&ready));
  HIP_OK(hipEventCreate(&end));
  int flag = 0;
  HIP_OK(hipEventRecord(begin, one));
  HIP_OK(hipMemcpyAsync(dx, x, bytes, hipMemcpyHostToDevice, one));
  HIP_OK(hipMemcpyAsync(dy, y, bytes, hipMemcpyHostToDevice, two));
  scale<<<n / 256, 256, 0, one>>>(dx, n, 3);
  scale<<<n / 256, 256, 0, two>>>(dy, n, 5);
  HIP_OK(hipEventRecord(ready, two));
  HIP_OK(hipStreamWaitEvent(one, ready, 0));
  sum<<<n / 256, 256, 0, one>>>(dx, dy, dz, n);
  HIP_OK(hipMemcpyAsync(z, dz, bytes, hipMemcpyDeviceToHost, one));
  HIP_OK(hipEventRecord(end, one));
  HIP_OK(hipStreamAddCallback(one, called, &flag, 0));
  HIP_OK(hipStreamSynchronize(one));
  HIP_OK(hipStreamSynchronize(two));
  float milliseconds = 0;
  HIP_OK(hipEventElapsedTime(&milliseconds, begin, end));
  Check check;
  for (int i = 0; i < n; ++i) check.equal("z", i, z[i], 3 * i + 5 * (2 * i + 1));
  check.equal("callback", 0, flag, 1);
  // Simulated time: some microseconds, whatever the host takes.
  check.equal("time is positive", 0, milliseconds > 0, true);
  check.equal("time is simulated", 0, milliseconds < 100, true);
  HIP_OK(hipStreamDestroy(one));
  HIP_OK(hipStreamDestroy(two));
  return check.status();
}
