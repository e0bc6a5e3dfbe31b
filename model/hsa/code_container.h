// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/target.h"

namespace cuvette::hsa {

/// One code object of an offload bundle.
struct BundleEntry {
  std::string id;       ///< "hipv4-amdgcn-amd-amdhsa--gfx908:xnack-"
  uint64_t offset = 0;  ///< of its bytes in the file
  uint64_t bytes = 0;
};

/// An offload bundle, the file in which clang keeps the code objects of several targets and that of
/// the host (Clang Offload Bundler, "Bundled Binary File Layout").
struct Bundle {
  uint64_t offset = 0;  ///< of the bundle in the file
  std::vector<BundleEntry> entries;
};

/// True if a file holds code objects without being one: an offload bundle, compressed or not, or an
/// ELF file of another machine with a section of offload bundles (.hip_fatbin, what HIP links into
/// programs and shared objects; .llvm.offloading).
bool is_code_container(const uint8_t* data, size_t bytes);

/// The bundles of such a file, in its order. Errors, with the offset in the file: bundles that are
/// truncated; compressed bundles and .llvm.offloading, with the command that extracts their code.
base::Result<std::vector<Bundle>> read_bundles(const uint8_t* data, size_t bytes,
                                               const std::string& file);

/// The entry of a bundle that runs on `machine`: of those that fit, the one that fixes most
/// features. Entries of hosts and other targets do not count. Errors: none, with what there is;
/// two that fit alike.
base::Result<BundleEntry> entry_for(const Bundle& bundle, const std::string& file,
                                    const TargetId& machine);

/// The entries for `machine` of all bundles of a container that have one, at least one.
base::Result<std::vector<BundleEntry>> entries_for(const uint8_t* data, size_t bytes,
                                                   const std::string& file,
                                                   const TargetId& machine);

/// True if a file is an object of this machine that has not been linked.
bool is_relocatable(const uint8_t* data, size_t bytes);

/// Makes a code object of a relocatable one. `file` is for messages.
using LinkObject = std::function<base::Result<std::vector<uint8_t>>(
    const std::vector<uint8_t>& object, const std::string& file)>;

}  // namespace cuvette::hsa
