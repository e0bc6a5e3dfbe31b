// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Initialisers and the constants of pragmas (HSAIL PRM 4.8, 4.10, 7.1.7, 7.1.8, 18.6.1).
#include <algorithm>

#include "hsail/constant_expression.h"
#include "hsail/image_constant.h"
#include "hsail/validate_inst.h"

namespace cuvette::hsail {

namespace {

bool is_opaque_constant(const Operand& op) {
  return op.kind == Kind::kOperandConstantImage || op.kind == Kind::kOperandConstantSampler;
}

class ConstantChecker {
 public:
  explicit ConstantChecker(const Module& module) : m_(module) {}

  /// 4.8.4: typed constants, align and zero; something besides align.
  Problem aggregate(const Operand& op) const {
    bool values = false;
    for (const OperandRef ref : op.elements) {
      const Operand& item = m_.operand(ref);
      if (item.kind == Kind::kOperandAlign) continue;
      values = true;
      if (item.kind == Kind::kOperandConstantBytes || item.kind == Kind::kOperandZero) continue;
      if (Problem p = is_opaque_constant(item) ? opaque_constant_problem(item) : array(item)) {
        return p;
      }
    }
    return values ? Problem() : Problem(Rule::kAggregate, "an aggregate needs at least one value");
  }

  /// A constant expression, or an array with one or of handles.
  Problem array(const Operand& item) const {
    if (item.kind == Kind::kOperandConstantExpression) return expression_problem(m_, item);
    if (item.kind != Kind::kOperandConstantOperandList || !item.is_array) {
      return {Rule::kAggregate, "an aggregate has typed constants, align and zero"};
    }
    for (const OperandRef ref : item.elements) {
      const Operand& element = m_.operand(ref);
      if (element.type != item.type) {
        return {Rule::kArrayConstant, "the elements of an array have its type"};
      }
      if (element.kind == Kind::kOperandConstantBytes) continue;
      if (Problem p = is_opaque_constant(element) ? opaque_constant_problem(element)
                                                  : expression_problem(m_, element)) {
        return p;
      }
    }
    return {};
  }

  /// 18.6.1: whether a constant of that kind and type may stand for the variable.
  Problem initializer(const Variable& v, const Operand& init) const {
    if (is_image(v.type) || v.type == Type::kSamp) return handles(v, init);
    if (init.kind == Kind::kOperandConstantOperandList && init.is_array) {
      const bool fits = v.is_array && init.type == v.type && is_integer(v.type);
      return fits ? array(init) : wrong_type("expected a constant of its type");
    }
    if (init.kind == Kind::kOperandConstantOperandList) {
      if (!v.is_array || !is_bit(v.type)) {
        return wrong_type("an aggregate initialises arrays of bit types only");
      }
      return aggregate(init);
    }
    if (init.kind == Kind::kOperandConstantExpression) {
      if (Problem p = expression_problem(m_, init)) return p;
    }
    if (v.is_array) {
      const bool fits = init.is_array && init.type == v.type;
      return fits ? Problem() : wrong_type("expected an array constant of its type");
    }
    const bool same_size = !init.is_array && type_bits(init.type) == type_bits(v.type);
    const bool fits = is_bit(v.type) ? same_size && !is_opaque(init.type) &&
                                           (v.type != Type::kB128 || is_packed(init.type))
                      : is_integer(v.type) ? same_size && integer_fits(m_, init, v.type)
                                           : !init.is_array && init.type == v.type;
    if (fits) return {};
    return wrong_type("a constant of type '" + std::string(name(init.type)) +
                      "' is not valid here");
  }

  /// True if an initialiser has a value that agents have for themselves.
  bool needs_agent(const Operand& init) const {
    if (init.kind == Kind::kOperandConstantExpression) return is_agent_expression(m_, init);
    return is_opaque_constant(init) ||
           std::any_of(init.elements.begin(), init.elements.end(),
                       [&](OperandRef ref) { return needs_agent(m_.operand(ref)); });
  }

