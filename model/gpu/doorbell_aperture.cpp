// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/doorbell_aperture.h"

#include <bit>

namespace cuvette::gpu {

std::vector<command_processor::Doorbell> DoorbellAperture::rung(uint64_t pa, const uint8_t* data,
                                                                uint64_t mask) const {
  constexpr unsigned kMaskBytes = 64, kDoorbell = 8, kLower = 0xf;
  std::vector<command_processor::Doorbell> found;
  // By doorbells, which may begin before the data.
  for (unsigned i = 0; i < kMaskBytes;) {
    const auto inside = static_cast<unsigned>((pa + i - base_) % kDoorbell);
    command_processor::Doorbell d;
    unsigned written = 0;
    for (unsigned at = inside; at < kDoorbell && i < kMaskBytes; ++at, ++i) {
      if ((mask >> i & 1) == 0) continue;
      written |= 1u << at;
      d.value |= uint64_t{data[i]} << 8 * at;
      d.index = static_cast<uint32_t>((pa + i - base_) / kDoorbell);
    }
    if (std::popcount(written & kLower) >= 4) found.push_back(d);
  }
  return found;
}

}  // namespace cuvette::gpu
