// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Instructions that retire without having done anything (gfx908): skipped ones, and hints. Argument: out.
// Work-item n stores 7 to out[n]; what is skipped would have made it 9.
.text
.globl skipped
.p2align 8
.type skipped,@function
skipped:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v2, 2, v0
  v_mov_b32 v1, 7
  s_mov_b32 s6, 1
  s_mov_b32 s7, 0
  s_setvskip s6, s7
  s_nop 4
  v_mov_b32 v1, 9
  v_cmp_eq_u32 vcc, v1, v1
  ds_write_b32 v2, v1
  global_store_dword v2, v1, s[4:5]
  s_setvskip s7, s7
  s_nop 4
  ds_nop
  s_dcache_discard s[4:5], 0x0
  s_atc_probe 0, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[4:5]
  s_endpgm

.rodata
.p2align 6
.amdhsa_kernel skipped
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
  - .name: skipped
    .symbol: skipped.kd
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
