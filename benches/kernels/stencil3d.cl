// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A step of explicit heat conduction on a grid of nx x ny x nz with seven points: a work-item walks along z with the
// points above and below in registers. The outermost points stay.
__attribute__((reqd_work_group_size(32, 8, 1))) __kernel void stencil3d(int nx, int ny, int nz, float rate,
                                                                        __global const float* in,
                                                                        __global float* out) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= nx || y >= ny) return;
  const int plane = nx * ny;
  int at = y * nx + x;
  const bool edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  float below = in[at];
  out[at] = below;
  at += plane;
  float here = in[at];
  for (int z = 1; z < nz - 1; ++z) {
    const float above = in[at + plane];
    float next = here;
    if (!edge) {
      const float around = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above;
      next = here + rate * (around - 6.0f * here);
    }
    out[at] = next;
    below = here;
    here = above;
    at += plane;
  }
  out[at] = here;
}
