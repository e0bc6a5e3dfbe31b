// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A load that nobody waits for stands before the end of the kernel: the wave ends when its rows are on their way to
// the register file, and the next wave gets the same registers. Each wave adds 1 to out[work-item in its group].
// Kernel arguments: 0x0 in, 0x8 out.
.text
.globl late_load
.p2align 8
.type late_load,@function
late_load:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v6, 2, v0
  v_mov_b32 v5, 1
  v_lshlrev_b32 v7, 4, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v6, v5, s[6:7]
.rept 10                                // time for launches to meet ends
  v_mad_f32 v8, v8, v12, v8
  v_mad_f32 v9, v9, v13, v9
  v_mad_f32 v10, v10, v14, v10
  v_mad_f32 v11, v11, v15, v11
.endr
  global_load_dwordx4 v[0:3], v7, s[4:5]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel late_load
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: late_load
    .symbol: late_load.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
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
