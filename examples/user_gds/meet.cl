// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waves of different work-groups, one each, meet at a barrier of global wave sync (resource 0) and
// then add to a sum one after the other, behind a semaphore (resource 1). `last`: waves less one.
#define LOAD(p) __opencl_atomic_load((volatile __global atomic_uint*)(p), memory_order_acquire, memory_scope_device)
#define STORE(p, x) \
  __opencl_atomic_store((volatile __global atomic_uint*)(p), x, memory_order_release, memory_scope_device)
// What this wave has stored is there for others before it goes on.
#define DONE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device)

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void prepare(uint last) {
  __builtin_amdgcn_ds_gws_init(last, 0);
  __builtin_amdgcn_ds_gws_init(1, 1);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void meet(__global uint* there, __global uint* seen, __global uint* sum, uint last) {
  const uint wave = __builtin_amdgcn_workgroup_id_x();
  const bool first = __builtin_amdgcn_workitem_id_x() == 0;
  if (first) STORE(there + wave, wave + 1);
  DONE();
  __builtin_amdgcn_ds_gws_barrier(last, 0);
  if (first) seen[wave] = LOAD(there + (last - wave));
  __builtin_amdgcn_ds_gws_sema_p(1);
  if (first) STORE(sum, LOAD(sum) + wave);
  DONE();
  __builtin_amdgcn_ds_gws_sema_v(1);
}
