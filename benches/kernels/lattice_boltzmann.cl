// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A step of a lattice Boltzmann fluid, D2Q9 with one relaxation time, periodic: a work-item pulls nine populations
// from its neighbours, relaxes them and stores them; walls turn them round.
__constant int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant float kWeight[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9,
                               1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
__constant int kOpposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

__attribute__((reqd_work_group_size(64, 4, 1))) __kernel void lattice_boltzmann(int width, int height, float omega,
                                                                                __global const uchar* wall,
                                                                                __global const float* in,
                                                                                __global float* out) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int cells = width * height;
  const int at = y * width + x;
  float f[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const int from_x = (x - kX[i] + width) % width;
    const int from_y = (y - kY[i] + height) % height;
    f[i] = in[i * cells + from_y * width + from_x];
  }
  if (wall[at]) {
#pragma unroll
    for (int i = 0; i < 9; ++i) out[kOpposite[i] * cells + at] = f[i];
    return;
  }
  float density = 0.0f;
  float flow_x = 0.0f;
  float flow_y = 0.0f;
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    density += f[i];
    flow_x += kX[i] * f[i];
    flow_y += kY[i] * f[i];
  }
  const float inverse = 1.0f / density;
  const float ux = flow_x * inverse;
  const float uy = flow_y * inverse;
  const float squares = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const float along = 3.0f * (kX[i] * ux + kY[i] * uy);
    const float balance = kWeight[i] * density * (1.0f + along + 0.5f * along * along - squares);
    out[i * cells + at] = f[i] + omega * (balance - f[i]);
  }
}
