// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/print_constant.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/bits.h"
#include "hsail/constant_expression.h"
#include "hsail/image_constant.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

uint64_t load(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

/// The fields of an IEEE number.
struct Float {
  int fraction_bits;
  int exponent_bits;
  uint64_t fraction;
  int exponent;  ///< the field as it is
  bool negative;

  Float(Type type, uint64_t bits)
      : fraction_bits(type == Type::kF16   ? 10
                      : type == Type::kF32 ? 23
                                           : 52),
        exponent_bits(static_cast<int>(type_bits(type)) - 1 - fraction_bits),
        fraction(bits & base::low_mask(static_cast<unsigned>(fraction_bits))),
        exponent(static_cast<int>(bits >> fraction_bits &
                                  base::low_mask(static_cast<unsigned>(exponent_bits)))),
        negative((bits >> (type_bits(type) - 1) & 1) != 0) {}

  bool finite() const { return exponent != (1 << exponent_bits) - 1; }
  bool subnormal() const { return exponent == 0 && fraction != 0; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

/// "0x1.3c0832p+0", of zero or a normal number, without its sign.
std::string hex_float(const Float& f) {
  if (f.exponent == 0 && f.fraction == 0) return "0x0p+0";
  const int digits = (f.fraction_bits + 3) / 4;
  const unsigned long long fraction = f.fraction << (4 * digits - f.fraction_bits);
  char text[40];
  std::snprintf(text, sizeof text, "%0*llx", digits, fraction);
  std::string hex(text);
  hex.erase(hex.find_last_not_of('0') + 1);
  std::snprintf(text, sizeof text, "p%+d", f.exponent - f.bias());
  return (hex.empty() ? "0x1" : "0x1." + hex) + text;
}

template <class... Format>
std::string to_text(double value, Format... format) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value, format...).ptr};
}

/// The library has no f16: the fewest digits, and of those the nearest, that read back. Five are
/// enough for 11 bits of precision.
std::string decimal_half(const Float& f) {
  const double mantissa = static_cast<double>(f.fraction + (f.exponent == 0 ? 0 : 1 << 10));
  const double unit = std::ldexp(1.0, std::max(f.exponent, 1) - 25);
  const double value = mantissa * unit;
  const double below = f.fraction == 0 && f.exponent > 1 ? unit / 2 : unit;
  // A double holds these exactly, and none of them is nearly a decimal of five digits.
  const double low = value - below / 2, high = value + unit / 2;
  for (int precision = 0; precision < 5; ++precision) {
    const std::string nearest = to_text(value, std::chars_format::scientific, precision);
    const size_t e = nearest.find('e');
    std::string digits = nearest.substr(0, e);
    std::erase(digits, '.');
    int64_t first = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), first);
    int exponent = 0;
    const size_t sign = nearest[e + 1] == '+' ? 2 : 1;
    std::from_chars(nearest.data() + e + sign, nearest.data() + nearest.size(), exponent);
    // At powers of 2 the nearest may lie beyond the near half of the interval and its neighbour
    // in the far one.
    for (const int64_t candidate : {first, first + 1, first - 1}) {
      const std::string text =
          std::to_string(candidate) + "e" + std::to_string(exponent - precision);
      double read = 0;
      std::from_chars(text.data(), text.data() + text.size(), read);
      // Not halfway, which HSAILasm rounds away from zero: 4130 would be no 4128.
      if (read > low && read < high) return to_text(read);
    }
  }
  return to_text(value);
}

