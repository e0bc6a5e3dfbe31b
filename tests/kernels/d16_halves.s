// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Loads of vector memory and of LDS that fill the two halves of one register and are under way together, in both orders
// of issue. Kernel arguments: 0x0 in, 0x8 out.
.text
.globl d16_halves
.p2align 8
.type d16_halves,@function
d16_halves:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, 0x2000, v0
  ds_write_b32 v1, v2
  v_mov_b32 v4, 0xdeadbeef
  v_mov_b32 v5, 0xdeadbeef
  s_waitcnt lgkmcnt(0)
  global_load_short_d16 v4, v1, s[4:5]
  ds_read_u16_d16_hi v4, v1             // back before it
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_u16_d16 v5, v1
  global_load_short_d16_hi v5, v1, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v4, s[6:7]
  global_store_dword v1, v5, s[6:7] offset:256
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel d16_halves
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: d16_halves
    .symbol: d16_halves.kd
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
