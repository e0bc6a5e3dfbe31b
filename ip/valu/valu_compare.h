// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "valu/lane_beat.h"

namespace cuvette::ip {

/// Compared items by class (docs/valu.md). Lanes outside the write set are not items.
struct ValuCounts {
  uint64_t responses = 0;  ///< given; of these so many were compared in every field:
  uint64_t sampled = 0;
  uint64_t lanes = 0;  ///< destination lanes
  uint64_t masks = 0, write_sets = 0, flags = 0;
  uint64_t times = 0;  ///< responses whose time was compared
};

struct ValuDifference {
  const char* field = "";
  int lane = -1;  ///< for "dst": lane of the beat
  uint64_t expected = 0, actual = 0;
};

/// Compares a response with what is wanted, in the order of docs/lockstep.md; counts what was
/// compared.
std::optional<ValuDifference> compare(const valu::Response& want, const valu::Response& actual,
                                      ValuCounts& counts);

}  // namespace cuvette::ip
