// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing: keys are put in by compare-and-swap, then others are looked up. 0 is no key.
static uint place_of(uint key, uint mask) {
  key ^= key >> 16;
  key *= 0x7feb352d;
  key ^= key >> 15;
  return key & mask;
}

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void hash_insert(uint n, uint mask,
                                                                           __global const uint* keys,
                                                                           __global const uint* values,
                                                                           volatile __global uint* table_keys,
                                                                           __global uint* table_values) {
  const uint id = get_global_id(0);
  if (id >= n) return;
  const uint key = keys[id];
  uint at = place_of(key, mask);
  while (atomic_cmpxchg(table_keys + at, 0, key) != 0) at = (at + 1) & mask;
  table_values[at] = values[id];
}

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void hash_find(uint n, uint mask,
                                                                         __global const uint* queries,
                                                                         __global const uint* table_keys,
                                                                         __global const uint* table_values,
                                                                         __global uint* results) {
  const uint id = get_global_id(0);
  if (id >= n) return;
  const uint key = queries[id];
  uint at = place_of(key, mask);
  uint found = table_keys[at];
  while (found != 0 && found != key) {
    at = (at + 1) & mask;
    found = table_keys[at];
  }
  results[id] = found == key ? table_values[at] : 0xffffffff;
}
