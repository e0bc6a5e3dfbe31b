// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>
#include <type_traits>

#include "hsail/exec.h"

// Integer, bit and move instructions (HSAIL PRM 5.2 to 5.10, 5.15).
namespace cuvette::hsail {

namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// A result as register contents: see register_value.
template <class T>
uint64_t widen(T value) {
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
template <class T>
uint64_t clamp(Int128 value) {
  const Int128 low = std::numeric_limits<T>::min();
  const Int128 high = std::numeric_limits<T>::max();
  return widen(static_cast<T>(value < low ? low : value > high ? high : value));
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
    const Wide<T> low = std::numeric_limits<T>::min();
    const Wide<T> high = std::numeric_limits<T>::max();
    return widen(static_cast<T>(value < low ? low : value > high ? high : value));
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

template <class T>
void bit_extract(ExecContext& c, const Op& op) {
  constexpr unsigned kBits = 8 * sizeof(T);
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* o = c.slot(op.src[1]);
  const uint64_t* w = c.slot(op.src[2]);
  c.each_lane([&](unsigned l) {
    const unsigned offset = o[l] & (kBits - 1);
    const unsigned width = w[l] & (kBits - 1);
    if (offset + width > kBits) {
      c.note_undefined(l, "bit field beyond the operand");
      d[l] = 0;
    } else if (width == 0) {
      d[l] = 0;
    } else {
      const unsigned up = kBits - width - offset;
      const auto aligned = static_cast<T>(static_cast<Unsigned<T>>(a[l]) << up);
      d[l] = widen(static_cast<T>(aligned >> (kBits - width)));
    }
  });
}

template <class T>
uint64_t field_mask(unsigned offset, unsigned width) {
  return static_cast<Unsigned<T>>(((uint64_t{1} << width) - 1) << offset);
}

template <class T>
void bit_insert(ExecContext& c, const Op& op) {
  constexpr unsigned kBits = 8 * sizeof(T);
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* base = c.slot(op.src[0]);
  const uint64_t* field = c.slot(op.src[1]);
  const uint64_t* o = c.slot(op.src[2]);
  const uint64_t* w = c.slot(op.src[3]);
  c.each_lane([&](unsigned l) {
    const unsigned offset = o[l] & (kBits - 1);
    const unsigned width = w[l] & (kBits - 1);
    if (offset + width > kBits) c.note_undefined(l, "bit field beyond the operand");
    const uint64_t mask = field_mask<T>(offset, width);
    d[l] = (base[l] & ~mask) | ((field[l] << offset) & mask);
  });
}

template <class T>
void bit_mask(ExecContext& c, const Op& op) {
  constexpr unsigned kBits = 8 * sizeof(T);
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* o = c.slot(op.src[0]);
  const uint64_t* w = c.slot(op.src[1]);
  c.each_lane([&](unsigned l) {
    const unsigned offset = o[l] & (kBits - 1);
    const unsigned width = w[l] & (kBits - 1);
    if (offset + width > kBits) c.note_undefined(l, "bit field beyond the operand");
    d[l] = field_mask<T>(offset, width);
  });
}

struct And {
  static uint64_t apply(uint64_t a, uint64_t b) { return a & b; }
};
struct Or {
  static uint64_t apply(uint64_t a, uint64_t b) { return a | b; }
};
struct Xor {
  static uint64_t apply(uint64_t a, uint64_t b) { return a ^ b; }
};
template <unsigned Bits>
struct Not {
  static uint64_t apply(uint64_t a) { return ~a & (~uint64_t{0} >> (64 - Bits)); }
};
struct Move {
  static uint64_t apply(uint64_t a) { return a; }
};
struct MoveHalf {
  static uint64_t apply(uint64_t a) { return a & 0xffff; }
};
struct PopCount {
  static uint64_t apply(uint64_t a) { return static_cast<uint64_t>(std::popcount(a)); }
};
struct BitSelect {
  static uint64_t apply(uint64_t m, uint64_t a, uint64_t b) { return (a & m) | (b & ~m); }
};
template <class T>
struct BitRev {
  static uint64_t apply(uint64_t a) {
    uint64_t r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) r = r << 1 | ((a >> i) & 1);
    return r;
  }
};
/// 5.7: zeros before the first set bit, or of the complement for negative numbers; -1 for none.
template <class T>
struct FirstBit {
  static uint64_t apply(uint64_t a) {
    auto u = static_cast<Unsigned<T>>(a);
    if (std::is_signed_v<T> && static_cast<T>(a) < 0) u = static_cast<Unsigned<T>>(~u);
    return u == 0 ? 0xffffffff : static_cast<uint64_t>(std::countl_zero(u));
  }
};
struct LastBit {
  static uint64_t apply(uint64_t a) {
    return a == 0 ? 0xffffffff : static_cast<uint64_t>(std::countr_zero(a));
  }
};
/// 5.15: src0 is the low word.
struct BitAlign {
  static uint64_t apply(uint64_t low, uint64_t high, uint64_t n) {
    return static_cast<uint32_t>((high << 32 | low) >> (n & 31));
  }
};
struct ByteAlign {
  static uint64_t apply(uint64_t low, uint64_t high, uint64_t n) {
    return static_cast<uint32_t>((high << 32 | low) >> ((n & 3) * 8));
  }
};
struct Select {
  static uint64_t apply(uint64_t c, uint64_t a, uint64_t b) { return c != 0 ? a : b; }
};

/// Moves `n` slots that belong to one 128-bit register.
void move128(ExecContext& c, const Op& op) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint64_t* d = c.slot(op.dest[0] + half);
    const uint64_t* a = c.slot(op.src[0] + half);
    c.each_lane([=](unsigned l) { d[l] = a[l]; });
  }
}

