// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/constant_expression.h"
#include "hsail/names.h"
#include "hsail/parser.h"

// Constant expressions and arrays that may have them (HSAIL PRM 4.8.1, 4.8.4).
namespace cuvette::hsail {

bool Parser::at_expression() const {
  return token().kind == TokenKind::kWord && find_expression(token().text).has_value();
}

bool Parser::expression(Type type, Operand* op) {
  const Position at = token().at;
  op->kind = Kind::kOperandConstantExpression;
  op->type = type;
  op->expression = *find_expression(token().text);
  skip();
  if (op->expression != ExpressionOp::kAddr) return true;
  if (!expect('(', "after 'addr'")) return false;
  if (token().kind != TokenKind::kGlobal) return unexpected("a name of module scope (&name)");
  Operand symbol;
  symbol.kind = Kind::kOperandCodeRef;
  symbol.at = token().at;
  symbol.symbol = find_symbol(token().text);
  if (symbol.symbol == 0) {
    return fail(Rule::kNameUnknown, symbol.at,
                "'" + std::string(token().text) + "' is not declared");
  }
  skip();
  op->elements.push_back(add_operand(std::move(symbol)));
  if (!at_punct(')')) {
    if (!at_punct('+') && !at_punct('-')) return unexpected("'+', '-' or ')'");
    const bool negative = at_punct('-');
    Operand displacement;
    displacement.at = token().at;
    skip();
    uint64_t bytes = 0;
    if (!number(&bytes, "a displacement in bytes")) return false;
    displacement.kind = Kind::kOperandConstantBytes;
    displacement.type = Type::kU64;
    if (negative) bytes = 0 - bytes;
    for (unsigned i = 0; i < 8; ++i) {
      displacement.bytes.push_back(static_cast<char>(bytes >> 8 * i & 0xff));
    }
    op->elements.push_back(add_operand(std::move(displacement)));
  }
  if (!expect(')', "after the address")) return false;
  const Problem problem = expression_problem(out_.module, *op);
  return !problem || fail(problem.rule, at, problem.what);
}

/// Behind "u32[](". Numbers alone are one string of bytes; with constant expressions each element
/// is an operand, and Operand::offset returns the size in bytes.
bool Parser::integer_array(Operand* op) {
  const Type type = op->type;
  std::vector<Operand> elements;
  bool plain = true;
  do {
    Operand element;
    element.at = token().at;
    if (token().kind == TokenKind::kWord && find_type(token().text) == type) {
      // Before it is read: arrays nest nowhere, and so deep does no stack reach.
      if (peek(1).kind == TokenKind::kPunct && peek(1).text == "[")
        return fail(Rule::kArrayConstant, element.at, "an array is no element of an array");
      if (!typed_constant(&element)) return false;
    } else if (at_expression()) {
      if (!expression(type, &element)) return false;
    } else {
      if (token().kind == TokenKind::kWord) return unexpected("a number");
      if (!constant_value(type, &element)) return false;
      element.type = type;
    }
    plain = plain && element.kind == Kind::kOperandConstantBytes;
    elements.push_back(std::move(element));
  } while (accept(','));
  if (plain) {
    for (const Operand& element : elements) op->bytes += element.bytes;
    return expect(')', "after the constant");
  }
  op->kind = Kind::kOperandConstantOperandList;
  op->offset = elements.size() * type_bytes(type);
  for (Operand& element : elements) op->elements.push_back(add_operand(std::move(element)));
  return expect(')', "after the constant");
}

}  // namespace cuvette::hsail
