// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::hsa {

/// Comparison of the waits of gfx9 packets (WAIT_REG_MEM of PM4, POLL_REGMEM of SDMA): 0 always,
/// 1 <, 2 <=, 3 ==, 4 !=, 5 >=, 6 >. 7 is reserved and taken for 6.
inline bool packet_compare(uint32_t function, uint32_t value, uint32_t reference) {
  switch (function) {
    case 0:
      return true;
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    default:
      return value > reference;
  }
}

}  // namespace cuvette::hsa
