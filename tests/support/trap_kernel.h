// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hsa/kernel_descriptor.h"

/// Words from LLVM's assembler.
namespace cuvette::trap_kernel {

// A kernel that traps and stores what the handler of its VMID left in s20 and s21; the handler
// keeps its cause and TMA there, sends an interrupt and steps over S_TRAP.
inline constexpr uint32_t kCode[] = {
    0xc0060000, 0x00000000,  // s_load_dwordx2 s[0:1], s[0:1], 0x0
    0xbefc00ff, 0x00000055,  // s_mov_b32 m0, 0x55
    0x7e000280,              // v_mov_b32 v0, 0
    0xbe940080,              // s_mov_b32 s20, 0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf920021,              // s_trap 0x21
    0x7e020214,              // v_mov_b32 v1, s20
    0x7e040215,              // v_mov_b32 v2, s21
    0xdc748000, 0x00000100,  // global_store_dwordx2 v0, v[1:2], s[0:1]
    0xbf810000,              // s_endpgm
};
inline constexpr uint32_t kHandler[] = {
    0xbe94006d,  // s_mov_b32 s20, ttmp1
    0xb895f812,  // s_getreg_b32 s21, hwreg(HW_REG_TMA_LO)
    0xbf900001,  // s_sendmsg sendmsg(MSG_INTERRUPT)
    0x806c846c,  // s_add_u32 ttmp0, ttmp0, 4
    0xbe801f6c,  // s_rfe_b64 ttmp[0:1]
};

/// Kernarg pointer in s[0:1], 24 SGPRs. `present`: COMPUTE_PGM_RSRC2.TRAP_PRESENT.
inline hsa::KernelDescriptor descriptor(bool present) {
  hsa::KernelDescriptor d;
  d.kernarg_size = 8;
  d.compute_pgm_rsrc1 = 0x00ac0080;
  d.compute_pgm_rsrc2 = 0x84 | (present ? 0x40 : 0);
  d.kernel_code_properties = 8;
  return d;
}

/// Mask of the kernel's stored words: TMA's low half, and the bits of TTMP1 above the PC.
inline constexpr uint64_t kTold = ~uint64_t{0xffff};
inline constexpr uint64_t told(uint32_t tma) {
  return uint64_t{tma} << 32 | 0x21 << 16;
}

}  // namespace cuvette::trap_kernel
