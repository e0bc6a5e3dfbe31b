// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/device_port.h"

#include <algorithm>
#include <cstring>

#include "hsa/image.h"

namespace cuvette::hsail {

namespace {

/// 7.1.7, 7.1.8: the image or sampler of a constant; its handle.
base::Result<uint64_t> create_object(const Operand& constant, hsa::DeviceMemory& memory) {
  if (constant.kind == Kind::kOperandConstantSampler) {
    const SamplerConstant& s = constant.sampler;
    return hsa::create_sampler(memory,
                               {static_cast<uint8_t>(s.coord), static_cast<uint8_t>(s.filter),
                                static_cast<uint8_t>(s.addressing)});
  }
  const ImageConstant& c = constant.image;
  const auto at_least_one = [](uint64_t n) { return static_cast<uint32_t>(n == 0 ? 1 : n); };
  hsa::Image image;
  image.geometry = static_cast<uint8_t>(c.geometry);
  image.order = static_cast<uint8_t>(c.order);
  image.channel = static_cast<uint8_t>(c.channel);
  image.width = at_least_one(c.width);
  image.height = at_least_one(c.height);
  image.depth = at_least_one(c.depth);
  image.array = at_least_one(c.array);
  auto bytes = hsa::lay_out(image);
  if (!bytes) return bytes.error();
  hsa::DeviceMemory::Options options;
  options.alignment = hsa::kImageDataAlignment;
  auto data = memory.allocate(*bytes, options);
  if (!data) return data.error();
  image.data = *data;
  return hsa::create_image(memory, image);
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
    std::string initial = v.initial;
    for (const InitialHandle& h : v.handles) {
      auto handle = create_object(module.operand(h.constant), memory);
      if (!handle) return handle.error();
      std::memcpy(initial.data() + h.offset, &*handle, sizeof *handle);
    }
    if (!initial.empty() && !memory.poke(*address, initial.data(), initial.size()).ok()) {
      return base::Error("variable '" + variable.name + "' cannot be initialised");
    }
    addresses[v.variable] = *address;
  }
  return addresses;
}

}  // namespace cuvette::hsail
