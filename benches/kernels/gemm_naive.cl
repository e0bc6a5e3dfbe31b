// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c = a b for square row-major matrices, one work-item per element.
__attribute__((reqd_work_group_size(16, 16, 1))) __kernel void gemm_naive(uint n, __global const float* a,
                                                                          __global const float* b,
                                                                          __global float* c) {
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum = fma(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}
