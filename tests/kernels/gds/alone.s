// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One wave: accesses whose cycles are counted (alone), waits that nobody ends (stuck), and room for instructions
// that a test puts in place of the S_NOPs (room). Argument: out.
.text
.globl alone
.p2align 8
.type alone,@function
alone:
  s_mov_b32 m0, 0x1000
  v_lshlrev_b32 v4, 4, v0
  v_mov_b32 v5, 1
  s_branch line
.p2align 6
line:
  s_nop 7
  ds_add_u32 v4, v5 gds
  s_waitcnt expcnt(0)
  s_waitcnt lgkmcnt(0)
  ds_write_b128 v4, v[0:3] gds
  s_waitcnt expcnt(0)
  s_waitcnt lgkmcnt(0)
  s_endpgm

// Wave 0 waits at a semaphore, the others for wave 0.
.globl stuck
.p2align 8
.type stuck,@function
stuck:
  s_mov_b32 m0, 0
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 later
  ds_gws_sema_p offset:7 gds
  s_waitcnt lgkmcnt(0)
later:
  v_mov_b32 v1, 0
  ds_ordered_count v2, v1 offset:0x100 gds
  s_waitcnt lgkmcnt(0)
  s_endpgm

// Bytes behind those that M0 gives.
.globl beyond
.p2align 8
.type beyond,@function
beyond:
  s_mov_b32 m0, 0x40
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0 gds
  s_waitcnt lgkmcnt(0)
  s_endpgm

.globl room
.p2align 8
.type room,@function
room:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  .rept 24000
  s_nop 15
  .endr
  s_endpgm

.macro descriptor name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
.text
.endm
descriptor alone
descriptor stuck
descriptor beyond
descriptor room

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: alone
    .symbol: alone.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: stuck
    .symbol: stuck.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: beyond
    .symbol: beyond.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
  - .name: room
    .symbol: room.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
