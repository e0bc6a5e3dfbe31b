// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of 64-bit keys with a 32-bit value each, over several dispatches: whole blocks of 512 in group
// memory, longer strides in global memory. Compares and selects of 64-bit integers, swaps under EXEC.
#define BLOCK 512

static void order(__local ulong* keys, __local uint* values, uint i, uint j, bool up) {
  const ulong a = keys[i], b = keys[j];
  if ((a > b) == up) {
    keys[i] = b;
    keys[j] = a;
    const uint v = values[i];
    values[i] = values[j];
    values[j] = v;
  }
}

static void load(__local ulong* k, __local uint* v, __global const ulong* keys, __global const uint* values,
                 uint lane, size_t base) {
  k[lane] = keys[base + lane];
  k[lane + BLOCK / 2] = keys[base + lane + BLOCK / 2];
  v[lane] = values[base + lane];
  v[lane + BLOCK / 2] = values[base + lane + BLOCK / 2];
}

static void store(__local const ulong* k, __local const uint* v, __global ulong* keys, __global uint* values,
                  uint lane, size_t base) {
  keys[base + lane] = k[lane];
  keys[base + lane + BLOCK / 2] = k[lane + BLOCK / 2];
  values[base + lane] = v[lane];
  values[base + lane + BLOCK / 2] = v[lane + BLOCK / 2];
}

// Sorts every block: even ones upward, odd ones downward.
__attribute__((reqd_work_group_size(BLOCK / 2, 1, 1))) __kernel void sort_blocks(__global ulong* keys,
                                                                                 __global uint* values) {
  __local ulong k[BLOCK];
  __local uint v[BLOCK];
  const uint lane = get_local_id(0);
  const size_t base = get_group_id(0) * BLOCK;
  load(k, v, keys, values, lane, base);
  for (uint size = 2; size <= BLOCK; size *= 2) {
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint i = 2 * lane - (lane & (stride - 1));
      order(k, v, i, i + stride, ((base + i) & size) == 0);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  store(k, v, keys, values, lane, base);
}

// One step over global memory: a stride of at least a block.
__kernel void merge_global(__global ulong* keys, __global uint* values, uint size, uint stride) {
  const uint id = get_global_id(0);
  const uint i = 2 * id - (id & (stride - 1));
  const bool up = (i & size) == 0;
  const ulong a = keys[i], b = keys[i + stride];
  const uint va = values[i], vb = values[i + stride];
  const bool swap = (a > b) == up;
  keys[i] = swap ? b : a;
  keys[i + stride] = swap ? a : b;
  values[i] = swap ? vb : va;
  values[i + stride] = swap ? va : vb;
}

// The remaining strides of a merge of `size`, inside a block.
__attribute__((reqd_work_group_size(BLOCK / 2, 1, 1))) __kernel void merge_blocks(__global ulong* keys,
                                                                                  __global uint* values,
                                                                                  uint size) {
  __local ulong k[BLOCK];
  __local uint v[BLOCK];
  const uint lane = get_local_id(0);
  const size_t base = get_group_id(0) * BLOCK;
  load(k, v, keys, values, lane, base);
  for (uint stride = BLOCK / 2; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint i = 2 * lane - (lane & (stride - 1));
    order(k, v, i, i + stride, ((base + i) & size) == 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  store(k, v, keys, values, lane, base);
}
