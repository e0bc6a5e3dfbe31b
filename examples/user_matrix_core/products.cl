// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sixteen products of 4x4 matrices of bytes. A lane brings a row of A and a column of B, four bytes
// each, and gets a column of D.
typedef int column __attribute__((ext_vector_type(4)));

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void products(__global const int* a, __global const int* b, __global column* d) {
  const uint lane = __builtin_amdgcn_workitem_id_x();
  column c = {0, 100, 0, 0};
  c = __builtin_amdgcn_mfma_i32_4x4x4i8(a[lane], b[lane], c, 0, 0, 0);
  d[lane] = __builtin_amdgcn_mfma_i32_4x4x4i8(b[lane], a[lane], c, 0, 0, 0);
}
