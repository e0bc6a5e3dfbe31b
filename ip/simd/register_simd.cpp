// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/register_simd.h"

#include <utility>

#include "ip/block_dut.h"
#include "ip/simd/simd_monitor.h"
#include "ip/simd/simd_rtl.h"

namespace cuvette::ip {
namespace {

using simd::Config;

using Make = std::unique_ptr<SimdDevice> (*)(const Config&);

std::unique_ptr<SimdDevice> fast(const Config&) {
  return make_simd_fast();
}
std::unique_ptr<SimdDevice> checked(const Config& config) {
  return std::make_unique<SimdMonitor>(make_simd_check(config.valu.seed));
}

bool fits(const Config& config) {
  return config.target == isa::Target::Gfx908 && config.registers.rows == kSimdRows &&
         config.registers.acc_rows == kSimdRows;
}

}  // namespace

void register_simd(simd::Registry& registry, const SimdLockstep::Observer& on_mismatch,
                   const SimdLockstep::Options& options) {
  const auto add = [&](const std::string& suffix, Make make) {
    registry.add("rtl" + suffix, [make](const Config& config) -> std::unique_ptr<simd::Simd> {
      if (!fits(config)) return nullptr;
      return std::make_unique<SimdRtl>(make(config), config);
    });
    registry.add("lockstep" + suffix, [=](const Config& config) -> std::unique_ptr<simd::Simd> {
      if (!fits(config)) return nullptr;
      auto rtl = std::make_unique<SimdRtl>(make(config), config);
      SimdRtl& device = *rtl;
      return std::make_unique<SimdLockstep>(std::move(rtl), config, on_mismatch, probe_of(device),
                                            options);
    });
  };
  add("", fast);
  add("-check", checked);
}

void register_simd_dut(simd::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const SimdLockstep::Observer& on_mismatch,
                       const SimdLockstep::Options& options) {
  registry.add("dut:" + name, [=](const Config& config) -> std::unique_ptr<simd::Simd> {
    if (!fits(config)) return nullptr;
    auto device = make_simd_dut(library, config.target, config.valu.seed);
    if (device == nullptr) return nullptr;
    auto watched = std::make_unique<SimdMonitor>(std::move(device));
    auto rtl = std::make_unique<SimdRtl>(std::move(watched), config);
    SimdRtl& adapter = *rtl;
    return std::make_unique<SimdLockstep>(std::move(rtl), config, on_mismatch, probe_of(adapter),
                                          options);
  });
}

}  // namespace cuvette::ip
