// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hsail/exec.h"
#include "hsail/module.h"
#include "hsail/rules.h"

// Constants whose value is known on loading: addr() and the null pointers (HSAIL
// PRM 4.8.1, 18.6.7).
namespace cuvette::hsail {

/// "addr", "nullptr", "nullptr_group", "nullptr_private" or "nullptr_kernarg".
/// Operation of such a word; nothing for another one.
std::optional<ExpressionOp> find_expression(std::string_view word);

/// Error in an operand of kind kOperandConstantExpression.
Problem expression_problem(const Module& module, const Operand& op);

/// The same where an instruction wants `type`.
Problem operand_problem(const Module& module, const Operand& op, Type type);

/// True if an integer constant or expression has a type that it may have where `type`, an integer
/// type, is wanted (HSAIL PRM 18.6.1): that one; since HSAIL 1:1 any of its size, signed after a
/// minus, whatever is left of the value then (4.8.1).
bool integer_fits(const Module& module, const Operand& op, Type type);

/// True if agents differ in the value: the initialiser of a program allocation variable must not
/// have it.
bool is_agent_expression(const Module& module, const Operand& op);

/// Symbol that addr() names, 0 for null pointers; and the displacement added to its address, bytes.
CodeRef expression_symbol(const Module& module, const Operand& op);
uint64_t expression_displacement(const Module& module, const Operand& op);

/// The value that the interpreter gives it, as wide as its type. Nothing for kernels and for
/// variables without address.
std::optional<uint64_t> expression_value(const Module& module, const Operand& op,
                                         const VariableAddresses& addresses);

/// "addr(&x + 4)".
std::string expression_text(const Module& module, const Operand& op);

}  // namespace cuvette::hsail
