// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ip/lockstep/lockstep.h"
#include "memory/memory.h"

namespace cuvette::ip {

/// Parameters of the Verilated builds of rtl/memory (ip/rtl_sources.cmake): those of the machine
/// descriptions with one L2 slice. They have bytes at every address.
memory::Config memory_build();

/// A Verilated build of rtl/memory: for speed; for checking, every bit starting at values drawn
/// from `seed`.
std::unique_ptr<PinDevice> make_memory_fast();
std::unique_ptr<PinDevice> make_memory_check(uint64_t seed);

/// Differences between a memory and the builds, as text; empty: none.
std::string refuse_memory(const memory::Config& config);

/// Adds `rtl`, `lockstep` and, with assertions, random start values and monitors, `rtl-check`,
/// `lockstep-check`; all of them compare. Makers give null for what refuse_memory() refuses.
void register_memory(memory::Registry& registry,
                     const std::function<void(const BlockMismatch&)>& on_mismatch,
                     const LockstepOptions& options, uint64_t seed);

}  // namespace cuvette::ip
