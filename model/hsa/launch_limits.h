// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

/// Limits of the dispatches that a kernel was made for: HSAIL's control directives (HSAIL PRM
/// 13.5), and .reqd_workgroup_size, .max_flat_workgroup_size and .uniform_work_group_size of code
/// object metadata, which are requiredworkgroupsize, maxflatworkgroupsize and
/// requirenopartialworkgroups under other names.
namespace cuvette::hsa {

struct ElfFile;

/// Sizes in work-items and bytes. 0: the kernel does not say.
struct LaunchLimits {
  std::array<uint64_t, 3> required_workgroup{};
  std::array<uint64_t, 3> required_grid{};
  uint64_t required_dimensions = 0;
  uint64_t max_flat_workgroup = 0;
  uint64_t max_flat_grid = 0;
  std::optional<uint64_t> max_dynamic_group;
  bool whole_workgroups = false;  ///< no partial work-groups
  bool whole_wavefronts = false;  ///< no partial wavefronts
};

/// Size of a launch to be held against the limits.
struct LaunchSize {
  std::array<uint64_t, 3> grid{1, 1, 1};       ///< work-items, none 0
  std::array<uint64_t, 3> workgroup{1, 1, 1};  ///< work-items
  uint64_t dimensions = 1;                     ///< 1 to 3
  uint64_t dynamic_group_bytes = 0;            ///< group memory beyond the static bytes
  uint64_t wavefront = 64;                     ///< lanes
};

/// The part of a dispatch that breaks a limit.
enum class LaunchPart : uint8_t { Grid, Workgroup, GroupBytes };
struct BrokenLimit {
  std::string what;  ///< in words, with both numbers
  LaunchPart part = LaunchPart::Grid;
};

/// The first limit that a dispatch breaks.
std::optional<BrokenLimit> first_broken_limit(const LaunchLimits& limits, const LaunchSize& size);
/// Its words; empty when it breaks none.
std::string broken_limit(const LaunchLimits& limits, const LaunchSize& size);

/// The note of a code object that has the limits LLVM's metadata has no keys for: one per kernel.
/// Its description is eleven little-endian numbers of 64 bits, in the order of LaunchLimits, the
/// two last members as bits 0 and 1 of one number, then the kernel's name without zeros.
constexpr const char* kLimitsNoteOwner = "Cuvette";
constexpr uint32_t kLimitsNoteType = 1;

/// The whole note, name and padding included.
std::string limits_note(const std::string& kernel, const LaunchLimits& limits);

/// By kernel. `data` is the file that `elf` was read from. Errors: a note that is none, a second
/// one of a kernel.
base::Result<std::map<std::string, LaunchLimits>> read_limits_notes(const ElfFile& elf,
                                                                    const uint8_t* data);

}  // namespace cuvette::hsa
