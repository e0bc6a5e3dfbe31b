// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/print_constant.h"

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

/// One number without its type: "-5", "0f3f800000".
std::string number_text(Type type, std::string_view bytes) {
  const uint64_t value = load(bytes);
  if (is_signed(type)) return std::to_string(base::sign_extend(value, type_bits(type)));
  if (!is_float(type)) return std::to_string(value);
  const char prefix = type == Type::kF16 ? 'h' : type == Type::kF32 ? 'f' : 'd';
  char text[24];
  std::snprintf(text, sizeof text, "0%c%0*llx", prefix, static_cast<int>(type_bytes(type) * 2),
                static_cast<unsigned long long>(value));
  return text;
}

/// A signed number that is not negative as a literal with a minus, of which the low bits count
/// (4.8.1): "-0", "-4294967291" for an s32 of 5.
std::string minus_text(Type type, std::string_view bytes) {
  const uint64_t value = load(bytes);
  return "-" + std::to_string(value == 0 ? 0 : base::low_mask(type_bits(type)) - value + 1);
}

/// "u8x4(4, 3, 2, 1)": the most significant element first (4.14.2).
std::string typed_text(Type type, std::string_view bytes) {
  const Type element = is_packed(type) ? element_type(type) : type;
  const size_t size = type_bytes(element);
  std::string text = std::string(name(type)) + "(";
  for (size_t end = bytes.size(); end >= size; end -= size) {
    if (end != bytes.size()) text += ", ";
    text += number_text(element, bytes.substr(end - size, size));
  }
  return text + ")";
}

std::string bytes_text(const Operand& op, Type expected, bool by_place) {
  if (op.is_array) {
    std::string text = std::string(name(op.type)) + "[](";
    const size_t size = type_bytes(op.type);
    const std::string_view bytes(op.bytes);
    for (size_t i = 0; i + size <= bytes.size(); i += size) {
      if (i > 0) text += ", ";
      const bool typed = is_packed(op.type) || is_opaque(op.type);
      text += typed ? typed_text(op.type, bytes.substr(i, size))
                    : number_text(op.type, bytes.substr(i, size));
    }
    return text + ")";
  }
  if (is_packed(op.type) || is_opaque(op.type)) return typed_text(op.type, op.bytes);
  // A plain number is read with the type of its place in HSAIL 1:0, afterwards as signed behind a
  // minus and as unsigned otherwise; what that would change needs its type written.
  const bool plain_float = is_float(op.type) && expected != Type::kNone;
  const bool plain_unsigned = is_unsigned(op.type) && expected != Type::kNone;
  const bool plain_signed = is_signed(op.type) && expected != Type::kNone &&
                            ((by_place && op.type == expected) ||
                             base::sign_extend(load(op.bytes), type_bits(op.type)) < 0);
  if (plain_float || plain_unsigned || plain_signed) return number_text(op.type, op.bytes);
  const bool other = is_signed(op.type) && is_integer(expected) && op.type != expected;
  return other ? minus_text(op.type, op.bytes) : typed_text(op.type, op.bytes);
}

}  // namespace

std::string print_constant(const Module& module, OperandRef ref, Type expected) {
  const Operand& op = module.operand(ref);
  switch (op.kind) {
    case Kind::kOperandConstantBytes:
      return bytes_text(op, expected, module.header() != nullptr && module.header()->minor == 0);
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
                               op.is_array && is_integer(op.type) ? op.type : Type::kNone);
      }
      return text + (op.is_array ? ")" : "}");
    }
    default:
      return "?";
  }
}

}  // namespace cuvette::hsail
