// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c = a b on the matrix cores: a and b in half precision (BFLOAT16: in bfloat16), c in single, row major, sizes multiples
// of 64. A work-group of four wavefronts makes a tile of 64x64, each wavefront 32x32 of it, 16 terms at a time through
// local memory.
#ifdef BFLOAT16
typedef short element;
typedef short4 element4;
#define MULTIPLY __builtin_amdgcn_mfma_f32_32x32x8bf16_1k
#else
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half element;
typedef half4 element4;
#define MULTIPLY __builtin_amdgcn_mfma_f32_32x32x8f16
#endif
typedef float float16_t __attribute__((ext_vector_type(16)));

enum { kTile = 64, kDepth = 16, kPitch = kDepth + 4 };

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void gemm_mfma(uint n, __global const element* a,
                                                                         __global const element* b,
                                                                         __global float* c) {
  __local element tile_a[kTile * kPitch];
  __local element tile_b[kTile * kPitch];  // transposed: the terms of a column lie together
  const uint item = get_local_id(0);
  const uint lane = item % 64;
  const uint wave = item / 64;
  const uint row0 = get_group_id(1) * kTile;
  const uint column0 = get_group_id(0) * kTile;
  const uint wave_row = wave / 2 * 32;
  const uint wave_column = wave % 2 * 32;
  const uint edge = lane % 32;
  const uint upper = lane / 32;
  float16_t sum = (float16_t)(0.0f);
  for (uint k0 = 0; k0 < n; k0 += kDepth) {
    const uint a_row = item / 4;
    const uint a_column = item % 4 * 4;
    vstore4(vload4(0, a + (row0 + a_row) * n + k0 + a_column), 0, tile_a + a_row * kPitch + a_column);
    const uint b_row = item / 16;
    const uint b_column = item % 16 * 4;
    const element4 piece = vload4(0, b + (k0 + b_row) * n + column0 + b_column);
    tile_b[(b_column + 0) * kPitch + b_row] = piece.x;
    tile_b[(b_column + 1) * kPitch + b_row] = piece.y;
    tile_b[(b_column + 2) * kPitch + b_row] = piece.z;
    tile_b[(b_column + 3) * kPitch + b_row] = piece.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < kDepth; k += 8) {
      const uint term = k + upper * 4;
      const element4 left = vload4(0, tile_a + (wave_row + edge) * kPitch + term);
      const element4 right = vload4(0, tile_b + (wave_column + edge) * kPitch + term);
      sum = MULTIPLY(left, right, sum, 0, 0, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = 0; r < 16; ++r) {
    const uint row = row0 + wave_row + r / 4 * 8 + upper * 4 + r % 4;
    c[row * n + column0 + wave_column + edge] = sum[r];
  }
}
