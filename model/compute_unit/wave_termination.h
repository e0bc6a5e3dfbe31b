// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compute_unit/fetch.h"
#include "compute_unit/gds_path.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/workgroups.h"

namespace cuvette::compute_unit {

/// Termination of waves by S_ENDPGM, an error or a command: the wave stops at once, gives up what
/// others could wait for, and leaves its slot when nothing of it is outstanding. Keeps the errors.
class WaveTermination {
 public:
  /// `config` outlives it.
  WaveTermination(const Config& config, WaveSlots& slots, Fetch& fetch, StallAccounting& stalls,
                  Workgroups& groups, GdsPath& gds, Statistics& statistics, const ProbePoint& probe)
      : config_(config),
        slots_(slots),
        fetch_(fetch),
        stalls_(stalls),
        groups_(groups),
        gds_(gds),
        statistics_(statistics),
        probe_(probe) {}
  void connect(spi::Spi::ComputeUnitPort& port) { port_ = &port; }

  /// S_ENDPGM.
  void end_program(WaveContext& w) {
    slots_.begin_end(w);
    stalls_.start(w, Stall::End, slots_.now());
  }
  /// Ends without an error.
  void kill(WaveContext& w);
  /// Ends in error, unless it has already or was killed. `code`: of hsa/queue_error.h; `address`:
  /// that of a memory fault; `instruction`: null when there is none to name.
  void fail(WaveContext& w, uint32_t code, uint64_t address, const std::string& why,
            const isa::Instruction* instruction);
  /// The fault of an access (Coalesced::fault).
  void fail_access(WaveContext& w, const Operation& operation);
  /// Instruction that some block does not implement. False, as the answer of who tried to issue.
  bool refuse(WaveContext& w, const isa::Instruction& instruction, const std::string& why);
  /// Wave that halted itself while no debugger is attached that could let it go on.
  void fail_halted(WaveContext& w, const isa::Instruction* instruction);
  /// ", 4 bytes behind the end of buffer x": end of a message about an address; may be empty.
  std::string near_buffer(const WaveContext& w, uint64_t address) const;

  /// While a debugger is attached, waves that halt stay.
  void attach_debugger(bool attached) { debugger_attached_ = attached; }
  bool debugger_attached() const { return debugger_attached_; }

  /// Frees the slots of waves with nothing outstanding, and tells the spi.
  void take_ended(machine::Cycle now);
  /// When the first wave can leave; kNever: not known.
  machine::Cycle next_event() const { return slots_.any_ending() ? next_end() : machine::kNever; }

  /// Compute unit, wave, pc, instruction and reason of the first error; empty: none.
  const std::string& failure() const { return failure_; }
  /// The same of a wave by its id.
  std::string failure_of(uint64_t wave) const;

 private:
  void stop(WaveContext& w);
  machine::Cycle next_end() const;

  const Config& config_;
  WaveSlots& slots_;
  Fetch& fetch_;
  StallAccounting& stalls_;
  Workgroups& groups_;
  GdsPath& gds_;
  Statistics& statistics_;
  const ProbePoint& probe_;
  spi::Spi::ComputeUnitPort* port_ = nullptr;
  bool debugger_attached_ = false;
  std::string failure_;
  std::map<uint64_t, std::string> failures_;  // by wave
};

}  // namespace cuvette::compute_unit
