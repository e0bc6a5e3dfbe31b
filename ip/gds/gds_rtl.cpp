// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/gds/gds_rtl.h"

#include <utility>

#include "ip/gds/gds_seat.h"
#include "ip/lockstep/pin_monitor.h"
#include "wave/memory/share_access.h"

namespace cuvette::ip {

std::string refuse_gds_units(unsigned units) {
  if (units >= 1 && units <= kGdsUnits) return {};
  return "our RTL has ports for 1 to " + std::to_string(kGdsUnits) +
         " compute units, the machine has " + std::to_string(units);
}

std::string refuse_gds_times(const gds::Config& config) {
  const auto differs = [](const char* what, uint32_t ours, uint32_t asked) {
    return ours == asked ? std::string()
                         : "our RTL has gds." + std::string(what) + " " + std::to_string(ours) +
                               ", the machine " + std::to_string(asked);
  };
  std::string latency = differs("latency_cycles", kGdsLatencyCycles, config.latency_cycles);
  if (!latency.empty()) return latency;
  return differs("bytes_per_cycle", kGdsBytesPerCycle, config.bytes_per_cycle);
}

void register_gds(gds::Registry& registry,
                  const std::function<void(const BlockMismatch&)>& on_mismatch,
                  const LockstepOptions& options) {
  const auto add = [&](const std::string& suffix, bool checks) {
    for (const char* name : {"rtl", "lockstep"}) {
      registry.add(name + suffix, [=](const gds::Config& config) -> std::unique_ptr<gds::Gds> {
        const unsigned units = config.compute_units;
        if (!refuse_gds_units(units).empty()) return nullptr;
        const uint32_t bytes = wave::gds_bytes(config.target);
        auto device =
            checks ? make_gds_check(units, bytes, config.seed) : make_gds_fast(units, bytes);
        if (checks) {
          // A port waits for the others', and for the end of clearing.
          device = std::make_unique<PinMonitor>(std::move(device),
                                                pin_channels(gds::kChannels, units), 0);
        }
        return std::make_unique<GdsSeat>(std::move(device), config, options, on_mismatch);
      });
    }
  };
  add("", false);
  add("-check", true);
}

}  // namespace cuvette::ip
