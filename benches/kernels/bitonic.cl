// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of a power of two of keys. Blocks of 512 keys are sorted, and later merged, in local memory; longer
// distances go through global memory, a dispatch each.
enum { kBlock = 512 };

static void order(uint* low, uint* high, bool ascending) {
  const uint least = min(*low, *high);
  const uint most = max(*low, *high);
  *low = ascending ? least : most;
  *high = ascending ? most : least;
}

static void merge_in_block(__local uint* block, uint item, uint distance, bool ascending) {
  for (; distance > 0; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint at = 2 * item - (item & (distance - 1));
    uint low = block[at];
    uint high = block[at + distance];
    order(&low, &high, ascending);
    block[at] = low;
    block[at + distance] = high;
  }
}

__attribute__((reqd_work_group_size(kBlock / 2, 1, 1))) __kernel void bitonic_sort_blocks(__global uint* keys) {
  __local uint block[kBlock];
  const uint item = get_local_id(0);
  const uint first = get_group_id(0) * kBlock;
  block[item] = keys[first + item];
  block[item + kBlock / 2] = keys[first + item + kBlock / 2];
  for (uint size = 2; size <= kBlock; size *= 2) {
    merge_in_block(block, item, size / 2, ((first + 2 * item) & size) == 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = block[item];
  keys[first + item + kBlock / 2] = block[item + kBlock / 2];
}

__attribute__((reqd_work_group_size(kBlock / 2, 1, 1))) __kernel void bitonic_far(uint size, uint distance,
                                                                                  __global uint* keys) {
  const uint item = get_global_id(0);
  const uint at = 2 * item - (item & (distance - 1));
  uint low = keys[at];
  uint high = keys[at + distance];
  order(&low, &high, (at & size) == 0);
  keys[at] = low;
  keys[at + distance] = high;
}

__attribute__((reqd_work_group_size(kBlock / 2, 1, 1))) __kernel void bitonic_near(uint size,
                                                                                   __global uint* keys) {
  __local uint block[kBlock];
  const uint item = get_local_id(0);
  const uint first = get_group_id(0) * kBlock;
  block[item] = keys[first + item];
  block[item + kBlock / 2] = keys[first + item + kBlock / 2];
  merge_in_block(block, item, kBlock / 2, (first & size) == 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = block[item];
  keys[first + item + kBlock / 2] = block[item + kBlock / 2];
}
