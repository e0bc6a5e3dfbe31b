// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "isa/instruction.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"

/// Contract of the valu block (docs/valu.md, rtl/valu/valu.sv): the arithmetic of one SIMD, 16
/// lanes wide. Stateless: a response depends on its request alone.
namespace cuvette::valu {

inline constexpr unsigned kLanes = 16;  ///< lanes of one beat
inline constexpr unsigned kBeats = 4;   ///< beats of a wave64 instruction

/// Where a request comes from: for reports. Not on pins, never compared.
struct Origin {
  uint64_t wave = 0;  ///< launch id
  uint64_t pc = 0;
  uint8_t length = 0;  ///< dwords of the instruction; 0: not known
  uint32_t words[4] = {};
};

/// One beat of one instruction. Values only; registers, DPP and scalar broadcast are the simd's
/// work.
struct Request {
  uint32_t id = 0;    ///< chosen by the requester, returned unchanged
  uint16_t row = 0;   ///< isa::index_of(row): which instruction
  uint8_t beat = 0;   ///< 0..3; lane l of the beat is lane 16*beat+l of the wavefront
  uint8_t pass = 0;   ///< results wider than 64 bits take pass 0 (dwords 0, 1) and 1 (dwords 2, 3)
  uint32_t mode = 0;  ///< the MODE register
  isa::Encoding encoding = isa::Encoding::Native;
  isa::Modifiers modifiers;      ///< abs, neg, op_sel, sext, SDWA selects, omod, clamp are applied
                                 ///< here; DPP fields are ignored
  uint16_t exec = 0;             ///< bit per lane
  uint16_t mask_in = 0;          ///< carry in, V_CNDMASK select, V_DIV_FMAS scale
  uint64_t src[3][kLanes] = {};  ///< 32-bit operands in the low half, upper half zero
  uint64_t old[kLanes] =
      {};  ///< destination before the instruction (accumulators, preserved halves)
  Origin origin;
};

/// The result of one beat. Lanes outside `write` carry no meaning.
struct Response {
  uint32_t id = 0;
  uint8_t beat = 0;
  uint8_t pass = 0;
  uint64_t dst[kLanes] = {};
  uint16_t write = 0;  ///< lanes whose vector destination is written (EXEC, or none)
  uint16_t mask = 0;   ///< compare, carry or VCC result; 0 for disabled lanes
  bool has_mask = false;
  uint8_t flags = 0;  ///< fp::Flag, or of the enabled lanes
};

/// Who is shown some of the instructions that the simd executes without it: lockstep with a sample.
class Witness {
 public:
  virtual ~Witness() = default;
  /// Asked for every instruction that the valu implements, of so many requests. True: all of them
  /// are shown.
  virtual bool wants(unsigned requests) = 0;
  /// The requests of such an instruction in their order; `last` ends it.
  virtual void see(const Request& request, bool last, machine::Cycle now) = 0;
};

/// Ordering: responses come in request order (one domain). Comparison classes for lockstep: dst
/// under write, write, mask, has_mask, flags `exact`; when a response comes `time`.
class Valu : public machine::Core {
 public:
  machine::Channel<Request> request{4};
  machine::Channel<Response> response{4};

  /// False: this implementation has no circuit for the row with these modifiers; a request for it
  /// is a contract violation. The simd answers such instructions elsewhere and counts them as
  /// fallbacks.
  virtual bool implements(const isa::Row& row, isa::Encoding encoding,
                          const isa::Modifiers& modifiers) const = 0;
  /// Not null: this valu answers no requests but is a witness of a simd that needs none.
  virtual Witness* witness() { return nullptr; }
};

struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t latency_cycles = 1;  ///< from the last beat in to its response (`tlm`; RTL has its own)
  uint32_t compute_unit = 0, simd = 0;  ///< which instance of the machine it is, for reports
  uint64_t seed = 1;                    ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<Valu, Config>;

}  // namespace cuvette::valu
