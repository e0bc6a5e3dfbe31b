// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Mandelbrot in binary64: divergent loops, division and square root built from v_div_scale, v_div_fmas,
// v_div_fixup and v_rsq refinement, work-groups cut off at both edges of a two-dimensional grid (hidden group
// sizes and remainders). The second half of the rows uses fused operations.
#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global uint* steps, __global double* distance, uint limit, double left,
                         double top, double width, double height) {
  const uint px = get_global_id(0), py = get_global_id(1);
  const uint columns = get_global_size(0), rows = get_global_size(1);
  const double cx = left + px * width / columns;
  const double cy = top - py * height / rows;
  double x = 0.0, y = 0.0;
  uint n = 0;
  if (py < rows / 2) {
    while (n < limit) {
      const double xx = x * x, yy = y * y;
      if (xx + yy > 4.0) break;
      y = 2.0 * x * y + cy;
      x = xx - yy + cx;
      ++n;
    }
  } else {
    while (n < limit) {
      if (fma(x, x, y * y) > 4.0) break;
      const double next = fma(x, x, fma(-y, y, cx));
      y = fma(2.0 * x, y, cy);
      x = next;
      ++n;
    }
  }
  const uint id = py * columns + px;
  steps[id] = n | get_local_size(0) << 16 | get_local_size(1) << 24;
  distance[id] = sqrt(x * x + y * y);
}
