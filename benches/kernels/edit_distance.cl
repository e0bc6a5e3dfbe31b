// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Levenshtein distances of pairs of strings of at most 64 bytes, bit-parallel (Myers): a work-item has a pair, a
// column of the matrix is two words of 64 bits of differences.
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void edit_distance(uint pairs, uint length,
                                                                            __global const uchar* left,
                                                                            __global const uchar* right,
                                                                            __global uint* distances) {
  const uint id = get_global_id(0);
  if (id >= pairs) return;
  __global const uchar* pattern = left + id * length;
  __global const uchar* text = right + id * length;
  ulong more = ~0ul;
  ulong less = 0;
  uint distance = length;
  for (uint j = 0; j < length; ++j) {
    const uchar letter = text[j];
    ulong equal = 0;
    for (uint i = 0; i < length; ++i) equal |= (ulong)(pattern[i] == letter) << i;
    const ulong vertical = equal | less;
    const ulong carried = (((equal & more) + more) ^ more) | equal;
    ulong up = less | ~(carried | more);
    ulong down = more & carried;
    if (up >> (length - 1) & 1) ++distance;
    if (down >> (length - 1) & 1) --distance;
    up = up << 1 | 1;
    down <<= 1;
    more = down | ~(vertical | up);
    less = up & vertical;
  }
  distances[id] = distance;
}
