// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/register_valu.h"

#include <utility>

#include "ip/valu/valu_monitor.h"
#include "ip/valu/valu_rtl.h"
#include "ip/valu/valu_sampled.h"
#include "ip/valu_dut.h"

namespace cuvette::ip {
namespace {

std::unique_ptr<ValuRtl> watched(std::unique_ptr<ValuDevice> device, isa::Target target) {
  return std::make_unique<ValuRtl>(std::make_unique<ValuMonitor>(std::move(device)), target);
}

/// Lockstep with all that the machine does, the device answering, or with a sample.
std::unique_ptr<valu::Valu> compared(std::unique_ptr<ValuRtl> rtl, const valu::Config& config,
                                     const ValuLockstep::Observer& on_mismatch,
                                     const ValuLockstep::Failed& failed,
                                     const ValuLockstep::Options& options) {
  auto lockstep =
      std::make_unique<ValuLockstep>(std::move(rtl), config, on_mismatch, failed, options);
  if (options.share <= 1) return lockstep;
  return std::make_unique<ValuSampled>(std::move(lockstep));
}

/// The same that also asks the device what it has found wrong.
std::unique_ptr<valu::Valu> shadowed(std::unique_ptr<ValuRtl> rtl, const valu::Config& config,
                                     const ValuLockstep::Observer& on_mismatch,
                                     const ValuLockstep::Options& options) {
  ValuDevice& device = rtl->device();
  return compared(
      std::move(rtl), config, on_mismatch, [&device] { return device.failure(); }, options);
}

}  // namespace

ValuLockstep* lockstep_in(valu::Valu& block) {
  if (auto* sampled = dynamic_cast<ValuSampled*>(&block)) return &sampled->lockstep();
  return dynamic_cast<ValuLockstep*>(&block);
}

void register_valu(valu::Registry& registry, const ValuLockstep::Observer& on_mismatch,
                   const ValuLockstep::Options& options) {
  const auto fast = [](const valu::Config& config) {
    return std::make_unique<ValuRtl>(make_valu_fast(config.target), config.target);
  };
  const auto check = [](const valu::Config& config) {
    return watched(make_valu_check(config.seed, config.target), config.target);
  };
  registry.add("rtl", fast);
  registry.add("rtl-check", check);
  registry.add("lockstep", [=](const valu::Config& config) {
    return compared(fast(config), config, on_mismatch, {}, options);
  });
  registry.add("lockstep-check", [=](const valu::Config& config) {
    return shadowed(check(config), config, on_mismatch, options);
  });
}

void register_valu_dut(valu::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const ValuLockstep::Observer& on_mismatch,
                       const ValuLockstep::Options& options) {
  registry.add("dut:" + name, [=](const valu::Config& config) -> std::unique_ptr<valu::Valu> {
    auto device = make_valu_dut(library, config.target, config.seed);
    if (device == nullptr) return nullptr;
    return shadowed(watched(std::move(device), config.target), config, on_mismatch, options);
  });
}

}  // namespace cuvette::ip
