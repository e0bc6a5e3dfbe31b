// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bits.h"
#include "isa/instruction.h"
#include "isa/registers.h"
#include "wave/state.h"

// Reading and writing the registers an operand names, with the out-of-range rules of MI100 ISA
// 3.6.1: a source outside the allocation reads SGPR0 (VGPR0), a destination outside writes nothing.
namespace cuvette::wave {

/// STATUS bits the semantics look at (MI100 ISA table 7; SCC is bit 0, Vega ISA 3.4 misprints it).
inline constexpr uint32_t kStatusScc = 1u << 0;
inline constexpr uint32_t kStatusPriv = 1u << 5;    ///< in the trap handler
inline constexpr uint32_t kStatusTrapEn = 1u << 6;  ///< a trap handler is present
inline constexpr uint32_t kStatusExecz = 1u << 9;
inline constexpr uint32_t kStatusVccz = 1u << 10;
inline constexpr uint32_t kStatusInTg = 1u << 11;  ///< its work-group has several waves
inline constexpr uint32_t kStatusHalt = 1u << 13;
inline constexpr uint32_t kStatusCondDbgUser = 1u << 20;
inline constexpr uint32_t kStatusCondDbgSys = 1u << 21;

/// Scalar codes `code`..`code + dwords - 1` exist for this wave. SGPRs are limited by the
/// allocation; everything above SGPR 101 except the reserved code 125 always exists.
inline bool scalar_in_range(const WaveState& wave, unsigned code, unsigned dwords = 1) {
  const unsigned last = code + dwords - 1;
  if (last > isa::kExecHi) return false;
  if (code > isa::kLastSgpr) return true;
  return last <= isa::kLastSgpr && last < wave.alloc.sgprs;
}

/// One dword by scalar code; SGPR0 when out of range. Code 125 is reserved and reads 0.
inline uint32_t read_code(const WaveState& wave, unsigned code) {
  if (code == isa::kM0 + 1) return 0;
  return wave.s.sgpr[scalar_in_range(wave, code) ? code : 0];
}

/// An even-aligned pair by scalar code (the lowest bit of an odd code is ignored); SGPRs 0 and 1
/// when out of range.
inline uint64_t read_code64(const WaveState& wave, unsigned code) {
  const unsigned even = code & ~1u;
  if (even == isa::kM0) return wave.s.m0();
  return wave.s.pair(scalar_in_range(wave, even, 2) ? even : 0);
}

/// False, and nothing written, when the destination is out of range, reserved, or a trap temporary
/// outside privileged mode (MI100 ISA 3.10).
inline bool write_code(WaveState& wave, unsigned code, uint32_t value) {
  if (!scalar_in_range(wave, code) || code == isa::kM0 + 1) return false;
  const bool trap_temporary = code >= isa::kTtmp0 && code <= isa::kTtmp15;
  if (trap_temporary && (wave.s.status & kStatusPriv) == 0) return false;
  wave.s.sgpr[code] = value;
  return true;
}

/// Even-aligned pair; false as for one of them, of which the other may have been written.
inline bool write_code64(WaveState& wave, unsigned code, uint64_t value) {
  const unsigned even = code & ~1u;
  if (!scalar_in_range(wave, even, 2)) return false;
  const bool low = write_code(wave, even, base::lo32(value));
  const bool high = write_code(wave, even + 1, base::hi32(value));
  return low && high;
}

/// Codes 235 to 253 that are neither registers nor constants. The apertures are 64-bit values of
/// which a 32-bit operand sees the low half; a limit is its base with the low 32 bits set.
inline uint64_t read_special(const WaveState& wave, unsigned code) {
  switch (code) {
    case isa::kSharedBase:
      return wave.alloc.shared_aperture;
    case isa::kSharedLimit:
      return wave.alloc.shared_aperture | 0xffffffffu;
    case isa::kPrivateBase:
      return wave.alloc.private_aperture;
    case isa::kPrivateLimit:
      return wave.alloc.private_aperture | 0xffffffffu;
    case isa::kVccz:
      return wave.s.vcc() == 0;
    case isa::kExecz:
      return wave.s.exec() == 0;
    case isa::kScc:
      return wave.s.scc;
    default:
      return 0;
  }
}

/// The 32-bit value of a scalar source: register, special code, constant or immediate.
inline uint32_t read_scalar32(const WaveState& wave, const isa::Operand& operand) {
  switch (operand.kind) {
    case isa::OperandKind::Sgpr:
      return read_code(wave, operand.index);
    case isa::OperandKind::Special:
      return base::lo32(read_special(wave, operand.index));
    default:
      return base::lo32(operand.value);
  }
}

inline uint64_t read_scalar64(const WaveState& wave, const isa::Operand& operand) {
  switch (operand.kind) {
    case isa::OperandKind::Sgpr:
      return read_code64(wave, operand.index);
    case isa::OperandKind::Special:
      return read_special(wave, operand.index);
    default:
      return operand.value;
  }
}

/// False, and nothing written, when the destination is no register or as write_code says.
inline bool write_scalar32(WaveState& wave, const isa::Operand& operand, uint32_t value) {
  return operand.kind == isa::OperandKind::Sgpr && write_code(wave, operand.index, value);
}

inline bool write_scalar64(WaveState& wave, const isa::Operand& operand, uint64_t value) {
  return operand.kind == isa::OperandKind::Sgpr && write_code64(wave, operand.index, value);
}

/// Number of registers of a vector operand's file that this wave may touch.
inline unsigned vector_limit(const WaveState& wave, isa::OperandKind kind) {
  return kind == isa::OperandKind::Agpr ? std::min(wave.alloc.accvgprs, wave.v.acc_count)
                                        : std::min(wave.alloc.vgprs, wave.v.arch_count);
}

/// Registers `index`..`index + dwords - 1` of a vector operand exist for this wave.
inline bool vector_in_range(const WaveState& wave, isa::OperandKind kind, unsigned index,
                            unsigned dwords = 1) {
  return index + dwords <= vector_limit(wave, kind);
}

/// Dword `dword` of a vector source, all lanes; register 0 of the file when out of range, zeros
/// when the wave has no register of that file.
inline const LaneRow& source_row(const WaveState& wave, const isa::Operand& operand,
                                 unsigned dword = 0) {
  static constexpr LaneRow kZeros{};
  if (vector_limit(wave, operand.kind) == 0) return kZeros;
  const LaneRow* file = operand.kind == isa::OperandKind::Agpr ? wave.v.acc : wave.v.arch;
  const unsigned index = operand.index + dword;
  return file[vector_in_range(wave, operand.kind, index) ? index : 0];
}

/// Dword `dword` of a vector destination, all lanes; null when out of range.
inline LaneRow* destination_row(WaveState& wave, const isa::Operand& operand, unsigned dword = 0) {
  LaneRow* file = operand.kind == isa::OperandKind::Agpr ? wave.v.acc : wave.v.arch;
  const unsigned index = operand.index + dword;
  return vector_in_range(wave, operand.kind, index) ? file + index : nullptr;
}

}  // namespace cuvette::wave
