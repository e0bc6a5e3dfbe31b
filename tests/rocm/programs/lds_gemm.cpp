// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// C = A B in tiles of 16 x 16 through the LDS. Integers, so that every order of sums is exact.
#include <vector>

#include "check.h"

constexpr int kTile = 16, kSize = 64;

__global__ void gemm(const float* a, const float* b, float* c) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y;
  const int column = static_cast<int>(blockIdx.x) * kTile + x;
  float sum = 0;
  for (int t = 0; t < kSize; t += kTile) {
    ta[y][x] = a[row * kSize + t + x];
    tb[y][x] = b[(t + y) * kSize + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}

int main() {
  const size_t count = kSize * kSize, bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), c(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i * 7 % 13) - 6;
    b[i] = static_cast<float>(i * 5 % 11) - 5;
  }
  float *da, *db, *dc;
  HIP_OK(hipMalloc(&da, bytes));
  HIP_OK(hipMalloc(&db, bytes));
  HIP_OK(hipMalloc(&dc, bytes));
  HIP_OK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  gemm<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(da, db, dc);
  HIP_OK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  Check check;
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      float sum = 0;
      for (int k = 0; k < kSize; ++k) sum += a[i * kSize + k] * b[k * kSize + j];
      check.equal("c", i * kSize + j, c[i * kSize + j], sum);
    }
  }
  return check.status();
}
