// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bilateral filter of an image of bytes in whole numbers: a mean of 7x7 pixels, weighted by distance and, through a
// table of 256 weights, by difference. Pixels outside are those of the border.
enum { kRadius = 3, kWidth = 2 * kRadius + 1 };

__attribute__((reqd_work_group_size(16, 16, 1))) __kernel void bilateral(int width, int height,
                                                                         __global const uchar* in,
                                                                         __constant const ushort* near,
                                                                         __global const ushort* alike_in,
                                                                         __global uchar* out) {
  __local ushort alike[256];
  const int item = get_local_id(1) * 16 + get_local_id(0);
  alike[item] = alike_in[item];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int centre = in[y * width + x];
  uint sum = 0;
  uint weights = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    const int row = clamp(y + dy, 0, height - 1) * width;
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      const int pixel = in[row + clamp(x + dx, 0, width - 1)];
      const uint weight = (uint)near[(dy + kRadius) * kWidth + dx + kRadius] * alike[abs(pixel - centre)];
      sum += weight * pixel;
      weights += weight;
    }
  }
  out[y * width + x] = (sum + weights / 2) / weights;
}
