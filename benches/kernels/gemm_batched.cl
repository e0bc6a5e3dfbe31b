// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c[i] = a[i] b[i] for many 16x16 matrices, a work-group of one wavefront each; a work-item makes four elements of a
// row.
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void gemm_batched(__global const float4* a,
                                                                           __global const float4* b,
                                                                           __global float4* c) {
  __local float left[16][17];
  __local float4 right[16][4];
  const uint item = get_local_id(0);
  const uint row = item / 4;
  const uint quarter = item % 4;
  const size_t at = get_group_id(0) * 64 + item;
  const float4 piece = a[at];
  left[row][quarter * 4 + 0] = piece.x;
  left[row][quarter * 4 + 1] = piece.y;
  left[row][quarter * 4 + 2] = piece.z;
  left[row][quarter * 4 + 3] = piece.w;
  right[row][quarter] = b[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 sum = 0.0f;
  for (uint k = 0; k < 16; ++k) sum = fma((float4)(left[row][k]), right[k][quarter], sum);
  c[at] = sum;
}
