// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/memory_op.h"

namespace cuvette::wave {

/// Calls act(address, first byte, bytes) for the contiguous pieces of one access of one lane (not
/// of scalar operations): one, unless its elements are interleaved with other lanes' or a dword is
/// out of range.
template <class Act>
void for_access_pieces(const MemoryOp& op, unsigned access, unsigned lane, Act act) {
  for (unsigned first = 0; first < op.bytes;) {
    if (!op.byte_in_range(access, lane, first)) {
      ++first;
      continue;
    }
    const uint64_t address = op.byte_address(access, lane, first);
    unsigned count = 1;
    while (first + count < op.bytes && op.byte_in_range(access, lane, first + count) &&
           op.byte_address(access, lane, first + count) == address + count) {
      ++count;
    }
    act(address, first, count);
    first += count;
  }
}

}  // namespace cuvette::wave
