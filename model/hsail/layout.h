// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"

/// Where variables lie. Sizes, offsets and alignments in bytes.
namespace cuvette::hsail {

/// A variable in its segment.
struct Place {
  CodeRef variable = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct SegmentLayout {
  std::vector<Place> places;  ///< in text order
  uint64_t bytes = 0;
  uint64_t alignment = 1;  ///< the largest of its variables
  /// The place of a variable, or nullptr.
  const Place* find(CodeRef variable) const;
};

struct KernelLayout {
  /// HSAIL PRM 4.21: declaration order from offset 0, natural or align(n) alignment, nothing else.
  /// `bytes` is rounded up to 16, `alignment` is at least 16.
  SegmentLayout kernarg;
  /// Module-scope variables that the kernel or a function it calls uses, then those of the code
  /// blocks.
  SegmentLayout group;
  SegmentLayout private_segment;  ///< the same for private
  SegmentLayout spill;            ///< of the kernel's code block
};

/// Errors: not a kernel definition, a segment above 1 GiB.
base::Result<KernelLayout> kernel_layout(const Module& module, CodeRef kernel);

/// A defined global or readonly variable and the bytes it starts with (zeros without initialiser).
struct ModuleVariable {
  CodeRef variable = 0;
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  std::string initial;  ///< empty when there is no initialiser
};
/// In text order. `initial` is expanded, up to kLargestVariable.
std::vector<ModuleVariable> module_variables(const Module& module);

uint64_t variable_bytes(const Variable& v);

}  // namespace cuvette::hsail
