// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Integral image of bytes, u32 modulo 2^32: sums along each row, a work-group per row, then down each column, a
// work-item per column.
enum { kGroup = 256 };

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void integral_rows(uint width,
                                                                                __global const uchar* in,
                                                                                __global uint* out) {
  __local uint sums[kGroup];
  const uint item = get_local_id(0);
  const size_t row = get_group_id(0) * (size_t)width;
  uint carry = 0;
  for (uint first = 0; first < width; first += kGroup) {
    const uint x = first + item;
    sums[item] = x < width ? in[row + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < kGroup; distance *= 2) {
      const uint before = item >= distance ? sums[item - distance] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[item] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < width) out[row + x] = carry + sums[item];
    carry += sums[kGroup - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void integral_columns(uint width, uint height,
                                                                               __global uint* out) {
  const uint x = get_global_id(0);
  if (x >= width) return;
  uint sum = 0;
  for (uint y = 0; y < height; ++y) {
    sum += out[y * width + x];
    out[y * width + x] = sum;
  }
}
