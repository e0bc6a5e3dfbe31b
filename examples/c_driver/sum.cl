// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sums of work-groups in group memory whose size the launch chooses. The sizes of work-group and
// grid and the offset of the grid come from hidden arguments (code object version 5).
__global int bias = 5;

__kernel void sum(__global const int* in, __global int* out, __local int* partial) {
  const size_t lane = get_local_id(0);
  const size_t size = get_local_size(0);
  partial[lane] = in[get_global_id(0) - get_global_offset(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane != 0) return;
  int all = bias;
  for (size_t i = 0; i < size; ++i) all += partial[i];
  out[get_group_id(0)] = all + (int)(get_num_groups(0) * 1000 + get_global_offset(0));
}

// Never comes to an end.
__kernel void hang(__global volatile int* flag) {
  while (*flag == 0) {
  }
}
