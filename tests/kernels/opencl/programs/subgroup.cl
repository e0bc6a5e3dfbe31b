// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sub-group and work-group functions (reduce, scan, broadcast, any, all, elections) and the lane operations under
// them: ds_bpermute, ds_permute, ds_swizzle, DPP quad permutation and mirrors, ballots, v_readlane, v_mbcnt.
// Half of the operations run with part of the lanes.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define LANES 64

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void subgroup(
    __global const int* in, __global int* ints, __global long* longs, __global float* floats, __global uint* shape) {
  const uint id = get_global_id(0), lane = get_sub_group_local_id(), count = get_global_size(0);
  const int x = in[id];
  // A row of `ints` per operation.
  ints[id] = sub_group_reduce_add(x);
  ints[count + id] = sub_group_reduce_min(x);
  ints[2 * count + id] = sub_group_reduce_max(x);
  ints[3 * count + id] = sub_group_scan_inclusive_add(x);
  ints[4 * count + id] = sub_group_scan_exclusive_add(x);
  ints[5 * count + id] = sub_group_scan_inclusive_max(x);
  ints[6 * count + id] = sub_group_scan_exclusive_min(x);
  ints[7 * count + id] = sub_group_broadcast(x, 17);
  ints[8 * count + id] = sub_group_any(x > 900000) | sub_group_all(x > -999000) << 1;

  longs[id] = sub_group_scan_inclusive_add((long)x << 20);
  longs[count + id] = work_group_scan_inclusive_add((long)x);
  longs[2 * count + id] = work_group_reduce_max((long)x * x);

  // Values that every order of additions sums exactly.
  const float f = (float)(x >> 4);
  floats[id] = sub_group_reduce_add(f);
  floats[count + id] = sub_group_scan_exclusive_add(f);
  floats[2 * count + id] = work_group_reduce_add(f);
  floats[3 * count + id] = work_group_broadcast(f, 200);

  shape[id] = get_sub_group_size() | get_sub_group_id() << 8 | get_num_sub_groups() << 16;
}

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void lanes(__global const int* in, __global int* out,
                                                                     __global ulong* ballots) {
  const uint id = get_global_id(0), count = get_global_size(0);
  const int lane = (int)(id % LANES);
  const int x = in[id];
  out[id] = __builtin_amdgcn_ds_bpermute((lane * 7 + 3) % LANES * 4, x);
  out[count + id] = __builtin_amdgcn_ds_permute((lane * 5 + 1) % LANES * 4, x);
  out[2 * count + id] = __builtin_amdgcn_ds_swizzle(x, 0x041f);               // lane ^ 1
  out[3 * count + id] = __builtin_amdgcn_ds_swizzle(x, 0x801b);               // quads reversed
  out[4 * count + id] = __builtin_amdgcn_mov_dpp(x, 0x4e, 0xf, 0xf, true);    // quad_perm 2 3 0 1
  out[5 * count + id] = __builtin_amdgcn_mov_dpp(x, 0x140, 0xf, 0xf, true);   // row_mirror
  out[6 * count + id] = __builtin_amdgcn_mov_dpp(x, 0x141, 0xf, 0xf, true);   // row_half_mirror
  out[7 * count + id] = __builtin_amdgcn_mov_dpp(x, 0x123, 0xf, 0xf, true);   // row_ror 3
  out[8 * count + id] = __builtin_amdgcn_mov_dpp(x, 0x134, 0xf, 0xf, true);   // wave_rol 1
  out[9 * count + id] = __builtin_amdgcn_readlane(x, 42) - __builtin_amdgcn_readfirstlane(x);

  ulong mask = __builtin_amdgcn_uicmp(x, 0, 40);  // signed less; the constants are LLVM's predicates
  ballots[id] = mask;
  out[10 * count + id] = __builtin_amdgcn_mbcnt_hi((uint)(mask >> 32), __builtin_amdgcn_mbcnt_lo((uint)mask, 0));

  // Inside a branch: only its lanes vote, and one is elected after another until none is left.
  int visits = 0, leader = -1;
  if (x & 1) {
    const ulong voters = __builtin_amdgcn_uicmp(1, 0, 33);
    ballots[count + id] = voters;
    for (ulong left = voters; left != 0; left &= left - 1) {
      const int chosen = (int)__builtin_ctzl(left);
      ++visits;
      // Read while every voter is active: a lane that is not need not hold x where the others do.
      const int theirs = __builtin_amdgcn_readlane(x, chosen);
      if (leader < 0 && theirs % 5 == x % 5) leader = chosen;
    }
    // A waterfall over the values of the branch's lanes. The vote is before the exit of the loop: behind it,
    // lanes of all iterations may meet.
    const int rest = x & 7;
    for (;;) {
      const int current = __builtin_amdgcn_readfirstlane(rest);
      const ulong same = __builtin_amdgcn_uicmp(rest, current, 32);
      if (current == rest) {
        visits += __builtin_popcountl(same) * 100;
        break;
      }
    }
  } else {
    ballots[count + id] = ~0ul;
  }
  out[11 * count + id] = visits;
  out[12 * count + id] = leader;
}
