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

}  // namespace cuvette::wave
