// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/code_container.h"
#include "hsa/kernel_info.h"
#include "hsa/memory.h"

namespace cuvette::hsa {

/// A variable or function of a loaded object, by device address.
struct LoadedSymbol {
  std::string name;
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool is_function = false;
};

/// Loaded code object.
struct LoadedCode {
  std::string file;                   ///< name in messages
  TargetId target;                    ///< as the object says; features may be Any
  unsigned code_object = 0;           ///< 2 to 6
  bool small_model = false;           ///< 32-bit addresses (hsa/small_model.h)
  uint64_t base = 0;                  ///< device address of virtual address 0 of the object
  uint64_t block = 0;                 ///< argument of DeviceMemory::free()
  uint64_t bytes = 0;                 ///< of that block
  std::vector<KernelInfo> kernels;    ///< by name
  std::vector<LoadedSymbol> symbols;  ///< defined functions and objects, by name
  std::vector<std::string> printf;    ///< format strings of printf in the metadata

  /// By name, with or without ".kd" and a leading '&'; the only kernel for an empty name. Error
  /// with the names there are.
  base::Result<const KernelInfo*> find(const std::string& name) const;
};

/// Loads segments into `memory` with their permissions, relocates, and reads every kernel. `file`
/// is used in messages only. Errors name file, offset and what was expected; nothing stays mapped
/// then, only addresses are used up. Code of the small machine model is placed below 4 GiB.
/// Nothing outside of the object is written or named by what is loaded.
///
/// From a container (hsa/code_container.h) the code object for `machine` is loaded; more than one,
/// in several bundles, is an error here. A relocatable object is linked by `link`; without it the
/// error has the command.
base::Result<LoadedCode> load_code_object(const uint8_t* data, size_t bytes,
                                          const std::string& file, DeviceMemory& memory,
                                          const TargetId& machine, const LinkObject& link = {});
inline base::Result<LoadedCode> load_code_object(const std::vector<uint8_t>& data,
                                                 const std::string& file, DeviceMemory& memory,
                                                 const TargetId& machine,
                                                 const LinkObject& link = {}) {
  return load_code_object(data.data(), data.size(), file, memory, machine, link);
}

}  // namespace cuvette::hsa
