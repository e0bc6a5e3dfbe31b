// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/register_simd.h"

#include <utility>

#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/simd/simd_rtl.h"

namespace cuvette::ip {
namespace {

using simd::Config;

bool fits(const Config& config) {
  return config.target == isa::Target::Gfx908 && config.registers.rows == kSimdRows &&
         config.registers.acc_rows == kSimdRows;
}

std::unique_ptr<PinDevice> watched(std::unique_ptr<PinDevice> device) {
  const auto pins = pin_channels(simd::kChannels);
  return std::make_unique<PinMonitor>(std::move(device), pins, ready_within(pins));
}
std::unique_ptr<PinDevice> fast(const Config&) {
  return make_simd_fast();
}
std::unique_ptr<PinDevice> checked(const Config& config) {
  return watched(make_simd_check(config.valu.seed));
}
std::unique_ptr<PinDevice> of_library(const std::shared_ptr<const DutLibrary>& library,
                                      const Config& config) {
  auto device = make_dut<ModuleDevice>(library, config.target, config.valu.seed);
  return device == nullptr ? nullptr : watched(std::move(device));
}

}  // namespace

SimdLockstep* lockstep_in(simd::Simd& block) {
  return dynamic_cast<SimdLockstep*>(&block);
}

void register_simd(simd::Registry& registry, const SimdLockstep::Kit::OnMismatch& on_mismatch,
                   const LockstepOptions& options) {
  using Make = std::unique_ptr<PinDevice> (*)(const Config&);
  const auto add = [&](const std::string& suffix, Make make) {
    registry.add("rtl" + suffix, [make](const Config& config) -> std::unique_ptr<simd::Simd> {
      if (!fits(config)) return nullptr;
      return std::make_unique<SimdRtl>(make(config), config);
    });
    registry.add("lockstep" + suffix, [=](const Config& config) -> std::unique_ptr<simd::Simd> {
      if (!fits(config)) return nullptr;
      return std::make_unique<SimdLockstep>(make(config), config, options, on_mismatch);
    });
  };
  add("", fast);
  add("-check", checked);
}

void register_simd_dut(simd::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const SimdLockstep::Kit::OnMismatch& on_mismatch,
                       const LockstepOptions& options) {
  registry.add("dut:" + name, [=](const Config& config) -> std::unique_ptr<simd::Simd> {
    if (!fits(config)) return nullptr;
    auto device = of_library(library, config);
    if (device == nullptr) return nullptr;
    return std::make_unique<SimdLockstep>(std::move(device), config, options, on_mismatch);
  });
}

std::unique_ptr<SimdLockstep> make_lone_simd(const std::shared_ptr<const DutLibrary>& library,
                                             const Config& config, const LockstepOptions& options) {
  if (!fits(config)) return nullptr;
  auto device = library == nullptr ? checked(config) : of_library(library, config);
  if (device == nullptr) return nullptr;
  return std::make_unique<SimdLockstep>(std::move(device), config, options);
}

}  // namespace cuvette::ip
