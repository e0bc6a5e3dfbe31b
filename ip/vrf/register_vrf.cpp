// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/register_vrf.h"

#include <utility>

#include "ip/block_dut.h"
#include "ip/vrf/vrf_monitor.h"

namespace cuvette::ip {
namespace {

using vrf::Config;

using Make = std::unique_ptr<VrfDevice> (*)(const Config&);

std::unique_ptr<VrfDevice> fast(const Config&) {
  return make_vrf_fast();
}
std::unique_ptr<VrfDevice> checked(const Config& config) {
  return std::make_unique<VrfMonitor>(make_vrf_check(config.device_seed));
}

bool fits(const Config& config) {
  return config.rows == kVrfRows && config.acc_rows == kVrfRows;
}

}  // namespace

void register_vrf(vrf::Registry& registry, const VrfLockstep::Observer& on_mismatch,
                  const VrfLockstep::Options& options) {
  const auto add = [&](const std::string& suffix, Make make) {
    registry.add("rtl" + suffix, [make](const Config& config) -> std::unique_ptr<vrf::Vrf> {
      if (!fits(config)) return nullptr;
      return std::make_unique<VrfRtl>(make(config));
    });
    registry.add("lockstep" + suffix, [=](const Config& config) -> std::unique_ptr<vrf::Vrf> {
      if (!fits(config)) return nullptr;
      return std::make_unique<VrfLockstep>(std::make_unique<VrfRtl>(make(config)), config,
                                           on_mismatch, options);
    });
  };
  add("", fast);
  add("-check", checked);
}

void register_vrf_dut(vrf::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const VrfLockstep::Observer& on_mismatch,
                      const VrfLockstep::Options& options) {
  registry.add("dut:" + name, [=](const Config& config) -> std::unique_ptr<vrf::Vrf> {
    if (!fits(config)) return nullptr;
    auto device = make_vrf_dut(library, isa::Target::Gfx908, config.device_seed);
    if (device == nullptr) return nullptr;
    auto watched = std::make_unique<VrfMonitor>(std::move(device));
    return std::make_unique<VrfLockstep>(std::make_unique<VrfRtl>(std::move(watched)), config,
                                         on_mismatch, options);
  });
}

}  // namespace cuvette::ip
