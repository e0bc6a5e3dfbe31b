// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/atomic.h"

#include <algorithm>
#include <stdexcept>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr const char* kNames[kAtomicOps] = {
    "swap",        "cmpswap",      "add",      "sub",      "smin",    "umin", "smax",
    "umax",        "and",          "or",       "xor",      "inc",     "dec",  "fadd_f32",
    "pk_fadd_f16", "pk_fadd_bf16", "fadd_f64", "fmin_f64", "fmax_f64"};

template <class U, class S>
U apply(AtomicOp op, U old, U operand, U compare) {
  const auto s_old = static_cast<S>(old);
  const auto s_operand = static_cast<S>(operand);
  switch (op) {
    case AtomicOp::Swap:
      return operand;
    case AtomicOp::CmpSwap:
      return old == compare ? operand : old;
    case AtomicOp::Add:
      return old + operand;
    case AtomicOp::Sub:
      return old - operand;
    case AtomicOp::SMin:
      return static_cast<U>(std::min(s_old, s_operand));
    case AtomicOp::UMin:
      return std::min(old, operand);
    case AtomicOp::SMax:
      return static_cast<U>(std::max(s_old, s_operand));
    case AtomicOp::UMax:
      return std::max(old, operand);
    case AtomicOp::And:
      return old & operand;
    case AtomicOp::Or:
      return old | operand;
    case AtomicOp::Xor:
      return old ^ operand;
    case AtomicOp::Inc:
      return old >= operand ? U{0} : old + 1;
    case AtomicOp::Dec:
      return old == 0 || old > operand ? operand : old - 1;
    default:
      throw std::logic_error("apply_atomic: not an integer operation");
  }
}

}  // namespace

const char* name(AtomicOp op) {
  return kNames[static_cast<unsigned>(op)];
}

uint64_t apply_atomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t operand,
                      uint64_t compare) {
  if (bytes == 8) return apply<uint64_t, int64_t>(op, old, operand, compare);
  if (bytes != 4) throw std::logic_error("apply_atomic: width is 4 or 8 bytes");
  return apply<uint32_t, int32_t>(op, base::lo32(old), base::lo32(operand), base::lo32(compare));
}

}  // namespace cuvette::hsa
