// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "run/probe_case.h"

// Probe cases over the instruction tables: random registers, modes and EXEC, and memory operands
// that mostly hit the mapped pages.
namespace cuvette::probe_program {

/// Two pages of memory, from here on.
inline constexpr uint64_t kMemoryAt = 0x100000;
inline constexpr uint64_t kMemoryBytes = 8192;

/// Encoded instructions of a row in one encoding: the plain one and, of the corners of operands and
/// modifiers, `some` each, chosen by `random`.
std::vector<isa::Instruction> choose(const isa::Row& row, isa::Target target,
                                     isa::Encoding encoding, unsigned some,
                                     std::mt19937_64& random);

/// The rows an engine has, but not those whose results are time.
bool has_answer(const isa::Row& row, isa::Target target);
/// True for instructions that the compute unit refuses (docs/reference/memory_semantics.md).
bool only_in_golden(const isa::Instruction& i);
/// An operand or register that says where and when the wave runs rather than what it computes.
bool sees_machine(const isa::Instruction& i);

/// Everything random but the code.
run::ProbeCase random_case(isa::Target target, std::mt19937_64& random);
/// Bends the registers of `c` so that the memory operands of `i` point to memory.
void aim(run::ProbeCase& c, const isa::Instruction& i, std::mt19937_64& random);

void append(run::ProbeCase& c, const isa::Instruction& i);

/// A program of `length` instructions from a random state: vector, scalar and matrix ones with
/// random operands, memory ones of one format, each waited for and followed by the cache
/// maintenance that makes stores visible, and branches forward. `wanted` filters all but the memory
/// instructions. `machine`: with barriers, messages and the like, for golden. The same with every
/// compiler.
run::ProbeCase random_program(isa::Target target, unsigned length, std::mt19937_64& random,
                              const std::function<bool(const isa::Instruction&)>& wanted,
                              bool machine = false);

}  // namespace cuvette::probe_program
