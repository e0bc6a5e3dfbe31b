// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/device_port.h"

#include <algorithm>

namespace cuvette::hsail {

bool DevicePort::read(uint64_t address, void* out, size_t bytes) {
  return memory_.read(address, out, bytes).ok();
}

bool DevicePort::write(uint64_t address, const void* data, size_t bytes) {
  return memory_.write(address, data, bytes).ok();
}

bool DevicePort::update(uint64_t address, unsigned bytes,
                        const std::function<uint64_t(uint64_t)>& function, uint64_t* old) {
  return memory_.update(address, bytes, function, old).ok();
}

base::Result<VariableAddresses> load_variables(const Module& module, hsa::DeviceMemory& memory) {
  VariableAddresses addresses;
  for (const ModuleVariable& v : module_variables(module)) {
    const Variable& variable = module.code[v.variable].as<Variable>();
    const bool constant =
        variable.segment == Segment::kReadonly || (variable.modifier & kVariableConst) != 0;
    hsa::DeviceMemory::Options options;
    options.alignment = std::max<uint64_t>(options.alignment, v.alignment);
    if (constant) options.permitted = hsa::Access::Read;
    auto address = memory.allocate(std::max<uint64_t>(v.bytes, 1), options);
    if (!address.ok()) return address.error();
    if (!v.initial.empty() && !memory.poke(*address, v.initial.data(), v.initial.size()).ok()) {
      return base::Error("variable '" + variable.name + "' cannot be initialised");
    }
    addresses[v.variable] = *address;
  }
  return addresses;
}

}  // namespace cuvette::hsail
