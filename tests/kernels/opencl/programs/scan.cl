// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Prefix sums and running maxima with DPP: inside a wavefront by row shifts and row broadcasts, between
// wavefronts through group memory, between groups by two more dispatches. The last element of a wavefront is
// read with v_readlane.
enum { kRowShr = 0x110, kRowBcast15 = 0x142, kRowBcast31 = 0x143, kWaveShr1 = 0x138 };

#define STEP_ADD(x, control, rows, banks) x += __builtin_amdgcn_update_dpp(0, x, control, rows, banks, false)
#define STEP_MAX(x, control, rows, banks) \
  x = max(x, __builtin_amdgcn_update_dpp(INT_MIN, x, control, rows, banks, false))

static int wave_scan_add(int x) {
  STEP_ADD(x, kRowShr + 1, 0xf, 0xf);
  STEP_ADD(x, kRowShr + 2, 0xf, 0xf);
  STEP_ADD(x, kRowShr + 4, 0xf, 0xe);
  STEP_ADD(x, kRowShr + 8, 0xf, 0xc);
  STEP_ADD(x, kRowBcast15, 0xa, 0xf);
  STEP_ADD(x, kRowBcast31, 0xc, 0xf);
  return x;
}

static int wave_scan_max(int x) {
  STEP_MAX(x, kRowShr + 1, 0xf, 0xf);
  STEP_MAX(x, kRowShr + 2, 0xf, 0xf);
  STEP_MAX(x, kRowShr + 4, 0xf, 0xf);
  STEP_MAX(x, kRowShr + 8, 0xf, 0xf);
  STEP_MAX(x, kRowBcast15, 0xa, 0xf);
  STEP_MAX(x, kRowBcast31, 0xc, 0xf);
  return x;
}

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void scan_blocks(
    __global const int* in, __global int* sums, __global int* exclusive, __global int* maxima,
    __global int* block_sums, __global int* block_maxima) {
  __local int wave_sum[4];
  __local int wave_max[4];
  const uint id = get_global_id(0);
  const uint wave = get_local_id(0) / 64;
  const int x = in[id];
  int sum = wave_scan_add(x);
  int top = wave_scan_max(x);
  // The sum before this work-item: one lane to the right, a zero comes in.
  int before = __builtin_amdgcn_update_dpp(0, sum, kWaveShr1, 0xf, 0xf, false);
  if (get_local_id(0) % 64 == 63) {
    wave_sum[wave] = sum;
    wave_max[wave] = top;
  }
  const int last = __builtin_amdgcn_readlane(sum, 63);
  barrier(CLK_LOCAL_MEM_FENCE);
  int carry = 0;
  for (uint w = 0; w < wave; ++w) {
    carry += wave_sum[w];
    top = max(top, wave_max[w]);
  }
  sums[id] = sum + carry;
  exclusive[id] = before + carry;
  maxima[id] = top;
  if (get_local_id(0) == 255) {
    block_sums[get_group_id(0)] = last + carry;
    block_maxima[get_group_id(0)] = top;
  }
}

// One wavefront over at most 64 blocks.
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void scan_totals(__global int* block_sums,
                                                                          __global int* block_maxima,
                                                                          uint blocks) {
  const uint lane = get_local_id(0);
  const bool inside = lane < blocks;
  const int sum = wave_scan_add(inside ? block_sums[lane] : 0);
  const int top = wave_scan_max(inside ? block_maxima[lane] : INT_MIN);
  if (inside) {
    block_sums[lane] = sum;
    block_maxima[lane] = top;
  }
}

__kernel void add_totals(__global int* sums, __global int* exclusive, __global int* maxima,
                         __global const int* block_sums, __global const int* block_maxima) {
  const uint id = get_global_id(0);
  const uint group = get_group_id(0);
  if (group == 0) return;
  sums[id] += block_sums[group - 1];
  exclusive[id] += block_sums[group - 1];
  maxima[id] = max(maxima[id], block_maxima[group - 1]);
}
