// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Payoffs of an Asian call option, a path of a price per work-item: a linear congruential generator of 64 bits that
// each item enters at its own place, normal numbers by Box and Muller, the mean of the prices of all steps.
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void monte_carlo(uint paths, uint pairs, float start,
                                                                          float strike, float drift,
                                                                          float volatility,
                                                                          __global float* payoffs) {
  const uint id = get_global_id(0);
  if (id >= paths) return;
  ulong state = (id + 1) * 0x9e3779b97f4a7c15ul;
  float logarithm = 0.0f;
  float sum = 0.0f;
  for (uint pair = 0; pair < pairs; ++pair) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const float u = ((uint)(state >> 41) + 1) * 0x1p-23f;
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const float angle = (uint)(state >> 41) * 0x1p-22f;
    const float radius = sqrt(-2.0f * log(u));
    float cosine;
    const float sine = sincos(angle * M_PI_F, &cosine);
    logarithm += fma(volatility, radius * cosine, drift);
    sum += start * exp(logarithm);
    logarithm += fma(volatility, radius * sine, drift);
    sum += start * exp(logarithm);
  }
  payoffs[id] = max(sum / (2 * pairs) - strike, 0.0f);
}
