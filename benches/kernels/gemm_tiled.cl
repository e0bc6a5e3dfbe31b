// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c = a b for square row-major matrices whose size is a multiple of 64. A work-group makes a tile of 64x64, a
// work-item 4x4 of it; slices of 16 columns of a and 16 rows of b go through local memory.
enum { kTile = 64, kDepth = 16 };

__attribute__((reqd_work_group_size(16, 16, 1))) __kernel void gemm_tiled(uint n, __global const float* a,
                                                                          __global const float* b,
                                                                          __global float* c) {
  __local float tile_a[kDepth][kTile + 4];  // transposed; padded against bank conflicts
  __local float4 tile_b[kDepth][kTile / 4];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint item = y * 16 + x;
  const uint row0 = get_group_id(1) * kTile;
  const uint column0 = get_group_id(0) * kTile;
  const uint a_row = item / 4;
  const uint a_column = item % 4 * 4;
  float4 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k0 = 0; k0 < n; k0 += kDepth) {
    const float4 piece = vload4(0, a + (row0 + a_row) * n + k0 + a_column);
    tile_a[a_column + 0][a_row] = piece.x;
    tile_a[a_column + 1][a_row] = piece.y;
    tile_a[a_column + 2][a_row] = piece.z;
    tile_a[a_column + 3][a_row] = piece.w;
    tile_b[y][x] = vload4(0, b + (k0 + y) * n + column0 + x * 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < kDepth; ++k) {
      const float4 right = tile_b[k][x];
      for (uint i = 0; i < 4; ++i) sum[i] = fma((float4)(tile_a[k][y * 4 + i]), right, sum[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < 4; ++i) vstore4(sum[i], 0, c + (row0 + y * 4 + i) * n + column0 + x * 4);
}
