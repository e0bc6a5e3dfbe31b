// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/cache_rtl.h"

#include <utility>

#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/pin_monitor.h"

namespace cuvette::ip {

using cache::Role;

cache::Config cache_build(Role role) {
  cache::Config c;
  c.role = role;
  c.line_bytes = 64;
  switch (role) {
    case Role::VectorL1:
      c.up_ports = 2, c.bytes = 16384, c.ways = 64, c.hit_cycles = 114, c.misses = 64;
      break;
    case Role::Scalar:
      c.up_ports = 4, c.bytes = 16384, c.ways = 4, c.hit_cycles = 16, c.misses = 16;
      break;
    case Role::Instruction:
      c.up_ports = 4, c.bytes = 32768, c.ways = 4, c.hit_cycles = 8, c.misses = 16;
      break;
    case Role::L2:
      c.up_ports = 2, c.bytes = 262144, c.ways = 16, c.hit_cycles = 100, c.misses = 64;
      break;
  }
  return c;
}

std::string refuse_cache(const cache::Config& config) {
  const cache::Config build = cache_build(config.role);
  const auto differs = [](const char* what, uint32_t has, uint32_t wanted) {
    return "our RTL is built with " + std::string(what) + " " + std::to_string(has) +
           ", the machine has " + std::to_string(wanted);
  };
  if (config.bytes != build.bytes) return differs("bytes", build.bytes, config.bytes);
  if (config.ways != build.ways) return differs("ways", build.ways, config.ways);
  if (config.line_bytes != build.line_bytes) {
    return differs("line_bytes", build.line_bytes, config.line_bytes);
  }
  if (config.hit_cycles != build.hit_cycles) {
    return differs("hit_cycles", build.hit_cycles, config.hit_cycles);
  }
  if (config.misses != build.misses) return differs("misses", build.misses, config.misses);
  if (config.slices != build.slices) return differs("slices", build.slices, config.slices);
  if (config.replacement != build.replacement) {
    return "our RTL is built with replacement " + build.replacement + ", the machine has " +
           config.replacement;
  }
  if (config.up_ports > build.up_ports) {  // one is for the fences
    return differs("shared_by up to", build.up_ports - 1, config.up_ports - 1);
  }
  return {};
}

std::unique_ptr<CacheSeat> make_cache_rtl(const cache::Config& config, bool checks, uint64_t seed,
                                          const LockstepOptions& options,
                                          CacheSeat::Kit::OnMismatch on_mismatch) {
  if (!refuse_cache(config).empty()) return nullptr;
  auto device =
      of_first_ports(checks ? make_cache_check(config.role, seed) : make_cache_fast(config.role),
                     cache::kChannels, cache_build(config.role).up_ports, config.up_ports);
  const auto pins = pin_channels(cache::kChannels, config.up_ports);
  if (checks) device = std::make_unique<PinMonitor>(std::move(device), pins, ready_within(pins));
  return std::make_unique<CacheSeat>(std::move(device), config, options, std::move(on_mismatch));
}

}  // namespace cuvette::ip
