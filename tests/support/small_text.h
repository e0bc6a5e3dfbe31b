// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace cuvette::small_text {

/// HSAIL text of the large machine model as text of the small one (HSAIL PRM 2.9) that computes the
/// same. Registers stay: where an instruction takes or gives a flat, global, readonly or kernarg
/// address, it goes through $s100, and kernel arguments that are only loaded to become addresses
/// are u32. Nothing for text that is not large, and for what the small model does not have: 64-bit
/// atomics and signals. Instructions that only move the handle of a signal become sig32, and
/// signal_ld loads 32 bits of the value.
std::optional<std::string> small_text(const std::string& large);

}  // namespace cuvette::small_text
