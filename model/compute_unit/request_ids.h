// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::compute_unit {

/// Source of the ids of requests to SIMDs, matrix cores, LDS and GDS: one sequence for them all,
/// modulo 2^32.
class RequestIds {
 public:
  uint32_t next() { return next_++; }

 private:
  uint32_t next_ = 0;
};

}  // namespace cuvette::compute_unit
