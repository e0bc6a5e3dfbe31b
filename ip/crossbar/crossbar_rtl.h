// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "crossbar/crossbar.h"
#include "ip/lockstep/lockstep.h"

namespace cuvette::ip {

/// Parameters of the Verilated builds of rtl/crossbar (ip/rtl_sources.cmake): sources of four
/// compute units with caches of their own, up to four slices; and, for speed, one of each.
inline constexpr unsigned kCrossbarSources = 13, kCrossbarSlices = 4;
inline constexpr unsigned kCrossbarOneSources = 4;
crossbar::Config crossbar_build();

/// A Verilated build of rtl/crossbar on the pins of the sources and slices of `config`: for speed;
/// for checking, every bit starting at values drawn from its seed.
std::unique_ptr<PinDevice> make_crossbar_fast(const crossbar::Config& config);
std::unique_ptr<PinDevice> make_crossbar_check(const crossbar::Config& config);

/// Difference of a crossbar from the builds, in words; empty: none.
std::string refuse_crossbar(const crossbar::Config& config);

/// Adds `rtl`, `lockstep` and, with assertions, random start values and monitors, `rtl-check`,
/// `lockstep-check`; all of them compare. Makers give null for what refuse_crossbar() refuses.
void register_crossbar(crossbar::Registry& registry,
                       const std::function<void(const BlockMismatch&)>& on_mismatch,
                       const LockstepOptions& options);

}  // namespace cuvette::ip
