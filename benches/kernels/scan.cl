// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Exclusive prefix sums, work-efficient: up and down a tree over 512 elements per work-group, then the sums of the
// blocks, then both together.
enum { kBlock = 512 };

__attribute__((reqd_work_group_size(kBlock / 2, 1, 1))) __kernel void scan_blocks(__global const uint* in,
                                                                                  __global uint* out,
                                                                                  __global uint* sums) {
  __local uint tree[kBlock];
  const uint item = get_local_id(0);
  const uint first = get_group_id(0) * kBlock;
  tree[2 * item] = in[first + 2 * item];
  tree[2 * item + 1] = in[first + 2 * item + 1];
  uint stride = 1;
  for (uint width = kBlock / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) tree[stride * (2 * item + 2) - 1] += tree[stride * (2 * item + 1) - 1];
    stride *= 2;
  }
  if (item == 0) {
    sums[get_group_id(0)] = tree[kBlock - 1];
    tree[kBlock - 1] = 0;
  }
  for (uint width = 1; width < kBlock; width *= 2) {
    stride /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) {
      const uint left = stride * (2 * item + 1) - 1;
      const uint right = stride * (2 * item + 2) - 1;
      const uint below = tree[left];
      tree[left] = tree[right];
      tree[right] += below;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + 2 * item] = tree[2 * item];
  out[first + 2 * item + 1] = tree[2 * item + 1];
}

// One work-item after the other for pieces of the sums, then over the pieces.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void scan_sums(uint n, __global uint* sums) {
  __local uint pieces[256];
  const uint item = get_local_id(0);
  const uint length = (n + 255) / 256;
  const uint first = min(item * length, n);
  const uint end = min(first + length, n);
  uint sum = 0;
  for (uint i = first; i < end; ++i) sum += sums[i];
  pieces[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0;
  for (uint i = 0; i < item; ++i) before += pieces[i];
  for (uint i = first; i < end; ++i) {
    const uint x = sums[i];
    sums[i] = before;
    before += x;
  }
}

__attribute__((reqd_work_group_size(kBlock / 2, 1, 1))) __kernel void scan_add(__global uint* out,
                                                                               __global const uint* sums) {
  const uint first = get_group_id(0) * kBlock + get_local_id(0);
  const uint sum = sums[get_group_id(0)];
  out[first] += sum;
  out[first + kBlock / 2] += sum;
}
