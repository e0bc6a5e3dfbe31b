// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c = a b on the matrix cores, as a quantized layer has it: a of signed bytes by rows, b by columns, both with their terms
// side by side, c in whole numbers, n a multiple of 64. A work-group of four wavefronts makes a tile of 64x64, each
// wavefront 32x32 of it, 32 terms at a time through local memory.
typedef int int16_t __attribute__((ext_vector_type(16)));

enum { kTile = 64, kDepth = 32, kPitch = kDepth / 4 + 1 };  // the last in words of four terms

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void gemm_i8(uint n, __global const int* a,
                                                                       __global const int* b, __global int* c) {
  __local int tile_a[kTile * kPitch];
  __local int tile_b[kTile * kPitch];
  const uint item = get_local_id(0);
  const uint lane = item % 64;
  const uint wave = item / 64;
  const uint row0 = get_group_id(1) * kTile;
  const uint column0 = get_group_id(0) * kTile;
  const uint edge = lane % 32;
  const uint upper = lane / 32;
  const uint wave_row = wave / 2 * 32;
  const uint wave_column = wave % 2 * 32;
  const uint line = item / 4;
  const uint word = item % 4 * 2;
  int16_t sum = (int16_t)(0);
  for (uint k0 = 0; k0 < n; k0 += kDepth) {
    vstore2(vload2(0, a + ((row0 + line) * n + k0) / 4 + word), 0, tile_a + line * kPitch + word);
    vstore2(vload2(0, b + ((column0 + line) * n + k0) / 4 + word), 0, tile_b + line * kPitch + word);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < kDepth / 4; k += 2) {
      sum = __builtin_amdgcn_mfma_i32_32x32x8i8(tile_a[(wave_row + edge) * kPitch + k + upper],
                                                tile_b[(wave_column + edge) * kPitch + k + upper], sum, 0, 0, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = 0; r < 16; ++r) {
    const uint row = row0 + wave_row + r / 4 * 8 + upper * 4 + r % 4;
    c[row * n + column0 + wave_column + edge] = sum[r];
  }
}
