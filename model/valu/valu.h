// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "isa/instruction.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "valu/valu_messages.h"

/// Contract of the valu block (valu.md, rtl/valu/valu.sv): the arithmetic of one SIMD, 16 lanes
/// wide. Stateless: a response depends on its request alone. Messages: valu.contract.yaml.
namespace cuvette::valu {

/// Observer of some of the instructions that the simd executes without it: lockstep with a sample.
class Witness {
 public:
  virtual ~Witness() = default;
  /// Asked for every instruction that the valu implements, of so many requests. True: all of them
  /// are shown.
  virtual bool wants(unsigned requests) = 0;
  /// The requests of such an instruction in their order; `last` ends it.
  virtual void see(const Request& request, bool last, machine::Cycle now) = 0;
};

/// Interface of the vector ALU of one SIMD. Responses come in the order of their requests; when one
/// comes is `time` in lockstep.
class Valu : public machine::Core {
 public:
  machine::Channel<Request> request{4};    ///< a beat of an instruction each
  machine::Channel<Response> response{4};  ///< one per request

  /// False: this implementation has no circuit for the row with these modifiers; a request for it
  /// is a contract violation. The simd answers such instructions elsewhere and counts them as
  /// fallbacks.
  virtual bool implements(const isa::Row& row, isa::Encoding encoding,
                          const isa::Modifiers& modifiers) const = 0;
  /// Witness, when this valu answers no requests but observes a simd that needs none; else null.
  virtual Witness* witness() { return nullptr; }
};

/// Configuration from the machine description.
struct Config {
  isa::Target target = isa::Target::Gfx908;  ///< instruction set
  uint32_t latency_cycles = 1;  ///< from the last beat in to its response (`tlm`; RTL has its own)
  uint32_t compute_unit = 0, simd = 0;  ///< instance of the machine, for reports
  uint64_t seed = 1;                    ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<Valu, Config>;

}  // namespace cuvette::valu
