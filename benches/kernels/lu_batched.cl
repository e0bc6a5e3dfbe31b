// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// LU decomposition without pivoting of many 32x32 matrices in place, a work-group of 32x8 each, in local memory.
enum { kSize = 32, kRows = 8 };

__attribute__((reqd_work_group_size(kSize, kRows, 1))) __kernel void lu_batched(__global float* matrices) {
  __local float m[kSize][kSize + 1];
  const uint column = get_local_id(0);
  __global float* own = matrices + get_group_id(0) * kSize * kSize;
  for (uint row = get_local_id(1); row < kSize; row += kRows) m[row][column] = own[row * kSize + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < kSize - 1; ++k) {
    if (get_local_id(1) == 0 && column > k) m[column][k] /= m[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column > k) {
      for (uint row = get_local_id(1); row < kSize; row += kRows) {
        if (row > k) m[row][column] = fma(-m[row][k], m[k][column], m[row][column]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint row = get_local_id(1); row < kSize; row += kRows) own[row * kSize + column] = m[row][column];
}
