// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Compute units that the work-groups of a queue may use (COMPUTE_STATIC_THREAD_MGMT_SE0..7).
namespace cuvette::spi {

inline constexpr unsigned kMaskedEngines = 8;  ///< a register each
inline constexpr unsigned kMaskedUnits = 16;   ///< SH0_CU_EN: an engine has one array

/// Bit n of word e: compute unit n of shader engine e. Engines behind the last word, and compute
/// units behind the last bit, have no mask.
using CuMask = std::array<uint16_t, kMaskedEngines>;
inline constexpr CuMask kAllUnits = {0xffff, 0xffff, 0xffff, 0xffff,
                                     0xffff, 0xffff, 0xffff, 0xffff};

constexpr bool allows(const CuMask& mask, unsigned engine, unsigned unit) {
  return engine >= kMaskedEngines || unit >= kMaskedUnits || (mask[engine] >> unit & 1) != 0;
}

/// Compute units are spread evenly over the engines, the last one may have fewer.
constexpr unsigned units_per_engine(unsigned compute_units, unsigned engines) {
  return (compute_units + engines - 1) / engines;
}

/// True if at least one of `compute_units` in `engines` is in the mask.
constexpr bool leaves_any(const CuMask& mask, unsigned compute_units, unsigned engines) {
  const unsigned each = units_per_engine(compute_units, engines);
  for (unsigned i = 0; i < compute_units; ++i) {
    if (allows(mask, i / each, i % each)) return true;
  }
  return false;
}

}  // namespace cuvette::spi
