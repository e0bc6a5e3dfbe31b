// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"

namespace cuvette::wave {

/// Executed by the scalar unit at once; SMEM is not.
inline bool is_scalar(isa::Format format) {
  using isa::Format;
  return format == Format::Sop1 || format == Format::Sop2 || format == Format::Sopc ||
         format == Format::Sopk || format == Format::Sopp;
}

/// Has an address, of memory or of a share.
inline bool is_memory(isa::Format format) {
  using isa::Format;
  switch (format) {
    case Format::Smem:
    case Format::Ds:
    case Format::Mubuf:
    case Format::Mtbuf:
    case Format::Mimg:
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      return true;
    default:
      return false;
  }
}

}  // namespace cuvette::wave
