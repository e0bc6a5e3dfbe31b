// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Where a text has words: a work-item compares the text at its place with each word in turn, letter by letter, and
// notes the first that matches; a count per word.
enum { kGroup = 256, kMost = 16 };

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void string_search(
    uint length, uint words, __global const uchar* text, __constant const uint* starts,
    __constant const uchar* letters, __global uchar* found, __global uint* counts) {
  __local uint local_counts[kMost];
  const uint item = get_local_id(0);
  if (item < kMost) local_counts[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint id = get_global_id(0);
  if (id < length) {
    uchar first = 0;
    for (uint word = 0; word < words; ++word) {
      const uint start = starts[word];
      const uint size = starts[word + 1] - start;
      if (id + size > length) continue;
      uint i = 0;
      while (i < size && text[id + i] == letters[start + i]) ++i;
      if (i < size) continue;
      if (first == 0) first = word + 1;
      atomic_inc(&local_counts[word]);
    }
    found[id] = first;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < words && local_counts[item] != 0) atomic_add(&counts[item], local_counts[item]);
}
