// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "finalizer/finalize.h"

namespace cuvette::finalizer {

/// Interface of the shared module lib/cuvette/finalizer.so, which its function cuvette_finalizer()
/// gives. Programs load it when they need it, because loading LLVM takes longer than most runs.
struct Module {
  const char* version;  ///< of the project; a program loads the module of its own version
  /// finalize(), of finalizer/finalize.h.
  base::Result<std::vector<uint8_t>> (*finalize)(const std::vector<const hsail::Module*>& modules,
                                                 const Options& options);
  /// link_relocatable(), of finalizer/link.h.
  base::Result<std::vector<uint8_t>> (*link_relocatable)(const std::vector<uint8_t>& object,
                                                         const std::string& file,
                                                         bool has_externals);
  /// Assembler::assemble(), of finalizer/assembler.h; the assembler of a target is kept.
  base::Result<std::vector<uint32_t>> (*assemble)(const std::vector<std::string>& lines,
                                                  const std::string& target);
};

}  // namespace cuvette::finalizer
