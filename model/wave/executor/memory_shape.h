// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/executor/micro_op.h"
#include "wave/memory_op.h"

namespace cuvette::wave {

/// Row `bytes`: bytes before each of 64 elements of so many bytes.
struct LaneSteps {
  alignas(64) uint32_t row[17][kLanes] = {};
  constexpr LaneSteps() {
    for (unsigned bytes = 0; bytes < 17; ++bytes) {
      for (unsigned lane = 0; lane < kLanes; ++lane) row[bytes][lane] = bytes * lane;
    }
  }
};
inline constexpr LaneSteps kLaneSteps;
inline const uint32_t* lane_steps(unsigned bytes) {
  return kLaneSteps.row[bytes];
}

/// Memory shape of a micro-op: the sources of a vector load's or store's addresses and data. Its 64
/// addresses decide, when it executes, between lines, pieces and single elements.
struct MemoryShape {
  enum class Space : uint8_t { Global, Flat, Scratch, Buffer, Lds };
  /// A register and those behind it.
  struct Rows {
    uint32_t offset = 0;  ///< bytes in the file
    bool acc = false;
    uint32_t* at(const WaveState& wave) const {
      LaneRow* const file = acc ? wave.v.acc : wave.v.arch;
      return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(file) + offset);
    }
  };

  static constexpr unsigned kSpaces = 5;

  Space space = Space::Global;
  LoadExtend extend = LoadExtend::None;
  uint8_t bytes = 4;     ///< per lane and access
  uint8_t accesses = 1;  ///< 2 for two-address LDS forms
  bool high = false;     ///< a store takes bits 31:16
  bool returns = false;  ///< an atomic's old values go to `data[1]`
  base::AtomicOp atomic = base::AtomicOp::Swap;
  Rows compare;  ///< the second operand of atomics that have one
  bool has_compare = false;
  bool has_address = false, wide = false;  ///< a VGPR address, of 64 bits
  bool has_index = false;                  ///< buffers: IDXEN, and has_address OFFEN
  int16_t scalar = -1;                     ///< first code of SADDR or of the descriptor; -1: none
  int32_t offset[2] = {};                  ///< bytes, by access
  const isa::Operand* soffset = nullptr;   ///< buffers
  Rows address, index;
  Rows data[2];  ///< per access

  unsigned dwords() const { return (bytes + 3u) / 4; }
};

}  // namespace cuvette::wave
