// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "finalizer/names.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

struct Options {
  std::string target = "gfx908";     ///< find_target()
  unsigned code_object_version = 4;  ///< 4 or 5; 2 for gfx900 and gfx906
  /// Told why the code is less than it could be (finalizer.md, "What LLVM 19 gets wrong").
  std::function<void(const std::string&)> warn = {};
  /// Stack size of the thread that LLVM runs on, which walks some of the code by recursion; whole
  /// MiB.
  size_t stack_bytes = size_t{256} << 20;
  Spelling spelling = Spelling::kPlain;  ///< of symbols (finalizer/names.h)
};

/// Finalizes HSAIL to one ELF code object holding every kernel and variable the modules define.
///
/// The modules (validated; of one machine model) are linked by the names of their program-linkage
/// symbols. Code of the small model lies below 4 GiB with all it reaches (hsa/small_model.h).
/// Kernel and variable symbols of program linkage are the HSAIL names without "&"
/// (finalizer/names.h has the others), kernel descriptors have ".kd" behind. Code expects of its
/// launch:
/// - kernarg segment exactly as HSAIL PRM 4.21 lays it out, no hidden arguments;
/// - group segment: static variables from offset 0, dynamic memory behind;
/// - dispatch queries read the AQL packet.
///
/// Floats: round to nearest even, subnormals kept unless the instruction says ftz, no contraction;
/// float `mad` is fused, as the interpreter of layer hsail has it.
///
/// The same input gives the same bytes. Works on a thread of its own. Errors name the instruction
/// and its place: an instruction, type or modifier that is not supported, unresolved symbols,
/// static group memory above 64 KiB, in the small model more private memory than flat addresses
/// reach. Thread-safe; linking is serialised.
base::Result<std::vector<uint8_t>> finalize(const std::vector<const hsail::Module*>& modules,
                                            const Options& options);
base::Result<std::vector<uint8_t>> finalize(const hsail::Module& module, const Options& options);

/// The optimised LLVM IR that the code object is generated from, as text for people and tests. Same
/// errors.
base::Result<std::string> optimised_ir(const std::vector<const hsail::Module*>& modules,
                                       const Options& options);

}  // namespace cuvette::finalizer
