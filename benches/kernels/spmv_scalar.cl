// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// y = a x for a sparse matrix by rows (CSR), one work-item per row.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void spmv_scalar(
    uint rows, __global const uint* first, __global const uint* columns, __global const float* values,
    __global const float* x, __global float* y) {
  const uint row = get_global_id(0);
  if (row >= rows) return;
  const uint end = first[row + 1];
  float sum = 0.0f;
  for (uint i = first[row]; i < end; ++i) sum = fma(values[i], x[columns[i]], sum);
  y[row] = sum;
}
