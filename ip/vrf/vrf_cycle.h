// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "vrf/vrf.h"

namespace cuvette::ip {

inline constexpr unsigned kVrfBeats = 4;
inline constexpr unsigned kVrfBeatLanes = 16;

/// The inputs of one clock cycle.
struct VrfInputs {
  /// One read port.
  struct Read {
    bool valid = false;
    vrf::RowAddress address;
    uint8_t beat = 0;         ///< of the row, 0 to 3
    bool data_ready = false;  ///< the receiver of the data is ready
  };
  /// One write port.
  struct Write {
    bool valid = false;
    vrf::RowAddress address;
    uint8_t beat = 0;
    uint16_t lanes = 0;                          ///< lanes of the beat that are written
    std::array<uint32_t, kVrfBeatLanes> data{};  ///< of the beat's lanes
  };
  std::array<Read, vrf::kReadPorts> reads;
  std::array<Write, vrf::kWritePorts> writes;
};

/// The outputs in the same cycle, before its clock edge.
struct VrfOutputs {
  struct Read {
    bool ready = false;
    bool data_valid = false;
    uint8_t beat = 0;  ///< this and the data: while data_valid
    std::array<uint32_t, kVrfBeatLanes> data{};
  };
  std::array<Read, vrf::kReadPorts> reads;
  std::array<bool, vrf::kWritePorts> write_ready{};
};

}  // namespace cuvette::ip
