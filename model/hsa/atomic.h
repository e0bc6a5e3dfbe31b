// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::hsa {

/// The memory read-modify-writes of the targets (Vega ISA 12.14 and 12.18; MI100 ISA 8; the float
/// ones from gfx908, gfx90a and gfx942 on). Operand width is 4 or 8 bytes.
enum class AtomicOp : uint8_t {
  Swap,
  CmpSwap,
  Add,
  Sub,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  Inc,  ///< old >= operand ? 0 : old + 1
  Dec,  ///< old == 0 or old > operand ? operand : old - 1
  FAddF32,
  PkFAddF16,
  PkFAddBf16,
  FAddF64,
  FMinF64,
  FMaxF64,
};
constexpr unsigned kAtomicOps = static_cast<unsigned>(AtomicOp::FMaxF64) + 1;

/// "swap", "pk_fadd_f16" ...
const char* name(AtomicOp op);

constexpr bool is_float(AtomicOp op) {
  return op >= AtomicOp::FAddF32;
}

/// The value an integer operation leaves in memory. `bytes` is 4 or 8; inputs above that width are
/// ignored and the result is zero-extended. `compare` is used by CmpSwap only. A float operation is
/// a bug here (throws std::logic_error): this layer does no floating point, its caller supplies it.
uint64_t apply_atomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t operand,
                      uint64_t compare = 0);

}  // namespace cuvette::hsa
