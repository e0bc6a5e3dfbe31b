// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "hsail/exec_lanes.h"

// Bit, bit field and move instructions (HSAIL PRM 5.6 to 5.10, 5.15).
namespace cuvette::hsail {

namespace {

using namespace lanes;

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

}  // namespace

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

}  // namespace cuvette::hsail
