// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "ip/dut_library.h"
#include "ip/vrf/vrf_device.h"
#include "isa/target.h"
#include "machine/contract.h"
#include "machine/gpu_config.h"

/// Users' devices and rules of comparison that a machine description chooses.
namespace cuvette::run {

/// In front of the name of a user's device.
inline constexpr const char* kDevice = "dut:";

inline bool is_device(const std::string& name) {
  return name.rfind(kDevice, 0) == 0;
}
/// Our own RTL, by itself or in lockstep.
inline bool is_own_rtl(const std::string& name) {
  return name.rfind("rtl", 0) == 0 || name.rfind("lockstep", 0) == 0;
}
/// Implementations with a lockstep around them.
inline bool is_compared(const std::string& name) {
  return name.rfind("lockstep", 0) == 0 || is_device(name);
}

/// Options of a block in lockstep: exact times are the default of our RTL, none of a device.
template <class Options>
Options lockstep_options(const machine::GpuConfig& d, const char* block, bool device) {
  Options options;
  if (!device) options.timing.kind = machine::TimingRule::Kind::Exact;
  const auto check = d.lockstep_checks.find(block);
  if (check == d.lockstep_checks.end()) return options;
  options.share = check->second.share;
  if (check->second.timing_given) options.timing = check->second.timing;
  return options;
}

/// Refuses bounded times of a block that has none.
inline base::Status refuse_bounded_times(const machine::GpuConfig& d, const std::string& block) {
  const auto check = d.lockstep_checks.find(block);
  const bool bounded = check != d.lockstep_checks.end() &&
                       check->second.timing.kind == machine::TimingRule::Kind::Bounded;
  if (!bounded) return {};
  return d.error("implementations." + block,
                 fmt::format("block {}: no bounded timing, expected exact or ignore", block));
}

/// Refuses RTL of registers in a machine of another target or size than it is built for.
inline base::Status check_register_rows(const machine::GpuConfig& d, const std::string& block) {
  const auto chosen = d.implementations.find(block);
  if (chosen == d.implementations.end() || chosen->second == "tlm") return {};
  const auto& unit = d.compute_unit;
  const bool fits =
      d.target == "gfx908" && unit.vgpr_rows == ip::kVrfRows && unit.accvgpr_rows == ip::kVrfRows;
  if (fits) return {};
  return d.error(
      "implementations." + block,
      fmt::format(
          "block {}: the RTL is for gfx908 with {} rows of either kind, found {} with {} and {}",
          block, ip::kVrfRows, d.target, unit.vgpr_rows, unit.accvgpr_rows));
}

/// The device a description names for a block.
struct ChosenDevice {
  std::string name;                               ///< without "dut:"
  std::string path;                               ///< of the shared module
  std::shared_ptr<const ip::DutLibrary> library;  ///< null: the block is no user's device
};

/// The words of an error about a library, for one that stands in the machine description.
inline std::string with_file(const base::Error& error) {
  const std::string file = error.where.str();
  return file.empty() ? error.what : file + ": " + error.what;
}

/// `load`: of a path, a DutLibrary. Errors, at their place in the description: no library, one that
/// does not load or is for another target.
template <class Load>
base::Result<ChosenDevice> chosen_device(const machine::GpuConfig& d, const std::string& block,
                                         Load&& load) {
  ChosenDevice chosen;
  const auto named = d.implementations.find(block);
  if (named == d.implementations.end() || !is_device(named->second)) return chosen;
  const std::string place = "implementations." + block;
  chosen.name = named->second.substr(std::string(kDevice).size());
  const auto own = d.block_devices.find({block, chosen.name});
  const auto shared = d.devices.find(chosen.name);
  if (own == d.block_devices.end() && shared == d.devices.end()) {
    return d.error(place, fmt::format("block {}: no library is given for '{}', expected "
                                      "{{name: {}, library: FILE}} in the machine description",
                                      block, named->second, named->second));
  }
  chosen.path = own != d.block_devices.end() ? own->second : shared->second;
  auto loaded = load(chosen.path);
  if (!loaded) {
    // Place where the library is given: with the block, or for all of them.
    return d.error(own != d.block_devices.end() ? place : "devices." + chosen.name,
                   with_file(loaded.error()));
  }
  if (const auto target = isa::target_from_name(d.target)) {
    if (auto s = (*loaded)->check_target(*target); !s.ok()) {
      return d.error(place, with_file(s.error()));
    }
  }
  chosen.library = *loaded;
  return chosen;
}

/// A device in its seat. `ports`: for seats whose settings do not say how many there are.
template <class Seat, class Device, class Config, class Options, class OnMismatch>
std::unique_ptr<Seat> make_seated(std::unique_ptr<Device> device, const Config& config,
                                  const Options& options, const OnMismatch& on_mismatch,
                                  const contract::PortCounts& ports) {
  if constexpr (requires { Seat(std::move(device), config, options, on_mismatch, ports); }) {
    return std::make_unique<Seat>(std::move(device), config, options, on_mismatch, ports);
  } else {
    return std::make_unique<Seat>(std::move(device), config, options, on_mismatch);
  }
}

}  // namespace cuvette::run
