// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ip/lockstep/pin_device.h"

namespace cuvette::ip {

/// Rows of each file of the RTL (gfx908).
inline constexpr uint16_t kVrfRows = 256;

/// The Verilated builds of rtl/vrf. For speed; for checking, with assertions and waveforms, every
/// bit starting at values drawn from `seed`.
std::unique_ptr<PinDevice> make_vrf_fast();
std::unique_ptr<PinDevice> make_vrf_check(uint64_t seed);

}  // namespace cuvette::ip
