// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "ip/dut_library.h"
#include "isa/target.h"
#include "machine/description.h"

/// Users' devices and rules of comparison that a machine description chooses.
namespace cuvette::run {

/// In front of the name of a user's device.
inline constexpr const char* kDevice = "dut:";

inline bool is_device(const std::string& name) {
  return name.rfind(kDevice, 0) == 0;
}
/// Implementations with a lockstep around them.
inline bool is_compared(const std::string& name) {
  return name.rfind("lockstep", 0) == 0 || is_device(name);
}

/// Options of a block in lockstep: exact times are the default of our RTL, none of a device.
template <class Options>
Options lockstep_options(const machine::Description& d, const char* block, bool device) {
  Options options;
  if (!device) options.timing.kind = machine::TimingRule::Kind::Exact;
  const auto check = d.lockstep_checks.find(block);
  if (check == d.lockstep_checks.end()) return options;
  options.share = check->second.share;
  if (check->second.timing_given) options.timing = check->second.timing;
  return options;
}

/// The device a description names for a block.
struct ChosenDevice {
  std::string name;  ///< without "dut:"
  std::string path;
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
base::Result<ChosenDevice> chosen_device(const machine::Description& d, const std::string& block,
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
    // Where the library is given: with the block, or for all of them.
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

}  // namespace cuvette::run
