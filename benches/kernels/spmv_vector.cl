// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// y = a x for a sparse matrix by rows (CSR), a wavefront per row and four rows per work-group.
enum { kWave = 64, kRows = 4 };

__attribute__((reqd_work_group_size(kWave* kRows, 1, 1))) __kernel void spmv_vector(
    uint rows, __global const uint* first, __global const uint* columns, __global const float* values,
    __global const float* x, __global float* y) {
  __local float partial[kRows][kWave];
  const uint lane = get_local_id(0) % kWave;
  const uint wave = get_local_id(0) / kWave;
  const uint row = get_group_id(0) * kRows + wave;
  float sum = 0.0f;
  if (row < rows) {
    const uint end = first[row + 1];
    for (uint i = first[row] + lane; i < end; i += kWave) sum = fma(values[i], x[columns[i]], sum);
  }
  partial[wave][lane] = sum;
  for (uint width = kWave / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) partial[wave][lane] += partial[wave][lane + width];
  }
  if (lane == 0 && row < rows) y[row] = partial[wave][0];
}
