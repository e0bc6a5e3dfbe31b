// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One pass of a stable radix sort of keys with values: digits of four bits, blocks of 256. radix_count counts digits
// by block, digit-major; radix_scan makes their places; radix_scatter sorts a block by its digit in local memory, bit
// by bit, and moves keys and values to their places.
enum { kBlock = 256, kDigits = 16 };

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void radix_count(uint shift, uint blocks,
                                                                              __global const uint* keys,
                                                                              __global uint* counts) {
  __local uint count[kDigits];
  const uint item = get_local_id(0);
  if (item < kDigits) count[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&count[keys[get_global_id(0)] >> shift & (kDigits - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < kDigits) counts[item * blocks + get_group_id(0)] = count[item];
}

/// Sum of the items before this one; *total: of all.
static uint scan_exclusive(uint x, __local uint* sums, uint* total) {
  const uint item = get_local_id(0);
  sums[item] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < kBlock; distance *= 2) {
    const uint before = item >= distance ? sums[item - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint own = sums[item];
  *total = sums[kBlock - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return own - x;
}

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void radix_scan(uint n, __global uint* counts) {
  __local uint sums[kBlock];
  uint carry = 0;
  for (uint first = 0; first < n; first += kBlock) {
    const uint at = first + get_local_id(0);
    const uint x = at < n ? counts[at] : 0;
    uint total;
    const uint before = scan_exclusive(x, sums, &total);
    if (at < n) counts[at] = carry + before;
    carry += total;
  }
}

__attribute__((reqd_work_group_size(kBlock, 1, 1))) __kernel void radix_scatter(
    uint shift, uint blocks, __global const uint* keys, __global const uint* values, __global const uint* places,
    __global uint* keys_out, __global uint* values_out) {
  __local uint sums[kBlock];
  __local uint sorted_keys[kBlock];
  __local uint sorted_values[kBlock];
  __local uint start[kDigits];
  const uint item = get_local_id(0);
  uint key = keys[get_global_id(0)];
  uint value = values[get_global_id(0)];
  for (uint bit = shift; bit < shift + 4; ++bit) {
    const uint one = key >> bit & 1;
    uint zeros;
    const uint zeros_before = scan_exclusive(1 - one, sums, &zeros);
    const uint to = one ? zeros + item - zeros_before : zeros_before;
    sorted_keys[to] = key;
    sorted_values[to] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    key = sorted_keys[item];
    value = sorted_values[item];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint digit = key >> shift & (kDigits - 1);
  if (item == 0 || (sorted_keys[item - 1] >> shift & (kDigits - 1)) != digit) start[digit] = item;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint to = places[digit * blocks + get_group_id(0)] + item - start[digit];
  keys_out[to] = key;
  values_out[to] = value;
}
