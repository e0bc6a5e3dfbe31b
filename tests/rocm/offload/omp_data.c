// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// OpenMP: what a device sees and gives back by map clauses, regions of data, updates, functions and
// variables of the device, memory of the device by pointer, asynchronous regions with dependences.
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

enum { kCount = 500 };

static void directions(void) {
  static int in[kCount], out[kCount], both[kCount], only_device[kCount];
  for (int i = 0; i < kCount; ++i) {
    in[i] = i;
    out[i] = -1;
    both[i] = 2 * i;
    only_device[i] = 77;
  }
#pragma omp target data map(to : in) map(from : out) map(tofrom : both) map(alloc : only_device)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < kCount; ++i) {
      only_device[i] = in[i] + 5;
      both[i] += in[i];
      in[i] = 1000;
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < kCount; ++i) out[i] = only_device[i] * 2 + in[i];
    equal("not yet copied", 0, out[0], -1);
  }
  for (int i = 0; i < kCount; ++i) {
    equal("to", i, in[i], i);
    equal("from", i, out[i], 2 * (i + 5) + 1000);
    equal("tofrom", i, both[i], 3 * i);
    equal("alloc", i, only_device[i], 77);
  }
}

static void updates(void) {
  int* y = malloc(kCount * sizeof *y);
  for (int i = 0; i < kCount; ++i) y[i] = i;
#pragma omp target enter data map(to : y[0 : kCount])
  for (int i = 0; i < kCount; ++i) y[i] = 10 * i;
#pragma omp target update to(y[100 : 200])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kCount; ++i) y[i] += 1;
  for (int i = 0; i < kCount; ++i) equal("before the update", i, y[i], 10 * i);
#pragma omp target update from(y[50 : 300])
  for (int i = 0; i < kCount; ++i) {
    const int device = (i >= 100 && i < 300 ? 10 * i : i) + 1;
    equal("update", i, y[i], i >= 50 && i < 350 ? device : 10 * i);
  }
#pragma omp target exit data map(from : y[0 : kCount])
  for (int i = 0; i < kCount; ++i) equal("exit", i, y[i], (i >= 100 && i < 300 ? 10 * i : i) + 1);
  free(y);
}

#pragma omp declare target
int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int calls;
static int look_up(int i) {
  return table[i % 8] * 100 + i;
}
#pragma omp end declare target

static void declared(void) {
  static int y[kCount];
#pragma omp target map(from : y)
  {
    for (int i = 0; i < kCount; ++i) y[i] = look_up(i);
    calls = kCount;
  }
  static const int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  for (int i = 0; i < kCount; ++i) equal("declared", i, y[i], kTable[i % 8] * 100 + i);
  equal("calls of the host", 0, calls, 0);
#pragma omp target update from(calls)
  equal("calls of the device", 0, calls, kCount);
  table[2] = 7;
#pragma omp target update to(table)
#pragma omp target map(from : y)
  for (int i = 0; i < kCount; ++i) y[i] = look_up(i);
  for (int i = 0; i < kCount; ++i)
    equal("updated", i, y[i], (i % 8 == 2 ? 7 : kTable[i % 8]) * 100 + i);
}

static void pointers(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  long in[kCount], out[kCount];
  for (int i = 0; i < kCount; ++i) in[i] = 1L << (i % 60);
  long* p = omp_target_alloc(sizeof in, device);
  equal("allocated", 0, p != NULL, 1);
  if (p == NULL) return;
  equal("copied to", 0, omp_target_memcpy(p, in, sizeof in, 0, 0, device, host), 0);
#pragma omp target teams distribute parallel for is_device_ptr(p)
  for (int i = 0; i < kCount; ++i) p[i] = ~p[i];
  equal("copied from", 0, omp_target_memcpy(out, p, sizeof out, 0, 0, host, device), 0);
  for (int i = 0; i < kCount; ++i) equal("pointer", i, out[i] == ~in[i], 1);
  omp_target_free(p, device);
}

struct Record {
  int key;
  double weight[3];
  char name[5];
};
static void records(void) {
  static struct Record r[40];
  for (int i = 0; i < 40; ++i) {
    r[i].key = i;
    memcpy(r[i].name, "abcd", 5);
    for (int k = 0; k < 3; ++k) r[i].weight[k] = i + k * 0.5;
  }
#pragma omp target teams distribute parallel for map(tofrom : r)
  for (int i = 0; i < 40; ++i) {
    r[i].weight[1] += r[i].weight[0] * r[i].weight[2];
    r[i].name[i % 4] = (char)('A' + i % 26);
  }
  for (int i = 0; i < 40; ++i) {
    equal("record", i, r[i].weight[1], i + 0.5 + (double)i * (i + 1));
    for (int k = 0; k < 4; ++k)
      equal("name", i * 4 + k, r[i].name[k], k == i % 4 ? 'A' + i % 26 : 'a' + k);
  }
}

static void tasks(void) {
  static int y[kCount], z[kCount];
  for (int i = 0; i < kCount; ++i) y[i] = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp target teams distribute parallel for nowait depend(out : y) map(tofrom : y)
    for (int i = 0; i < kCount; ++i) y[i] *= 2;
#pragma omp target teams distribute parallel for nowait depend(in : y) depend(out : z) map(to : y) \
    map(from : z)
    for (int i = 0; i < kCount; ++i) z[i] = y[i] + 3;
#pragma omp taskwait
  }
  for (int i = 0; i < kCount; ++i) equal("task", i, z[i], 2 * i + 3);
}

int main(void) {
  directions();
  updates();
  declared();
  pointers();
  records();
  tasks();
  return conclude();
}
