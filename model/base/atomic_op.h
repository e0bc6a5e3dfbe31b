// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::base {

/// Read-modify-write operations of memory, L2, LDS and GDS (Vega ISA 12.15 to 12.18). One numbering
/// for the instruction semantics, the caches and the device memory.
enum class AtomicOp : uint8_t {
  Swap,
  CmpSwap,
  Add,
  Sub,
  RSub,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  MSkOr,  ///< (old & ~data) | compare operand
  FAdd,
  FMin,
  FMax,
  FCmpSwap,  ///< F32 or F64 by width
  PkAddF16,
  PkAddBf16,
  Wrap,        ///< old >= data ? old - data : old + compare operand
  CondXchg32,  ///< two dwords: each takes the low 31 bits of its data when bit 31 of that is set
};

constexpr bool is_float(AtomicOp op) {
  return op >= AtomicOp::FAdd && op <= AtomicOp::PkAddBf16;
}

/// New memory value of an integer operation on `bits` (32 or 64) wide operands.
/// `data` is the operand; `compare` is the second one (CmpSwap: value compared with; MSkOr: bits
/// set; Wrap: added when smaller).
constexpr uint64_t apply_integer_atomic(AtomicOp op, uint64_t old, uint64_t data, uint64_t compare,
                                        unsigned bits) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const auto as_signed = [bits](uint64_t v) {
    return bits == 64 ? static_cast<int64_t>(v)
                      : static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(v)));
  };
  old &= mask;
  data &= mask;
  compare &= mask;
  switch (op) {
    case AtomicOp::Swap:
      return data;
    case AtomicOp::CmpSwap:
      return old == compare ? data : old;
    case AtomicOp::Add:
      return (old + data) & mask;
    case AtomicOp::Sub:
      return (old - data) & mask;
    case AtomicOp::RSub:
      return (data - old) & mask;
    case AtomicOp::SMin:
      return as_signed(data) < as_signed(old) ? data : old;
    case AtomicOp::UMin:
      return data < old ? data : old;
    case AtomicOp::SMax:
      return as_signed(data) > as_signed(old) ? data : old;
    case AtomicOp::UMax:
      return data > old ? data : old;
    case AtomicOp::And:
      return old & data;
    case AtomicOp::Or:
      return old | data;
    case AtomicOp::Xor:
      return old ^ data;
    case AtomicOp::Inc:
      return old >= data ? 0 : old + 1;
    case AtomicOp::Dec:
      return old == 0 || old > data ? data : old - 1;
    case AtomicOp::MSkOr:
      return (old & ~data) | compare;
    case AtomicOp::Wrap:
      return (old >= data ? old - data : old + compare) & mask;
    case AtomicOp::CondXchg32: {
      uint64_t value = old;
      for (unsigned half = 0; half < 64; half += 32) {
        if ((data >> (half + 31) & 1) == 0) continue;
        value = (value & ~(uint64_t{0xffffffff} << half)) | (data & uint64_t{0x7fffffff} << half);
      }
      return value & mask;
    }
    default:
      return old;
  }
}

}  // namespace cuvette::base
