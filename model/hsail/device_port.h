// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "hsa/memory.h"
#include "hsail/exec.h"
#include "hsail/external.h"
#include "hsail/memory_port.h"

namespace cuvette::hsail {

/// The interpreter's global memory on a DeviceMemory, by virtual address of VMID 0.
class DevicePort : public MemoryPort {
 public:
  explicit DevicePort(hsa::DeviceMemory& memory) : memory_(memory) {}
  bool read(uint64_t address, void* out, size_t bytes) override;
  bool write(uint64_t address, const void* data, size_t bytes) override;
  bool update(uint64_t address, unsigned bytes, const std::function<uint64_t(uint64_t)>& function,
              uint64_t* old) override;
  std::string place_of(uint64_t address, size_t bytes) const override;

 private:
  hsa::DeviceMemory& memory_;
};

/// Allocates the defined global and readonly variables of a module and fills them with their
/// initialisers; those that are only declared lie where `externals` says. Readonly and const ones
/// are mapped for reading only. Errors: out of device memory, those of place_externals().
base::Result<VariableAddresses> load_variables(const Module& module, hsa::DeviceMemory& memory,
                                               const hsa::ExternalVariables& externals = {});

}  // namespace cuvette::hsail
