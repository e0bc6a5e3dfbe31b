// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cuvette::isa {

/// The instruction set targets. The order is the column order of the instruction tables.
enum class Target : uint8_t { Gfx900, Gfx906, Gfx908, Gfx90a, Gfx942 };
inline constexpr unsigned kTargets = 5;
inline constexpr std::array<Target, kTargets> kAllTargets{
    Target::Gfx900, Target::Gfx906, Target::Gfx908, Target::Gfx90a, Target::Gfx942};

constexpr unsigned index_of(Target t) {
  return static_cast<unsigned>(t);
}
/// "gfx908"
std::string_view name_of(Target t);
/// From "gfx908"; nothing for an unknown name.
std::optional<Target> target_from_name(std::string_view name);

/// From gfx90a on: one file of 512 registers per lane, of which AccVGPRs are the upper part, and
/// even-aligned register pairs.
constexpr bool unified_vgprs(Target t) {
  return t >= Target::Gfx90a;
}
/// From gfx908 on: accumulation registers beside the VGPRs.
constexpr bool has_accvgprs(Target t) {
  return t >= Target::Gfx908;
}

}  // namespace cuvette::isa
