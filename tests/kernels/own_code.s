// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A wave that changes its own code (gfx908). Argument: out. The instruction at `changed` moves 1 into s8 the first time
// and is run again after a scalar store has made it move 2, with write-back and invalidation of the caches between; then
// out[0] = 1 and out[1] = 2.
.text
.globl own_code
.p2align 8
.type own_code,@function
own_code:
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_getpc_b64 s[4:5]
here:
  s_add_u32 s4, s4, changed - here
  s_addc_u32 s5, s5, 0
  s_mov_b32 s9, 0
  s_mov_b32 s10, 0xbe880082  // s_mov_b32 s8, 2
  s_waitcnt lgkmcnt(0)
  s_branch changed
.p2align 6
changed:
  s_mov_b32 s8, 1
  v_mov_b32 v1, s9
  v_mov_b32 v2, s8
  global_store_dword v1, v2, s[6:7]
  s_cmp_eq_u32 s9, 4
  s_cbranch_scc1 done
  s_mov_b32 s9, 4
  s_store_dword s10, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_dcache_wb
  s_waitcnt lgkmcnt(0)
  s_icache_inv
  s_nop 15
  s_nop 15
  s_nop 15
  s_nop 15
  s_branch changed
.p2align 6
done:
  s_waitcnt vmcnt(0)
  s_endpgm

.rodata
.p2align 6
.amdhsa_kernel own_code
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
  - .name: own_code
    .symbol: own_code.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
