// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A result is used without S_WAITCNT, but when its counter cannot hold what was issued behind it: 16 reads of LDS
// (LGKM_CNT counts to 15), 64 loads (VM_CNT counts to 63). Operations of one type return in order, so that the oldest is
// back (docs/reference/decisions.md, D56; MI100 ISA 4.4). Arguments: in, out (64 dwords each); out is 2 * in.
.text
.globl lds_reads
.p2align 8
.type lds_reads,@function
lds_reads:
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[8:9]
  s_waitcnt vmcnt(0)
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v3, v1
.set n, 0
.rept 15
  ds_read_b32 v[10+n], v1
.set n, n+1
.endr
  v_add_u32 v4, v3, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[10:11]
  s_endpgm
.Llds_end:
.size lds_reads, .Llds_end-lds_reads

.globl loads
.p2align 8
.type loads,@function
loads:
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v1, s[8:9]
.set n, 0
.rept 63
  global_load_dword v[10+n], v1, s[8:9]
.set n, n+1
.endr
  v_add_u32 v4, v3, v3
  s_waitcnt vmcnt(0)
  global_store_dword v1, v4, s[10:11]
  s_endpgm
.Lloads_end:
.size loads, .Lloads_end-loads

.rodata
.macro descriptor name
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 80
  .amdhsa_next_free_sgpr 32
  .amdhsa_group_segment_fixed_size 256
.end_amdhsa_kernel
.endm
descriptor lds_reads
descriptor loads
.text

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: lds_reads
    .symbol: lds_reads.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 80
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
  - .name: loads
    .symbol: loads.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 80
    .max_flat_workgroup_size: 64
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
