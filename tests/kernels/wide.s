// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that ask for much of a compute unit (gfx908) and do nothing: registers, scratch of a work-item, scratch of
// all together.
.text
.macro nothing name
.globl \name
.p2align 8
.type \name,@function
\name:
  s_endpgm
.endm
nothing wide_registers
nothing wide_scratch
nothing some_scratch

.rodata
.p2align 6
.amdhsa_kernel wide_registers
  .amdhsa_next_free_vgpr 128
  .amdhsa_next_free_sgpr 8
  .amdhsa_reserve_vcc 0
  .amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
.amdhsa_kernel wide_scratch
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_private_segment_fixed_size 131060
.end_amdhsa_kernel
.amdhsa_kernel some_scratch
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_private_segment_fixed_size 4096
.end_amdhsa_kernel
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: wide_registers
    .symbol: wide_registers.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 128
    .max_flat_workgroup_size: 1024
    .args: []
  - .name: wide_scratch
    .symbol: wide_scratch.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 131060
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args: []
  - .name: some_scratch
    .symbol: some_scratch.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 4096
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args: []
...
.end_amdgpu_metadata
