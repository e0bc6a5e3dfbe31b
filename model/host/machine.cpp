// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/machine.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gpu/configs.h"

namespace cuvette::host {

bool is_systemc(const std::string& engine) {
  return engine == "lt" || engine == "ca";
}

namespace {

hsa::DeviceMemory memory_of(const MachineOptions& options) {
  if (!options.memory) return hsa::DeviceMemory();
  MachineOptions::Memory made = options.memory();
  return hsa::DeviceMemory(std::move(made.backing), std::move(made.space), {});
}

}  // namespace

Machine::Machine(const machine::GpuConfig& description, const MachineOptions& options)
    : memory_(memory_of(options)),
      host_blocks_(memory_),
      target_(gpu::machine_target(description).value()),  // checked with the description
      shared_aperture_(description.shared_aperture),
      private_aperture_(description.private_aperture),
      left_(options.memory ? 0 : description.memory.bytes) {}

base::Result<std::shared_ptr<const hsa::LoadedCode>> Machine::load(
    const std::vector<uint8_t>& bytes) {
  auto code = hsa::load_code_object(bytes, fmt::format("object {}", loads_), memory_, target_);
  if (!code) return code.error();
  if (code->bytes > left_) {
    const uint64_t wanted = code->bytes;
    (void)memory_.free(code->block);
    return base::Error(
        fmt::format("{} bytes of code, {} are left of the machine's memory", wanted, left_));
  }
  ++loads_;
  left_ -= code->bytes;
  auto shared = std::make_shared<const hsa::LoadedCode>(std::move(*code));
  codes_[shared->block] = shared;
  return shared;
}

base::Status Machine::unload(uint64_t block) {
  const auto found = codes_.find(block);
  if (found == codes_.end()) {
    return base::Error(fmt::format("no code object is loaded at {:#x}", block));
  }
  before_free();
  left_ += found->second->bytes;
  codes_.erase(found);
  return memory_.free(block);
}

const hsa::LoadedCode* Machine::code_at(uint64_t address) const {
  auto next = codes_.upper_bound(address);
  if (next == codes_.begin()) return nullptr;
  const hsa::LoadedCode& code = *std::prev(next)->second;
  return address - code.block < code.bytes ? &code : nullptr;
}

HangReport Machine::hang_report() {
  HangReport report;
  look(report);
  for (const auto& [block, code] : codes_) {
    for (const auto& kernel : code->kernels) {
      report.kernels.emplace_back(kernel.descriptor, kernel.name);
    }
  }
  for (HangWave& wave : report.waves) {
    uint64_t object = 0;
    for (const auto& queue : report.queues) {
      if (queue.queue != wave.queue) continue;
      for (const auto& packet : queue.packets) {
        if (packet.index == wave.packet && packet.kernel_object != 0) object = packet.kernel_object;
      }
    }
    wave.kernel = report.kernel_name(object);
    // The wave may be in a function of the kernel.
    const hsa::LoadedCode* code = code_at(wave.pc);
    if (code == nullptr) continue;
    const hsa::LoadedSymbol* around = nullptr;
    for (const auto& symbol : code->symbols) {
      if (!symbol.is_function || symbol.address > wave.pc) continue;
      if (around == nullptr || symbol.address > around->address) around = &symbol;
    }
    if (around == nullptr || around->name == wave.kernel) continue;
    wave.kernel += (wave.kernel.empty() ? "" : ", function ") + around->name;
  }
  return report;
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

base::Result<uint64_t> Machine::attach(void* host, uint64_t bytes,
                                       const hsa::DeviceMemory::Options& options) {
  if (bytes > left_) {
    return base::Error(fmt::format("{} bytes, {} are left of the machine's memory", bytes, left_));
  }
  auto address = host_blocks_.add(host, bytes, options);
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
  return host_blocks_.has(address) ? host_blocks_.remove(address) : memory_.free(address);
}

base::Status check_machine(const machine::GpuConfig& description) {
  if (auto s = gpu::check_description(description); !s.ok()) return s;
  for (const auto& [block, name] : description.implementations) {
    if (name == "tlm") continue;
    return description.error(
        "implementations." + block,
        fmt::format("block {}: {}: only tlm blocks are behind this interface", block, name));
  }
  return {};
}

base::Result<std::unique_ptr<Machine>> make_machine(const machine::GpuConfig& description,
                                                    const MachineOptions& options) {
  if (auto s = check_machine(description); !s.ok()) return s.error();
  if (options.engine == "golden") return make_golden_machine(description, options);
  if (is_systemc(options.engine)) return make_systemc_machine(description, options);
  return base::Error(fmt::format("unknown engine '{}', expected golden, lt or ca", options.engine));
}

}  // namespace cuvette::host
