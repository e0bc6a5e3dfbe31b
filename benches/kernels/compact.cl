// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Keeps the records that match, in order: a record of four words matches when its tag is odd and its weight above a
// limit. The work-groups count, one work-group makes the places, the work-groups move.
enum { kBlock = 256 };

static bool matches(uint4 record, uint limit) {
  return (record.x & 1) != 0 && record.y > limit;
}

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void compact_count(uint n, uint limit,
                                                                                __global const uint4* records,
                                                                                __global uint* counts) {
  __local uint count;
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint id = get_global_id(0);
  if (id < n && matches(records[id], limit)) atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) counts[get_group_id(0)] = count;
}

static uint scan_inclusive(uint x, __local uint* sums) {
  const uint item = get_local_id(0);
  sums[item] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < kBlock; distance *= 2) {
    const uint before = item >= distance ? sums[item - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sums[item];
}

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void compact_places(uint blocks,
                                                                                 __global uint* counts,
                                                                                 __global uint* total) {
  __local uint sums[kBlock];
  uint carry = 0;
  for (uint first = 0; first < blocks; first += kBlock) {
    const uint at = first + get_local_id(0);
    const uint x = at < blocks ? counts[at] : 0;
    const uint through = scan_inclusive(x, sums);
    if (at < blocks) counts[at] = carry + through - x;
    carry += sums[kBlock - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) *total = carry;
}

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void compact_move(uint n, uint limit,
                                                                               __global const uint4* records,
                                                                               __global const uint* places,
                                                                               __global uint4* kept) {
  __local uint sums[kBlock];
  const uint id = get_global_id(0);
  const uint4 record = id < n ? records[id] : (uint4)(0);
  const bool match = matches(record, limit);
  const uint through = scan_inclusive(match ? 1 : 0, sums);
  if (match) kept[places[get_group_id(0)] + through - 1] = record;
}
