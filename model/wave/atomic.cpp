// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/atomic.h"

#include "base/bits.h"
#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/env.h"
#include "fp/format.h"

namespace cuvette::wave {
namespace {

using base::AtomicOp;

template <class F>
uint64_t scalar(AtomicOp op, uint64_t old, uint64_t data, uint64_t compare, fp::Env env) {
  const auto a = static_cast<typename F::Bits>(old);
  const auto b = static_cast<typename F::Bits>(data);
  switch (op) {
    case AtomicOp::FAdd:
      return fp::add<F>(a, b, env);
    case AtomicOp::FMin:
      return fp::min<F>(a, b, env);
    case AtomicOp::FMax:
      return fp::max<F>(a, b, env);
    default: {
      const auto c = static_cast<typename F::Bits>(compare);
      return fp::compare<F>(a, c, env) == fp::Ordering::Equal ? b : a;
    }
  }
}

template <class F>
uint64_t packed(uint64_t old, uint64_t data, fp::Env env) {
  uint64_t out = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const auto a = static_cast<uint16_t>(old >> (16 * half));
    const auto b = static_cast<uint16_t>(data >> (16 * half));
    out |= uint64_t{fp::add<F>(a, b, env)} << (16 * half);
  }
  return out;
}

}  // namespace

uint64_t apply_atomic(AtomicOp op, uint64_t old, uint64_t data, uint64_t compare, unsigned bits,
                      bool flush_in, bool flush_out) {
  if (!base::is_float(op)) return base::apply_integer_atomic(op, old, data, compare, bits);
  fp::Env env;
  env.flush_in = flush_in && bits == 32;
  env.flush_out = flush_out && bits == 32;
  if (op == AtomicOp::PkAddF16) return packed<fp::F16>(old, data, env);
  if (op == AtomicOp::PkAddBf16) return packed<fp::BF16>(old, data, env);
  return bits == 64 ? scalar<fp::F64>(op, old, data, compare, env)
                    : scalar<fp::F32>(op, old, data, compare, env);
}

}  // namespace cuvette::wave
