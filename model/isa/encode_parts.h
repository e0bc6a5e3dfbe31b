// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/fields.h"

// The parts of the encoder. Internal to the layer. They place what fits a field; encode() then
// decodes the result and compares, so that anything lost is found there.
namespace cuvette::isa::parts {

/// The first 64 bits being built.
struct Build {
  const Instruction& in;
  Form form;
  Layout layout;
  uint64_t word = 0;  ///< second dword in the upper half

  /// Replaces bits `hi` to `lo`, both included; upper bits of `value` are cut off.
  void put(unsigned hi, unsigned lo, uint64_t value) {
    word = base::insert_bits(word, hi, lo, value);
  }
  /// Nothing for a field of width 0.
  void put(Field f, uint64_t value) {
    if (f.width != 0) put(f.lo + f.width - 1u, f.lo, value);
  }
  void flag(unsigned position, bool value) { put(position, position, value ? 1 : 0); }
};

/// Code of an operand in a field of `width` bits: vector registers from 256 in 9-bit fields, 255
/// for a literal, the value of an immediate, 0 for none.
uint32_t code_of(const Operand& operand, unsigned width);

/// Put the modifiers and the memory fields of `in` into `word`; memory formats have the latter
/// alone.
void encode_modifiers(Build& build);
void encode_memory(Build& build);

}  // namespace cuvette::isa::parts
