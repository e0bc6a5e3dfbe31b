// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/atomic_op.h"
#include "isa/target.h"
#include "wave/mode.h"

namespace cuvette::wave {

/// New memory value of any atomic operation, integer or float, on operands of `bits` (32 or 64).
///
/// Float operations round to nearest even once; `flush_in`, `flush_out` say whether F32 and F16
/// subnormals are flushed (L2: flushes_in_l2; LDS: as MODE says; F64 keeps them; decisions.md D8).
/// FMin and FMax: the number wins over a NaN. FCmpSwap compares as floats.
uint64_t apply_atomic(base::AtomicOp op, uint64_t old, uint64_t data, uint64_t compare,
                      unsigned bits, bool flush_in, bool flush_out);

/// True if float atomics that the L2 performs flush F32 and F16 subnormals, in and out; gfx942
/// keeps them (decisions.md D8).
inline bool flushes_in_l2(isa::Target target) {
  return target != isa::Target::Gfx942;
}

/// Flush flags of MODE for an atomic operation of LDS or GDS: two F16 have its F16 fields.
struct AtomicFlush {
  bool in = false, out = false;  ///< subnormal operands, subnormal results become zeros
};
inline AtomicFlush flush_of(base::AtomicOp op, Mode mode) {
  if (op == base::AtomicOp::PkAddF16) {
    return {!mode.denorm_in_f16_f64(), !mode.denorm_out_f16_f64()};
  }
  return {!mode.denorm_in_f32(), !mode.denorm_out_f32()};
}

}  // namespace cuvette::wave
