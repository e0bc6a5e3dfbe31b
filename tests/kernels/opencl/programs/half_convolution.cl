// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// 3 x 3 convolution in half precision, three ways: one element with separate roundings, two columns at a time
// with packed fused operations, and a binary32 accumulator fed by conversions. The tile with its border is in
// group memory as 16-bit elements. Some inputs and results are subnormal.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define TILE 16
#define EDGE (TILE + 2)

__attribute__((reqd_work_group_size(TILE, TILE, 1))) __kernel void half_convolution(
    __global const half* image, __constant half* weights, __global half* plain, __global half2* packed,
    __global float* wide, uint columns, uint rows) {
  __local half tile[EDGE * EDGE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int left = get_group_id(0) * TILE - 1, top = get_group_id(1) * TILE - 1;
  for (int i = ly * TILE + lx; i < EDGE * EDGE; i += TILE * TILE) {
    const int x = clamp(left + i % EDGE, 0, (int)columns - 1);
    const int y = clamp(top + i / EDGE, 0, (int)rows - 1);
    tile[i] = image[y * columns + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  half sum = 0.0h;
  float exact = 0.0f;
  for (int dy = 0; dy < 3; ++dy) {
    for (int dx = 0; dx < 3; ++dx) {
      const half t = tile[(ly + dy) * EDGE + lx + dx];
      const half w = weights[dy * 3 + dx];
      sum = sum + t * w;
      exact = fma((float)t, (float)w, exact);
    }
  }
  const uint x = get_global_id(0), y = get_global_id(1);
  plain[y * columns + x] = sum;
  wide[y * columns + x] = exact;

  if ((lx & 1) == 0) {
    half2 pair = (half2)(0.0h);
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        const int at = (ly + dy) * EDGE + lx + dx;
        pair = fma((half2)(tile[at], tile[at + 1]), (half2)(weights[dy * 3 + dx]), pair);
      }
    }
    // Not below -1, not above 60: packed minimum and maximum.
    packed[(y * columns + x) / 2] = fmin(fmax(pair, (half2)(-1.0h)), (half2)(60.0h));
  }
}
