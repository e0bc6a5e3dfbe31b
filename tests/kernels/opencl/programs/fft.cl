// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// 512-point complex FFTs in group memory, one work-group of 256 per transform: bit reversal through v_bfrev,
// nine radix-2 stages with a barrier each, LDS accesses of 8 bytes with power-of-two strides. The forward
// transform multiplies and adds separately, the inverse one fuses. Twiddles are data, so that every operation
// is a correctly rounded binary32 one.
#pragma OPENCL FP_CONTRACT OFF

#define POINTS 512
#define STAGES 9

static uint reversed(uint i) {
  return __builtin_bitreverse32(i) >> (32 - STAGES);
}

__attribute__((reqd_work_group_size(POINTS / 2, 1, 1))) __kernel void fft_forward(
    __global const float2* in, __global float2* out, __constant float2* twiddle) {
  __local float2 line[POINTS];
  const uint lane = get_local_id(0);
  const size_t base = get_group_id(0) * POINTS;
  line[reversed(lane)] = in[base + lane];
  line[reversed(lane + POINTS / 2)] = in[base + lane + POINTS / 2];
  for (uint stage = 0; stage < STAGES; ++stage) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint half_size = 1u << stage;
    const uint offset = lane & (half_size - 1);
    const uint top = ((lane >> stage) << (stage + 1)) + offset;
    const float2 w = twiddle[offset << (STAGES - 1 - stage)];
    const float2 a = line[top];
    const float2 b = line[top + half_size];
    const float2 wb = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
    line[top] = a + wb;
    line[top + half_size] = a - wb;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + lane] = line[lane];
  out[base + lane + POINTS / 2] = line[lane + POINTS / 2];
}

__attribute__((reqd_work_group_size(POINTS / 2, 1, 1))) __kernel void fft_inverse(
    __global const float2* in, __global float2* out, __constant float2* twiddle) {
  __local float real[POINTS];
  __local float imaginary[POINTS];
  const uint lane = get_local_id(0);
  const size_t base = get_group_id(0) * POINTS;
  for (uint part = 0; part < 2; ++part) {
    const uint i = lane + part * (POINTS / 2);
    const float2 x = in[base + i];
    real[reversed(i)] = x.x;
    imaginary[reversed(i)] = x.y;
  }
  for (uint stage = 0; stage < STAGES; ++stage) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint half_size = 1u << stage;
    const uint offset = lane & (half_size - 1);
    const uint top = ((lane >> stage) << (stage + 1)) + offset;
    const uint bottom = top + half_size;
    const float2 w = twiddle[offset << (STAGES - 1 - stage)];
    const float ar = real[top], ai = imaginary[top];
    const float br = real[bottom], bi = imaginary[bottom];
    // w is conjugated: (wr - i wi)(br + i bi), the first product fused into the second and into a.
    const float cr = fma(w.y, bi, w.x * br);
    const float ci = fma(-w.y, br, w.x * bi);
    real[top] = ar + cr;
    imaginary[top] = ai + ci;
    real[bottom] = ar - cr;
    imaginary[bottom] = ai - ci;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint part = 0; part < 2; ++part) {
    const uint i = lane + part * (POINTS / 2);
    out[base + i] = (float2)(real[i], imaginary[i]) * (1.0f / POINTS);
  }
}
