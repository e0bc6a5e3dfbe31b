// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Hazards of registers relative to M0, and none of instructions that VSKIP skips. Kernel argument: 0x0 in.
.text
.globl hazards_relative
.p2align 8
.type hazards_relative,@function
hazards_relative:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v0, 0
  s_mov_b32 s20, 1
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  v_mov_b32 v4, v0                      // reads v1: W001
  v_mov_b32 v5, v1                      // reads v2
  s_set_gpr_idx_off
  s_waitcnt vmcnt(0)
  s_mov_b32 m0, 2
  s_load_dword s10, s[4:5], 0x0
  s_nop 0
  s_movrels_b32 s12, s10                // reads s12
  s_movrels_b32 s14, s8                 // reads s10: H163
  s_waitcnt lgkmcnt(0)
  s_setvskip -1, 0
  v_readfirstlane_b32 s16, v0           // skipped
  global_load_dword v7, v0, s[4:5]      // skipped
  s_setvskip 0, 0
  v_readlane_b32 s17, v0, s16           // no H017
  v_mov_b32 v8, v7                      // no W001
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel hazards_relative
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: hazards_relative
    .symbol: hazards_relative.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 64
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
