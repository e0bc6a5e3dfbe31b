// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waves that wait for each other (gfx908): the first of two work-groups waits at a semaphore for the second one, both take
// numbers from an ordered count. Argument: out. Work-item n stores n to out[n].
.text
.globl sync
.p2align 8
.type sync,@function
sync:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshl_add_u32 v1, s2, 6, v0
  v_lshlrev_b32 v2, 2, v1
  s_mov_b32 m0, 0
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 second
  ds_gws_sema_p gds
  s_branch both
second:
  ds_gws_sema_v gds
both:
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, 1
  // counter 0, once for a wave, that releases the next one
  ds_ordered_count v4, v3 offset:0x100 gds
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[4:5]
  s_endpgm

.rodata
.p2align 6
.amdhsa_kernel sync
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 32
  .amdhsa_group_segment_fixed_size 256
.end_amdhsa_kernel
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: sync
    .symbol: sync.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
