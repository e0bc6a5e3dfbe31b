// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/register_vrf.h"

#include <utility>

#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/vrf/vrf_rtl.h"

namespace cuvette::ip {
namespace {

using vrf::Config;

bool fits(const Config& config) {
  return config.rows == kVrfRows && config.acc_rows == kVrfRows;
}

std::unique_ptr<PinDevice> watched(std::unique_ptr<PinDevice> device) {
  const auto pins = pin_channels(vrf::kChannels);
  return std::make_unique<PinMonitor>(std::move(device), pins, ready_within(pins));
}
std::unique_ptr<PinDevice> of_library(const std::shared_ptr<const DutLibrary>& library,
                                      const Config& config) {
  return make_dut<ModuleDevice>(library, isa::Target::Gfx908, config.device_seed);
}

}  // namespace

VrfLockstep* lockstep_in(vrf::Vrf& block) {
  return dynamic_cast<VrfLockstep*>(&block);
}

void register_vrf(vrf::Registry& registry, const VrfLockstep::Kit::OnMismatch& on_mismatch,
                  const LockstepOptions& options) {
  using Make = std::unique_ptr<PinDevice> (*)(const Config&);
  const auto add = [&](const std::string& suffix, Make rtl, Make compared) {
    registry.add("rtl" + suffix, [rtl](const Config& config) -> std::unique_ptr<vrf::Vrf> {
      if (!fits(config)) return nullptr;
      return std::make_unique<VrfRtl>(rtl(config));
    });
    registry.add("lockstep" + suffix, [=](const Config& config) -> std::unique_ptr<vrf::Vrf> {
      if (!fits(config)) return nullptr;
      return std::make_unique<VrfLockstep>(compared(config), config, options, on_mismatch);
    });
  };
  const Make fast = [](const Config&) { return make_vrf_fast(); };
  add("", fast, fast);
  add(
      "-check", [](const Config& config) { return make_vrf_check(config.device_seed); },
      [](const Config& config) { return watched(make_vrf_check(config.device_seed)); });
}

void register_vrf_dut(vrf::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const VrfLockstep::Kit::OnMismatch& on_mismatch,
                      const LockstepOptions& options) {
  registry.add("dut:" + name, [=](const Config& config) -> std::unique_ptr<vrf::Vrf> {
    if (!fits(config)) return nullptr;
    auto device = of_library(library, config);
    if (device == nullptr) return nullptr;
    return std::make_unique<VrfLockstep>(watched(std::move(device)), config, options, on_mismatch);
  });
}

std::unique_ptr<VrfLockstep> make_lone_vrf(const std::shared_ptr<const DutLibrary>& library,
                                           const Config& config, const LockstepOptions& options) {
  auto device =
      library == nullptr ? make_vrf_check(config.device_seed) : of_library(library, config);
  if (device == nullptr) return nullptr;
  return std::make_unique<VrfLockstep>(watched(std::move(device)), config, options);
}

}  // namespace cuvette::ip
