// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/bits.h"
#include "fp/compare.h"
#include "fp/convert.h"
#include "hsail/exec.h"

// cmp, class and cvt (HSAIL PRM 5.13, 5.18, 5.19).
namespace cuvette::hsail {

namespace {

template <class T>
bool compare_values(Compare op, T a, T b) {
  switch (op) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

template <class T>
void compare_integers(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  c.each_lane([&](unsigned l) {
    const bool r = compare_values(op.compare, static_cast<T>(a[l]), static_cast<T>(b[l]));
    d[l] = r ? op.literal : 0;
  });
}

/// The outcomes a comparison is true for (Table 5-27), in the order less, equal, greater,
/// unordered.
constexpr unsigned kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
unsigned true_outcomes(Compare op) {
  switch (op) {
    case Compare::kEq:
    case Compare::kSeq:
      return kEqual;
    case Compare::kNe:
    case Compare::kSne:
      return kLess | kGreater;
    case Compare::kLt:
    case Compare::kSlt:
      return kLess;
    case Compare::kLe:
    case Compare::kSle:
      return kLess | kEqual;
    case Compare::kGt:
    case Compare::kSgt:
      return kGreater;
    case Compare::kGe:
    case Compare::kSge:
      return kGreater | kEqual;
    case Compare::kEqu:
    case Compare::kSequ:
      return kEqual | kUnordered;
    case Compare::kNeu:
    case Compare::kSneu:
      return kLess | kGreater | kUnordered;
    case Compare::kLtu:
    case Compare::kSltu:
      return kLess | kUnordered;
    case Compare::kLeu:
    case Compare::kSleu:
      return kLess | kEqual | kUnordered;
    case Compare::kGtu:
    case Compare::kSgtu:
      return kGreater | kUnordered;
    case Compare::kGeu:
    case Compare::kSgeu:
      return kGreater | kEqual | kUnordered;
    case Compare::kNum:
    case Compare::kSnum:
      return kLess | kEqual | kGreater;
    case Compare::kNan:
    case Compare::kSnan:
      return kUnordered;
  }
  return 0;
}

/// Comparisons that a quiet NaN makes invalid (5.18.2).
constexpr bool is_signaling(Compare op) {
  return op >= Compare::kSeq;
}

template <class F>
void compare_floats(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  const unsigned truth = true_outcomes(op.compare);
  fp::Env env = op.env;
  c.each_lane([&](unsigned l) {
    unsigned outcome = kUnordered;
    switch (fp::compare<F>(static_cast<fp::BitsOf<F>>(a[l]), static_cast<fp::BitsOf<F>>(b[l]), env,
                           is_signaling(op.compare))) {
      case fp::Ordering::Less:
        outcome = kLess;
        break;
      case fp::Ordering::Equal:
        outcome = kEqual;
        break;
      case fp::Ordering::Greater:
        outcome = kGreater;
        break;
      case fp::Ordering::Unordered:
        break;
    }
    d[l] = (truth & outcome) != 0 ? op.literal : 0;
  });
  c.raised |= env.flags;
}

template <class F>
void classify(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  c.each_lane([&](unsigned l) {
    d[l] = (fp::classify<F>(static_cast<fp::BitsOf<F>>(a[l])) & b[l]) != 0 ? 1 : 0;
  });
}

/// The exact value of an integer of type `t` in a register, as 64 bits of its own signedness.
uint64_t integer_value(Type t, uint64_t raw) {
  const unsigned bits = type_bits(t);
  return is_signed(t) ? static_cast<uint64_t>(base::sign_extend(raw, bits))
                      : raw & base::low_mask(bits);
}

uint64_t saturated(Type to, Type from, uint64_t value) {
  const bool negative = is_signed(from) && static_cast<int64_t>(value) < 0;
  const unsigned bits = type_bits(to);
  if (is_unsigned(to)) {
    return negative ? 0 : value > base::low_mask(bits) ? base::low_mask(bits) : value;
  }
  const uint64_t high = base::low_mask(bits - 1);
  if (negative) {
    const int64_t low = -static_cast<int64_t>(high) - 1;
    return static_cast<int64_t>(value) < low ? static_cast<uint64_t>(low) : value;
  }
  return value > high ? high : value;
}

/// Table 5-28: extension by the source's signedness, chop, saturation; b1 as 0 or 1 and, by the
/// letter of the table, all ones for s32 and s64.
void integer_to_integer(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const Type to = op.type;
  const Type from = op.source_type;
  if (from == Type::kB1) {
    const uint64_t one = to == Type::kS32 ? 0xffffffff : to == Type::kS64 ? ~uint64_t{0} : 1;
    c.each_lane([&](unsigned l) { d[l] = a[l] != 0 ? one : 0; });
    return;
  }
  c.each_lane([&](unsigned l) {
    const uint64_t value = integer_value(from, a[l]);
    if (to == Type::kB1) {
      d[l] = value != 0 ? 1 : 0;
    } else {
      d[l] = register_value(to, op.saturate ? saturated(to, from, value) : value);
    }
  });
}

fp::Round integer_rounding(Round r) {
  switch (r) {
    case Round::kIntNear:
    case Round::kIntNearSat:
    case Round::kIntSignalNear:
    case Round::kIntSignalNearSat:
      return fp::Round::NearestEven;
    case Round::kIntUp:
    case Round::kIntUpSat:
    case Round::kIntSignalUp:
    case Round::kIntSignalUpSat:
      return fp::Round::PlusInf;
    case Round::kIntDown:
    case Round::kIntDownSat:
    case Round::kIntSignalDown:
    case Round::kIntSignalDownSat:
      return fp::Round::MinusInf;
    default:
      return fp::Round::Zero;
  }
}

template <class F>
void float_to_integer(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const unsigned bits = type_bits(op.type);
  const fp::Round round = integer_rounding(op.round);
  c.each_lane([&](unsigned l) {
    fp::Env env = op.env;
    const uint64_t value = fp::to_int<F>(static_cast<fp::BitsOf<F>>(a[l]), bits, is_signed(op.type),
                                         round, env, op.saturate);
    if (!op.saturate && (env.flags & fp::kInvalid) != 0) {
      c.note_undefined(l, "conversion of a float outside the range of the integer");
    }
    // A saturating one is invalid for signaling NaNs only; clamping is left open (5.19.4).
    if (op.saturate && !fp::is_signaling<F>(static_cast<fp::BitsOf<F>>(a[l]))) {
      env.flags &= static_cast<uint8_t>(~fp::kInvalid);
    }
    c.raised |= env.flags;
    d[l] = register_value(op.type, value);
  });
}

template <class F>
void float_to_bit(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const bool flush = op.env.flush_in;
  c.each_lane([&c, a, d, flush](unsigned l) {
    const auto x = static_cast<fp::BitsOf<F>>(a[l]);
    const bool zero = fp::is_zero<F>(x) || (flush && fp::is_subnormal<F>(x));
    if (fp::is_signaling<F>(x)) c.raised |= fp::kInvalid;
    d[l] = zero ? 0 : 1;
  });
}

template <class F>
void integer_to_float(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  fp::Env env = op.env;
  c.each_lane([&](unsigned l) {
    if (op.source_type == Type::kB1) {
      d[l] = a[l] != 0 ? F::kOne : 0;
      return;
    }
    const uint64_t value = integer_value(op.source_type, a[l]);
    d[l] = is_signed(op.source_type) ? fp::from_int<F>(static_cast<int64_t>(value), env)
                                     : fp::from_int<F>(value, env);
  });
  c.raised |= env.flags;
}

template <class To, class From>
void float_to_float(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  fp::Env env = op.env;
  c.each_lane(
      [&](unsigned l) { d[l] = fp::convert<To, From>(static_cast<fp::BitsOf<From>>(a[l]), env); });
  c.raised |= env.flags;
}

template <class To>
Handler from_float(Type from) {
  return from == Type::kF16   ? float_to_float<To, fp::F16>
         : from == Type::kF32 ? float_to_float<To, fp::F32>
                              : float_to_float<To, fp::F64>;
}

Handler convert_from_float(Type to, Type from) {
  if (to == Type::kB1) {
    return from == Type::kF16   ? float_to_bit<fp::F16>
           : from == Type::kF32 ? float_to_bit<fp::F32>
                                : float_to_bit<fp::F64>;
  }
  if (!is_float(to)) {
    return from == Type::kF16   ? float_to_integer<fp::F16>
           : from == Type::kF32 ? float_to_integer<fp::F32>
                                : float_to_integer<fp::F64>;
  }
  return to == Type::kF16   ? from_float<fp::F16>(from)
         : to == Type::kF32 ? from_float<fp::F32>(from)
                            : from_float<fp::F64>(from);
}

}  // namespace

Handler convert_handler(const Inst& inst) {
  const Type s = inst.source_type;
  switch (inst.opcode) {
    case Opcode::kCmp:
      switch (s) {
        case Type::kF16:
          return compare_floats<fp::F16>;
        case Type::kF32:
          return compare_floats<fp::F32>;
        case Type::kF64:
          return compare_floats<fp::F64>;
        case Type::kS8:  // elements of packed types: extended to 32 bits
        case Type::kS16:
        case Type::kS32:
          return compare_integers<int32_t>;
        case Type::kS64:
          return compare_integers<int64_t>;
        default:
          return compare_integers<uint64_t>;  // registers hold u32, b1, b32 zero-extended
      }
    case Opcode::kClass:
      return s == Type::kF16   ? classify<fp::F16>
             : s == Type::kF32 ? classify<fp::F32>
                               : classify<fp::F64>;
    case Opcode::kCvt:
      if (is_float(s)) return convert_from_float(inst.type, s);
      if (is_float(inst.type)) {
        return inst.type == Type::kF16   ? integer_to_float<fp::F16>
               : inst.type == Type::kF32 ? integer_to_float<fp::F32>
                                         : integer_to_float<fp::F64>;
      }
      return integer_to_integer;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
