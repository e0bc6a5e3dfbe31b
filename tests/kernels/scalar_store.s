// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Scalar stores that vector loads read (gfx908). Arguments: out, copy. Work-group n stores n, n + 100, n * n, ~n to
// out[4 n] and up through the scalar cache, writes it back, and copies the four with vector loads to copy[4 n] and up.
.text
.globl scalar_store
.p2align 8
.type scalar_store,@function
scalar_store:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s3, s2, 4
  s_mov_b32 s8, s2
  s_add_u32 s9, s2, 100
  s_mul_i32 s10, s2, s2
  s_not_b32 s11, s2
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s3
  s_addc_u32 s5, s5, 0
  s_add_u32 s6, s6, s3
  s_addc_u32 s7, s7, 0
  s_store_dwordx4 s[8:11], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_dcache_wb
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_u32 vcc, 4, v0
  s_and_b64 exec, exec, vcc
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[4:5] glc
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_waitcnt vmcnt(0)
  s_endpgm

.rodata
.p2align 6
.amdhsa_kernel scalar_store
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scalar_store
    .symbol: scalar_store.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
