// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Atomic operations of OpenCL C 1.x and 2.0 at work-group, device and system scope, on 32 and 64 bits, in group
// and global memory; a spin lock, an append counter and a queue between producers and consumers in one group.
// Every result is independent of the order of work-items.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

enum { kAdd, kSub, kXor, kOr, kAnd, kMin, kMax, kUmin, kUmax, kInc, kDec, kWords };

// words: kWords 32-bit results; longs: the same in 64 bits. Both start at values the host chose.
__kernel void atomics(__global const int* in, volatile __global int* words, volatile __global long* longs,
                      volatile __global int* group_words, volatile __global uint* appended,
                      volatile __global uint* count, volatile __global uint* locked, volatile __global uint* lock,
                      __global uint* permutation) {
  __local int local_words[kWords];
  const uint id = get_global_id(0), lane = get_local_id(0);
  const int x = in[id];
  if (lane < kWords) local_words[lane] = lane == kMin || lane == kUmin ? INT_MAX : lane == kAnd ? -1 : 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  atomic_add(words + kAdd, x);
  atomic_sub(words + kSub, x);
  atomic_xor(words + kXor, x);
  atomic_or(words + kOr, x & 0x10101 << (id & 7));
  atomic_and(words + kAnd, ~(1 << (x & 31)));
  atomic_min(words + kMin, x);
  atomic_max(words + kMax, x);
  atomic_min((volatile __global uint*)words + kUmin, (uint)x);
  atomic_max((volatile __global uint*)words + kUmax, (uint)x);
  atomic_inc(words + kInc);
  atomic_dec(words + kDec);

  const long wide = (long)x * 0x100000001l;
  atom_add(longs + kAdd, wide);
  atom_sub(longs + kSub, wide);
  atom_xor(longs + kXor, wide);
  atom_or(longs + kOr, wide & 0x1010101010101l << (id & 7));
  atom_and(longs + kAnd, ~(1l << (x & 63)));
  atom_min(longs + kMin, wide);
  atom_max(longs + kMax, wide);
  atom_min((volatile __global ulong*)longs + kUmin, (ulong)wide);
  atom_max((volatile __global ulong*)longs + kUmax, (ulong)wide);
  atom_inc(longs + kInc);
  atom_dec(longs + kDec);

  atomic_add(local_words + kAdd, x);
  atomic_sub(local_words + kSub, x);
  atomic_xor(local_words + kXor, x);
  atomic_or(local_words + kOr, x & 0x10101 << (id & 7));
  atomic_and(local_words + kAnd, ~(1 << (x & 31)));
  atomic_min(local_words + kMin, x);
  atomic_max(local_words + kMax, x);
  atomic_min((__local uint*)local_words + kUmin, (uint)x & 0x7fffffff);
  atomic_max((__local uint*)local_words + kUmax, (uint)x);
  atomic_inc(local_words + kInc);
  atomic_dec(local_words + kDec);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < kWords) atomic_add(group_words + lane, local_words[lane]);

  // Odd elements are appended; the host sorts what it finds.
  if (x & 1) appended[atomic_inc(count)] = (uint)x;

  // A compare-and-swap loop: locked[0] becomes a hash that only a lost update could spoil.
  uint old = locked[0], seen;
  for (;;) {
    seen = atomic_cmpxchg(locked, old, old + (uint)x * 3u + 1u);
    if (seen == old) break;
    old = seen;
  }

  // A spin lock with acquire and release, one work-item of each wavefront at a time.
  if (lane % 64 == 0) {
    volatile __global atomic_uint* mutex = (volatile __global atomic_uint*)lock;
    uint free = 0;
    while (!atomic_compare_exchange_strong_explicit(mutex, &free, 1u, memory_order_acquire,
                                                    memory_order_relaxed, memory_scope_device)) {
      free = 0;
    }
    locked[1] = locked[1] + 5;
    locked[2] = locked[2] ^ (uint)x;
    atomic_store_explicit(mutex, 0u, memory_order_release, memory_scope_device);
  }

  // Exchange hands every value on: all of them and the first one are there afterwards.
  permutation[id] = atomic_xchg(locked + 3, id + 1);
}

// What was left in no particular order, put in one: appended values at their rank, a mark per exchanged value.
__kernel void settle(__global const uint* appended, __global const uint* count, __global const uint* permutation,
                     __global uint* locked, __global uint* sorted, volatile __global uint* marks) {
  const uint id = get_global_id(0);
  atomic_inc(marks + permutation[id]);
  if (id == 0) {
    atomic_inc(marks + locked[3]);
    locked[3] = 0;  // whose turn was last is nobody's business
  }
  if (id >= *count) return;
  uint rank = 0;
  for (uint i = 0; i < *count; ++i) {
    rank += appended[i] < appended[id] || (appended[i] == appended[id] && i < id);
  }
  sorted[rank] = appended[id];
}

// Additions of floating-point numbers that are exact in every order: by an instruction where the target has
// one, by compare-and-swap elsewhere.
__kernel void float_atomics(__global const float* in, volatile __global float* sums, volatile __global double* wide) {
  __local float group_sum;
  const uint id = get_global_id(0);
  if (get_local_id(0) == 0) group_sum = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  __opencl_atomic_fetch_add((volatile __local atomic_float*)&group_sum, in[id], memory_order_relaxed,
                            memory_scope_work_group);
  __opencl_atomic_fetch_add((volatile __global atomic_float*)sums + id % 5, in[id] * 0.5f, memory_order_relaxed,
                            memory_scope_device);
  __opencl_atomic_fetch_add((volatile __global atomic_double*)wide + id % 3, in[id] * 0.25, memory_order_relaxed,
                            memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    __opencl_atomic_fetch_add((volatile __global atomic_float*)sums + 5, group_sum, memory_order_relaxed,
                              memory_scope_device);
  }
}

// Wavefront 0 produces, the others consume through a ring in group memory.
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void ring(__global const uint* in, __global uint* out,
                                                                    uint items) {
  __local uint slots[16];
  __local atomic_uint head, tail, taken;
  const uint lane = get_local_id(0);
  if (lane == 0) {
    atomic_init(&head, 0);
    atomic_init(&tail, 0);
    atomic_init(&taken, 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) {
    for (uint i = 0; i < items; ++i) {
      while (i - atomic_load_explicit(&taken, memory_order_acquire, memory_scope_work_group) >= 16) {
      }
      slots[i % 16] = in[i] * 7u + 3u;
      atomic_store_explicit(&head, i + 1, memory_order_release, memory_scope_work_group);
    }
  } else if (lane % 64 == 0) {
    for (;;) {
      const uint mine = atomic_fetch_add_explicit(&tail, 1u, memory_order_relaxed, memory_scope_work_group);
      if (mine >= items) break;
      while (atomic_load_explicit(&head, memory_order_acquire, memory_scope_work_group) <= mine) {
      }
      out[mine] = slots[mine % 16];
      // In order, so that a slot is free when its predecessor is.
      while (atomic_load_explicit(&taken, memory_order_acquire, memory_scope_work_group) != mine) {
      }
      atomic_store_explicit(&taken, mine + 1, memory_order_release, memory_scope_work_group);
    }
  }
}
