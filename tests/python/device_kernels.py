# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the tests of the Python package."""
import pathlib

# y[i] = alpha * x[i] + y[i] for i < n.
SAXPY = (pathlib.Path(__file__).parents[1] / 'kernels' / 'saxpy.hsail').read_text(encoding='utf-8')

# Waits until *flag is not 0, then out[i] = 3 * i + out[i] + *flag. The address of out[i] is in registers meanwhile.
SPIN = '''module &spin_module:1:0:$full:$large:$default;

prog kernel &spin(kernarg_u64 %flag, kernarg_u64 %out)
{
  ld_kernarg_width(all)_u64 $d0, [%flag];
  ld_kernarg_width(all)_u64 $d1, [%out];
  workitemabsid_u32 $s1, 0;
  cvt_u64_u32 $d2, $s1;
  mad_u64 $d1, $d2, 4, $d1;
  ld_global_u32 $s3, [$d1];
  mad_u32 $s2, $s1, 3, $s3;
@again:
  atomic_ld_global_scacq_system_b32 $s0, [$d0];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @again;
  add_u32 $s2, $s2, $s0;
  st_global_u32 $s2, [$d1];
  ret;
};
'''

# x[i] = -x[i], with pointers of 32 bits.
SMALL_MODEL = '''module &small_module:1:0:$full:$small:$default;

prog kernel &negate(kernarg_u32 %x)
{
  ld_kernarg_width(all)_u32 $s0, [%x];
  workitemabsid_u32 $s1, 0;
  mad_u32 $s0, $s1, 4, $s0;
  ld_global_s32 $s2, [$s0];
  neg_s32 $s2, $s2;
  st_global_s32 $s2, [$s0];
  ret;
};
'''

OPENCL = '''
__kernel void sum(__global const int *in, __global int *out, __local int *scratch) {
  size_t i = get_local_id(0);
  scratch[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (i < step) scratch[i] += scratch[i + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) out[get_group_id(0)] = scratch[0];
}

__kernel void place(__global long *out, uint width, char a, short b, long c, double d, uchar e) {
  size_t x = get_global_id(0), y = get_global_id(1);
  out[(y - get_global_offset(1)) * width + x - get_global_offset(0)] = x * 1000000 + y + a + b + c + (long)d + e;
}

__kernel void sort8(__global int *values) {
  int kept[8];
  __global int *own = values + 8 * get_global_id(0);
  for (int i = 0; i < 8; ++i) kept[i] = own[i];
  for (int i = 1; i < 8; ++i) {
    int value = kept[i], j = i;
    for (; j > 0 && kept[j - 1] > value; --j) kept[j] = kept[j - 1];
    kept[j] = value;
  }
  volatile int places[8];
  for (int i = 0; i < 8; ++i) places[i] = kept[i];
  for (int i = 0; i < 8; ++i) own[i] = places[(own[i] & 0) + i];
}
'''
