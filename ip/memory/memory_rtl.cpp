// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_rtl.h"

#include <utility>

#include "ip/lockstep/pin_monitor.h"
#include "ip/memory/memory_seat.h"

namespace cuvette::ip {

memory::Config memory_build() {
  memory::Config c;
  c.ports = 1, c.latency_cycles = 350, c.cycles_per_block = 3;
  return c;
}

std::string refuse_memory(const memory::Config& config) {
  const memory::Config build = memory_build();
  const auto differs = [](const char* what, uint32_t has, uint32_t wanted) {
    return "our RTL is built with " + std::string(what) + " " + std::to_string(has) +
           ", the machine has " + std::to_string(wanted);
  };
  if (config.ports != build.ports) return differs("slices", build.ports, config.ports);
  if (config.latency_cycles != build.latency_cycles) {
    return differs("latency_cycles", build.latency_cycles, config.latency_cycles);
  }
  if (config.cycles_per_block != build.cycles_per_block) {
    return differs("cycles_per_block", build.cycles_per_block, config.cycles_per_block);
  }
  return {};
}

void register_memory(memory::Registry& registry,
                     const std::function<void(const BlockMismatch&)>& on_mismatch,
                     const LockstepOptions& options, uint64_t seed) {
  const auto make = [=](const memory::Config& config,
                        bool checks) -> std::unique_ptr<memory::Memory> {
    if (!refuse_memory(config).empty()) return nullptr;
    auto device = checks ? make_memory_check(seed) : make_memory_fast();
    if (checks) {
      const auto pins = pin_channels(memory::kChannels, config.ports);
      device = std::make_unique<PinMonitor>(std::move(device), pins, ready_within(pins));
    }
    return std::make_unique<MemorySeat>(std::move(device), config, options, on_mismatch);
  };
  for (const bool checks : {false, true}) {
    for (const char* name : {"rtl", "lockstep"}) {
      registry.add(std::string(name) + (checks ? "-check" : ""),
                   [=](const memory::Config& config) { return make(config, checks); });
    }
  }
}

}  // namespace cuvette::ip
