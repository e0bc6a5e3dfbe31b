// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Counters that hold fewer than are under way: the oldest is back without an S_WAITCNT. Kernel arguments: 0x0 in, 0x8 out.
.text
.globl full_counters
.p2align 8
.type full_counters,@function
full_counters:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v1, 7
  ds_write_b32 v0, v1
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v0
.rept 15
  ds_read_b32 v3, v0
.endr
  v_add_u32 v4, v2, v2                  // of 16, LGKM_CNT holds 15
  global_load_dword v5, v0, s[4:5]
.rept 63
  global_store_dword v0, v4, s[6:7]
.endr
  v_add_u32 v6, v5, v4                  // of 64, VM_CNT holds 63
  global_store_dword v0, v6, s[6:7]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel full_counters
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: full_counters
    .symbol: full_counters.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 64
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
