// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "isa/instruction.h"
#include "wave/execute.h"
#include "wave/executor/host_mode.h"
#include "wave/executor/soft_tlb.h"
#include "wave/lane_op.h"
#include "wave/state.h"

namespace cuvette::wave {

/// Place of a source.
enum class Place : uint8_t {
  Vgpr,      ///< a row of the VGPRs
  Agpr,      ///< a row of the AccVGPRs
  Constant,  ///< a row of the decoder's constants
  Scalar,    ///< a dword of ScalarState
  Copy,      ///< a row of Context::copy: a scalar for 64 lanes
};

/// State that micro-ops need besides the wave, for a slice of it.
struct Context {
  explicit Context(WaveState& wave) : floats(wave.s) {
    base[static_cast<unsigned>(Place::Vgpr)] = reinterpret_cast<const char*>(wave.v.arch);
    base[static_cast<unsigned>(Place::Agpr)] = reinterpret_cast<const char*>(wave.v.acc);
    base[static_cast<unsigned>(Place::Scalar)] = reinterpret_cast<const char*>(&wave.s);
    base[static_cast<unsigned>(Place::Copy)] = reinterpret_cast<const char*>(copy);
  }
  /// The decoder's; they may move while it decodes.
  void use_constants(const LaneRow* rows) {
    base[static_cast<unsigned>(Place::Constant)] = reinterpret_cast<const char*>(rows);
  }

  const char* base[5] = {};  ///< of each Place
  HostFloat floats;
  SoftTlb* memory = nullptr;       ///< null: the reference executes what accesses it
  uint8_t* lds = nullptr;          ///< of the work-group
  uint64_t lds_bytes = 0;          ///< size of the allocation at `lds`
  alignas(64) LaneRow copy[3][4];  ///< sources of it that are no registers
  alignas(64) LaneRow result[4];   ///< rows of a result before they are merged
};

/// Effect of a micro-op besides registers and memory.
enum class MicroKind : uint8_t {
  None,      ///< there is no micro-op: the reference executes the instruction
  Straight,  ///< PC is neither read nor written
  Nothing,   ///< the same, and run() does nothing at all
  Jump,      ///< reads and writes PC, which must be behind the instruction; ends a block
};

struct MemoryShape;
struct Route;

/// Decoded instruction of a basic block: operands resolved, and the function that executes it. Made
/// once by Decoder; its results are those of wave::execute.
struct MicroOp {
  /// False: nothing has been done, and the reference must execute the instruction.
  using Run = bool (*)(const MicroOp&, WaveState&, Context&);
  using ScalarHandler = Outcome (*)(WaveState&, const isa::Instruction&);

  Run run = nullptr;
  const isa::Instruction* instruction = nullptr;  ///< as decoded; outlives the micro-op
  union {
    LaneHandler lanes = nullptr;
    ScalarHandler scalar;
    const MemoryShape* memory;
  };
  const Route* route = nullptr;  ///< null: none of SDWA, DPP, CLAMP
  uint32_t modes = 0;            ///< MODE bits with which the reference executes it
  uint16_t vgprs = 0;            ///< the wave needs at least so many registers
  uint16_t accvgprs = 0;         ///< so many AccVGPRs
  uint16_t sgprs = 0;            ///< and so many SGPRs
  Place place[3] = {};           ///< of each source
  Place dst_place = Place::Vgpr;
  uint8_t src_dwords[3] = {};  ///< rows or dwords of each source
  uint8_t dst_dwords = 0;      ///< the same of the destination; 0: none
  uint8_t sources = 0;         ///< that are not masks
  int8_t mask_in = -1;         ///< code of the mask's SGPR pair; -1: none
  int8_t mask_out = -1;        ///< the same of the mask that is written
  uint8_t instructions = 1;    ///< itself, and those behind it that do nothing
  uint8_t length = 0;          ///< dwords of code of all of them
  bool writes_exec = false;    ///< V_CMPX
  uint8_t copied = 0;          ///< bit per source that is Place::Copy
  MicroKind kind = MicroKind::None;
  lanes::HostMode mode = lanes::HostMode::None;
  uint32_t dst = 0;             ///< byte offset at its place
  uint32_t src[3] = {};         ///< byte offsets at `place`
  uint16_t scalar_src[3] = {};  ///< of a source that is Place::Copy, its Place::Scalar

  /// Source `s` at its place.
  template <class T = uint32_t>
  const T* at(const Context& context, unsigned s) const {
    return reinterpret_cast<const T*>(context.base[static_cast<unsigned>(place[s])] + src[s]);
  }
  /// The destination's first row.
  uint32_t* row(const WaveState& wave) const {
    LaneRow* const file = dst_place == Place::Agpr ? wave.v.acc : wave.v.arch;
    return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(file) + dst);
  }
  /// A scalar source, and result.
  template <class T>
  T get(const Context& context, unsigned s) const {
    T value;
    if (place[s] == Place::Constant) {
      const auto* rows = at<LaneRow>(context, s);
      uint32_t words[2] = {rows[0][0], sizeof(T) > 4 ? rows[1][0] : 0};
      std::memcpy(&value, words, sizeof value);
      return value;
    }
    std::memcpy(&value, at<char>(context, s), sizeof value);
    return value;
  }
  template <class T>
  void put(WaveState& wave, T value) const {
    std::memcpy(reinterpret_cast<char*>(&wave.s) + dst, &value, sizeof value);
  }
  /// True if the micro-op may be used for this wave now.
  bool fits(const WaveState& wave) const {
    return (wave.s.mode.raw & modes) == 0 && vgprs <= wave.v.arch_count &&
           vgprs <= wave.alloc.vgprs && accvgprs <= wave.v.acc_count &&
           accvgprs <= wave.alloc.accvgprs && sgprs <= wave.alloc.sgprs;
  }
};

}  // namespace cuvette::wave