  /// At most kLargestAggregate and one element more.
  uint64_t size(const Operand& op) const {
    if (op.kind == Kind::kOperandConstantBytes) return op.bytes.size();
    if (op.kind == Kind::kOperandZero) return op.offset;
    if (op.kind != Kind::kOperandConstantOperandList) return type_bytes(op.type);
    uint64_t sum = 0;
    for (const OperandRef ref : op.elements) {
      const Operand& item = m_.operand(ref);
      const uint64_t n = std::max(1u, alignment_bytes(item.align));
      sum = item.kind == Kind::kOperandAlign ? (sum + n - 1) / n * n : sum + size(item);
      if (sum > kLargestAggregate) break;
    }
    return sum;
  }

  /// Checks a valid constant for limits of the machines here.
  void limits(const Operand& op, const std::string& of, const Position& at,
              std::vector<Finding>& findings) const {
    if (op.kind == Kind::kOperandConstantImage && op.image) {
      if (const std::string what = unsupported_image(*op.image); !what.empty())
        findings.push_back(Finding::of_machine(Rule::kImageConstant, of + what, at));
    }
    for (const OperandRef ref : op.elements) {
      const Operand& element = m_.operand(ref);
      limits(element, of, element.at.line != 0 ? element.at : at, findings);
    }
  }

 private:
  static Problem wrong_type(std::string what) { return {Rule::kInitialiserType, std::move(what)}; }

  /// 7.1.7, 7.1.8: a constant of the variable's type, or an array of such.
  Problem handles(const Variable& v, const Operand& init) const {
    if (!v.is_array) return handle(v, init);
    if (init.kind != Kind::kOperandConstantOperandList || !init.is_array || init.type != v.type) {
      return wrong_type("expected an array constant of its type");
    }
    for (const OperandRef ref : init.elements) {
      if (Problem p = handle(v, m_.operand(ref))) return p;
    }
    return {};
  }
  static Problem handle(const Variable& v, const Operand& constant) {
    if (!is_opaque_constant(constant) || constant.type != v.type) {
      return wrong_type("expected a constant of type '" + std::string(name(v.type)) + "'");
    }
    return opaque_constant_problem(constant);
  }

  const Module& m_;
};

}  // namespace

std::vector<Finding> check_initializer(const Module& module, const CodeEntry& entry) {
  const ConstantChecker checker(module);
  const Variable& v = entry.as<Variable>();
  const Operand& init = module.operand(v.init);
  const std::string of = "the initialiser of '" + v.name + "'";
  if (const Problem p = checker.initializer(v, init)) {
    return {{p.rule, of + ": " + p.what, entry.at}};
  }
  std::vector<Finding> findings;
  const bool program = v.segment == Segment::kGlobal && v.allocation != Allocation::kAgent;
  if (program && checker.needs_agent(init)) {
    findings.push_back({Rule::kInitialiserAgent,
                        of + " has constants that differ between agents, which need alloc(agent)",
                        entry.at});
  }
  checker.limits(init, of + ": ", entry.at, findings);
  const uint64_t size = checker.size(init);
  const uint64_t wanted = type_bytes(v.type) * (v.is_array ? v.dim : 1);
  if (size != wanted) {
    findings.push_back(
        {Rule::kInitialiserSize,
         of + " has " + std::to_string(size) + " bytes, the variable has " + std::to_string(wanted),
         entry.at});
  }
  return findings;
}

std::vector<Finding> check_pragma(const Module& module, const CodeEntry& entry) {
  const ConstantChecker checker(module);
  std::vector<Finding> findings;
  for (const OperandRef ref : entry.as<Pragma>().operands) {
    const Operand& op = module.operand(ref);
    Problem problem = constant_type_problem(module, ref);
    if (!problem && op.kind == Kind::kOperandConstantExpression) {
      problem = expression_problem(module, op);
    } else if (!problem && op.kind == Kind::kOperandConstantOperandList) {
      problem = op.is_array ? checker.array(op) : checker.aggregate(op);
    } else if (!problem && is_opaque_constant(op)) {
      problem = opaque_constant_problem(op);
    }
    // In BRIG, places are those of directives.
    if (problem)
      findings.push_back({problem.rule, problem.what, op.at.line != 0 ? op.at : entry.at});
  }
  return findings;
}

}  // namespace cuvette::hsail
