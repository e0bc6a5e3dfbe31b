// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One function over generic pointers (flat instructions) to global, group and private memory, three-dimensional
// grids whose last groups are cut off in every direction, offsets of work-items, constant tables, unaligned and
// vector accesses of 1 to 16 bytes.
__constant uint primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

__attribute__((noinline)) static uint checksum(const uchar* bytes, uint n) {
  uint sum = 1;
  for (uint i = 0; i < n; ++i) sum = sum * 131u + bytes[i];
  return sum;
}

__attribute__((noinline)) static void fill(uint* words, uint n, uint seed) {
  for (uint i = 0; i < n; ++i) words[i] = seed * primes[i & 7] + i;
}

__kernel void address_spaces(__global uchar* data, __global uint* sums, __global uint* ids) {
  __local uint shared[4 * 128];
  uint own[6];
  const uint lane = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
  const uint id = get_global_linear_id();
  ids[id] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16 | get_group_id(0) << 24 |
            get_group_id(1) << 26 | get_group_id(2) << 28;
  ids[get_global_size(0) * get_global_size(1) * get_global_size(2) + id] =
      get_global_id(0) | get_global_id(1) << 10 | get_global_id(2) << 20;

  uint* local_part = shared + 4 * lane;
  uint* targets[3] = {own, local_part, (uint*)(data + 32 * id)};
  for (uint t = 0; t < 3; ++t) fill(targets[(t + id) % 3], 4, id + t);

  // The pointer differs from lane to lane: one flat access reaches all three memories.
  own[4] = own[5] = id;
  sums[3 * id] = checksum((const uchar*)targets[id % 3] + 1, 13);
  sums[3 * id + 1] = checksum((const uchar*)own + (id & 7), 15);

  __global uchar* mine = data + 32 * id + 16;
  vstore3((uchar3)(id, id + 1, id + 2), 0, mine);
  vstore2((ushort2)(id * 3, id * 5), 0, (__global ushort*)(mine + 4));
  *(__global ulong*)(mine + 8) = (ulong)id * 0x0123456789abcdefUL;
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  const uint4 back = *(__global uint4*)(data + 32 * id + 16);
  const ushort4 parts = vload4(0, (__local ushort*)local_part + 1);
  sums[3 * id + 2] = (back.x & 0xffffff) ^ back.y ^ back.z * 3u ^ back.w * 5u ^ parts.x ^ parts.y << 4 ^
                     parts.z << 8 ^ parts.w << 12;
}
