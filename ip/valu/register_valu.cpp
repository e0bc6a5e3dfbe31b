// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/register_valu.h"

#include <utility>

#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/valu/valu_rtl.h"
#include "ip/valu/valu_sampled.h"

namespace cuvette::ip {
namespace {

using valu::Config;

std::unique_ptr<PinDevice> watched(std::unique_ptr<PinDevice> device) {
  return std::make_unique<PinMonitor>(std::move(device), pin_channels(valu::kChannels));
}

/// With all that the machine does, the device answering, or with a sample.
std::unique_ptr<valu::Valu> compared(std::unique_ptr<PinDevice> device, const Config& config,
                                     const ValuLockstep::Kit::OnMismatch& tell,
                                     const LockstepOptions& options) {
  auto lockstep = std::make_unique<ValuLockstep>(std::move(device), config, options, tell);
  if (options.share <= 1) return lockstep;
  return std::make_unique<ValuSampled>(std::move(lockstep));
}

}  // namespace

ValuLockstep* lockstep_in(valu::Valu& block) {
  if (auto* sampled = dynamic_cast<ValuSampled*>(&block)) return &sampled->lockstep();
  return dynamic_cast<ValuLockstep*>(&block);
}

void register_valu(valu::Registry& registry, const ValuLockstep::Kit::OnMismatch& on_mismatch,
                   const LockstepOptions& options) {
  registry.add("rtl", [](const Config& config) {
    return std::make_unique<ValuRtl>(make_valu_fast(config.target), config.target);
  });
  registry.add("rtl-check", [](const Config& config) {
    return std::make_unique<ValuRtl>(make_valu_check(config.seed, config.target), config.target);
  });
  registry.add("lockstep", [=](const Config& config) {
    return compared(make_valu_fast(config.target), config, on_mismatch, options);
  });
  registry.add("lockstep-check", [=](const Config& config) {
    return compared(watched(make_valu_check(config.seed, config.target)), config, on_mismatch,
                    options);
  });
}

void register_valu_dut(valu::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const ValuLockstep::Kit::OnMismatch& on_mismatch,
                       const LockstepOptions& options) {
  registry.add("dut:" + name, [=](const Config& config) -> std::unique_ptr<valu::Valu> {
    auto device = make_dut<ModuleDevice>(library, config.target, config.seed);
    if (device == nullptr) return nullptr;
    return compared(watched(std::move(device)), config, on_mismatch, options);
  });
}

std::unique_ptr<ValuLockstep> make_lone_valu(const std::shared_ptr<const DutLibrary>& library,
                                             const Config& config, const LockstepOptions& options) {
  std::unique_ptr<PinDevice> device;
  if (library == nullptr) {
    device = make_valu_check(config.seed, config.target);
  } else {
    device = make_dut<ModuleDevice>(library, config.target, config.seed);
  }
  if (device == nullptr) return nullptr;
  return std::make_unique<ValuLockstep>(watched(std::move(device)), config, options);
}

}  // namespace cuvette::ip
