// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "base/bits.h"
#include "wave/lane_op.h"
#include "wave/lanes/level.h"

// Operand reads and result writes of a lane handler: sub-dword selects, sign extension, halves
// and EXEC. Arithmetic modifiers (abs, neg, omod, clamp) are in float_ops.h and integer_ops.h.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

inline constexpr unsigned kMaxLanes = 64;

#if CUVETTE_LANES_LEVEL == 0
inline bool is_sdwa(const LaneOp& op) {
  return op.instruction->encoding == isa::Encoding::Sdwa;
}
inline bool clamps(const LaneOp& op) {
  return op.instruction->mod.clamp;
}
/// op_sel of the 16-bit rows that take it; elsewhere the field is ignored (isa row flag OpSel).
inline unsigned half_select(const LaneOp& op) {
  const isa::Instruction& instruction = *op.instruction;
  return instruction.row->has(isa::kOpSel) ? instruction.mod.op_sel : 0u;
}
#else
// Row functions of a level get their operands without these modifiers (level_row.h).
constexpr bool is_sdwa(const LaneOp&) {
  return false;
}
constexpr bool clamps(const LaneOp&) {
  return false;
}
constexpr unsigned half_select(const LaneOp&) {
  return 0;
}
#endif
/// EXEC without bits past the last lane.
inline uint64_t active(const LaneOp& op) {
  return op.exec & base::low_mask(op.lanes);
}

/// Calls fn(lane) for the enabled lanes, lowest first.
template <class Fn>
void for_active(const LaneOp& op, Fn&& fn) {
  for (uint64_t rest = active(op); rest != 0; rest &= rest - 1) {
    fn(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

/// The SDWA source select; sign extension to 32 bits when asked (Vega ISA 13, SDWA).
inline uint32_t sdwa_select(uint32_t word, isa::SdwaSelect select, bool sext) {
  const auto n = static_cast<unsigned>(select);
  if (n <= 3) {
    const uint32_t byte = (word >> (8 * n)) & 0xff;
    return sext ? static_cast<uint32_t>(base::sign_extend(byte, 8)) : byte;
  }
  if (n <= 5) {
    const uint32_t half = (word >> (16 * (n - 4))) & 0xffff;
    return sext ? static_cast<uint32_t>(base::sign_extend(half, 16)) : half;
  }
  return word;
}

/// Places `value` where the destination select says and treats the other bits as DST_UNUSED says.
inline uint32_t sdwa_merge(uint32_t old, uint32_t value, isa::SdwaSelect select,
                           isa::SdwaUnused unused) {
  const auto n = static_cast<unsigned>(select);
  if (n > 5) return value;
  const unsigned width = n <= 3 ? 8 : 16;
  const unsigned shift = n <= 3 ? 8 * n : 16 * (n - 4);
  const uint32_t field = base::lo32(base::low_mask(width));
  const uint32_t placed = (value & field) << shift;
  switch (unused) {
    case isa::SdwaUnused::Pad:
      break;
    case isa::SdwaUnused::SignExtend:
      return static_cast<uint32_t>(base::sign_extend(value & field, width)) << shift;
    case isa::SdwaUnused::Preserve:
      return (old & ~(field << shift)) | placed;
  }
  return placed;
}

/// Operands of one lane after selection.
class Sources {
 public:
  explicit Sources(const LaneOp& op)
      : op_(op), mod_(op.instruction->mod), half_select_(half_select(op)), sdwa_(is_sdwa(op)) {}

  uint32_t b32(unsigned s, unsigned lane) const {
    const uint32_t word = op_.src[s][0][lane];
    if (sdwa_ && s < 2) [[unlikely]]
      return sdwa_select(word, mod_.sdwa_src[s], base::bit(mod_.sext, s));
    return word;
  }
  /// A 16-bit operand: SDWA select, or the half op_sel names.
  uint16_t b16(unsigned s, unsigned lane) const {
    const uint32_t word = b32(s, lane);
    return static_cast<uint16_t>(base::bit(half_select_, s) ? word >> 16 : word);
  }
  uint64_t b64(unsigned s, unsigned lane) const {
    return base::join32(op_.src[s][0][lane], op_.src[s][1][lane]);
  }

 private:
  const LaneOp& op_;
  const isa::Modifiers& mod_;
  unsigned half_select_;
  bool sdwa_;
};

/// Effect of a 16-bit result on the half it is not written to (isa_notes "16-bit results",
/// Vega ISA 12.9 V_MAD_F16 and V_MAD_LEGACY_F16).
enum class OtherHalf : uint8_t { Zero, Keep };

/// Place of the result of a multiply-add of mixed precision.
enum class MixResult : uint8_t { F32, Low, High };

/// The destination of one lane.
class Sink {
 public:
  Sink(const LaneOp& op, LaneResult& result)
      : result_(result),
        mod_(op.instruction->mod),
        high_(base::bit(half_select(op), 3)),
        sdwa_(is_sdwa(op)) {}

  void b32(unsigned lane, uint32_t value) {
    uint32_t& d = result_.dst[0][lane];
    d = sdwa_ ? sdwa_merge(d, value, mod_.sdwa_dst, mod_.sdwa_unused) : value;
  }
  void b16(unsigned lane, uint16_t value, OtherHalf other = OtherHalf::Zero) {
    uint32_t& d = result_.dst[0][lane];
    if (sdwa_) {
      d = sdwa_merge(d, value, mod_.sdwa_dst, mod_.sdwa_unused);
    } else if (high_) {
      d = (d & 0xffff) | (uint32_t{value} << 16);
    } else {
      d = other == OtherHalf::Keep ? (d & 0xffff0000) | value : value;
    }
  }
  void b64(unsigned lane, uint64_t value) {
    result_.dst[0][lane] = base::lo32(value);
    result_.dst[1][lane] = base::hi32(value);
  }
  /// The destination before the instruction: accumulators.
  uint32_t old32(unsigned lane) const { return result_.dst[0][lane]; }
  uint64_t old64(unsigned lane) const {
    return base::join32(result_.dst[0][lane], result_.dst[1][lane]);
  }

 private:
  LaneResult& result_;
  const isa::Modifiers& mod_;
  bool high_, sdwa_;
};

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
