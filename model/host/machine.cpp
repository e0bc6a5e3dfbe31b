// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/machine.h"

#include <fmt/format.h>

#include "gpu/configs.h"

namespace cuvette::host {

bool is_systemc(const std::string& engine) {
  return engine == "lt" || engine == "ca";
}

base::Result<uint64_t> Machine::allocate(uint64_t bytes,
                                         const hsa::DeviceMemory::Options& options) {
  if (bytes > left_) {
    return base::Error(fmt::format("{} bytes, {} are left of the machine's memory", bytes, left_));
  }
  auto address = memory_.allocate(bytes, options);
  if (!address) return address;
  left_ -= bytes;
  sizes_[*address] = bytes;
  return address;
}

base::Status Machine::free(uint64_t address) {
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) {
    return base::Error(fmt::format("{:#x} is not the start of a block of the host", address));
  }
  before_free();
  left_ += found->second;
  sizes_.erase(found);
  return memory_.free(address);
}

base::Result<std::unique_ptr<Machine>> make_machine(const machine::Description& description,
                                                    const MachineOptions& options) {
  if (auto s = gpu::check_description(description); !s.ok()) return s.error();
  for (const auto& [block, name] : description.implementations) {
    if (name == "tlm") continue;
    return description.error(
        "implementations." + block,
        fmt::format("block {}: {}: only tlm blocks are behind this interface", block, name));
  }
  if (options.engine == "golden") return make_golden_machine(description, options);
  if (is_systemc(options.engine)) return make_systemc_machine(description, options);
  return base::Error(fmt::format("unknown engine '{}', expected golden, lt or ca", options.engine));
}

}  // namespace cuvette::host
