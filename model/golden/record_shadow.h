// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "golden/kept_halves.h"
#include "golden/program.h"
#include "golden/wave.h"
#include "wave/memory/global_sync.h"
#include "wave/retire_record.h"

namespace cuvette::golden {

/// Shadow of one wave of a device: executes on golden what the device says it retired. Loads, what
/// atomics return and values of the machine (clocks, placement) come from the device's records;
/// everything else is compared.
class RecordShadow {
 public:
  struct Counts {
    uint64_t records = 0;              ///< compared
    uint64_t lanes = 0, accesses = 0;  ///< in them
    uint64_t loads = 0;                ///< accesses whose value came from the device
    uint64_t machine_values = 0;       ///< clock and placement values that did
  };

  /// `wave` in its initial state. `compare`: golden::Compare bits.
  RecordShadow(std::unique_ptr<Wave> wave, uint32_t compare);

  /// Executes the next record in program order; instructions come from `program`. The result
  /// describes an error with its place; empty: none.
  std::string retire(const wave::RetireRecord& device, Program& program, wave::GlobalSync& sync,
                     Counts& counts);
  /// Ends the log: no further record comes. The result describes an error; empty: none.
  std::string end();

  const Wave& wave() const { return *wave_; }
  bool has_ended() const { return wave_->status == WaveStatus::Ended; }

 private:
  bool read_clock(const isa::Instruction& next, const wave::RetireRecord& device);
  bool take_machine_register(wave::RetireRecord& golden, const wave::RetireRecord& device);

  std::unique_ptr<Wave> wave_;
  uint32_t compare_;
  Workgroup group_;
  KeptHalves halves_;
  uint64_t clock_ = 0;
};

}  // namespace cuvette::golden
