// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Forward transforms of 512 complex numbers each, a work-group of 64 per transform: three passes of radix 8 in
// registers with exchanges through local memory. roots[k] = exp(-2 pi i k / 512).
enum { kPoints = 512, kItems = 64 };

static float2 times(float2 a, float2 b) {
  return (float2)(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x));
}

static float2 by_minus_i(float2 a) {
  return (float2)(a.y, -a.x);
}

// Four points in place, results in order.
static void transform4(float2* a, float2* b, float2* c, float2* d) {
  const float2 s = *a + *c;
  const float2 t = *a - *c;
  const float2 u = *b + *d;
  const float2 v = by_minus_i(*b - *d);
  *a = s + u;
  *b = t + v;
  *c = s - u;
  *d = t - v;
}

static void transform8(float2 x[8]) {
  const float kHalf = 0.70710678f;
  transform4(&x[0], &x[2], &x[4], &x[6]);
  transform4(&x[1], &x[3], &x[5], &x[7]);
  const float2 odd[4] = {x[1], times(x[3], (float2)(kHalf, -kHalf)), by_minus_i(x[5]),
                         times(x[7], (float2)(-kHalf, -kHalf))};
  const float2 even[4] = {x[0], x[2], x[4], x[6]};
  for (uint i = 0; i < 4; ++i) {
    x[i] = even[i] + odd[i];
    x[i + 4] = even[i] - odd[i];
  }
}

__attribute__((reqd_work_group_size(kItems, 1, 1))) __kernel void fft512(__global const float2* in,
                                                                         __global const float2* roots,
                                                                         __global float2* out) {
  __local float real[kPoints + kPoints / 8];
  __local float imaginary[kPoints + kPoints / 8];
  const uint item = get_local_id(0);
  const size_t base = get_group_id(0) * (size_t)kPoints;
  float2 x[8];
  for (uint i = 0; i < 8; ++i) x[i] = in[base + item + i * kItems];
  // Index n = 64 n2 + 8 n1 + n0, frequency k = 64 k0 + 8 k1 + k2. First over n2.
  transform8(x);
  for (uint k = 1; k < 8; ++k) x[k] = times(x[k], roots[item * k]);
  for (uint k = 0; k < 8; ++k) {
    real[k * 72 + item] = x[k].x;
    imaginary[k * 72 + item] = x[k].y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // The item has k2 and n0; over n1.
  const uint high = item / 8;
  const uint low = item % 8;
  for (uint i = 0; i < 8; ++i) {
    x[i].x = real[high * 72 + i * 8 + low];
    x[i].y = imaginary[high * 72 + i * 8 + low];
  }
  transform8(x);
  for (uint k = 1; k < 8; ++k) x[k] = times(x[k], roots[low * k * 8]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 8; ++k) {
    real[high * 72 + k * 9 + low] = x[k].x;
    imaginary[high * 72 + k * 9 + low] = x[k].y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // The item has k2 and k1; over n0.
  for (uint i = 0; i < 8; ++i) {
    x[i].x = real[high * 72 + low * 9 + i];
    x[i].y = imaginary[high * 72 + low * 9 + i];
  }
  transform8(x);
  for (uint k = 0; k < 8; ++k) out[base + k * 64 + low * 8 + high] = x[k];
}
