// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bits.h"
#include "wave/memory_op.h"

/// One access of one lane between the dword planes of an operation and plain bytes.
namespace cuvette::wave::memory {

inline unsigned dwords_of(unsigned bytes) {
  return (bytes + 3) / 4;
}

/// `first`: the plane where the access's data begins.
inline void gather_lane(const uint32_t planes[4][kLanes], unsigned first, unsigned lane,
                        unsigned bytes, uint8_t* out) {
  for (unsigned i = 0; i < dwords_of(bytes); ++i) {
    std::memcpy(out + 4 * i, &planes[first + i][lane], std::min(4u, bytes - 4 * i));
  }
}

/// Zero-extended to whole dwords.
inline void scatter_lane(uint32_t planes[4][kLanes], unsigned first, unsigned lane, unsigned bytes,
                         const uint8_t* in) {
  for (unsigned i = 0; i < dwords_of(bytes); ++i) {
    uint32_t word = 0;
    std::memcpy(&word, in + 4 * i, std::min(4u, bytes - 4 * i));
    planes[first + i][lane] = word;
  }
}

/// The operand of an atomic, 4 or 8 bytes.
inline uint64_t lane_operand(const MemoryOp& op, unsigned lane, unsigned plane = 0) {
  return op.bytes == 8 ? base::join32(op.data[plane][lane], op.data[plane + 1][lane])
                       : op.data[plane][lane];
}

/// The compare value of an atomic, 4 or 8 bytes.
inline uint64_t lane_compare(const MemoryOp& op, unsigned lane) {
  return op.bytes == 8 ? base::join32(op.compare[0][lane], op.compare[1][lane])
                       : op.compare[0][lane];
}

}  // namespace cuvette::wave::memory
