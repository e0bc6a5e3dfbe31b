// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/register_valu.h"

#include "ip/valu_rtl.h"

namespace cuvette::ip {

void register_valu(valu::Registry& registry, const ValuLockstep::Observer& on_mismatch) {
  const auto fast = [](const valu::Config&) { return std::make_unique<ValuRtl>(make_valu_fast()); };
  const auto check = [](const valu::Config& config) {
    return std::make_unique<ValuRtl>(make_valu_check(config.seed));
  };
  registry.add("rtl", fast);
  registry.add("rtl-check", check);
  registry.add("lockstep", [fast, on_mismatch](const valu::Config& config) {
    return std::make_unique<ValuLockstep>(fast(config), config, on_mismatch);
  });
  registry.add("lockstep-check", [check, on_mismatch](const valu::Config& config) {
    std::unique_ptr<ValuRtl> rtl = check(config);
    ValuDevice& device = rtl->device();
    return std::make_unique<ValuLockstep>(std::move(rtl), config, on_mismatch,
                                          [&device] { return device.assertion_failed(); });
  });
}

}  // namespace cuvette::ip
