// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One level of a breadth-first search over a graph by rows (CSR): work-items take the nodes of the frontier, mark
// neighbours that nobody has reached and append them to the next frontier.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void bfs(
    uint depth, __global const uint* first, __global const uint* neighbours, __global int* level,
    __global const uint* frontier, __global uint* next, __global uint* counts) {
  const uint item = get_global_id(0);
  if (item >= counts[depth]) return;
  const uint node = frontier[item];
  const uint end = first[node + 1];
  for (uint i = first[node]; i < end; ++i) {
    const uint other = neighbours[i];
    if (level[other] >= 0) continue;
    if (atomic_cmpxchg((volatile __global int*)level + other, -1, (int)depth + 1) == -1) {
      next[atomic_inc(counts + depth + 1)] = other;
    }
  }
}
