// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/execute.h"
#include "wave/lane_op.h"
#include "wave/state.h"

// The short way for plain instructions: looked up once when an instruction is decoded, so that
// executing it is a few checks and one call. Same results as execute(), for which it stands.
namespace cuvette::wave {

/// Who owns the host's MXCSR while a wave runs a slice. F32 instructions of the short way enter();
/// their exception flags gather in MXCSR and reach TRAPSTS with leave(), at the latest when the
/// slice ends. Anything that reads TRAPSTS, or runs foreign code, needs leave() before it.
class HostSlice {
 public:
  explicit HostSlice(ScalarState& scalar) : scalar_(scalar) {}
  HostSlice(const HostSlice&) = delete;
  HostSlice& operator=(const HostSlice&) = delete;
  ~HostSlice() { leave(); }

  /// Whether MXCSR is as the F32 fields of MODE say; enter() makes it so.
  bool ready() const { return scalar_.mode.raw == mode_; }
  void enter();
  /// Host flags to TRAPSTS, MXCSR as it was found.
  void leave() {
    if (mode_ != kNone) restore(0);
  }
  /// leave() without the host's opinion on invalid operations. Right only when every instruction
  /// with an invalid operation since the last leave() is the present one.
  void leave_without_invalid();

 private:
  void restore(uint32_t dropped);

  ScalarState& scalar_;
  static constexpr uint64_t kNone = ~uint64_t{0};
  uint64_t mode_ = kNone;  ///< MODE that MXCSR stands for, or that it is not ours
  uint32_t found_ = 0;     ///< MXCSR before
};

struct Prepared {
  using Run = Outcome (*)(const Prepared&, WaveState&, HostSlice&);
  using ScalarHandler = Outcome (*)(WaveState&, const isa::Instruction&);

  Run run = nullptr;  ///< null: only execute() will do
  const isa::Instruction* instruction = nullptr;
  union {
    LaneHandler lanes = nullptr;
    ScalarHandler scalar;
  };
  uint32_t modes = 0;    ///< MODE bits that rule the short way out
  uint16_t vgprs = 0;    ///< the wave needs at least so many registers
  uint16_t sgprs = 0;    ///< SGPRs that a mask result needs
  uint32_t dst = 0;      ///< byte offset of the result's first VGPR in the file
  uint32_t src[3] = {};  ///< byte offset of each source's
  uint8_t length = 0;    ///< dwords of code
  uint8_t dst_dwords = 0;
  uint8_t sources = 0;   ///< operands that are not masks
  uint8_t scalars = 0;   ///< bit per source: not a VGPR
  int8_t mask_in = -1;   ///< which source is the mask; -1 none
  int8_t mask_out = -1;  ///< which destination is the mask
  bool writes_exec = false;
  bool vector = false;  ///< no event, no jump, PC untouched

  static uint32_t offset_of(unsigned vgpr) { return vgpr * static_cast<uint32_t>(sizeof(LaneRow)); }
  /// The register at an offset. The file is an array of rows without gaps.
  static uint32_t* row(const WaveState& wave, uint32_t offset) {
    return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(wave.v.arch) + offset);
  }
  /// Whether the short way is open to this wave now.
  bool fits(const WaveState& wave) const {
    return run != nullptr && (wave.s.mode.raw & modes) == 0 && vgprs <= wave.v.arch_count &&
           vgprs <= wave.alloc.vgprs && sgprs <= wave.alloc.sgprs;
  }
};

/// `instruction` must stay where it is.
Prepared prepare(const isa::Instruction& instruction);

static_assert(sizeof(Prepared) <= 56, "one cache line with a counter");

}  // namespace cuvette::wave
