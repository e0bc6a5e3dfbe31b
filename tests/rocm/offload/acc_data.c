// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// OpenACC: clauses and regions of data, updates, presence, variables of the device, asynchronous
// queues, memory of the device by pointer.
#include <openacc.h>
#include <stdlib.h>

#include "count.h"

enum { kCount = 600 };

static void clauses(void) {
  static int in[kCount], out[kCount], both[kCount], only_device[kCount];
  for (int i = 0; i < kCount; ++i) {
    in[i] = i;
    out[i] = -1;
    both[i] = 2 * i;
    only_device[i] = 77;
  }
#pragma acc data copyin(in) copyout(out) copy(both) create(only_device)
  {
    equal("present", 0, acc_is_present(only_device, sizeof only_device) != 0, 1);
#pragma acc parallel loop present(in, both, only_device)
    for (int i = 0; i < kCount; ++i) {
      only_device[i] = in[i] + 5;
      both[i] += in[i];
    }
#pragma acc kernels loop independent
    for (int i = 0; i < kCount; ++i) out[i] = only_device[i] * 2;
    equal("not yet copied", 0, out[0], -1);
  }
  equal("gone", 0, acc_is_present(only_device, sizeof only_device) != 0, 0);
  for (int i = 0; i < kCount; ++i) {
    equal("copyin", i, in[i], i);
    equal("copyout", i, out[i], 2 * (i + 5));
    equal("copy", i, both[i], 3 * i);
    equal("create", i, only_device[i], 77);
  }
}

static void updates(void) {
  int* y = malloc(kCount * sizeof *y);
  for (int i = 0; i < kCount; ++i) y[i] = i;
#pragma acc enter data copyin(y[0 : kCount])
  for (int i = 0; i < kCount; ++i) y[i] = 10 * i;
#pragma acc update device(y[100 : 200])
#pragma acc parallel loop present(y[0 : kCount])
  for (int i = 0; i < kCount; ++i) y[i] += 1;
#pragma acc update self(y[50 : 300])
  for (int i = 0; i < kCount; ++i) {
    const int device = (i >= 100 && i < 300 ? 10 * i : i) + 1;
    equal("update", i, y[i], i >= 50 && i < 350 ? device : 10 * i);
  }
#pragma acc exit data copyout(y[0 : kCount])
  for (int i = 0; i < kCount; ++i) equal("exit", i, y[i], (i >= 100 && i < 300 ? 10 * i : i) + 1);
  free(y);
}

int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
#pragma acc declare copyin(table)

static void declared(void) {
  static int y[kCount];
  static const int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
#pragma acc parallel loop copyout(y)
  for (int i = 0; i < kCount; ++i) y[i] = table[i % 8];
  for (int i = 0; i < kCount; ++i) equal("declared", i, y[i], kTable[i % 8]);
  table[2] = 7;
  // GCC 12 compiles the directive for a declared variable to a call with nothing to update.
  acc_update_device(table, sizeof table);
#pragma acc parallel loop copyout(y)
  for (int i = 0; i < kCount; ++i) y[i] = table[i % 8];
  for (int i = 0; i < kCount; ++i) equal("updated", i, y[i], i % 8 == 2 ? 7 : kTable[i % 8]);
}

/// Two queues; the second region of a queue waits for its first, the third queue for both.
static void queues(void) {
  static int a[kCount], b[kCount], sum[kCount];
#pragma acc enter data create(a, b, sum)
#pragma acc parallel loop async(1) present(a)
  for (int i = 0; i < kCount; ++i) a[i] = i;
#pragma acc parallel loop async(2) present(b)
  for (int i = 0; i < kCount; ++i) b[i] = 7 * i;
#pragma acc parallel loop async(1) present(a)
  for (int i = 0; i < kCount; ++i) a[i] *= 3;
#pragma acc parallel loop async(3) wait(1, 2) present(a, b, sum)
  for (int i = 0; i < kCount; ++i) sum[i] = a[i] + b[i];
#pragma acc update self(sum) async(3)
#pragma acc wait(3)
  equal("queues done", 0, acc_async_test_all() != 0, 1);
  for (int i = 0; i < kCount; ++i) equal("queue", i, sum[i], 10 * i);
#pragma acc exit data delete (a, b, sum)
}

static void pointers(void) {
  long in[kCount], out[kCount];
  for (int i = 0; i < kCount; ++i) in[i] = 1L << (i % 60);
  long* p = acc_malloc(sizeof in);
  equal("allocated", 0, p != NULL, 1);
  if (p == NULL) return;
  acc_memcpy_to_device(p, in, sizeof in);
#pragma acc parallel loop deviceptr(p)
  for (int i = 0; i < kCount; ++i) p[i] = ~p[i];
  acc_memcpy_from_device(out, p, sizeof out);
  for (int i = 0; i < kCount; ++i) equal("pointer", i, out[i] == ~in[i], 1);
  acc_free(p);
}

int main(void) {
  equal("devices", 0, acc_get_num_devices(acc_device_radeon), 1);
  clauses();
  updates();
  declared();
  queues();
  pointers();
  return conclude();
}
