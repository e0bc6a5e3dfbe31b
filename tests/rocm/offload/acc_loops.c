// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// OpenACC: loops by gangs, workers and vectors, a matrix product, reductions by every operator,
// private copies, routines, atomics.
#include <limits.h>
#include <openacc.h>

#include "count.h"

enum { kCount = 3000, kRows = 20, kColumns = 18, kInner = 31, kBins = 29 };

static void vector_add(void) {
  static float a[kCount], b[kCount], y[kCount];
  int on_device = 0;
  for (int i = 0; i < kCount; ++i) {
    a[i] = (float)i;
    b[i] = (float)(3 * i % 1000);
  }
#pragma acc parallel loop copyin(a, b) copyout(y)
  for (int i = 0; i < kCount; ++i) y[i] = a[i] + b[i];
#pragma acc parallel copyout(on_device) num_gangs(1)
  on_device = acc_on_device(acc_device_not_host);
  equal("on device", 0, on_device != 0, 1);
  for (int i = 0; i < kCount; ++i) equal("y", i, y[i], i + 3 * i % 1000);
}

static void product(void) {
  static double a[kRows][kInner], b[kInner][kColumns], c[kRows][kColumns], d[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < kInner; ++k) a[i][k] = (i * 7 + k * 3) % 17 - 8;
  }
  for (int k = 0; k < kInner; ++k) {
    for (int j = 0; j < kColumns; ++j) b[k][j] = (k * 5 + j) % 13 - 6;
  }
#pragma acc parallel loop gang worker vector collapse(2) copyin(a, b) copyout(c)
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < kInner; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
#pragma acc parallel num_gangs(7) num_workers(4) vector_length(64) copyin(a, b) copyout(d)
  {
#pragma acc loop gang
    for (int i = 0; i < kRows; ++i) {
#pragma acc loop worker
      for (int j = 0; j < kColumns; ++j) {
        double sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int k = 0; k < kInner; ++k) sum += a[i][k] * b[k][j];
        d[i][j] = sum;
      }
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < kInner; ++k) sum += a[i][k] * b[k][j];
      equal("c", i * kColumns + j, c[i][j], sum);
      equal("d", i * kColumns + j, d[i][j], sum);
    }
  }
}

static void reductions(void) {
  static int v[kCount];
  for (int i = 0; i < kCount; ++i) v[i] = (int)((unsigned)i * 2654435761u >> 15) - 60000;
  long sum = 5;
  int least = INT_MAX, greatest = INT_MIN, every = 1;
  unsigned parity = 0, any = 0, all = ~0u;
  double half = 0.25;
  float small = 0;
#pragma acc parallel loop copyin(v) reduction(+ : sum, half, small)
  for (int i = 0; i < kCount; ++i) {
    sum += v[i];
    half += 0.5 * v[i];
    small += (float)(v[i] & 15);
  }
#pragma acc parallel loop copyin(v) reduction(min : least) reduction(max : greatest)
  for (int i = 0; i < kCount; ++i) {
    if (v[i] < least) least = v[i];
    if (v[i] > greatest) greatest = v[i];
  }
#pragma acc parallel loop copyin(v) reduction(^ : parity) reduction(| : any) reduction(& : all) \
    reduction(&& : every)
  for (int i = 0; i < kCount; ++i) {
    parity ^= (unsigned)v[i];
    any |= (unsigned)v[i] & 0xff0u;
    all &= (unsigned)v[i] | 0x21u;
    every = every && v[i] != 123456;
  }
  long host_sum = 5;
  int host_least = INT_MAX, host_greatest = INT_MIN;
  unsigned host_parity = 0, host_any = 0, host_all = ~0u;
  double host_half = 0.25, host_small = 0;
  for (int i = 0; i < kCount; ++i) {
    host_sum += v[i];
    host_half += 0.5 * v[i];
    host_small += v[i] & 15;
    if (v[i] < host_least) host_least = v[i];
    if (v[i] > host_greatest) host_greatest = v[i];
    host_parity ^= (unsigned)v[i];
    host_any |= (unsigned)v[i] & 0xff0u;
    host_all &= (unsigned)v[i] | 0x21u;
  }
  equal("sum", 0, sum, host_sum);
  equal("half", 0, half, host_half);
  equal("small", 0, small, host_small);
  equal("least", 0, least, host_least);
  equal("greatest", 0, greatest, host_greatest);
  equal("exclusive or", 0, parity, host_parity);
  equal("or", 0, any, host_any);
  equal("and", 0, all, host_all);
  equal("every", 0, every != 0, 1);
}

#pragma acc routine seq
static int digits(int value) {
  int sum = 0;
  for (; value > 0; value /= 10) sum += value % 10;
  return sum;
}
#pragma acc routine vector
static void add_row(int* row, int count, int what) {
#pragma acc loop vector
  for (int i = 0; i < count; ++i) row[i] += what;
}

static void routines(void) {
  static int y[kCount], table[kRows][100];
  int scratch = -1, scale = 6;
#pragma acc parallel loop copyout(y) private(scratch) firstprivate(scale)
  for (int i = 0; i < kCount; ++i) {
    scratch = digits(i * 7);
    y[i] = scratch * scale;
  }
#pragma acc parallel loop gang copy(table)
  for (int i = 0; i < kRows; ++i) add_row(table[i], 100, i + 1);
  for (int i = 0; i < kCount; ++i) equal("digits", i, y[i], 6 * digits(i * 7));
  for (int i = 0; i < kRows * 100; ++i) equal("rows", i, table[i / 100][i % 100], i / 100 + 1);
  equal("scratch of the host", 0, scratch, -1);
}

static void atomics(void) {
  static int bins[kBins], host_bins[kBins], ticket[kCount], used[kCount];
  static double weights[kBins], host_weights[kBins];
  static float halves[kBins];
  int next = 0;
#pragma acc parallel loop copy(bins, weights, halves, next) copyout(ticket)
  for (int i = 0; i < kCount; ++i) {
    const int k = ((i * 48271) & 0xffff) % kBins;
#pragma acc atomic update
    ++bins[k];
#pragma acc atomic update
    weights[k] += i * 0.5;
#pragma acc atomic update
    halves[k] += 0.5F;
#pragma acc atomic capture
    ticket[i] = next++;
  }
  for (int i = 0; i < kCount; ++i) {
    const int k = ((i * 48271) & 0xffff) % kBins;
    ++host_bins[k];
    host_weights[k] += i * 0.5;
    if (ticket[i] >= 0 && ticket[i] < kCount) ++used[ticket[i]];
  }
  for (int k = 0; k < kBins; ++k) {
    equal("bin", k, bins[k], host_bins[k]);
    equal("weight", k, weights[k], host_weights[k]);
    equal("half", k, halves[k], 0.5 * host_bins[k]);
  }
  equal("tickets", 0, next, kCount);
  for (int i = 0; i < kCount; ++i) equal("ticket", i, used[i], 1);
}

int main(void) {
  vector_add();
  product();
  reductions();
  routines();
  atomics();
  return conclude();
}
