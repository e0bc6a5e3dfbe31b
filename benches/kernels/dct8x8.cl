// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Discrete cosine transform of the 8x8 blocks of an image of bytes, and quantization: a work-group of 8x8 per block,
// rows and then columns through local memory. basis[u][x] = c(u) cos((2 x + 1) u pi / 16).
__attribute__((reqd_work_group_size(8, 8, 1))) __kernel void dct8x8(uint width, __global const uchar* image,
                                                                    __constant const float* basis,
                                                                    __constant const float* inverse_step,
                                                                    __global float* coefficients) {
  __local float pixels[8][9];
  __local float rows[8][9];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint at = get_global_id(1) * width + get_global_id(0);
  pixels[y][x] = (float)image[at] - 128.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = 0; i < 8; ++i) sum = fma(pixels[y][i], basis[x * 8 + i], sum);
  rows[y][x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0.0f;
  for (uint i = 0; i < 8; ++i) sum = fma(rows[i][x], basis[y * 8 + i], sum);
  coefficients[at] = sum * inverse_step[y * 8 + x];
}
