// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"

/// Layout of variables. Sizes, offsets and alignments in bytes.
namespace cuvette::hsail {

/// Group memory that an fbarrier takes.
constexpr uint64_t kFbarrierBytes = 4;

/// Group memory for the detected exceptions: a word for each of 16 wavefronts (11.2.3).
constexpr uint64_t kDetectedBytes = 64;

/// A variable in its segment, or an fbarrier in group memory: `bytes` at `offset` from the start of
/// the segment's variables.
struct Place {
  CodeRef variable = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Variables of one segment.
struct SegmentLayout {
  std::vector<Place> places;  ///< in text order
  uint64_t bytes = 0;         ///< up to the end of the last one
  uint64_t alignment = 1;     ///< the largest of its variables
  /// The place of a variable, or nullptr.
  const Place* find(CodeRef variable) const;
};

/// Variables that exist once for a kernel.
struct KernelLayout {
  /// HSAIL PRM 4.21: declaration order from offset 0, natural or align(n) alignment, nothing else.
  /// `bytes` is rounded up to 16, `alignment` is at least 16.
  SegmentLayout kernarg;
  /// Module-scope variables that the kernel or a function it calls uses, then those of the code
  /// blocks, last a word for each fbarrier they name (9.2.1).
  SegmentLayout group;
  SegmentLayout private_segment;  ///< module-scope variables, then those of the kernel's code block
  /// Offset in group memory at which machine code keeps the detected exceptions, kDetectedBytes at
  /// the end of it; nothing in kernels that enable and ask for none, nor reach an indirect function
  /// that does.
  std::optional<uint64_t> detected;
  /// amd:gcn: the most that the kernel or a function it calls asks for.
  uint64_t region_bytes = 0;
};

/// The variables that every activation of a kernel or function has for itself (4.11).
struct FunctionLayout {
  SegmentLayout private_segment;  ///< empty for kernels, whose variables are in KernelLayout
  SegmentLayout spill;
  /// Formal arguments of a function, then the variables of its arg blocks, last a formal argument
  /// without size.
  SegmentLayout arg;
  CodeRef variadic = 0;  ///< the formal argument without size, or 0
};

/// Errors: not a kernel definition, a segment above 1 GiB.
base::Result<KernelLayout> kernel_layout(const Module& module, CodeRef kernel);

/// `executable` is a kernel or function with a definition. Errors: a segment above 1 GiB.
base::Result<FunctionLayout> function_layout(const Module& module, CodeRef executable);

/// The definitions that `executable` can reach by call and scall, itself first; every indirect
/// function too when one of them has an icall. Errors, at the instruction: a function, a group or
/// private variable or an fbarrier without definition (10.6.2).
base::Result<std::vector<CodeRef>> reachable(const Module& module, CodeRef executable);

/// A constant in the initialiser of a variable that gets its value on loading: an image, sampler or
/// constant expression.
struct InitialHandle {
  uint64_t offset = 0;  ///< bytes, in the variable
  OperandRef constant = 0;
};

/// A defined global or readonly variable and the bytes it starts with (zeros without initialiser).
struct ModuleVariable {
  CodeRef variable = 0;
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  std::string initial;  ///< empty when there is no initialiser; handles are zeros
  std::vector<InitialHandle> handles{};
};
/// In text order. `initial` is expanded, up to kLargestVariable.
std::vector<ModuleVariable> module_variables(const Module& module);

/// Size of a variable; 0 for an array without size.
uint64_t variable_bytes(const Variable& v);

}  // namespace cuvette::hsail
