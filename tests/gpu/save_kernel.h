// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hsa/kernel_descriptor.h"

/// A kernel with state in every place that a context save has to keep, and a trap handler that
/// saves and restores it. Words from LLVM's assembler, gfx908.
namespace cuvette::save_kernel {

// Room of a wave: v0 to v7, a3, at 0x1000 scalars, of the first one at 0x1400 the LDS. TTMP2 and 3
// keep STATUS and TRAPSTS, 4 and 5 EXEC, 6 and 7 the room, 8 to 11 a buffer that counts lanes, 12
// whether it is the first wave.
inline constexpr uint32_t kHandler[] = {
    0xbf820001,              // s_branch trap
    0xbf820064,              // s_branch restore
    0xb8eef802,              // s_getreg_b32 ttmp2, hwreg(HW_REG_STATUS)
    0xb8eff803,              // s_getreg_b32 ttmp3, hwreg(HW_REG_TRAPSTS)
    0xbf0d8a6f,              // s_bitcmp1_b32 ttmp3, 10
    0xbf850004,              // s_cbranch_scc1 save
    0x806c846c,              // s_add_u32 ttmp0, ttmp0, 4
    0x826d806d,              // s_addc_u32 ttmp1, ttmp1, 0
    0xb96ef802,              // s_setreg_b32 hwreg(HW_REG_STATUS), ttmp2
    0xbe801f6c,              // s_rfe_b64 ttmp[0:1]
    0x866dff6d, 0x0000ffff,  // s_and_b32 ttmp1, ttmp1, 0xffff
    0xbef0007e,              // s_mov_b32 ttmp4, exec_lo
    0xbef1007f,              // s_mov_b32 ttmp5, exec_hi
    0xbefe0180,              // s_mov_b64 exec, 0
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbf900004,              // s_sendmsg sendmsg(MSG_SAVEWAVE)
    0xbf8e0001,              // s_sleep 1
    0xbf88fffe,              // s_cbranch_execz wait
    0xbef2007e,              // s_mov_b32 ttmp6, exec_lo
    0x8673ff7f, 0x0000ffff,  // s_and_b32 ttmp7, exec_hi, 0xffff
    0x92f8ff7f, 0x0001001a,  // s_bfe_u32 ttmp12, exec_hi, 0x1001a
    0xbefe01c1,              // s_mov_b64 exec, -1
    0xbef40072,              // s_mov_b32 ttmp8, ttmp6
    0x8775ff73, 0x00040000,  // s_or_b32 ttmp9, ttmp7, 0x40000
    0xbef600ff, 0x00010000,  // s_mov_b32 ttmp10, 0x10000
    0xbef700ff, 0x00807fac,  // s_mov_b32 ttmp11, 0x807fac
    0xc04a0039, 0x00001000,  // s_store_dwordx4 s[0:3], ttmp[6:7], 0x1000
    0xc04a0139, 0x00001010,  // s_store_dwordx4 s[4:7], ttmp[6:7], 0x1010
    0xc04a0239, 0x00001020,  // s_store_dwordx4 s[8:11], ttmp[6:7], 0x1020
    0xc04a0339, 0x00001030,  // s_store_dwordx4 s[12:15], ttmp[6:7], 0x1030
    0xc04a0439, 0x00001040,  // s_store_dwordx4 s[16:19], ttmp[6:7], 0x1040
    0xc0461ab9, 0x00001050,  // s_store_dwordx2 vcc, ttmp[6:7], 0x1050
    0xc04a1b39, 0x00001060,  // s_store_dwordx4 ttmp[0:3], ttmp[6:7], 0x1060
    0xb8faf801,              // s_getreg_b32 ttmp14, hwreg(HW_REG_MODE)
    0xbefb007c,              // s_mov_b32 ttmp15, m0
    0xc0461c39, 0x00001070,  // s_store_dwordx2 ttmp[4:5], ttmp[6:7], 0x1070
    0xc0461eb9, 0x00001078,  // s_store_dwordx2 ttmp[14:15], ttmp[6:7], 0x1078
    0xe0700000, 0x801d0000,  // buffer_store_dword v0, off, ttmp[8:11], 0
    0xe0700100, 0x801d0100,  // buffer_store_dword v1, off, ttmp[8:11], 0 offset:256
    0xe0700200, 0x801d0200,  // buffer_store_dword v2, off, ttmp[8:11], 0 offset:512
    0xe0700300, 0x801d0300,  // buffer_store_dword v3, off, ttmp[8:11], 0 offset:768
    0xe0700400, 0x801d0400,  // buffer_store_dword v4, off, ttmp[8:11], 0 offset:1024
    0xe0700500, 0x801d0500,  // buffer_store_dword v5, off, ttmp[8:11], 0 offset:1280
    0xe0700600, 0x801d0600,  // buffer_store_dword v6, off, ttmp[8:11], 0 offset:1536
    0xe0700700, 0x801d0700,  // buffer_store_dword v7, off, ttmp[8:11], 0 offset:1792
    0xd3d84007, 0x18000103,  // v_accvgpr_read_b32 v7, a3
    0xbf800007,              // s_nop 7
    0xe0700800, 0x801d0700,  // buffer_store_dword v7, off, ttmp[8:11], 0 offset:2048
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbf8a0000,              // s_barrier
    0xbf068078,              // s_cmp_eq_u32 ttmp12, 0
    0xbf850015,              // s_cbranch_scc1 saved
    0xb8f94306,              // s_getreg_b32 ttmp13, hwreg(HW_REG_LDS_ALLOC, 12, 9)
    0x8e798879,              // s_lshl_b32 ttmp13, ttmp13, 8
    0xd28c0000, 0x000100c1,  // v_mbcnt_lo_u32_b32 v0, -1, 0
    0xd28d0000, 0x000200c1,  // v_mbcnt_hi_u32_b32 v0, -1, v0
    0x24000082,              // v_lshlrev_b32_e32 v0, 2, v0
    0xb07a1400,              // s_movk_i32 ttmp14, 0x1400
    0x80797a79,              // s_add_u32 ttmp13, ttmp13, ttmp14
    0xd86c0000, 0x01000000,  // ds_read_b32 v1, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xe0700000, 0x7a1d0100,  // buffer_store_dword v1, off, ttmp[8:11], ttmp14
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0x680000ff, 0x00000100,  // v_add_u32_e32 v0, 0x100, v0
    0x807aff7a, 0x00000100,  // s_add_u32 ttmp14, ttmp14, 0x100
    0xbf0a797a,              // s_cmp_lt_u32 ttmp14, ttmp13
    0xbf85fff4,              // s_cbranch_scc1 lds_out
    0xc0840000, 0x00000000,  // s_dcache_wb
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf9b0000,              // s_endpgm_saved
    0xbef2007e,              // s_mov_b32 ttmp6, exec_lo
    0x8673ff7f, 0x0000ffff,  // s_and_b32 ttmp7, exec_hi, 0xffff
    0x92f8ff7f, 0x0001001a,  // s_bfe_u32 ttmp12, exec_hi, 0x1001a
    0xbefe01c1,              // s_mov_b64 exec, -1
    0xbef40072,              // s_mov_b32 ttmp8, ttmp6
    0x8775ff73, 0x00040000,  // s_or_b32 ttmp9, ttmp7, 0x40000
    0xbef600ff, 0x00010000,  // s_mov_b32 ttmp10, 0x10000
    0xbef700ff, 0x00807fac,  // s_mov_b32 ttmp11, 0x807fac
    0xbf068078,              // s_cmp_eq_u32 ttmp12, 0
    0xbf850015,              // s_cbranch_scc1 has_lds
    0xb8f94306,              // s_getreg_b32 ttmp13, hwreg(HW_REG_LDS_ALLOC, 12, 9)
    0x8e798879,              // s_lshl_b32 ttmp13, ttmp13, 8
    0xd28c0000, 0x000100c1,  // v_mbcnt_lo_u32_b32 v0, -1, 0
    0xd28d0000, 0x000200c1,  // v_mbcnt_hi_u32_b32 v0, -1, v0
    0x24000082,              // v_lshlrev_b32_e32 v0, 2, v0
    0xb07a1400,              // s_movk_i32 ttmp14, 0x1400
    0x80797a79,              // s_add_u32 ttmp13, ttmp13, ttmp14
    0xe0500000, 0x7a1d0100,  // buffer_load_dword v1, off, ttmp[8:11], ttmp14
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xd81a0000, 0x00000100,  // ds_write_b32 v0, v1
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x680000ff, 0x00000100,  // v_add_u32_e32 v0, 0x100, v0
    0x807aff7a, 0x00000100,  // s_add_u32 ttmp14, ttmp14, 0x100
    0xbf0a797a,              // s_cmp_lt_u32 ttmp14, ttmp13
    0xbf85fff4,              // s_cbranch_scc1 lds_in
    0xbf8a0000,              // s_barrier
    0xe0500800, 0x801d0700,  // buffer_load_dword v7, off, ttmp[8:11], 0 offset:2048
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xd3d94003, 0x18000107,  // v_accvgpr_write_b32 a3, v7
    0xbf800007,              // s_nop 7
    0xe0500000, 0x801d0000,  // buffer_load_dword v0, off, ttmp[8:11], 0
    0xe0500100, 0x801d0100,  // buffer_load_dword v1, off, ttmp[8:11], 0 offset:256
    0xe0500200, 0x801d0200,  // buffer_load_dword v2, off, ttmp[8:11], 0 offset:512
    0xe0500300, 0x801d0300,  // buffer_load_dword v3, off, ttmp[8:11], 0 offset:768
    0xe0500400, 0x801d0400,  // buffer_load_dword v4, off, ttmp[8:11], 0 offset:1024
    0xe0500500, 0x801d0500,  // buffer_load_dword v5, off, ttmp[8:11], 0 offset:1280
    0xe0500600, 0x801d0600,  // buffer_load_dword v6, off, ttmp[8:11], 0 offset:1536
    0xe0500700, 0x801d0700,  // buffer_load_dword v7, off, ttmp[8:11], 0 offset:1792
    0xc00a0039, 0x00001000,  // s_load_dwordx4 s[0:3], ttmp[6:7], 0x1000
    0xc00a0139, 0x00001010,  // s_load_dwordx4 s[4:7], ttmp[6:7], 0x1010
    0xc00a0239, 0x00001020,  // s_load_dwordx4 s[8:11], ttmp[6:7], 0x1020
    0xc00a0339, 0x00001030,  // s_load_dwordx4 s[12:15], ttmp[6:7], 0x1030
    0xc00a0439, 0x00001040,  // s_load_dwordx4 s[16:19], ttmp[6:7], 0x1040
    0xc0061ab9, 0x00001050,  // s_load_dwordx2 vcc, ttmp[6:7], 0x1050
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xc00a1b39, 0x00001060,  // s_load_dwordx4 ttmp[0:3], ttmp[6:7], 0x1060
    0xc00a1d39, 0x00001070,  // s_load_dwordx4 ttmp[8:11], ttmp[6:7], 0x1070
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbefc0077,              // s_mov_b32 m0, ttmp11
    0xb976f801,              // s_setreg_b32 hwreg(HW_REG_MODE), ttmp10
    0xbeef188a,              // s_bitset0_b32 ttmp3, 10
    0xb96ff803,              // s_setreg_b32 hwreg(HW_REG_TRAPSTS), ttmp3
    0xbefe0174,              // s_mov_b64 exec, ttmp[8:9]
    0xb96ef802,              // s_setreg_b32 hwreg(HW_REG_STATUS), ttmp2
    0xbe801f6c,              // s_rfe_b64 ttmp[0:1]
};

// Two waves in a work-group, which exchange a value through the LDS in every round; s[0:1] has the
// result and the number of rounds. MODE, M0, VCC, SCC, SGPRs, VGPRs and an AccVGPR count.
inline constexpr uint32_t kCode[] = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0xc0020180, 0x00000008,  // s_load_dword s6, s[0:1], 0x8
    0xbefc00ff, 0x00001234,  // s_mov_b32 m0, 0x1234
    0x24020082,              // v_lshlrev_b32_e32 v1, 2, v0
    0x2a0402ff, 0x00000100,  // v_xor_b32_e32 v2, 0x100, v1
    0x7e060300,              // v_mov_b32_e32 v3, v0
    0xbe870080,              // s_mov_b32 s7, 0
    0xbe880002,              // s_mov_b32 s8, s2
    0xd3d94003, 0x18000100,  // v_accvgpr_write_b32 a3, v0
    0xba001801, 0x00000009,  // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 9
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xd1fd0003, 0x040d0503,  // v_lshl_add_u32 v3, v3, 2, v3
    0x68060608,              // v_add_u32_e32 v3, s8, v3
    0x9208ff08, 0x0019660d,  // s_mul_i32 s8, s8, 0x19660d
    0x80080708,              // s_add_u32 s8, s8, s7
    0xd81a0000, 0x00000301,  // ds_write_b32 v1, v3
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf8a0000,              // s_barrier
    0xd86c0000, 0x04000002,  // ds_read_b32 v4, v2
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf8a0000,              // s_barrier
    0x7d920903,              // v_cmp_lt_u32_e32 vcc, v3, v4
    0xd1fd0003, 0x040d0304,  // v_lshl_add_u32 v3, v4, 1, v3
    0x38060103,              // v_addc_co_u32_e32 v3, vcc, v3, v0, vcc
    0x80078107,              // s_add_u32 s7, s7, 1
    0xbf0a0607,              // s_cmp_lt_u32 s7, s6
    0xbf85ffeb,              // s_cbranch_scc1 loop
    0xb8891801,              // s_getreg_b32 s9, hwreg(HW_REG_MODE, 0, 4)
    0xd3d84005, 0x18000103,  // v_accvgpr_read_b32 v5, a3
    0xbf800007,              // s_nop 7
    0x68060609,              // v_add_u32_e32 v3, s9, v3
    0x68060705,              // v_add_u32_e32 v3, v5, v3
    0x2a06067c,              // v_xor_b32_e32 v3, m0, v3
    0x8e0a8902,              // s_lshl_b32 s10, s2, 9
    0x680c020a,              // v_add_u32_e32 v6, s10, v1
    0xdc708000, 0x00040306,  // global_store_dword v6, v3, s[4:5]
    0xbf810000,              // s_endpgm
};
inline constexpr uint32_t kGroupItems = 128, kGroupBytes = 512;
inline constexpr uint32_t kWaveBytes = 16 * 256 + 1024;  // 8 VGPRs, 8 AccVGPRs

inline hsa::KernelDescriptor descriptor() {
  hsa::KernelDescriptor d;
  d.kernarg_size = 12;
  d.compute_pgm_rsrc1 = 0x00ac00c1;  // 8 VGPRs, 32 SGPRs
  d.compute_pgm_rsrc2 = 0x84;
  d.kernel_code_properties = 8;
  return d;
}

/// Words that the kernel leaves for a work-group.
inline std::vector<uint32_t> expected(uint32_t group, uint32_t rounds) {
  std::vector<uint32_t> x(kGroupItems);
  for (uint32_t i = 0; i < kGroupItems; ++i) x[i] = i;
  uint32_t hash = group;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t& v : x) v = v * 5 + hash;
    hash = hash * 0x19660d + round;
    const std::vector<uint32_t> y = x;
    for (uint32_t i = 0; i < kGroupItems; ++i) {
      const uint32_t other = y[i ^ 64];
      x[i] = y[i] + 2 * other + i + (y[i] < other ? 1 : 0);
    }
  }
  for (uint32_t i = 0; i < kGroupItems; ++i) x[i] = (x[i] + 9 + i) ^ 0x1234;
  return x;
}

}  // namespace cuvette::save_kernel
