// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/constant_expression.h"

#include "base/bits.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

struct Word {
  std::string_view text;
  ExpressionOp operation;
};
constexpr Word kWords[] = {
    {"nullptr", ExpressionOp::kNullPtrFlat},
    {"nullptr_group", ExpressionOp::kNullPtrGroup},
    {"nullptr_private", ExpressionOp::kNullPtrPrivate},
    {"nullptr_kernarg", ExpressionOp::kNullPtrKernarg},
    {"addr", ExpressionOp::kAddr},
};

const Variable* variable_of(const Module& module, CodeRef symbol) {
  return std::get_if<Variable>(&module.code[symbol].body);
}

bool is_code(Kind kind) {
  return kind == Kind::kKernel || kind == Kind::kIndirectFunction;
}

std::string name_of(const Module& module, CodeRef symbol) {
  if (const Variable* v = variable_of(module, symbol)) return v->name;
  const auto* x = std::get_if<Executable>(&module.code[symbol].body);
  return x == nullptr ? "?" : x->name;
}

}  // namespace

std::optional<ExpressionOp> find_expression(std::string_view word) {
  for (const Word& w : kWords) {
    if (w.text == word) return w.operation;
  }
  return std::nullopt;
}

CodeRef expression_symbol(const Module& module, const Operand& op) {
  return op.elements.empty() ? 0 : module.operand(op.elements[0]).symbol;
}

uint64_t expression_displacement(const Module& module, const Operand& op) {
  return op.elements.size() < 2 ? 0 : module.constant(op.elements[1]);
}

Problem expression_problem(const Module& module, const Operand& op) {
  const auto bad = [](std::string what) {
    return Problem(Rule::kConstantExpression, std::move(what));
  };
  if (!is_integer(op.type) || op.is_array) return bad("a constant expression has an integer type");
  if (op.expression != ExpressionOp::kAddr) {
    const bool known = op.expression <= ExpressionOp::kNullPtrKernarg;
    return known && op.elements.empty() ? Problem()
                                        : bad("a null pointer constant has no operands");
  }
  const bool counted = !op.elements.empty() && op.elements.size() <= 2;
  if (!counted || module.operand(op.elements[0]).kind != Kind::kOperandCodeRef) {
    return bad("addr() names a variable, kernel or indirect function");
  }
  const CodeRef symbol = expression_symbol(module, op);
  const Variable* v = variable_of(module, symbol);
  if (op.elements.size() == 2) {
    const Operand& displacement = module.operand(op.elements[1]);
    const bool good = displacement.kind == Kind::kOperandConstantBytes &&
                      displacement.type == Type::kU64 && !displacement.is_array;
    if (!good) return bad("the displacement of addr() is a constant of type 'u64'");
    if (v == nullptr) return bad("addr() of a kernel or function has no displacement");
  }
  const bool global =
      v != nullptr && (v->segment == Segment::kGlobal || v->segment == Segment::kReadonly);
  if (global || is_code(module.code[symbol].kind)) return {};
  return bad("addr() takes a global or readonly variable, a kernel or an indirect function, '" +
             name_of(module, symbol) + "' is none");
}

Problem operand_problem(const Module& module, const Operand& op, Type type) {
  Problem problem = expression_problem(module, op);
  const bool bits = is_bit(type) && type != Type::kB1 && type_bits(op.type) == type_bits(type);
  if (problem || bits || (is_integer(type) && integer_fits(module, op, type))) return problem;
  return {Rule::kConstantType, "a constant expression of type '" + std::string(name(op.type)) +
                                   "' is not valid here, expected type '" +
                                   std::string(name(type)) + "'"};
}

bool integer_fits(const Module& module, const Operand& op, Type type) {
  if (op.type == type) return true;
  const ModuleHeader* const header = module.header();
  const bool by_place = header != nullptr && header->minor == 0;
  return !by_place && is_integer(op.type) && type_bits(op.type) == type_bits(type);
}

bool is_agent_expression(const Module& module, const Operand& op) {
  if (op.expression != ExpressionOp::kAddr) return op.expression != ExpressionOp::kNullPtrFlat;
  const Variable* v = variable_of(module, expression_symbol(module, op));
  return v == nullptr || v->allocation != Allocation::kProgram;
}

std::optional<uint64_t> expression_value(const Module& module, const Operand& op,
                                         const VariableAddresses& addresses) {
  const auto narrowed = [&](uint64_t value) { return value & base::low_mask(type_bits(op.type)); };
  switch (op.expression) {
    case ExpressionOp::kNullPtrFlat:
      return 0;
    case ExpressionOp::kNullPtrKernarg:
      return narrowed(null_address(Segment::kKernarg, module.machine_model()));
    case ExpressionOp::kNullPtrGroup:
    case ExpressionOp::kNullPtrPrivate:
      return narrowed(kNullInSegment);
    case ExpressionOp::kAddr:
      break;
  }
  const CodeRef symbol = expression_symbol(module, op);
  if (module.code[symbol].kind == Kind::kIndirectFunction) {
    return narrowed(function_handle(symbol, module.machine_model()));
  }
  const auto found = addresses.find(symbol);
  if (found == addresses.end()) return std::nullopt;
  return narrowed(found->second + expression_displacement(module, op));
}

std::string expression_text(const Module& module, const Operand& op) {
  for (const Word& w : kWords) {
    if (w.operation != op.expression) continue;
    std::string text(w.text);
    if (op.expression != ExpressionOp::kAddr) return text;
    text += "(" + name_of(module, expression_symbol(module, op));
    const uint64_t displacement = expression_displacement(module, op);
    const bool negative = static_cast<int64_t>(displacement) < 0;
    if (op.elements.size() == 2) {
      text +=
          (negative ? " - " : " + ") + std::to_string(negative ? 0 - displacement : displacement);
    }
    return text + ")";
  }
  return "?";
}

}  // namespace cuvette::hsail
