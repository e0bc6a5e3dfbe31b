// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sum, minimum, maximum and sum of squares of whole numbers in one dispatch: each work-group reduces its part in local
// memory and stores it; the last one to come, by a counter in memory, reduces the parts.
enum { kGroup = 256 };

typedef struct {
  long sum, squares;
  int least, most;
} Part;

static Part join(Part a, Part b) {
  Part out = {a.sum + b.sum, a.squares + b.squares, min(a.least, b.least), max(a.most, b.most)};
  return out;
}

static Part reduce(Part own, __local Part* parts) {
  const uint item = get_local_id(0);
  parts[item] = own;
  for (uint width = kGroup / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) parts[item] = join(parts[item], parts[item + width]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const Part all = parts[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void reduction(uint n, __global const int* in,
                                                                            __global Part* group_parts,
                                                                            __global atomic_uint* arrived,
                                                                            __global Part* result) {
  __local Part parts[kGroup];
  __local uint last[1];
  const Part nothing = {0, 0, INT_MAX, INT_MIN};
  Part own = nothing;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    const int x = in[i];
    const Part one = {x, (long)x * x, x, x};
    own = join(own, one);
  }
  const Part all = reduce(own, parts);
  if (get_local_id(0) == 0) {
    group_parts[get_group_id(0)] = all;
    const uint before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
    last[0] = before == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last[0]) return;
  own = nothing;
  for (uint i = get_local_id(0); i < get_num_groups(0); i += kGroup) own = join(own, group_parts[i]);
  const Part total = reduce(own, parts);
  if (get_local_id(0) == 0) *result = total;
}
