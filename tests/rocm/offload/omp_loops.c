// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// OpenMP: loops divided among teams and threads in several ways, private copies, a matrix product,
// a parallel region inside of sequential code of the device.
#include <omp.h>
#include <stdlib.h>

#include "count.h"

enum { kCount = 3000, kRows = 24, kColumns = 20, kInner = 33 };

static void whole_construct(void) {
  int on_host = 1;
  int* y = malloc(kCount * sizeof *y);
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  equal("on host", 0, on_host, 0);
#pragma omp target teams distribute parallel for map(from : y[0 : kCount])
  for (int i = 0; i < kCount; ++i) y[i] = 3 * i + 1;
  for (int i = 0; i < kCount; ++i) equal("y", i, y[i], 3 * i + 1);
  free(y);
}

static void schedules(void) {
  static int by_one[kCount], dynamic[kCount], chunks[kCount];
#pragma omp target teams distribute parallel for schedule(static, 1) num_teams(3) \
    thread_limit(128) map(from : by_one)
  for (int i = 0; i < kCount; ++i) by_one[i] = i ^ 21;
#pragma omp target teams distribute parallel for schedule(dynamic, 7) num_teams(2) \
    map(from : dynamic)
  for (int i = 0; i < kCount; ++i) dynamic[i] = i * 5;
#pragma omp target teams distribute parallel for dist_schedule(static, 64) num_teams(5) \
    map(from : chunks)
  for (int i = 0; i < kCount; ++i) chunks[i] = kCount - i;
  for (int i = 0; i < kCount; ++i) {
    equal("by one", i, by_one[i], i ^ 21);
    equal("dynamic", i, dynamic[i], i * 5);
    equal("chunks", i, chunks[i], kCount - i);
  }
}

static void product(void) {
  static double a[kRows][kInner], b[kInner][kColumns], c[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < kInner; ++k) a[i][k] = (i * 7 + k * 3) % 17 - 8;
  }
  for (int k = 0; k < kInner; ++k) {
    for (int j = 0; j < kColumns; ++j) b[k][j] = (k * 5 + j) % 13 - 6;
  }
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < kInner; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < kInner; ++k) sum += a[i][k] * b[k][j];
      equal("c", i * kColumns + j, c[i][j], sum);
    }
  }
}

static void copies_of_variables(void) {
  static int y[kCount];
  int scale = 4, scratch = -1, last = -1;
#pragma omp target teams distribute parallel for firstprivate(scale) private(scratch) map(from : y)
  for (int i = 0; i < kCount; ++i) {
    scratch = i * scale;
    y[i] = scratch + 1;
  }
#pragma omp target parallel for lastprivate(last) map(from : last) num_threads(64)
  for (int i = 0; i < 777; ++i) last = i;
  for (int i = 0; i < kCount; ++i) equal("private", i, y[i], 4 * i + 1);
  equal("scratch of the host", 0, scratch, -1);
  equal("last", 0, last, 776);
}

/// Each team has sequential parts between two parallel ones, which see what the first thread has
/// stored.
static void sequential_parts(void) {
  enum { kTeams = 4, kThreads = 64 };
  static int team[kTeams][kThreads], sums[kTeams], teams;
#pragma omp target teams num_teams(kTeams) thread_limit(kThreads) map(from : team, sums, teams)
  {
    const int mine = omp_get_team_num();
    int offset = 10 * (mine + 1);
    if (mine == 0) teams = omp_get_num_teams();
#pragma omp parallel for num_threads(kThreads)
    for (int i = 0; i < kThreads; ++i) team[mine][i] = offset + i;
    int sum = 0;
    for (int i = 0; i < kThreads; ++i) sum += team[mine][i];
    offset = sum;
#pragma omp parallel for num_threads(kThreads)
    for (int i = 0; i < kThreads; ++i) team[mine][i] += offset;
    sums[mine] = sum;
  }
  equal("teams", 0, teams, kTeams);
  for (int t = 0; t < kTeams; ++t) {
    const int sum = 10 * (t + 1) * kThreads + kThreads * (kThreads - 1) / 2;
    equal("sum of a team", t, sums[t], sum);
    for (int i = 0; i < kThreads; ++i)
      equal("team", t * kThreads + i, team[t][i], 10 * (t + 1) + i + sum);
  }
}

int main(void) {
  whole_construct();
  schedules();
  product();
  copies_of_variables();
  sequential_parts();
  return conclude();
}
