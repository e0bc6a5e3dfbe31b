// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "hsail/exec.h"

// Loops of integer handlers over the lanes, and the choice of a handler by type.
namespace cuvette::hsail::lanes {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// A result as register contents: see register_value.
template <class T>
constexpr uint64_t widen(T value) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<Unsigned<T>>(value);
  } else {
    return static_cast<uint32_t>(static_cast<int32_t>(value));
  }
}

template <class F>
void unary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  c.each_lane([=](unsigned l) { d[l] = F::apply(a[l]); });
}

template <class F>
void binary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  c.each_lane([=](unsigned l) { d[l] = F::apply(a[l], b[l]); });
}

template <class F>
void ternary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* x = c.slot(op.src[0]);
  const uint64_t* y = c.slot(op.src[1]);
  const uint64_t* z = c.slot(op.src[2]);
  c.each_lane([=](unsigned l) { d[l] = F::apply(x[l], y[l], z[l]); });
}

// The handler for an integer type.
template <template <class> class F>
Handler binary_for(Type t) {
  switch (t) {
    case Type::kU8:
      return binary<F<uint8_t>>;
    case Type::kS8:
      return binary<F<int8_t>>;
    case Type::kU16:
      return binary<F<uint16_t>>;
    case Type::kS16:
      return binary<F<int16_t>>;
    case Type::kU32:
      return binary<F<uint32_t>>;
    case Type::kS32:
      return binary<F<int32_t>>;
    case Type::kU64:
      return binary<F<uint64_t>>;
    case Type::kS64:
      return binary<F<int64_t>>;
    default:
      return nullptr;
  }
}
template <template <class> class F>
Handler ternary_for(Type t) {
  switch (t) {
    case Type::kU8:
      return ternary<F<uint8_t>>;
    case Type::kS8:
      return ternary<F<int8_t>>;
    case Type::kU16:
      return ternary<F<uint16_t>>;
    case Type::kS16:
      return ternary<F<int16_t>>;
    case Type::kU32:
      return ternary<F<uint32_t>>;
    case Type::kS32:
      return ternary<F<int32_t>>;
    case Type::kU64:
      return ternary<F<uint64_t>>;
    case Type::kS64:
      return ternary<F<int64_t>>;
    default:
      return nullptr;
  }
}
template <template <class> class F>
Handler unary_for(Type t) {
  switch (t) {
    case Type::kU32:
      return unary<F<uint32_t>>;
    case Type::kS32:
      return unary<F<int32_t>>;
    case Type::kU64:
      return unary<F<uint64_t>>;
    case Type::kS64:
      return unary<F<int64_t>>;
    default:
      return nullptr;
  }
}
inline Handler pick(Type t, Handler u32, Handler s32, Handler u64, Handler s64) {
  switch (t) {
    case Type::kU32:
    case Type::kB32:
      return u32;
    case Type::kS32:
      return s32;
    case Type::kU64:
    case Type::kB64:
      return u64;
    case Type::kS64:
      return s64;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail::lanes
