// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Accesses of instructions that do more than load or store registers (gfx908): a sampled image, a load to LDS
// and a store from it. One wave; arguments: in, out. in holds 64 floats n, as an image of 8 x 4 texels with a
// pitch of 16. Work-item n samples between texels x - 1 and x of row y (x = n % 8, y = n / 8 % 4), adds in[n] by
// way of LDS and stores the sum to out[n], and by way of LDS to out[64 + n].
.text
.globl transfers
.p2align 8
.type transfers,@function
transfers:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v1, 7, v0
  v_bfe_u32 v2, v0, 3, 2
  v_cvt_f32_u32 v4, v1
  v_cvt_f32_u32 v5, v2
  v_mul_f32 v4, 0.5, v4
  v_mul_f32 v4, 0x3e800000, v4  // x / 8
  v_add_f32 v5, 0.5, v5
  v_mul_f32 v5, 0x3e800000, v5  // (y + 1/2) / 4
  v_lshlrev_b32 v2, 2, v0
  s_waitcnt lgkmcnt(0)
  // T# (MI100 ISA table 45): 32-bit floats, 2D
  s_lshr_b64 s[16:17], s[4:5], 8
  s_or_b32 s17, s17, 0x1c400000
  s_mov_b32 s18, 7 | 3 << 14
  s_mov_b32 s19, 0x90000fac
  s_mov_b32 s20, 15 << 13
  s_mov_b32 s21, 0
  s_mov_b32 s22, 0
  s_mov_b32 s23, 0
  // S# (MI100 ISA table 46): last texel, bilinear
  s_mov_b32 s24, 0x1092
  s_mov_b32 s25, 0xf00000
  s_mov_b32 s26, 1 << 20 | 1 << 22 | 1 << 26
  s_mov_b32 s27, 0
  image_sample v1, v[4:5], s[16:23], s[24:27] dmask:0x1
  // a buffer of 256 bytes
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x27fac
  s_mov_b32 m0, 0
  buffer_load_dword v2, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  v_add_f32 v1, v1, v3
  global_store_dword v2, v1, s[6:7]
  ds_write_b32 v2, v1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  // a structure of 4 bytes for every work-item
  s_add_u32 s8, s6, 256
  s_addc_u32 s9, s7, 0
  s_or_b32 s9, s9, 4 << 16
  s_mov_b32 s10, 64
  s_mov_b32 s11, 1 << 23
  buffer_store_lds_dword s[8:11], 0 lds
  s_waitcnt vmcnt(0)
  s_endpgm

.rodata
.p2align 6
.amdhsa_kernel transfers
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
  - .name: transfers
    .symbol: transfers.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
