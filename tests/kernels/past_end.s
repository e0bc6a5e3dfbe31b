// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels whose straight-line code leaves them, and one that does nothing of the kind: it calls the function right
// behind it and jumps to another one. Kernel arguments: 0x0 out.
.macro begin name
.globl \name
.p2align 8
.type \name,@function
\name:
.endm
.macro finish name
.Lend_\name:
.size \name, .Lend_\name-\name
.endm
.text
begin into_padding
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
finish into_padding

begin into_other
.fill 63, 4, 0xbf800000
  v_mov_b32 v1, 0
finish into_other
begin other
  s_endpgm
finish other

begin calls
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 5
  s_waitcnt lgkmcnt(0)
  s_getpc_b64 s[6:7]
.Lbase:
  s_add_u32 s8, s6, helper-.Lbase
  s_addc_u32 s9, s7, 0
  s_swappc_b64 s[10:11], s[8:9]
  s_add_u32 s8, s6, tail-.Lbase
  s_addc_u32 s9, s7, 0
  s_setpc_b64 s[8:9]
finish calls
.type helper,@function
helper:
  v_add_u32 v2, v2, v2
  s_setpc_b64 s[10:11]
finish helper
.type tail,@function
tail:
  global_store_dword v1, v2, s[4:5]
  s_endpgm
finish tail

begin no_size
  v_mov_b32 v1, 0
  s_nop 0
.rodata
.macro descriptor name
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.endm
descriptor into_padding
descriptor into_other
descriptor other
descriptor calls
descriptor no_size
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: into_padding, .symbol: into_padding.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 38,
     .vgpr_count: 8, .max_flat_workgroup_size: 64,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: into_other, .symbol: into_other.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 38,
     .vgpr_count: 8, .max_flat_workgroup_size: 64,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: other, .symbol: other.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 38,
     .vgpr_count: 8, .max_flat_workgroup_size: 64,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: calls, .symbol: calls.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 38,
     .vgpr_count: 8, .max_flat_workgroup_size: 64,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: no_size, .symbol: no_size.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 38,
     .vgpr_count: 8, .max_flat_workgroup_size: 64,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
...
.end_amdgpu_metadata