void select128(ExecContext& c, const Op& op) {
  const uint64_t* condition = c.slot(op.src[0]);
  for (uint32_t half = 0; half < 2; ++half) {
    uint64_t* d = c.slot(op.dest[0] + half);
    const uint64_t* a = c.slot(op.src[1] + half);
    const uint64_t* b = c.slot(op.src[2] + half);
    c.each_lane([=](unsigned l) { d[l] = condition[l] != 0 ? a[l] : b[l]; });
  }
}

/// combine and expand (5.8): the first element is the least significant.
void combine32(ExecContext& c, const Op& op) {
  for (uint32_t pair = 0; pair < op.count / 2u; ++pair) {
    uint64_t* d = c.slot(op.dest[0] + pair);
    const uint64_t* low = c.slot(op.src[2 * pair]);
    const uint64_t* high = c.slot(op.src[2 * pair + 1]);
    c.each_lane([=](unsigned l) { d[l] = low[l] | high[l] << 32; });
  }
}
void combine64(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    const uint64_t low = c.slot(op.src[0])[l];
    const uint64_t high = c.slot(op.src[1])[l];
    c.slot(op.dest[0])[l] = low;
    c.slot(op.dest[0] + 1)[l] = high;
  });
}
void expand32(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    for (uint32_t i = 0; i < op.count; ++i) {
      const uint64_t word = c.slot(op.src[0] + i / 2)[l];
      c.slot(op.dest[i])[l] = static_cast<uint32_t>(i % 2 == 0 ? word : word >> 32);
    }
  });
}
void expand64(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    for (uint32_t i = 0; i < 2; ++i) c.slot(op.dest[i])[l] = c.slot(op.src[0] + i)[l];
  });
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
Handler pick(Type t, Handler u32, Handler s32, Handler u64, Handler s64) {
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

Handler arithmetic_handler(const Inst& inst) {
  const Type t = inst.type;
  const bool sat = (inst.modifier & kAluIntegerSat) != 0;
  switch (inst.opcode) {
    case Opcode::kAbs:
      return t == Type::kS32 ? unary<Abs<int32_t>> : unary<Abs<int64_t>>;
    case Opcode::kNeg:
      return t == Type::kS32 ? unary<Neg<int32_t>> : unary<Neg<int64_t>>;
    case Opcode::kAdd:
      return sat ? binary_for<AddSat>(t) : binary_for<Add>(t);
    case Opcode::kSub:
      return sat ? binary_for<SubSat>(t) : binary_for<Sub>(t);
    case Opcode::kMad:
      return sat ? ternary_for<MadSat>(t) : ternary_for<Mad>(t);
    case Opcode::kMul:
      return binary_for<Mul>(t);
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

Handler bit_handler(const Inst& inst) {
  const Type t = inst.type;
  const bool wide = type_bits(t) == 64;
  switch (inst.opcode) {
    case Opcode::kAnd:
      return binary<And>;
    case Opcode::kOr:
      return binary<Or>;
    case Opcode::kXor:
      return binary<Xor>;
    case Opcode::kNot:
      return t == Type::kB1 ? unary<Not<1>> : wide ? unary<Not<64>> : unary<Not<32>>;
    case Opcode::kPopCount:
      return unary<PopCount>;
    case Opcode::kBitExtract:
      return pick(t, bit_extract<uint32_t>, bit_extract<int32_t>, bit_extract<uint64_t>,
                  bit_extract<int64_t>);
    case Opcode::kBitInsert:
      return wide ? bit_insert<uint64_t> : bit_insert<uint32_t>;
    case Opcode::kBitMask:
      return wide ? bit_mask<uint64_t> : bit_mask<uint32_t>;
    case Opcode::kBitRev:
      return wide ? unary<BitRev<uint64_t>> : unary<BitRev<uint32_t>>;
    case Opcode::kBitSelect:
      return ternary<BitSelect>;
    case Opcode::kFirstBit:
      return unary_for<FirstBit>(inst.source_type);
    case Opcode::kLastBit:
      return unary<LastBit>;
    case Opcode::kBitAlign:
      return ternary<BitAlign>;
    case Opcode::kByteAlign:
      return ternary<ByteAlign>;
    case Opcode::kCombine:
      return inst.source_type == Type::kB32 ? combine32 : combine64;
    case Opcode::kExpand:
      return t == Type::kB32 ? expand32 : expand64;
    case Opcode::kMov:
      return t == Type::kB128 ? move128 : t == Type::kF16 ? unary<MoveHalf> : unary<Move>;
    case Opcode::kCmov:
      return t == Type::kB128 ? select128 : ternary<Select>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler integer_handler(const Inst& inst) {
  if (is_integer(inst.type)) {
    if (const Handler h = arithmetic_handler(inst)) return h;
  }
  return bit_handler(inst);
}

}  // namespace cuvette::hsail