/// The shortest decimal without its sign.
std::string decimal_float(Type type, uint64_t bits, const Float& f) {
  std::string text;
  if (type == Type::kF64) {
    text = to_text(std::bit_cast<double>(bits));
  } else if (type == Type::kF32) {
    char shortest[40];
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    text.assign(shortest, std::to_chars(shortest, shortest + sizeof shortest, value).ptr);
  } else {
    text = bits == 0 ? "0" : decimal_half(f);
  }
  // Digits alone would be an integer (4.8.2).
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string float_text(Type type, uint64_t bits, FloatNotation floats) {
  const char letter = type == Type::kF16 ? 'h' : type == Type::kF32 ? 'f' : 'd';
  const Float f(type, bits);
  // HSAILasm reads hexadecimal subnormals as twice their value or as 0: text for both has none.
  const bool unsafe = floats == FloatNotation::kC99 && f.subnormal();
  if (floats == FloatNotation::kBits || !f.finite() || unsafe) {
    char text[24];
    std::snprintf(text, sizeof text, "0%c%0*llx", letter, static_cast<int>(type_bytes(type) * 2),
                  static_cast<unsigned long long>(bits));
    return text;
  }
  const uint64_t magnitude = bits & base::low_mask(type_bits(type) - 1);
  return (f.negative ? "-" : "") +
         (floats == FloatNotation::kC99 ? hex_float(f) : decimal_float(type, magnitude, f)) +
         letter;
}

/// One number without its type: "-5", "0f3f800000".
std::string number_text(Type type, std::string_view bytes, FloatNotation floats) {
  const uint64_t value = load(bytes);
  if (is_signed(type)) return std::to_string(base::sign_extend(value, type_bits(type)));
  return is_float(type) ? float_text(type, value, floats) : std::to_string(value);
}

/// A signed number that is not negative as a literal with a minus, of which the low bits count
/// (4.8.1): "-0", "-4294967291" for an s32 of 5.
std::string minus_text(Type type, std::string_view bytes) {
  const uint64_t value = load(bytes);
  return "-" + std::to_string(value == 0 ? 0 : base::low_mask(type_bits(type)) - value + 1);
}

/// "u8x4(4, 3, 2, 1)": the most significant element first (4.14.2).
std::string typed_text(Type type, std::string_view bytes, FloatNotation floats) {
  const Type element = is_packed(type) ? element_type(type) : type;
  const size_t size = type_bytes(element);
  std::string text = std::string(name(type)) + "(";
  for (size_t end = bytes.size(); end >= size; end -= size) {
    if (end != bytes.size()) text += ", ";
    text += number_text(element, bytes.substr(end - size, size), floats);
  }
  return text + ")";
}

std::string bytes_text(const Operand& op, Type expected, bool by_place, FloatNotation floats) {
  if (op.is_array) {
    std::string text = std::string(name(op.type)) + "[](";
    const size_t size = type_bytes(op.type);
    const std::string_view bytes(op.bytes);
    for (size_t i = 0; i + size <= bytes.size(); i += size) {
      if (i > 0) text += ", ";
      const bool typed = is_packed(op.type) || is_opaque(op.type);
      text += typed ? typed_text(op.type, bytes.substr(i, size), floats)
                    : number_text(op.type, bytes.substr(i, size), floats);
    }
    return text + ")";
  }
  if (is_packed(op.type) || is_opaque(op.type)) return typed_text(op.type, op.bytes, floats);
  // A plain number is read with the type of its place in HSAIL 1:0, afterwards as signed behind a
  // minus and as unsigned otherwise; what that would change needs its type written.
  const bool plain_float = is_float(op.type) && expected != Type::kNone;
  const bool plain_unsigned = is_unsigned(op.type) && expected != Type::kNone;
  const bool plain_signed = is_signed(op.type) && expected != Type::kNone &&
                            ((by_place && op.type == expected) ||
                             base::sign_extend(load(op.bytes), type_bits(op.type)) < 0);
  if (plain_float || plain_unsigned || plain_signed) return number_text(op.type, op.bytes, floats);
  const bool other = is_signed(op.type) && is_integer(expected) && op.type != expected;
  return other ? minus_text(op.type, op.bytes) : typed_text(op.type, op.bytes, floats);
}

}  // namespace

std::string print_constant(const Module& module, OperandRef ref, Type expected,
                           FloatNotation floats) {
  const Operand& op = module.operand(ref);
  switch (op.kind) {
    case Kind::kOperandConstantBytes:
      return bytes_text(op, expected, module.header() != nullptr && module.header()->minor == 0,
                        floats);
    case Kind::kOperandAlign:
      return "align(" + std::to_string(alignment_bytes(op.align)) + ")";
    case Kind::kOperandZero:
      return "zero(" + std::to_string(op.offset) + ")";
    case Kind::kOperandConstantImage:
    case Kind::kOperandConstantSampler:
      return opaque_constant_text(op);
    case Kind::kOperandConstantExpression: {
      const std::string text = expression_text(module, op);
      const bool by_place = module.header() != nullptr && module.header()->minor == 0;
      const bool plain =
          expected != Type::kNone &&
          (by_place ? !is_integer(expected) || op.type == expected : is_unsigned(op.type));
      return plain ? text : std::string(name(op.type)) + "(" + text + ")";
    }
    case Kind::kOperandConstantOperandList: {
      std::string text = op.is_array ? std::string(name(op.type)) + "[](" : "{";
      for (size_t i = 0; i < op.elements.size(); ++i) {
        // Elements of an array have its type.
        text += (i == 0 ? "" : ", ") +
                print_constant(module, op.elements[i],
                               op.is_array && is_integer(op.type) ? op.type : Type::kNone, floats);
      }
      return text + (op.is_array ? ")" : "}");
    }
    default:
      return "?";
  }
}

}  // namespace cuvette::hsail
