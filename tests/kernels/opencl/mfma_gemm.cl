// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// D = A * B + C for one wavefront: A is 32 x k, B is k x 32, C and D are 32 x 32, all row-major f32.
// v_mfma_f32_32x32x1f32 has two blocks: block 0 takes even k, block 1 odd k, and they are added at the end
// in the order block 0 plus block 1, so k has to be even.
typedef float float32 __attribute__((ext_vector_type(32)));

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void mfma_gemm(
    uint k, __global const float* a, __global const float* b, __global const float* c,
    __global float* d) {
  const uint lane = get_local_id(0);
  const uint block = lane / 32;
  const uint i = lane % 32;
  float32 sum = (float32)(0.0f);
  for (uint step = 0; step < k; step += 2) {
    sum = __builtin_amdgcn_mfma_f32_32x32x1f32(a[i * k + step + block], b[(step + block) * 32 + i],
                                               sum, 0, 0, 0);
  }
  // Register r of the first 16 is row 8 * (r / 4) + 4 * block + r % 4 of block 0, column i; the second 16 are
  // block 1.
  for (uint r = 0; r < 16; ++r) {
    const uint row = 8 * (r / 4) + 4 * block + r % 4;
    d[row * 32 + i] = c[row * 32 + i] + (sum[r] + sum[r + 16]);
  }
}
