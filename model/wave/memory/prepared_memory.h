// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/prepared.h"

namespace cuvette::wave::memory {

/// The short way of plain loads and stores: S_LOAD, and whole dwords of FLAT, GLOBAL and LDS
/// between memory and VGPRs. Shortness None for everything else.
Prepared prepare_memory(const isa::Instruction& instruction);

/// The addresses of a load or store between memory and VGPRs: Prepared::src[0], `stride` bytes from
/// lane to lane.
struct VectorAddress {
  uint32_t stride = 0;
  bool wide = false;  ///< the register behind it is the high half
  /// For when lane 0 says the addresses, and EXEC is full; null: it is no such load or store.
  Prepared::Run steady = nullptr;
  unsigned data = 0, dwords = 0;  ///< registers that are stored; 0: a load

  bool stores(unsigned r) const { return r >= data && r - data < dwords; }
};
VectorAddress addresses(const Prepared& p);

bool is_scalar_load(const Prepared& p);
/// What a scalar load reads for a wave.
struct ScalarLoad {
  uint64_t address = 0;
  unsigned bytes = 0;
};
ScalarLoad scalar_load_of(const Prepared& p, const WaveState& wave);

}  // namespace cuvette::wave::memory
