// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Division, remainder, square root and conversions the long way: 32- and 64-bit integer division, correctly
// rounded binary32 and binary64 division and square root over normal, subnormal and special operands, every
// rounding of vstore_half, saturating and rounding conversions, frexp, ldexp, trunc, ceil, rint, fmin, fmax.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel void integers(__global const uint* a, __global const uint* b, __global const ulong* c,
                       __global const ulong* d, __global uint* words, __global ulong* longs) {
  const uint id = get_global_id(0), n = get_global_size(0);
  words[id] = a[id] / b[id];
  words[n + id] = a[id] % b[id];
  words[2 * n + id] = (uint)((int)a[id] / (int)b[id]);
  words[3 * n + id] = (uint)((int)a[id] % (int)b[id]);
  words[4 * n + id] = mul_hi(a[id], b[id]);
  words[5 * n + id] = (uint)mul_hi((int)a[id], (int)b[id]);
  words[6 * n + id] = add_sat(a[id], b[id]) ^ (uint)sub_sat((int)a[id], (int)b[id]);
  words[7 * n + id] = rhadd(a[id], b[id]) + hadd(a[id], b[id]) + abs_diff(a[id], b[id]);
  words[8 * n + id] = clz(a[id]) | popcount(b[id]) << 8 | (uint)popcount(c[id]) << 16 | (uint)clz(d[id]) << 24;
  words[9 * n + id] = mad24((int)(a[id] << 8) >> 8, (int)(b[id] << 8) >> 8, 12345);
  longs[id] = c[id] / d[id];
  longs[n + id] = c[id] % d[id];
  longs[2 * n + id] = (ulong)((long)c[id] / (long)d[id]);
  longs[3 * n + id] = (ulong)((long)c[id] % (long)d[id]);
  longs[4 * n + id] = mul_hi(c[id], d[id]);
  longs[5 * n + id] = c[id] * d[id];
  longs[6 * n + id] = rotate(c[id], (ulong)(a[id] & 63)) ^ (ulong)((long)d[id] >> (b[id] & 63));
  longs[7 * n + id] = upsample(a[id], b[id]) / 10u;
}

__kernel void floats(__global const float* a, __global const float* b, __global float* out, __global ushort* halves,
                     __global uint* converted, __global int* exponents) {
  const uint id = get_global_id(0), n = get_global_size(0);
  const float x = a[id], y = b[id];
  out[id] = x / y;
  out[n + id] = sqrt(fabs(x));
  out[2 * n + id] = trunc(x) + ceil(y);
  out[3 * n + id] = rint(x);
  out[4 * n + id] = floor(y);
  out[5 * n + id] = fmin(x, y);
  out[6 * n + id] = fmax(x, y);
  out[7 * n + id] = fma(x, y, x);
  out[8 * n + id] = x * y - x;
  int exponent;
  out[9 * n + id] = frexp(x, &exponent);
  exponents[id] = exponent;
  out[10 * n + id] = ldexp(y, (int)(id % 60) - 30);
  out[11 * n + id] = copysign(x, y);
  vstore_half(x, id, (__global half*)halves);
  vstore_half_rtz(x, n + id, (__global half*)halves);
  vstore_half_rtp(x, 2 * n + id, (__global half*)halves);
  vstore_half_rtn(x, 3 * n + id, (__global half*)halves);
  converted[id] = (uint)convert_int_sat_rte(x);
  converted[n + id] = convert_uint_sat_rtz(x);
  converted[2 * n + id] = (uint)(int)convert_char_sat_rtp(x) ^ (uint)convert_ushort_sat_rtn(y) << 8;
}

__kernel void doubles(__global const double* a, __global const double* b, __global double* out, __global float* narrow,
                      __global long* longs) {
  const uint id = get_global_id(0), n = get_global_size(0);
  const double x = a[id], y = b[id];
  out[id] = x / y;
  out[n + id] = sqrt(fabs(x));
  out[2 * n + id] = fma(x, y, -x);
  out[3 * n + id] = x * y + y;
  out[4 * n + id] = floor(x) - rint(y);
  out[5 * n + id] = ldexp(x, (int)(id % 40) - 20);
  narrow[id] = (float)x;
  narrow[n + id] = convert_float_rtz(y);
  longs[id] = convert_long_sat(x);
  longs[n + id] = (long)convert_ulong_sat(y);
  out[6 * n + id] = convert_double(longs[id] ^ 0x5555);
}
