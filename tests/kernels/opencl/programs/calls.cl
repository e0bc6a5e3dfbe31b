// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Functions that are really called (s_getpc, s_swappc, s_setpc): arguments and results in registers and on the
// stack, structures by value and by hidden pointer, private arrays passed on, callee-saved registers, calls in
// divergent loops, and a chain of calls five deep. No recursion.
#define CALL __attribute__((noinline))

typedef struct {
  int a;
  long b;
  short c[5];
} Record;

CALL static uint mix(uint h, uint x) {
  h ^= x * 0xcc9e2d51u;
  return rotate(h, 13u) * 5u + 0xe6546b64u;
}

CALL static ulong many(uint a, uint b, uint c, uint d, ulong e, uchar f, short g, uint8 h, uint16 i, int j, uint k) {
  // 36 registers of arguments: the last ones travel on the stack.
  return (ulong)(a + 2 * b) * (c + 3 * d) + e + f * 5u + (long)g + h.s0 + h.s7 * 7u + i.s0 * 11u + i.sf * 13u +
         (long)j * k;
}

CALL static Record make_record(int a, long b) {
  Record r;
  r.a = a;
  r.b = b;
  for (int i = 0; i < 5; ++i) r.c[i] = (short)(a * (i + 1) + (int)b);
  return r;
}

CALL static long fold_record(Record r, int start) {
  long sum = r.a * 3 + r.b;
  for (int i = 0; i < 5; ++i) sum = sum * 31 + r.c[(i + start) % 5];
  return sum;
}

CALL static void sort_private(int* values, int n) {
  for (int i = 1; i < n; ++i) {
    const int v = values[i];
    int j = i;
    for (; j > 0 && values[j - 1] > v; --j) values[j] = values[j - 1];
    values[j] = v;
  }
}

CALL static int median(__global const int* in, uint id, uint count, int n) {
  int window[16];
  for (int i = 0; i < n; ++i) window[i] = in[(id * 3 + i * 5) % count];
  sort_private(window, n);
  return window[n / 2];
}

CALL static uint deep5(uint x, __local uint* shared) {
  return mix(x, shared[x & 63]) + 1;
}
CALL static uint deep4(uint x, __local uint* shared) {
  const uint kept = x * 9;
  return deep5(x ^ 0x55u, shared) + kept;
}
CALL static uint deep3(uint x, __local uint* shared) {
  const uint kept = mix(x, 3);
  return deep4(x + 7, shared) ^ kept;
}
CALL static uint deep2(uint x, __local uint* shared) {
  uint sum = 0;
  for (uint i = 0; i < (x & 3); ++i) sum += deep3(x + i, shared);
  return sum;
}
CALL static uint deep1(uint x, __local uint* shared) {
  return deep2(x, shared) * 3 + deep3(x, shared);
}

CALL static double horner(const double* coefficients, int n, double x) {
  double y = coefficients[0];
  for (int i = 1; i < n; ++i) y = fma(y, x, coefficients[i]);
  return y;
}

// A barrier inside a called function: every work-item of the group comes here.
CALL static uint group_total(uint x, __local uint* shared) {
  const uint lane = get_local_id(0);
  shared[lane] = x;
  for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride) shared[lane] += shared[lane + stride];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[0];
}

__attribute__((reqd_work_group_size(128, 1, 1))) __kernel void calls(__global const int* in, __global uint* hashes,
                                                                     __global long* longs, __global int* medians,
                                                                     __global double* values) {
  __local uint shared[128];
  const uint id = get_global_id(0), count = get_global_size(0);
  const int x = in[id];

  uint h = id;
  for (int i = 0; i < (x & 15); ++i) h = mix(h, in[(id + i) % count]);
  hashes[id] = h;

  const uint8 v8 = (uint8)(h, 1, 2, 3, 4, 5, 6, x);
  const uint16 v16 = (uint16)(v8, v8 + 9u);
  longs[id] = (long)many(h, x, id, 77, (ulong)h << 33, (uchar)x, (short)x, v8, v16, x, id + 5);
  longs[count + id] = fold_record(make_record(x, (long)h - id), id % 5);
  medians[id] = median(in, id, count, 5 + (x & 7));

  const double coefficients[4] = {0.125, -x / 1024.0, 3.0, id};
  values[id] = x & 2 ? horner(coefficients, 4, h / 4294967296.0) : -1.0;

  const uint total = group_total(h & 0xffff, shared);
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[get_local_id(0)] = h;
  barrier(CLK_LOCAL_MEM_FENCE);
  hashes[count + id] = total + deep1(h, shared);
}
