// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Prices of European call and put options in double precision, an option per work-item.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static double normal(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}

__attribute__((reqd_work_group_size(128, 1, 1))) __kernel void black_scholes(uint n, double rate,
                                                                             double volatility,
                                                                             __global const double* spot,
                                                                             __global const double* strike,
                                                                             __global const double* years,
                                                                             __global double* call,
                                                                             __global double* put) {
  const uint id = get_global_id(0);
  if (id >= n) return;
  const double spread = volatility * sqrt(years[id]);
  const double d1 = (log(spot[id] / strike[id]) + (rate + 0.5 * volatility * volatility) * years[id]) / spread;
  const double d2 = d1 - spread;
  const double discounted = strike[id] * exp(-rate * years[id]);
  call[id] = spot[id] * normal(d1) - discounted * normal(d2);
  put[id] = discounted * normal(-d2) - spot[id] * normal(-d1);
}
