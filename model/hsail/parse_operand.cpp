// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hsail/parser.h"

namespace cuvette::hsail {

namespace {

std::string little_endian(uint64_t value, unsigned bytes) {
  std::string out;
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return out;
}

Type integer_of(unsigned bytes, bool negative) {
  const Type unsigned_type = bytes == 1   ? Type::kU8
                             : bytes == 2 ? Type::kU16
                             : bytes == 4 ? Type::kU32
                                          : Type::kU64;
  return negative ? static_cast<Type>(number(unsigned_type) + 4) : unsigned_type;
}

}  // namespace

CodeRef Parser::find_symbol(std::string_view wanted) const {
  const std::string key(wanted);
  for (const auto* scope : {&arg_scope_, &function_scope_, &module_scope_}) {
    const auto found = scope->find(key);
    if (found != scope->end()) return found->second;
  }
  return 0;
}

bool Parser::register_operand(OperandRef* ref) {
  const std::string_view text = token().text;
  Operand op;
  op.kind = Kind::kOperandRegister;
  op.at = token().at;
  const size_t kind = text.size() > 2 ? std::string_view("csdq").find(text[1]) : 4;
  uint32_t index = 0;
  bool good = kind < 4 && (text.size() == 3 || text[2] != '0') && text.size() <= 7;
  for (size_t i = 2; good && i < text.size(); ++i) {
    good = text[i] >= '0' && text[i] <= '9';
    index = index * 10 + static_cast<uint32_t>(text[i] - '0');
  }
  if (!good) {
    return fail(Rule::kRegisterName, op.at,
                "'" + std::string(text.substr(0, 40)) +
                    "' is not a register, expected $c, $s, $d or $q and a number");
  }
  if (index > UINT16_MAX) return fail(Rule::kRegisterName, op.at, "register number above 65535");
  op.reg_kind = static_cast<RegisterKind>(kind);
  op.reg_num = static_cast<uint16_t>(index);
  skip();
  *ref = add_operand(std::move(op));
  return true;
}

bool Parser::operand(Type expected, OperandRef* ref) {
  if (token().kind == TokenKind::kDollar) return register_operand(ref);
  if (at_word("WAVESIZE")) {
    Operand op;
    op.kind = Kind::kOperandWavesize;
    op.at = token().at;
    skip();
    *ref = add_operand(std::move(op));
    return true;
  }
  return constant(expected, ref);
}

bool Parser::vector(Type expected, unsigned count, OperandRef* ref) {
  Operand op;
  op.kind = Kind::kOperandOperandList;
  op.at = token().at;
  if (count == 0) return fail(Rule::kVectorSize, op.at, "a list of operands needs _v4");
  const std::string what = "a vector of " + std::to_string(count) + " operands";
  if (!at_punct('(')) return unexpected("'(' before " + what);
  skip();
  do {
    OperandRef element = 0;
    if (!operand(expected, &element)) return false;
    op.elements.push_back(element);
  } while (op.elements.size() < count && accept(','));
  if (op.elements.size() != count) return unexpected(what);
  if (!expect(')', "after " + what)) return false;
  *ref = add_operand(std::move(op));
  return true;
}

bool Parser::address(OperandRef* ref) {
  Operand op;
  op.kind = Kind::kOperandAddress;
  op.at = token().at;
  if (!at_punct('[')) return unexpected("an address ('[')");
  skip();
  if (token().kind == TokenKind::kGlobal || token().kind == TokenKind::kLocal) {
    op.symbol = find_symbol(token().text);
    if (op.symbol == 0) {
      return fail(Rule::kNameUnknown, token().at,
                  "'" + std::string(token().text) + "' is not declared");
    }
    if (out_.module.code[op.symbol].kind != Kind::kVariable) {
      return fail(Rule::kNameKind, token().at,
                  "'" + std::string(token().text) + "' is not a variable");
    }
    skip();
    if (!expect(']', "after the variable")) return false;
    if (accept('[') && !address_offset(&op)) return false;
  } else if (!address_offset(&op)) {
    return false;
  }
  *ref = add_operand(std::move(op));
  return true;
}

bool Parser::address_offset(Operand* op) {
  const bool with_register = token().kind == TokenKind::kDollar;
  if (with_register && !register_operand(&op->reg)) return false;
  const bool negative = at_punct('-');
  const bool sign = negative || at_punct('+');
  if (sign) skip();
  if (sign || !with_register) {
    uint64_t offset = 0;
    if (!number(&offset, with_register ? "an offset" : "a variable, a register or an offset")) {
      return false;
    }
    op->offset = negative ? 0 - offset : offset;
  }
  return expect(']', "after the address");
}

bool Parser::label(OperandRef* ref) {
  if (token().kind != TokenKind::kLabel) return unexpected("a label (@name)");
  Operand op;
  op.kind = Kind::kOperandCodeRef;
  op.at = token().at;
  *ref = add_operand(op);
  pending_labels_.push_back({*ref, -1, std::string(token().text), op.at});
  skip();
  return true;
}

bool Parser::label_list(OperandRef* ref) {
  Operand op;
  op.kind = Kind::kOperandCodeList;
  op.at = token().at;
  if (!expect('[', "before the list of labels")) return false;
  *ref = add_operand(op);
  std::vector<CodeRef> codes;
  do {
    if (token().kind != TokenKind::kLabel) return unexpected("a label (@name)");
    pending_labels_.push_back(
        {*ref, static_cast<int>(codes.size()), std::string(token().text), token().at});
    codes.push_back(0);
    out_.module.operands[*ref].codes = codes;
    skip();
  } while (accept(','));
  return expect(']', "after the list of labels");
}

bool Parser::argument_list(OperandRef* ref) {
  Operand op;
  op.kind = Kind::kOperandCodeList;
  op.at = token().at;
  if (!expect('(', "before the arguments of the call")) return false;
  if (!accept(')')) {
    do {
      const CodeRef symbol = token().kind == TokenKind::kLocal ? find_symbol(token().text) : 0;
      if (symbol == 0) return unexpected("a variable of the arg block");
      op.codes.push_back(symbol);
      skip();
    } while (accept(','));
    if (!expect(')', "after the arguments of the call")) return false;
  }
  *ref = add_operand(std::move(op));
  return true;
}

Type Parser::literal_type(Type expected, bool negative) const {
  // HSAIL 1:0 gives it the integer type of its place, later versions the literal's sign (18.6.1).
  const ModuleHeader* header = out_.module.header();
  const bool by_place = header != nullptr && header->minor == 0 && is_integer(expected);
  return by_place ? expected : integer_of(type_bytes(expected), negative);
}

bool Parser::constant(Type expected, OperandRef* ref) {
  Operand op;
  op.at = token().at;
  if (!constant_value(expected, &op)) return false;
  *ref = add_operand(std::move(op));
  return true;
}

bool Parser::constant_value(Type expected, Operand* op) {
  const Position at = token().at;
  if (at_punct('{') && expected == Type::kNone) return aggregate(op);
  if (token().kind == TokenKind::kWord) {
    if (at_expression()) {
      const bool integer = (is_integer(expected) || is_bit(expected)) && expected != Type::kB1 &&
                           type_bits(expected) <= 64;
      if (integer) return expression(literal_type(expected, false), op);
      return fail(Rule::kConstantType, at,
                  "a constant expression is not valid here, expected a constant of type '" +
                      std::string(expected == Type::kNone ? "array" : name(expected)) + "'");
    }
    const auto type = find_type(token().text);
    if (!type) return unexpected("an operand");
    if (!typed_constant(op)) return false;
    return expected == Type::kNone || convert(*op, expected);
  }
  const bool negative = at_punct('-');
  if (negative || at_punct('+')) skip();
  if (token().kind != TokenKind::kNumber) return unexpected("an operand");
  const Literal literal = parse_literal(token().text);
  if (literal.form == Literal::Form::kBad) return fail(Rule::kLiteral, token().at, literal.problem);
  skip();
  op->kind = Kind::kOperandConstantBytes;
  if (literal.form == Literal::Form::kFloat) {
    const unsigned bits = type_bits(literal.type);
    if (literal.out_of_range) warn_range(at, literal);
    op->type = literal.type;
    op->bytes = little_endian(literal.bits ^ (negative ? uint64_t{1} << (bits - 1) : 0), bits / 8);
    return expected == Type::kNone || convert(*op, expected);
  }
  const uint64_t value = negative ? 0 - literal.bits : literal.bits;
  // 4.8.5: an integer literal takes the size that is expected. b1 is stored as u8 0 or 1 (18.6.1),
  // by whether the number is 0 (docs/reference/decisions.md D61).
  if (expected == Type::kB1) {
    op->type = Type::kU8;
    op->bytes = little_endian(value == 0 ? 0 : 1, 1);
    return true;
  }
  if (!(is_integer(expected) || is_bit(expected)) || type_bits(expected) > 64) {
    return fail(Rule::kConstantType, at,
                "an integer constant is not valid here, expected a constant of type '" +
                    std::string(expected == Type::kNone ? "array" : name(expected)) + "'");
  }
  op->type = literal_type(expected, negative);
  op->bytes = little_endian(value, type_bytes(expected));
  return true;
}

/// 4.8.2 rounds to nearest even as 4.19.2 has it: to an infinity, or to 0.
void Parser::warn_range(Position at, const Literal& literal) {
  if (out_.warnings.size() >= kMaxWarnings) return;
  const bool zero = literal.bits == 0;
  out_.warnings.emplace_back("the number is " + std::string(zero ? "below" : "beyond") +
                                 " the range of type '" + std::string(name(literal.type)) +
                                 "' and becomes " + (zero ? "0" : "an infinity"),
                             base::Location{source_file_, at.line, at.column}, "constant-range");
}

bool Parser::convert(const Operand& given, Type expected) {
  const bool value =
      given.kind == Kind::kOperandConstantBytes || given.kind == Kind::kOperandConstantExpression;
  const bool same_size = !given.is_array && value && type_bits(given.type) == type_bits(expected);
  // Table 4-1: the length counts for bit types, type and length for all others.
  const bool good = is_opaque(given.type)
                        ? !given.is_array && given.type == expected
                        : same_size && (is_bit(expected) || given.type == expected);
  if (good) return true;
  return fail(Rule::kConstantType, given.at,
              "a constant of type '" + std::string(name(given.type)) +
                  (given.is_array ? "[]" : "") + "' is not valid here, expected type '" +
                  std::string(name(expected)) + "'");
}

bool Parser::typed_constant(Operand* op) {
  const Position at = token().at;
  const Type type = find_type(token().text).value_or(Type::kNone);
  if (is_bit(type))
    return fail(Rule::kConstantType, at, "there are no typed constants of bit types");
  if (is_image(type) || type == Type::kSamp) return opaque_constant(type, op);
  skip();
  op->kind = Kind::kOperandConstantBytes;
  op->type = type;
  op->is_array = accept('[');
  if (op->is_array && !expect(']', "after '['")) return false;
  if (!expect('(', "after '" + std::string(name(type)) + "'")) return false;
  if (is_integer(type) && op->is_array) return integer_array(op);
  if (is_integer(type) && at_expression()) {
    return expression(type, op) && expect(')', "after the constant");
  }
  do {
    if (!op->is_array) {
      if (!typed_elements(type, &op->bytes)) return false;
      continue;
    }
    // An element is a plain constant or a typed constant of the element type.
    const bool nested = token().kind == TokenKind::kWord && find_type(token().text) == type;
    if (nested) {
      skip();
      if (!expect('(', "after '" + std::string(name(type)) + "'")) return false;
    } else if (is_packed(type) || is_opaque(type)) {
      return unexpected("a constant '" + std::string(name(type)) + "(...)'");
    }
    if (!typed_elements(type, &op->bytes)) return false;
    if (nested && !expect(')', "after the constant")) return false;
  } while (op->is_array && accept(','));
  return expect(')', "after the constant");
}

bool Parser::typed_elements(Type type, std::string* bytes) {
  const Type element = is_packed(type) ? element_type(type) : type;
  const unsigned count = type_bits(type) / type_bits(element);
  std::vector<std::string> values;
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0 && !expect(',', "between the elements")) return false;
    Operand op;
    op.at = token().at;
    if (token().kind == TokenKind::kWord) return unexpected("a number");
    if (!constant_value(is_opaque(element) ? Type::kU64 : element, &op)) return false;
    const bool null = std::all_of(op.bytes.begin(), op.bytes.end(), [](char c) { return c == 0; });
    if (is_signal(element) && !null)
      return fail(Rule::kSignalConstant, op.at, "the only signal constant is 0");
    values.push_back(op.bytes);
  }
  // Text gives the most significant element first (4.14.2), memory the least significant.
  std::reverse(values.begin(), values.end());
  for (const std::string& v : values) *bytes += v;
  return true;
}

