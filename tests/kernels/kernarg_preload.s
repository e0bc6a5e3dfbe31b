// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Six dwords of the kernel arguments from byte 8 on are in s[2:7], the work-group number in s8 (LLVM AMDGPUUsage,
// "Preloaded Kernel Arguments"). A packet processor that preloads starts behind the first 256 bytes, which end the wave.
// Kernel arguments: 0x0 out, 0x8 u32, 0xc s16, 0xe f16, 0x10 work-groups in x, 0x14 in y, 0x18 in z, 0x1c items of a
// work-group in x and y. Each work-group stores s[2:8] into eight dwords of its own.
.text
.globl kernarg_preload
.p2align 8
.type kernarg_preload,@function
kernarg_preload:
  s_endpgm
.fill 63, 4, 0xbf800000
  s_load_dwordx2 s[10:11], s[0:1], 0x0
  s_lshl_b32 s12, s8, 5
  v_mov_b32 v1, s12
  v_mov_b32 v2, s2
  v_mov_b32 v3, s3
  v_mov_b32 v4, s4
  v_mov_b32 v5, s5
  v_mov_b32 v6, s6
  v_mov_b32 v7, s7
  v_mov_b32 v8, s8
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v1, v[2:5], s[10:11]
  global_store_dwordx3 v1, v[6:8], s[10:11] offset:16
  s_endpgm
.Lend:
.size kernarg_preload, .Lend-kernarg_preload
.rodata
.p2align 6
.amdhsa_kernel kernarg_preload
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_kernarg_preload_length 6
  .amdhsa_user_sgpr_kernarg_preload_offset 2
  .amdhsa_accum_offset 12
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: kernarg_preload
    .symbol: kernarg_preload.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 12
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 4, .offset: 8, .value_kind: by_value}
      - {.size: 2, .offset: 12, .value_kind: by_value}
      - {.size: 2, .offset: 14, .value_kind: by_value}
      - {.size: 4, .offset: 16, .value_kind: hidden_block_count_x}
      - {.size: 4, .offset: 20, .value_kind: hidden_block_count_y}
      - {.size: 4, .offset: 24, .value_kind: hidden_block_count_z}
      - {.size: 2, .offset: 28, .value_kind: hidden_group_size_x}
      - {.size: 2, .offset: 30, .value_kind: hidden_group_size_y}
...
.end_amdgpu_metadata
