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
  uint64_t word;            ///< first 64 bits, second dword in the upper half, ignored bits 0
  const uint32_t* literal;  ///< the second dword; null where the encoding has none
  Form form;
  Layout layout;

  /// Bits `hi` to `lo` of `word`, both included.
  uint32_t bits(unsigned hi, unsigned lo) const {
    return static_cast<uint32_t>(base::bits(word, hi, lo));
  }
  bool bit(unsigned position) const { return base::bit(word, position); }
  Operand& destination(unsigned i) const { return in.dst[i]; }
};

/// Reason for a code that names nothing of the class the operand needs.
inline constexpr const char* kWrongClass = "the operand needs a register of another class";

/// Fill operands, modifiers and memory fields of `work.in`; what is wrong goes to `work.findings`.
/// SOP formats.
void decode_scalar(const Work& work);
/// The same for VOP and VINTRP formats.
void decode_vector(const Work& work);
/// The same for SMEM, DS, FLAT, buffer, image and export formats.
void decode_memory(const Work& work);

/// Copies type, width and access of the row's operands into the instruction.
void copy_specs(Instruction& in);

/// Dwords of the data of an image instruction (Vega ISA 8.2.4): by the component mask, packed for
/// D16, one more with texture fail enable.
unsigned image_data_dwords(const Row& row, const MemoryFields& mem);

}  // namespace cuvette::isa::parts
