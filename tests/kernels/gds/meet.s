// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Work-groups of two waves that share the global data share (gfx900, gfx906, gfx908). Some of the work-items, by a
// hash of their number, append to a list, add their number to a sum and take a number in the order of waves; then
// all waves meet, look at what is there, meet, take it away, meet and look again; last each one adds to a word of
// memory, without atomics, behind a semaphore.
//
// Arguments: out, how many waves there are less one. Words of out: from 0 marks, one for each that appended; from
// 2560 the numbers of those in order; from 5120 four a wave: length, sum, length behind; 5376 the shared word.
//
// prepare, run before by one wave: resource 0 is the barrier, resource 1 a semaphore that lets one in.
.text
.globl meet
.p2align 8
.type meet,@function
meet:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s6, s[0:1], 0x8
  v_readfirstlane_b32 s7, v0
  s_lshr_b32 s7, s7, 6
  s_lshl_b32 s8, s2, 1
  s_add_u32 s8, s8, s7                // number of the wave
  s_lshl_b32 s9, s2, 7
  v_add_u32 v1, s9, v0                // number of the work-item
  s_mov_b64 s[10:11], exec
  s_mov_b32 s12, 0x9e3779b1
  v_mul_lo_u32 v2, v1, s12
  v_lshrrev_b32 v2, 28, v2
  v_cmp_gt_u32 vcc, 10, v2
  s_and_b64 s[18:19], exec, vcc
  s_mov_b64 exec, s[18:19]
  s_waitcnt lgkmcnt(0)

  s_mov_b32 m0, 0x10
  s_nop 0
  ds_append v3 gds
  v_mbcnt_lo_u32_b32 v4, exec_lo, 0
  v_mbcnt_hi_u32_b32 v4, exec_hi, v4
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v3, v4
  v_lshlrev_b32 v5, 2, v5
  v_mov_b32 v6, 0x11
  global_store_dword v5, v6, s[4:5]

  s_mov_b32 m0, 0x1000                // all 4 KiB
  v_mov_b32 v7, 0x20
  ds_add_u32 v7, v1 gds
  s_waitcnt expcnt(0)
  v_mov_b32 v7, 0
  ds_ordered_count v3, v7 offset:0x104 gds
  s_waitcnt expcnt(0) lgkmcnt(0)
  v_add_u32 v5, v3, v4
  v_lshlrev_b32 v5, 2, v5
  s_add_u32 s14, s4, 10240
  s_addc_u32 s15, s5, 0
  global_store_dword v5, v1, s[14:15]
  s_mov_b64 exec, s[10:11]

  v_mov_b32 v8, s6
  s_mov_b32 m0, 0
  s_nop 0
  ds_gws_barrier v8 offset:0 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0x1000
  v_mov_b32 v7, 0x10
  ds_read_b32 v10, v7 gds
  ds_read_b32 v11, v7 offset:16 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0
  s_nop 0
  ds_gws_barrier v8 offset:0 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, s[18:19]
  s_mov_b32 m0, 0x10
  s_nop 0
  ds_consume v3 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, s[10:11]
  s_mov_b32 m0, 0
  s_nop 0
  ds_gws_barrier v8 offset:0 gds
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0x1000
  s_nop 0
  ds_read_b32 v12, v7 gds
  s_waitcnt lgkmcnt(0)

  s_mov_b64 exec, 1
  s_lshl_b32 s16, s8, 4
  s_add_u32 s16, s16, 20480
  v_mov_b32 v9, s16
  global_store_dwordx3 v9, v[10:12], s[4:5]
  s_mov_b32 m0, 0
  s_nop 0
  ds_gws_sema_p offset:1 gds
  s_waitcnt lgkmcnt(0)
  buffer_wbinvl1_vol
  v_mov_b32 v9, 0x5400
  global_load_dword v2, v9, s[4:5] glc
  s_waitcnt vmcnt(0)
  v_add_u32 v2, 1, v2
  global_store_dword v9, v2, s[4:5]
  s_waitcnt vmcnt(0)
  ds_gws_sema_v offset:1 gds
  s_endpgm

.globl prepare
.p2align 8
.type prepare,@function
prepare:
  s_load_dword s6, s[0:1], 0x8
  s_mov_b32 m0, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s6
  ds_gws_init v1 offset:0 gds
  ds_gws_sema_v offset:1 gds
  s_endpgm

.macro descriptor name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
.text
.endm
descriptor meet
descriptor prepare

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: meet
    .symbol: meet.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 4, .offset: 8, .value_kind: by_value}
  - .name: prepare
    .symbol: prepare.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 4, .offset: 8, .value_kind: by_value}
...
.end_amdgpu_metadata
