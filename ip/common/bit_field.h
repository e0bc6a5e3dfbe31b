// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::ip {

/// Bits [at, at + width) of a message, bit b being bit b % 8 of byte b / 8 (ip/dut.h). `width` is 1
/// to 64. The plug-in side of the border uses this header too, so it needs nothing else.
inline void put_bits(uint8_t* message, size_t at, unsigned width, uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const unsigned shift = (at + done) % 8;
    const unsigned take = width - done < 8 - shift ? width - done : 8 - shift;
    const unsigned mask = ((1u << take) - 1) << shift;
    uint8_t& byte = message[(at + done) / 8];
    const unsigned bits = static_cast<unsigned>(value >> done & 0xff) << shift;
    byte = static_cast<uint8_t>((byte & ~mask) | (bits & mask));
    done += take;
  }
}

inline uint64_t get_bits(const uint8_t* message, size_t at, unsigned width) {
  uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned shift = (at + done) % 8;
    const unsigned take = width - done < 8 - shift ? width - done : 8 - shift;
    const uint64_t bits = static_cast<unsigned>(message[(at + done) / 8]) >> shift;
    value |= (bits & ((1u << take) - 1)) << done;
    done += take;
  }
  return value;
}

}  // namespace cuvette::ip
