// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/device_port.h"

#include <algorithm>
#include <cstring>

#include "hsail/constant_expression.h"
#include "hsail/image_constant.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

/// The handle of the image or sampler of a constant (7.1.7, 7.1.8), or the value of a constant
/// expression.
base::Result<uint64_t> value_of(const Module& module, const Operand& constant,
                                const VariableAddresses& addresses, hsa::DeviceMemory& memory) {
  if (constant.kind == Kind::kOperandConstantExpression) {
    const auto value = expression_value(module, constant, addresses);
    if (value) return *value;
    return base::Error("the interpreter has no value for " + expression_text(module, constant));
  }
  return constant.kind == Kind::kOperandConstantSampler
             ? hsa::create_sampler(memory, sampler_of(constant.sampler))
             : hsa::create_image_and_data(memory, image_of(*constant.image));
}

}  // namespace

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

std::string DevicePort::place_of(uint64_t address, size_t bytes) const {
  return memory_.place_of(address, bytes);
}

base::Result<VariableAddresses> load_variables(const Module& module, hsa::DeviceMemory& memory,
                                               const hsa::ExternalVariables& externals) {
  const std::vector<ModuleVariable> variables = module_variables(module);
  auto placed = place_externals(module, externals);
  if (!placed) return placed.error();
  VariableAddresses addresses = std::move(*placed);
  for (const ModuleVariable& v : variables) {
    const Variable& variable = module.code[v.variable].as<Variable>();
    const bool constant =
        variable.segment == Segment::kReadonly || (variable.modifier & kVariableConst) != 0;
    hsa::DeviceMemory::Options options;
    options.alignment = std::max<uint64_t>(options.alignment, v.alignment);
    options.name = "variable " + variable.name;
    if (constant) options.permitted = hsa::Access::Read;
    auto address = memory.allocate(std::max<uint64_t>(v.bytes, 1), options);
    if (!address.ok()) return address.error();
    addresses[v.variable] = *address;
  }
  for (const ModuleVariable& v : variables) {
    const std::string& name = module.code[v.variable].as<Variable>().name;
    std::string initial = v.initial;
    for (const InitialHandle& h : v.handles) {
      const Operand& constant = module.operand(h.constant);
      auto value = value_of(module, constant, addresses, memory);
      if (!value) return value.error();
      std::memcpy(initial.data() + h.offset, &*value, type_bytes(constant.type));
    }
    const uint64_t address = addresses.at(v.variable);
    if (!initial.empty() && !memory.poke(address, initial.data(), initial.size()).ok()) {
      return base::Error("variable '" + name + "' cannot be initialised");
    }
  }
  return addresses;
}

}  // namespace cuvette::hsail
