// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// OpenMP: reductions over teams and threads by every operator, several at once, of arrays; atomic
// updates and captures of integers and floating-point numbers. Sums are of whole numbers, so that
// their order does not matter.
#include <limits.h>

#include "count.h"

enum { kCount = 5000, kBins = 37 };

static int key(int i) {
  return (int)((unsigned)i * 2654435761u >> 7) & 0xffff;
}

static void reductions(void) {
  static int v[kCount];
  for (int i = 0; i < kCount; ++i) v[i] = key(i) - 30000;
  long sum = 5;
  int least = INT_MAX, greatest = INT_MIN;
  unsigned all = ~0u, any = 0, parity = 0;
#pragma omp target teams distribute parallel for map(to : v) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) sum += v[i];
#pragma omp target teams distribute parallel for map(to : v) map(tofrom : least, greatest) \
    reduction(min : least) reduction(max : greatest)
  for (int i = 0; i < kCount; ++i) {
    if (v[i] < least) least = v[i];
    if (v[i] > greatest) greatest = v[i];
  }
#pragma omp target teams distribute parallel for map(to : v) map(tofrom : all, any, parity) \
    reduction(& : all) reduction(| : any) reduction(^ : parity)
  for (int i = 0; i < kCount; ++i) {
    all &= (unsigned)v[i] | 0x11u;
    any |= (unsigned)v[i] & 0x0ff0u;
    parity ^= (unsigned)v[i];
  }
  long host_sum = 5;
  int host_least = INT_MAX, host_greatest = INT_MIN;
  unsigned host_all = ~0u, host_any = 0, host_parity = 0;
  for (int i = 0; i < kCount; ++i) {
    host_sum += v[i];
    if (v[i] < host_least) host_least = v[i];
    if (v[i] > host_greatest) host_greatest = v[i];
    host_all &= (unsigned)v[i] | 0x11u;
    host_any |= (unsigned)v[i] & 0x0ff0u;
    host_parity ^= (unsigned)v[i];
  }
  equal("sum", 0, sum, host_sum);
  equal("least", 0, least, host_least);
  equal("greatest", 0, greatest, host_greatest);
  equal("and", 0, all, host_all);
  equal("or", 0, any, host_any);
  equal("exclusive or", 0, parity, host_parity);
}

static void floating(void) {
  float single = 0.5F;
  double twice = 0.25, product = 1, most = -1e300;
  int every = 1, some = 0;
#pragma omp target teams distribute parallel for map(tofrom : single, twice) \
    reduction(+ : single, twice)
  for (int i = 0; i < 2000; ++i) {
    single += (float)(i % 50);
    twice += i * 0.5;
  }
#pragma omp target teams distribute parallel for map(tofrom : product, most) \
    reduction(* : product) reduction(max : most)
  for (int i = 0; i < 60; ++i) {
    product *= i % 2 == 0 ? 2.0 : -1.0;
    if (i * 1.5 - (i % 7) * 20 > most) most = i * 1.5 - (i % 7) * 20;
  }
#pragma omp target teams distribute parallel for map(tofrom : every, some) reduction(&& : every) \
    reduction(|| : some)
  for (int i = 0; i < 1000; ++i) {
    every = every && i < 1000;
    some = some || i == 613;
  }
  double host_most = -1e300;
  for (int i = 0; i < 60; ++i) {
    if (i * 1.5 - (i % 7) * 20 > host_most) host_most = i * 1.5 - (i % 7) * 20;
  }
  equal("float", 0, single, 0.5 + 40.0 * (50 * 49 / 2));
  equal("double", 0, twice, 0.25 + 0.5 * (2000.0 * 1999 / 2));
  equal("product", 0, product, 1073741824.0);
  equal("most", 0, most, host_most);
  equal("every", 0, every != 0, 1);
  equal("some", 0, some != 0, 1);
}

static void arrays(void) {
  int sums[5] = {1, 2, 3, 4, 5};
#pragma omp target teams distribute parallel for map(tofrom : sums) reduction(+ : sums)
  for (int i = 0; i < 1000; ++i) sums[i % 5] += i;
  for (int k = 0; k < 5; ++k) {
    int sum = k + 1;
    for (int i = k; i < 1000; i += 5) sum += i;
    equal("sums", k, sums[k], sum);
  }
}

static void atomics(void) {
  static int bins[kBins], host_bins[kBins], ticket[kCount], used[kCount];
  static double weights[kBins], host_weights[kBins];
  static float halves[kBins], host_halves[kBins];
  static long wide[kBins], host_wide[kBins];
  int next = 0;
#pragma omp target teams distribute parallel for map(tofrom : bins, weights, halves, wide, next) \
    map(from : ticket)
  for (int i = 0; i < kCount; ++i) {
    const int k = ((i * 48271) & 0xffff) % kBins;
#pragma omp atomic
    ++bins[k];
#pragma omp atomic
    weights[k] += i * 0.5;
#pragma omp atomic
    halves[k] += 0.5F;
#pragma omp atomic
    wide[k] += 1L << (i % 40);
#pragma omp atomic capture
    ticket[i] = next++;
  }
  for (int i = 0; i < kCount; ++i) {
    const int k = ((i * 48271) & 0xffff) % kBins;
    ++host_bins[k];
    host_weights[k] += i * 0.5;
    host_halves[k] += 0.5F;
    host_wide[k] += 1L << (i % 40);
    if (ticket[i] >= 0 && ticket[i] < kCount) ++used[ticket[i]];
  }
  for (int k = 0; k < kBins; ++k) {
    equal("bin", k, bins[k], host_bins[k]);
    equal("weight", k, weights[k], host_weights[k]);
    equal("half", k, halves[k], host_halves[k]);
    equal("wide", k, wide[k] == host_wide[k], 1);
  }
  equal("tickets", 0, next, kCount);
  for (int i = 0; i < kCount; ++i) equal("ticket", i, used[i], 1);
}

int main(void) {
  reductions();
  floating();
  arrays();
  atomics();
  return conclude();
}
