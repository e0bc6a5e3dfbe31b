// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/instruction.h"

// The parts of the printer. Internal to the layer.
namespace cuvette::isa::parts {

void append_hex(std::string& out, uint64_t value);        ///< "0x1f"
void append_signed_hex(std::string& out, int64_t value);  ///< "-0x10"

/// Registers, constants and immediates without modifiers.
void append_operand(std::string& out, const Operand& operand);
/// SIMM16 of the scalar formats by role: wait counts, messages, hardware registers, labels.
void append_immediate(std::string& out, const Instruction& in, Role role, uint32_t value);
/// The four lists and words behind the operands of a vector instruction.
void append_vector_modifiers(std::string& out, const Instruction& in);
/// A source of a vector instruction, `i` in Instruction::src, with negation, absolute value and
/// sign extension.
void append_vector_source(std::string& out, const Instruction& in, unsigned i);
/// Fields of a memory instruction behind its operands.
void append_memory_fields(std::string& out, const Instruction& in);
/// VGPR of component `i`, or "off" where it is not enabled.
void append_export_source(std::string& out, const Instruction& in, unsigned i);
/// "mrt0", "pos0", "param0" and the like, by the EXP target number.
void append_export_target(std::string& out, unsigned target);

}  // namespace cuvette::isa::parts
