// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/crossbar/crossbar_rtl.h"

#include <utility>

#include "ip/crossbar/crossbar_seat.h"
#include "ip/lockstep/pin_monitor.h"

namespace cuvette::ip {

crossbar::Config crossbar_build() {
  crossbar::Config c;
  c.sources = kCrossbarSources, c.slices = kCrossbarSlices;
  c.interleave_bytes = 256, c.latency_cycles = 16, c.depth = 64;
  return c;
}

std::string refuse_crossbar(const crossbar::Config& config) {
  const crossbar::Config build = crossbar_build();
  const auto differs = [](const char* what, uint32_t has, uint32_t wanted) {
    return "our RTL is built with " + std::string(what) + " " + std::to_string(has) +
           ", the machine has " + std::to_string(wanted);
  };
  if (config.sources > build.sources)
    return differs("sources up to", build.sources, config.sources);
  if (config.slices != 1 && config.slices != 2 && config.slices != 4) {
    return "our RTL is built for 1, 2 or 4 slices, the machine has " +
           std::to_string(config.slices);
  }
  if (config.slices != 1 && config.interleave_bytes != build.interleave_bytes) {
    return differs("interleave_bytes", build.interleave_bytes, config.interleave_bytes);
  }
  if (config.latency_cycles != build.latency_cycles) {
    return differs("crossbar_cycles", build.latency_cycles, config.latency_cycles);
  }
  if (config.depth != build.depth) {
    return differs("places for misses", build.depth, config.depth);
  }
  return {};
}

void register_crossbar(crossbar::Registry& registry,
                       const std::function<void(const BlockMismatch&)>& on_mismatch,
                       const LockstepOptions& options) {
  const auto make = [=](const crossbar::Config& config,
                        bool checks) -> std::unique_ptr<crossbar::Crossbar> {
    if (!refuse_crossbar(config).empty()) return nullptr;
    auto device = checks ? make_crossbar_check(config) : make_crossbar_fast(config);
    if (checks) {
      const auto pins = pin_channels(crossbar::kChannels, {config.sources, config.slices});
      device = std::make_unique<PinMonitor>(std::move(device), pins, ready_within(pins));
    }
    return std::make_unique<CrossbarSeat>(std::move(device), config, options, on_mismatch);
  };
  for (const bool checks : {false, true}) {
    for (const char* name : {"rtl", "lockstep"}) {
      registry.add(std::string(name) + (checks ? "-check" : ""),
                   [=](const crossbar::Config& config) { return make(config, checks); });
    }
  }
}

}  // namespace cuvette::ip
