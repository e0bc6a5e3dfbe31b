// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "machine/core.h"
#include "machine/registry.h"
#include "vrf/vrf_messages.h"
#include "wave/state.h"

/// Contract of the vrf block (vrf.md): the vector registers of one SIMD, all waves. Owns
/// architectural and accumulation registers: two files on gfx908, one from gfx90a on.
namespace cuvette::vrf {

/// Reads give the value at the start of the cycle; a write is visible from the next cycle. Backdoor
/// ports take no time. Lockstep classes: all data `exact`.
class Vrf {
 public:
  virtual ~Vrf() = default;
  virtual void read(ReadPort port, machine::Cycle now, RowAddress address, wave::LaneRow& out) = 0;
  virtual void write(WritePort port, machine::Cycle now, RowAddress address, uint64_t lanes,
                     const wave::LaneRow& data) = 0;
  /// A direct view of the rows of one wave, for implementations whose registers are host memory;
  /// rows null otherwise, and the simd then goes through the ports.
  virtual wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                                uint16_t acc_count) = 0;
};

struct Config {
  uint16_t rows = 256;                  ///< per lane: 256 (gfx900 to gfx908), 512 (unified)
  uint16_t acc_rows = 256;              ///< 0 without a second file
  uint64_t seed = 0;                    ///< 0: rows start as zero; otherwise a pattern (`--poison`)
  uint32_t compute_unit = 0, simd = 0;  ///< instance of the machine, for reports
  uint64_t device_seed = 1;             ///< initial state of RTL (check builds)
};
using Registry = machine::Registry<Vrf, Config>;

}  // namespace cuvette::vrf
