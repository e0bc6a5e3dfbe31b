// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// C = A B of 32 x 32 x 64 by matrix instructions of one wave (V_MFMA_F32_32X32X2F32). The host
// multiplies matrices, so that the places of elements in registers are checked, too.
#include <vector>

#include "check.h"

using Block = __attribute__((ext_vector_type(16))) float;
constexpr int kRows = 32, kDepth = 64;

/// A and B: lane l has row (column) l % 32 of step 2 t + l / 32. D: register r of lane l is row
/// 8 (r / 4) + 4 (l / 32) + r % 4, column l % 32.
__global__ void gemm(const float* a, const float* b, float* c) {
  const int lane = static_cast<int>(threadIdx.x);
  Block sum = 0;
  for (int t = 0; t < kDepth / 2; ++t) {
    const int k = 2 * t + lane / 32;
    sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[lane % 32 * kDepth + k], b[k * kRows + lane % 32],
                                               sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; ++r) {
    c[(8 * (r / 4) + 4 * (lane / 32) + r % 4) * kRows + lane % 32] = sum[r];
  }
}

int main() {
  std::vector<float> a(kRows * kDepth), b(kDepth * kRows), c(kRows * kRows);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 11 % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 3 % 19) - 9;
  float *da, *db, *dc;
  HIP_OK(hipMalloc(&da, a.size() * 4));
  HIP_OK(hipMalloc(&db, b.size() * 4));
  HIP_OK(hipMalloc(&dc, c.size() * 4));
  HIP_OK(hipMemcpy(da, a.data(), a.size() * 4, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy(db, b.data(), b.size() * 4, hipMemcpyHostToDevice));
  gemm<<<1, 64>>>(da, db, dc);
  HIP_OK(hipMemcpy(c.data(), dc, c.size() * 4, hipMemcpyDeviceToHost));
  Check check;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kRows; ++j) {
      float sum = 0;
      for (int k = 0; k < kDepth; ++k) sum += a[i * kDepth + k] * b[k * kRows + j];
      check.equal("c", i * kRows + j, c[i * kRows + j], sum);
    }
  }
  return check.status();
}
