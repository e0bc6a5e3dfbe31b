// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/target.h"

namespace cuvette::isa {
namespace {

constexpr std::array<std::string_view, kTargets> kNames{"gfx900", "gfx906", "gfx908", "gfx90a",
                                                        "gfx942"};

}  // namespace

std::string_view name_of(Target t) {
  return kNames[index_of(t)];
}

std::optional<Target> target_from_name(std::string_view name) {
  for (Target t : kAllTargets) {
    if (kNames[index_of(t)] == name) return t;
  }
  return std::nullopt;
}

}  // namespace cuvette::isa
