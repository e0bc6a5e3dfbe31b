// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One wave whose lanes all load a dword by FLAT, 8 bytes behind a flat address, and store it (gfx908). Arguments: in
// (the address, two dwords), out (64 dwords). Dword 2 of LDS is 0x1202, dword 2 of every lane's scratch 0x3400.
.text
.globl flat_segments
.p2align 8
.type flat_segments,@function
flat_segments:
  s_add_u32 flat_scratch_lo, s2, s5
  s_addc_u32 flat_scratch_hi, s3, 0
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  v_lshlrev_b32 v4, 2, v0
  v_add_u32 v5, 0x1200, v0
  ds_write_b32 v4, v5
  s_mov_b64 s[12:13], src_private_base
  v_mov_b32 v8, 8
  v_mov_b32 v9, s13
  v_mov_b32 v5, 0x3400
  flat_store_dword v[8:9], v5
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_load_dwordx2 s[14:15], s[8:9], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s14
  v_mov_b32 v3, s15
  flat_load_dword v6, v[2:3] offset:8
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v4, v6, s[10:11]
  s_endpgm
.Lend:
.size flat_segments, .Lend-flat_segments

.rodata
.p2align 6
.amdhsa_kernel flat_segments
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_flat_scratch_init 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_private_segment_wavefront_offset 1
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 32
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_private_segment_fixed_size 64
.end_amdhsa_kernel
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: flat_segments
    .symbol: flat_segments.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 64
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 12
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
