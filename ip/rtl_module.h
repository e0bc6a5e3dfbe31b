// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/pin_device.h"
#include "isa/target.h"
#include "machine/contract.h"

namespace cuvette::ip {

/// Parameters of one simulation of a Verilated build of our RTL.
struct RtlRequest {
  std::string build;  ///< "valu_gfx942_fast", a name of ip/CMakeLists.txt
  uint64_t seed = 1;  ///< of every bit that has no reset, in builds for checking
  /// Values of inputs that belong to no channel, by port name.
  std::vector<std::pair<std::string_view, uint32_t>> straps = {};
  /// Cycles behind each reset in which the block prepares itself.
  uint64_t prepares = 0;
};

/// Interface of a shared module with Verilated builds of a block, which its function cuvette_rtl()
/// gives (ip/rtl_module.cpp.in).
struct RtlModule {
  const char* version;  ///< of the project; a program loads modules of its own version
  /// The simulation and the number of ports it has; null: no such build or strap. The caller owns
  /// it.
  PinDevice* (*create)(const RtlRequest& request, contract::PortCounts& ports);
};

/// The module of a block of a machine description: roles of the cache share one, the vector ALU and
/// the matrix core have one for each target with a circuit of its own. Empty: a block without RTL.
std::string rtl_module_of(const std::string& block, isa::Target target);

/// Loads lib/cuvette/rtl/MODULE.so, once per process: from the folder that the environment variable
/// CUVETTE_RTL_DIR names, from the tree that the program or shared library with this code lies in,
/// installed or built, or from the install prefix of the build. Errors: not there, of another
/// version, not a module.
base::Result<const RtlModule*> load_rtl(const std::string& module);

/// The error of load_rtl() for the module of a block; none for a block without RTL.
base::Status check_rtl(const std::string& block, isa::Target target = isa::Target::Gfx908);

/// A simulation of a build of a module. Throws std::runtime_error where load_rtl() gives an error
/// or the module has no such build.
std::unique_ptr<PinDevice> simulate_rtl(const std::string& module, const RtlRequest& request,
                                        contract::PortCounts& ports);

/// The same on the first ports of a build: as many as `used` says.
template <size_t kCount>
std::unique_ptr<PinDevice> simulate_rtl(const std::string& module, const RtlRequest& request,
                                        const contract::ChannelInfo (&channels)[kCount],
                                        const contract::PortCounts& used) {
  contract::PortCounts has;
  auto device = simulate_rtl(module, request, has);
  return of_first_ports(std::move(device), channels, has, used);
}

}  // namespace cuvette::ip
