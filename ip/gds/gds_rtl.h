// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gds/gds.h"
#include "ip/lockstep/lockstep.h"

namespace cuvette::ip {

/// Ports for compute units of the Verilated builds of rtl/gds; for speed there is one for one, too.
inline constexpr unsigned kGdsUnits = 4;
/// Their parameter Latency, and the width of the banks.
inline constexpr uint32_t kGdsLatencyCycles = 64, kGdsBytesPerCycle = 128;

/// Cycles behind the reset in which rtl/gds clears its memory, at most: four answers of 68 cycles
/// are under way, and one is for a KiB.
inline constexpr uint64_t gds_clearing_cycles(uint32_t bytes) {
  return 68 * (uint64_t{bytes} / 4096 + 2);
}

/// A Verilated build of rtl/gds, its memory cleared, on the pins of `units` compute units, of at
/// most kGdsUnits, with `bytes` of memory: for speed; for checking, every bit starting at values
/// drawn from `seed`.
std::unique_ptr<PinDevice> make_gds_fast(unsigned units, uint32_t bytes);
std::unique_ptr<PinDevice> make_gds_check(unsigned units, uint32_t bytes, uint64_t seed);

/// Reason why our RTL does not serve this number of compute units; empty: it does.
std::string refuse_gds_units(unsigned units);

/// Reason why the times of our RTL are not those of this machine; empty: they are.
std::string refuse_gds_times(const gds::Config& config);

/// Adds `rtl`, `lockstep` and, with assertions, random start values and monitors, `rtl-check`,
/// `lockstep-check`; all of them compare. Makers give null for numbers of compute units that
/// refuse_gds_units() refuses.
void register_gds(gds::Registry& registry,
                  const std::function<void(const BlockMismatch&)>& on_mismatch,
                  const LockstepOptions& options);

}  // namespace cuvette::ip
