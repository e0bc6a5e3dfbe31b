// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Private arrays with computed indices, group and global atomics, 16-bit and vector accesses. Built
// without optimization, so that every variable lives in scratch.
__kernel void private_memory(__global const uint* in, __global uint* out, __global uint* counter,
                             __global short* halves, __local uint* tile) {
  const uint id = get_global_id(0);
  const uint lane = get_local_id(0);
  uint array[16];
  for (uint i = 0; i < 16; ++i) array[i] = in[(id + i) & 255] * (i + 1);
  uint a = 0;
  for (uint i = 0; i < 16; ++i) a += array[(in[id] + i * 3) & 15] ^ i;
  tile[lane] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint b = tile[lane ^ 17] + tile[255 - lane];
  atomic_add(counter, b & 7);
  atomic_max(counter + 1, b);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc((volatile __local uint*)(tile + (lane & 3)));
  halves[id] = (short)(b - 30000);
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  out[id] = b + (uint)(int)halves[id ^ 1];
  out[256 + id] = (uint)((((ulong)a << 32) | b) % 1000003ul);
  const float4 f = (float4)(a & 255, b & 255, 1.5f, -2.0f);
  vstore4(convert_uint4(f * 2.0f + 8.0f), id, out + 512);
}
