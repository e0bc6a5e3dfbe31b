// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/fields.h"
#include "isa/sources.h"

// The parts of the decoder, one per family of formats. Internal to the layer.
namespace cuvette::isa::parts {

/// One instruction under way: the row and form are known, field rules are checked.
struct Work {
  Instruction& in;
  Findings& findings;
  uint64_t word;            ///< first 64 bits without ignored bits
  const uint32_t* literal;  ///< null where the encoding has none
  Form form;
  Layout layout;

  uint32_t bits(unsigned hi, unsigned lo) const {
    return static_cast<uint32_t>(base::bits(word, hi, lo));
  }
  bool bit(unsigned position) const { return base::bit(word, position); }
  Operand& destination(unsigned i) const { return in.dst[i]; }
};

/// Reason for a code that names nothing of the class the operand needs.
inline constexpr const char* kWrongClass = "the operand needs a register of another class";

void decode_scalar(const Work& work);
void decode_vector(const Work& work);
void decode_memory(const Work& work);

/// Copies type, width and access of the row's operands into the instruction.
void copy_specs(Instruction& in);

/// Dwords of the data of an image instruction (Vega ISA 8.2.4): by the component mask, packed for
/// D16, one more with texture fail enable.
unsigned image_data_dwords(const Row& row, const MemoryFields& mem);

}  // namespace cuvette::isa::parts
