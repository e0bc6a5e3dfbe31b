// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) * gain + bias for each row; a work-group per row.
enum { kGroup = 256 };

static float sum_of_group(float x, __local float* partial) {
  const uint item = get_local_id(0);
  partial[item] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint width = kGroup / 2; width > 0; width /= 2) {
    if (item < width) partial[item] += partial[item + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float sum = partial[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void layer_norm(uint width, float epsilon,
                                                                             __global const float* x,
                                                                             __global const float* gain,
                                                                             __global const float* bias,
                                                                             __global float* y) {
  __local float partial[kGroup];
  const size_t row = get_group_id(0) * (size_t)width;
  float sum = 0.0f;
  for (uint i = get_local_id(0); i < width; i += kGroup) sum += x[row + i];
  const float mean = sum_of_group(sum, partial) / width;
  float squares = 0.0f;
  for (uint i = get_local_id(0); i < width; i += kGroup) {
    const float off = x[row + i] - mean;
    squares = fma(off, off, squares);
  }
  const float scale = rsqrt(sum_of_group(squares, partial) / width + epsilon);
  for (uint i = get_local_id(0); i < width; i += kGroup) {
    y[row + i] = fma((x[row + i] - mean) * scale, gain[i], bias[i]);
  }
}
