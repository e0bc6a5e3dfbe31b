// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A graph captured from a stream, launched several times.
#include <vector>

#include "check.h"

__global__ void add(int* x, int n, int what) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] += what * (i + 1);
}

int main() {
  const int n = 1000;
  std::vector<int> x(n);
  int* dx;
  HIP_OK(hipMalloc(&dx, n * sizeof(int)));
  HIP_OK(hipMemset(dx, 0, n * sizeof(int)));
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  add<<<(n + 127) / 128, 128, 0, stream>>>(dx, n, 1);
  add<<<(n + 127) / 128, 128, 0, stream>>>(dx, n, 10);
  hipGraph_t graph;
  HIP_OK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t exec;
  HIP_OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 3; ++i) HIP_OK(hipGraphLaunch(exec, stream));
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipMemcpy(x.data(), dx, n * sizeof(int), hipMemcpyDeviceToHost));
  Check check;
  for (int i = 0; i < n; ++i) check.equal("x", i, x[i], 3 * 11 * (i + 1));
  return check.status();
}
