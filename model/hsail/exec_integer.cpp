// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "hsail/exec_lanes.h"

// Integer arithmetic and shifts (HSAIL PRM 5.2 to 5.5).
namespace cuvette::hsail {

namespace {

using namespace lanes;

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
struct Add {
  static uint64_t apply(uint64_t a, uint64_t b) { return widen(static_cast<T>(a + b)); }
};
template <class T>
struct Sub {
  static uint64_t apply(uint64_t a, uint64_t b) { return widen(static_cast<T>(a - b)); }
};
template <class T>
struct Mul {
  static uint64_t apply(uint64_t a, uint64_t b) { return widen(static_cast<T>(a * b)); }
};
template <class T>
struct Mad {
  static uint64_t apply(uint64_t a, uint64_t b, uint64_t c) {
    return widen(static_cast<T>(a * b + c));
  }
};

template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;

/// The exact value clamped to the range of T (4.14.1).
template <class T, class V>
uint64_t clamp(V value) {
  constexpr V kOne = 1;
  constexpr V kHigh = (kOne << (8 * sizeof(T) - (std::is_signed_v<T> ? 1 : 0))) - 1;
  constexpr V kLow = std::is_signed_v<T> ? V{-kHigh - 1} : V{0};
  return widen(static_cast<T>(value < kLow ? kLow : value > kHigh ? kHigh : value));
}
template <class T>
struct AddSat {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return clamp<T>(Int128{static_cast<T>(a)} + static_cast<T>(b));
  }
};
template <class T>
struct SubSat {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return clamp<T>(Int128{static_cast<T>(a)} - static_cast<T>(b));
  }
};
template <class T>
struct MadSat {
  static uint64_t apply(uint64_t a, uint64_t b, uint64_t c) {
    // u64: the product fits 128 unsigned bits; adding a u64 cannot wrap them.
    const Wide<T> value = Wide<T>{static_cast<T>(a)} * static_cast<T>(b) + static_cast<T>(c);
    return clamp<T>(value);
  }
};
template <class T>
struct MulSat {
  static uint64_t apply(uint64_t a, uint64_t b) {
    const Wide<T> product = Wide<T>{static_cast<T>(a)} * static_cast<T>(b);
    return clamp<T>(product);
  }
};
template <class T>
struct MulHi {
  static uint64_t apply(uint64_t a, uint64_t b) {
    const Wide<T> product = Wide<T>{static_cast<T>(a)} * static_cast<T>(b);
    return widen(static_cast<T>(product >> (8 * sizeof(T))));
  }
};
template <class T>
struct Borrow {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<Unsigned<T>>(a) < static_cast<Unsigned<T>>(b) ? 1 : 0;
  }
};
template <class T>
struct Carry {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<Unsigned<T>>(a + b) < static_cast<Unsigned<T>>(a) ? 1 : 0;
  }
};
template <class T>
struct Max {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<T>(a) > static_cast<T>(b) ? a : b;
  }
};
template <class T>
struct Min {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return static_cast<T>(a) < static_cast<T>(b) ? a : b;
  }
};
template <class T>
struct Neg {
  static uint64_t apply(uint64_t a) { return widen(static_cast<T>(0 - a)); }
};
template <class T>
struct Abs {
  static uint64_t apply(uint64_t a) {
    return widen(static_cast<T>(static_cast<T>(a) < 0 ? 0 - a : a));
  }
};
template <class T>
struct Shl {
  static uint64_t apply(uint64_t a, uint64_t n) {
    return widen(static_cast<T>(a << (n & (8 * sizeof(T) - 1))));
  }
};
template <class T>
struct Shr {
  static uint64_t apply(uint64_t a, uint64_t n) {
    return widen(static_cast<T>(static_cast<T>(a) >> (n & (8 * sizeof(T) - 1))));
  }
};

