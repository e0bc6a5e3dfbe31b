// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Straight code with a known number of instructions of each kind, for every target. Arguments: in, out, sum. Work-items
// of groups of 64: out[i] = 3 in[i], by a FLAT, a GLOBAL and a buffer load; sum[0] grows by the number of work-items.
// LDS: every lane stores into bank 0, all add to one word, a FLAT load reads it.
.text
.globl counters
.p2align 8
.type counters,@function
counters:
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  v_lshlrev_b32 v1, 2, v0
  v_lshlrev_b32 v2, 7, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32 v3, s3, v1
  ds_write_b32 v2, v0
  v_mov_b32 v4, 0
  v_mov_b32 v5, 1
  ds_add_u32 v4, v5
  v_cvt_f32_u32 v6, v0
  v_add_f32 v7, v6, v6
  v_mul_f32 v7, v7, v6
  v_mul_f32 v7, v7, v6
  v_fma_f32 v7, v7, v6, v6
  v_rcp_f32 v7, v7
  s_waitcnt lgkmcnt(0)
  v_add_co_u32 v8, vcc, s8, v3
  v_mov_b32 v9, s9
  v_addc_co_u32 v9, vcc, 0, v9, vcc
  flat_load_dword v10, v[8:9]
  global_load_dword v11, v3, s[8:9]
  s_mov_b64 s[16:17], src_shared_base
  v_mov_b32 v12, 0
  v_mov_b32 v13, s17
  flat_load_dword v14, v[12:13]
  s_mov_b32 s4, s8
  s_mov_b32 s5, s9
  s_mov_b32 s6, -1
  s_mov_b32 s7, 0x00020000
  buffer_load_dword v15, v3, s[4:7], 0 offen
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v10, v10, v11
  v_add_u32 v10, v10, v15
  global_store_dword v3, v10, s[10:11]
  v_mov_b32 v16, 0
  global_atomic_add v16, v5, s[12:13]
  s_branch .Lon
  s_nop 7
.Lon:
  s_nop 0
  s_endpgm
.Lend:
.size counters, .Lend-counters

.rodata
.p2align 6
.macro descriptor more:vararg
.amdhsa_kernel counters
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 20
  .amdhsa_next_free_sgpr 32
  .amdhsa_group_segment_fixed_size 8192
  \more
.end_amdhsa_kernel
.endm
.if .amdgcn.gfx_generation_minor >= 4 || .amdgcn.gfx_generation_stepping >= 10
  descriptor .amdhsa_accum_offset 20
.else
  descriptor
.endif
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: counters
    .symbol: counters.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 8192
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 20
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 16, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
