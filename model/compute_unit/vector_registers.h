// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compute_unit/simd_units.h"
#include "compute_unit/wave_context.h"
#include "isa/instruction.h"
#include "spi/wave_launch.h"
#include "vrf/vrf.h"
#include "wave/state.h"

namespace cuvette::compute_unit {

/// Vector registers of the waves in the register files of their SIMDs: the allocation of a wave
/// gives the rows that its VGPRs and AccVGPRs are. Reads here take no port and no time.
class VectorRegisters {
 public:
  /// `poison`: registers that the launch does not set start with a pattern instead of zero.
  VectorRegisters(SimdUnits& simds, isa::Target target, bool poison)
      : simds_(simds), unified_(isa::unified_vgprs(target)), poison_(poison) {}

  vrf::RowAddress row_of(const WaveContext& w, bool acc, unsigned index) const {
    vrf::RowAddress address;
    address.acc = acc && !unified_;
    address.row = static_cast<uint16_t>((acc ? w.launch.acc_base : w.launch.vgpr_base) + index);
    return address;
  }
  void read(const WaveContext& w, bool acc, unsigned index, machine::Cycle now,
            wave::LaneRow& row) const {
    file_of(w).read(vrf::ReadPort::Backdoor, now, row_of(w, acc, index), row);
  }
  /// A row of a memory instruction that returns.
  void write_return(const WaveContext& w, bool acc, unsigned index, uint64_t lanes,
                    const wave::LaneRow& row, machine::Cycle now) {
    file_of(w).write(vrf::WritePort::MemoryReturn, now, row_of(w, acc, index), lanes, row);
  }
  /// Every register of the allocation starts defined (decisions.md D10).
  void initialize(const WaveContext& w, const spi::WaveLaunch& record, machine::Cycle now);
  /// The allocation in host memory; without `arch` when the file is none, or wraps around.
  wave::VectorFile view(const WaveContext& w) const {
    const Identity& l = w.launch;
    return file_of(w).view(l.vgpr_base, l.vgpr_count, l.acc_base, l.acc_count);
  }
  /// Rows of the wave's registers for reading the operands of an instruction: the allocation
  /// itself, or copies of them, which hold until the next call.
  wave::VectorFile operands(const WaveContext& w, const isa::Instruction& i, machine::Cycle now);

 private:
  vrf::Vrf& file_of(const WaveContext& w) const { return simds_.of(w).simd->registers(); }

  SimdUnits& simds_;
  bool unified_;  // VGPRs and AccVGPRs are one file
  bool poison_;
  std::vector<wave::LaneRow> copies_;
};

}  // namespace cuvette::compute_unit
