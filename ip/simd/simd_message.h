// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "simd/simd.h"

namespace cuvette::ip {

inline constexpr unsigned kSimdBeats = 4;
inline constexpr unsigned kSimdBeatLanes = 16;

/// The packed structs of rtl/simd/simd_pkg.sv as words, lowest bit first.
using SimdIssueMessage = std::array<uint32_t, 23>;    ///< issue_t, 735 bits
using SimdRetireMessage = std::array<uint32_t, 68>;   ///< retire_t, 2176 bits
using SimdFillMessage = std::array<uint32_t, 18>;     ///< fill_t, 550 bits
using SimdReadMessage = std::array<uint32_t, 2>;      ///< read_row_t, 52 bits
using SimdRowDataMessage = std::array<uint32_t, 18>;  ///< row_data_t, 546 bits

SimdIssueMessage pack(const simd::Issue& issue);
SimdFillMessage pack(const simd::Fill& fill, unsigned beat);
SimdReadMessage pack(const simd::ReadRow& read);
simd::Retire unpack(const SimdRetireMessage& message);

struct SimdRowBeat {
  uint32_t id = 0;
  uint8_t beat = 0;
  std::array<uint32_t, kSimdBeatLanes> data{};
};
SimdRowBeat unpack(const SimdRowDataMessage& message);

}  // namespace cuvette::ip
