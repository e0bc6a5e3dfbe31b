// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// y = a + b with a ragged last work-group, copies in both directions, fills.
#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a[i] + b[i];
}

int main() {
  const int n = 10'000;
  std::vector<float> a(n), b(n), y(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(3 * i % 1000);
  }
  float *da, *db, *dy;
  const size_t bytes = n * sizeof(float);
  HIP_OK(hipMalloc(&da, bytes));
  HIP_OK(hipMalloc(&db, bytes));
  HIP_OK(hipMalloc(&dy, bytes + 4));
  HIP_OK(hipMemset(dy, 0x5a, bytes + 4));
  HIP_OK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(da, db, dy, n);
  HIP_OK(hipGetLastError());
  HIP_OK(hipMemcpy(y.data(), dy, bytes, hipMemcpyDeviceToHost));
  Check check;
  for (int i = 0; i < n; ++i) {
    check.equal("y", i, y[i], static_cast<float>(i + 3 * i % 1000));
  }
  unsigned behind = 0;
  HIP_OK(hipMemcpy(&behind, dy + n, sizeof behind, hipMemcpyDeviceToHost));
  check.equal("behind y", 0, behind, 0x5a5a5a5au);
  HIP_OK(hipFree(da));
  HIP_OK(hipFree(db));
  HIP_OK(hipFree(dy));
  return check.status();
}
