// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dword 3 of LDS through FLAT, from an address 12 bytes below the LDS aperture and an offset that leads into it. The
// aperture is chosen by the address in the VGPRs alone (docs/reference/decisions.md, D54). Argument: out, 64 dwords.
.text
.globl flat_below_lds
.p2align 8
.type flat_below_lds,@function
flat_below_lds:
  s_load_dwordx2 s[10:11], s[0:1], 0x0
  s_mov_b64 s[12:13], src_shared_base
  v_lshlrev_b32 v20, 2, v0
  v_mov_b32 v21, 0x5ca1ab1e
  ds_write_b32 v20, v21
  s_sub_u32 s14, s12, 12
  s_subb_u32 s15, s13, 0
  v_mov_b32 v10, s14
  v_mov_b32 v11, s15
  s_waitcnt lgkmcnt(0)
  flat_load_dword v9, v[10:11] offset:12
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v20, v9, s[10:11]
  s_endpgm
.Lend:
.size flat_below_lds, .Lend-flat_below_lds

.rodata
.p2align 6
.amdhsa_kernel flat_below_lds
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 32
  .amdhsa_group_segment_fixed_size 512
.end_amdhsa_kernel
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: flat_below_lds
    .symbol: flat_below_lds.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 24
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
