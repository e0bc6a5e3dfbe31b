// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/instruction.h"

namespace cuvette::isa {

/// Outcome of looking at words. None of these is a failure of the program.
enum class DecodeStatus : uint8_t {
  Legal,
  Reserved,   ///< decodes to something, but a field has a value the manual reserves
  Illegal,    ///< no instruction of this target
  Truncated,  ///< more words are needed than given
};

/// Result of decode(). Texts are constants of the program and are empty where they do not apply.
struct Decoded {
  DecodeStatus status = DecodeStatus::Illegal;
  Instruction instruction;     ///< valid for Legal and Reserved
  const char* field = "";      ///< Reserved: name of the field
  const char* treatment = "";  ///< Reserved: what the model does with it ("ignored", ...)
  const char* reason = "";     ///< Illegal, Truncated: text for messages
  uint8_t length = 1;          ///< dwords to skip, 1 where there is no instruction
  uint32_t word = 0;           ///< words[0] of the call, for messages
};

/// "illegal instruction 0x...: REASON". For Illegal and Truncated alone.
std::string refusal(const Decoded& decoded);

/// Decodes the instruction at words[0]; `count` words may be read (at least 1).
Decoded decode(Target target, const uint32_t* words, size_t count);

}  // namespace cuvette::isa