/// Divisor 0 and MIN / -1 are undefined (5.2): 0 here, and noted.
template <class T, bool Remainder>
void divide(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  c.each_lane([&](unsigned l) {
    const T x = static_cast<T>(a[l]);
    const T y = static_cast<T>(b[l]);
    bool defined = y != 0;
    if constexpr (std::is_signed_v<T>) {
      defined = defined && !(x == std::numeric_limits<T>::min() && y == -1);
    }
    if (!defined) {
      c.note_undefined(l, y == 0 ? "integer division by zero" : "integer division overflow");
      d[l] = 0;
    } else {
      d[l] = widen(static_cast<T>(Remainder ? x % y : x / y));
    }
  });
}

/// 24-bit multiplication (5.4): sources outside 24 bits are undefined; here the low 24 bits count.
template <class T, bool High, bool Accumulate>
void multiply24(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  const uint64_t* add = c.slot(op.src[2]);
  using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  const auto low24 = [](uint64_t v) { return static_cast<W>(static_cast<W>(v << 40) >> 40); };
  c.each_lane([&](unsigned l) {
    const W x = low24(a[l]);
    const W y = low24(b[l]);
    if (x != static_cast<T>(a[l]) || y != static_cast<T>(b[l])) {
      c.note_undefined(l, "source outside the 24-bit range");
    }
    const W product = x * y;
    const uint64_t part = static_cast<uint64_t>(High ? product >> 32 : product);
    d[l] = static_cast<uint32_t>(part + (Accumulate ? add[l] : 0));
  });
}

template <template <class> class F>
Handler signed_unary_for(Type t) {
  switch (t) {
    case Type::kS8:  // elements of packed types
      return unary<F<int8_t>>;
    case Type::kS16:
      return unary<F<int16_t>>;
    case Type::kS32:
      return unary<F<int32_t>>;
    default:
      return unary<F<int64_t>>;
  }
}

}  // namespace

Handler integer_handler(const Inst& inst) {
  if (!is_integer(inst.type)) return nullptr;
  const Type t = inst.type;
  const bool sat = (inst.modifier & kAluIntegerSat) != 0;
  switch (inst.opcode) {
    case Opcode::kAbs:
      return signed_unary_for<Abs>(t);
    case Opcode::kNeg:
      return signed_unary_for<Neg>(t);
    case Opcode::kAdd:
      return sat ? binary_for<AddSat>(t) : binary_for<Add>(t);
    case Opcode::kSub:
      return sat ? binary_for<SubSat>(t) : binary_for<Sub>(t);
    case Opcode::kMad:
      return sat ? ternary_for<MadSat>(t) : ternary_for<Mad>(t);
    case Opcode::kMul:
      return sat ? binary_for<MulSat>(t) : binary_for<Mul>(t);
    case Opcode::kMulHi:
      return binary_for<MulHi>(t);
    case Opcode::kMax:
      return binary_for<Max>(t);
    case Opcode::kMin:
      return binary_for<Min>(t);
    case Opcode::kBorrow:
      return binary_for<Borrow>(t);
    case Opcode::kCarry:
      return binary_for<Carry>(t);
    case Opcode::kDiv:
      return pick(t, divide<uint32_t, false>, divide<int32_t, false>, divide<uint64_t, false>,
                  divide<int64_t, false>);
    case Opcode::kRem:
      return pick(t, divide<uint32_t, true>, divide<int32_t, true>, divide<uint64_t, true>,
                  divide<int64_t, true>);
    case Opcode::kMul24:
      return t == Type::kU32 ? multiply24<uint32_t, false, false>
                             : multiply24<int32_t, false, false>;
    case Opcode::kMul24Hi:
      return t == Type::kU32 ? multiply24<uint32_t, true, false> : multiply24<int32_t, true, false>;
    case Opcode::kMad24:
      return t == Type::kU32 ? multiply24<uint32_t, false, true> : multiply24<int32_t, false, true>;
    case Opcode::kMad24Hi:
      return t == Type::kU32 ? multiply24<uint32_t, true, true> : multiply24<int32_t, true, true>;
    case Opcode::kShl:
      return binary_for<Shl>(t);
    case Opcode::kShr:
      return binary_for<Shr>(t);
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
