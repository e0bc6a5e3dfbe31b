// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace cuvette::finalizer {

/// A target id the model knows, as decisions.md D16 fixes it.
struct TargetId {
  const char* name;      ///< processor, "gfx908"
  const char* features;  ///< LLVM feature string, "+sramecc,-xnack"
  const char* full;      ///< target id as in code object metadata, "gfx908:sramecc+:xnack-"
  unsigned simd_waves;   ///< wavefronts that a SIMD holds
  unsigned engine_bits;  ///< of HW_ID.SE_ID
  unsigned die_bits;     ///< of XCC_ID; 0: no such register
  bool images;           ///< has IMAGE_LOAD and IMAGE_STORE
  bool wave_stack;       ///< LLVM's stack pointer counts bytes of a wavefront, not of a lane
};

/// Accepts the processor name or the full target id. Errors: anything else; the message lists the
/// processors.
base::Result<const TargetId*> find_target(const std::string& name);

}  // namespace cuvette::finalizer
