// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wave/state.h"

/// Access of a debugger, the probe door and tests to a compute unit beside its ports, without
/// time: the scalar state of waves. Vector registers and LDS have backdoors of their own
/// (Simd::registers with the Backdoor ports, Lds::peek and poke).
namespace cuvette::compute_unit {

/// Effect of an access to unmapped memory, or of a misaligned atomic, on its wave.
enum class OnViolation : uint8_t {
  EndWave,  ///< the wave ends with an error in its WaveDone
  /// TRAPSTS.MEM_VIOL is set when the instruction completes, scalar accesses included; lanes that
  /// failed load 0 and store nothing; the wave goes on as without a trap handler.
  Record
};

/// One wave slot, named by SIMD and slot.
class Backdoor {
 public:
  virtual ~Backdoor() = default;

  /// Sets the effect for all waves from now on. EndWave unless set.
  virtual void on_violation(OnViolation what) = 0;

  /// Scalar state of the wave in the slot; after its end its last state, until the next launch into
  /// the slot.
  virtual const wave::ScalarState& scalars(unsigned simd, unsigned slot) const = 0;
  /// Replaces everything, PC included. Between the tick that takes the launch record and the next
  /// one: nothing of the wave is under way then.
  virtual void set_scalars(unsigned simd, unsigned slot, const wave::ScalarState& state) = 0;

  struct Progress {
    bool running = false;      ///< neither S_ENDPGM nor an error yet
    bool failed = false;       ///< ended by an error
    bool unsupported = false;  ///< the error: an instruction that some block does not implement
    uint64_t issued = 0;       ///< instructions
  };
  virtual Progress progress(unsigned simd, unsigned slot) const = 0;
  /// Wave, pc, instruction and reason; empty unless failed.
  virtual const std::string& failure_of(unsigned simd, unsigned slot) const = 0;
};

}  // namespace cuvette::compute_unit
