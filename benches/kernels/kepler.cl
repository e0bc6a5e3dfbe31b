// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kepler's equation E - e sin E = M in double precision, an orbit per work-item: Newton's method until it stands, as
// many steps as the orbit needs.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void kepler(uint n, __global const double* eccentricity,
                                                                     __global const double* mean,
                                                                     __global double* eccentric) {
  const uint id = get_global_id(0);
  if (id >= n) return;
  const double e = eccentricity[id];
  const double m = mean[id];
  double angle = e > 0.8 ? M_PI : m;
  for (uint step = 0; step < 40; ++step) {
    double cosine;
    const double sine = sincos(angle, &cosine);
    const double change = (angle - e * sine - m) / (1.0 - e * cosine);
    angle -= change;
    if (fabs(change) < 1e-13) break;
  }
  eccentric[id] = angle;
}
