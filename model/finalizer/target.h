// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace cuvette::finalizer {

/// Facts of a processor that code depends on.
struct ProcessorFacts {
  unsigned simd_waves;   ///< wavefronts that a SIMD holds
  unsigned engine_bits;  ///< of HW_ID.SE_ID
  unsigned die_bits;     ///< of XCC_ID; 0: no such register
  bool images;           ///< has IMAGE_LOAD and IMAGE_STORE
  bool wave_stack;       ///< LLVM's stack pointer counts bytes of a wavefront, not of a lane
};

/// Target that code is generated for.
struct TargetId : ProcessorFacts {
  std::string name;      ///< processor, "gfx908"
  std::string features;  ///< LLVM feature string, "+sramecc,-xnack"
};

/// Accepts what hsa::parse_target() does. Features that are not named are the usual ones of the
/// processor (decisions.md D16). Errors: hsa::parse_target().
base::Result<TargetId> find_target(const std::string& name);

}  // namespace cuvette::finalizer
