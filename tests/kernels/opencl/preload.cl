// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Arguments that clang puts into user SGPRs (-mllvm -amdgpu-kernarg-preload-count): dwords, pointers, halves of dwords.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void preload(__global uint* out, __global const uint* in, uint a, short b, half c, ushort d) {
  const uint i = get_global_id(0);
  out[i] = in[i] * 3u + a + (uint)(int)b + (uint)((float)c * 4.0f) + d;
}
