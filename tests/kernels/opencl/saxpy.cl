// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// y[i] = a * x[i] + y[i]; the partial last work-group is masked by n.
__kernel void saxpy(uint n, float a, __global const float* restrict x, __global float* restrict y) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}
