// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What VSKIP skips is no jump: behind S_ICACHE_INV only a jump would end H161. Kernel argument: 0x0 in, not used.
.text
.globl hazards_skipped
.p2align 8
.type hazards_skipped,@function
hazards_skipped:
  s_setvskip -1, 0
  s_icache_inv
  v_mov_b32 v0, v1                      // skipped
  s_mov_b32 s4, s5                      // H161
  s_setvskip 0, 0
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel hazards_skipped
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: hazards_skipped
    .symbol: hazards_skipped.kd
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
