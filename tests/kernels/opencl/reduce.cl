// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sum of each work-group of 256 in static group memory, one result per group; and a second kernel with
// the same sum over group memory that the dispatch supplies.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void reduce(__global const int* in,
                                                                     __global int* out) {
  __local int partial[256];
  const uint lane = get_local_id(0);
  partial[lane] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) partial[lane] += partial[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) out[get_group_id(0)] = partial[0];
}

__kernel void reduce_dynamic(__global const int* in, __global int* out, __local int* partial) {
  const uint lane = get_local_id(0);
  partial[lane] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (lane < step) partial[lane] += partial[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) out[get_group_id(0)] = partial[0];
}
