// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// c = a b in double precision on the matrix cores, row major, n a multiple of 16: a wavefront makes a tile of 16x16
// straight from memory.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double double4_t __attribute__((ext_vector_type(4)));

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void gemm_mfma_f64(uint n, __global const double* a,
                                                                            __global const double* b,
                                                                            __global double* c) {
  const uint lane = get_local_id(0);
  const uint edge = lane % 16;
  const uint quarter = lane / 16;
  const uint row0 = get_group_id(1) * 16;
  const uint column0 = get_group_id(0) * 16;
  __global const double* left = a + (row0 + edge) * n + quarter;
  __global const double* right = b + quarter * n + column0 + edge;
  double4_t sum = (double4_t)(0.0);
  for (uint k = 0; k < n; k += 4) {
    sum = __builtin_amdgcn_mfma_f64_16x16x4f64(left[k], right[k * n], sum, 0, 0, 0);
  }
  for (uint r = 0; r < 4; ++r) c[(row0 + r * 4 + quarter) * n + column0 + edge] = sum[r];
}
