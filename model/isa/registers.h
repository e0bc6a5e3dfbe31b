// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::isa {

/// Scalar operand codes (MI100 ISA table 23; the tables of Vega ISA chapters 6 and 13 are shifted).
inline constexpr uint16_t kLastSgpr = 101;  ///< SGPRs are 0 to 101
inline constexpr uint16_t kFlatScratchLo = 102;
inline constexpr uint16_t kXnackMaskLo = 104;
inline constexpr uint16_t kVccLo = 106;
inline constexpr uint16_t kVccHi = 107;
inline constexpr uint16_t kTtmp0 = 108;
inline constexpr uint16_t kTtmp15 = 123;
inline constexpr uint16_t kM0 = 124;
inline constexpr uint16_t kExecLo = 126;
inline constexpr uint16_t kExecHi = 127;
inline constexpr uint16_t kInlineZero = 128;     ///< 0; 1 to 64 follow
inline constexpr uint16_t kInline64 = 192;       ///< 64; -1 to -16 follow
inline constexpr uint16_t kInlineMinus16 = 208;  ///< the last integer
inline constexpr uint16_t kSharedBase = 235;     ///< first flat address of LDS
inline constexpr uint16_t kSharedLimit = 236;    ///< last flat address of LDS
inline constexpr uint16_t kPrivateBase = 237;    ///< first flat address of scratch
inline constexpr uint16_t kPrivateLimit = 238;   ///< last flat address of scratch
inline constexpr uint16_t kPopsExitingWaveId = 239;
inline constexpr uint16_t kInlineHalf = 240;    ///< 0.5, -0.5, 1, -1, 2, -2, 4, -4
inline constexpr uint16_t kInlineInv2Pi = 248;  ///< 1 / (2 pi)
inline constexpr uint16_t kSdwa = 249;          ///< source 0 of VOP1/2/C: an SDWA dword follows
inline constexpr uint16_t kDpp = 250;           ///< source 0 of VOP1/2: a DPP dword follows
inline constexpr uint16_t kVccz = 251;          ///< VCC is zero
inline constexpr uint16_t kExecz = 252;         ///< EXEC is zero
inline constexpr uint16_t kScc = 253;
inline constexpr uint16_t kLdsDirect = 254;  ///< dword of LDS at the address in M0
inline constexpr uint16_t kLiteral = 255;    ///< a literal dword follows
inline constexpr uint16_t kFirstVgpr = 256;  ///< of 9-bit fields; 256 VGPRs

}  // namespace cuvette::isa