bool Parser::aggregate(Operand* op) {
  skip();
  op->kind = Kind::kOperandConstantOperandList;
  uint64_t size = 0;
  bool values = false;
  do {
    Operand item;
    item.at = token().at;
    if (at_word("align")) {
      skip();
      item.kind = Kind::kOperandAlign;
      if (!alignment(&item.align)) return false;
      const uint64_t n = alignment_bytes(item.align);
      size = (size + n - 1) / n * n;
    } else if (at_word("zero")) {
      skip();
      item.kind = Kind::kOperandZero;
      if (!expect('(', "after 'zero'") || !number(&item.offset, "a number of bytes") ||
          !expect(')', "after the number of bytes")) {
        return false;
      }
      if (item.offset > kLargestAggregate - std::min(size, kLargestAggregate))
        return fail(Rule::kLimit, item.at, "an aggregate of more than 2^62 bytes");
      size += item.offset;
      values = true;
    } else {
      if (token().kind != TokenKind::kWord || !find_type(token().text)) {
        return unexpected("a typed constant, align(n) or zero(n)");
      }
      if (!typed_constant(&item)) return false;
      const bool listed = item.kind == Kind::kOperandConstantOperandList;
      const bool placed = item.kind != Kind::kOperandConstantBytes && !listed;
      size += listed ? item.offset : placed ? type_bytes(item.type) : item.bytes.size();
      item.offset = 0;
      values = true;
    }
    op->elements.push_back(add_operand(std::move(item)));
  } while (accept(','));
  if (!values) return fail(Rule::kAggregate, op->at, "an aggregate needs at least one value");
  op->offset = size;  // for the initialiser that asked; cleared there
  return expect('}', "after the aggregate");
}

}  // namespace cuvette::hsail
