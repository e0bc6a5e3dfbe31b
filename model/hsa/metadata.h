// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/kernel_info.h"

namespace cuvette::hsa {

/// Contents of a metadata note for one kernel. Sizes in bytes; 0 where the note is silent.
struct KernelMetadata {
  std::string name;
  std::string symbol;  ///< "name.kd", in v2 the name itself
  std::vector<KernelArg> args;
  uint64_t group_bytes = 0;
  uint64_t private_bytes = 0;
  uint64_t kernarg_bytes = 0;
  uint64_t kernarg_alignment = 0;
  uint64_t wavefront_size = 0;
  uint64_t sgpr_count = 0;
  uint64_t vgpr_count = 0;
  uint64_t agpr_count = 0;
  uint64_t max_flat_workgroup_size = 0;
  uint64_t reqd_workgroup_size[3] = {0, 0, 0};
  uint64_t uniform_workgroup_size = 0;  ///< 1: no partial work-groups; from v5 on
  bool uses_dynamic_stack = false;
};

/// Contents of a metadata note.
struct Metadata {
  uint64_t version[2] = {0, 0};  ///< major, minor
  std::string target;            ///< empty before v4
  std::vector<KernelMetadata> kernels;
  std::vector<std::string> printf;  ///< format strings of printf, as the compiler writes them
};

/// The MessagePack note of v3 and later (owner "AMDGPU", type 32). Unknown keys are fine, known
/// keys of another type are errors. Bounds: 64 MiB, 32 levels, 4 million items.
base::Result<Metadata> parse_metadata_msgpack(const uint8_t* data, size_t bytes,
                                              const std::string& file, uint64_t file_offset);
/// The YAML note of v2 (owner "AMD", type 10). Argument offsets are computed from size and
/// alignment.
base::Result<Metadata> parse_metadata_yaml(const std::string& text, const std::string& file,
                                           uint64_t file_offset);
/// The note of v2. Errors: a kernel whose arguments cannot lie where they are (v2 says alignments,
/// not offsets).
base::Result<std::string> print_metadata_yaml(const Metadata& metadata);

}  // namespace cuvette::hsa
