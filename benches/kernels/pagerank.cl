// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A step of PageRank that pulls: each node sums what the nodes linking to it give, rank over number of links.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void pagerank(
    uint nodes, float damping, __global const uint* first, __global const uint* sources,
    __global const float* inverse_degree, __global const float* rank, __global float* next) {
  const uint node = get_global_id(0);
  if (node >= nodes) return;
  const uint end = first[node + 1];
  float sum = 0.0f;
  for (uint i = first[node]; i < end; ++i) sum += rank[sources[i]] * inverse_degree[sources[i]];
  next[node] = fma(damping, sum, (1.0f - damping) / nodes);
}
