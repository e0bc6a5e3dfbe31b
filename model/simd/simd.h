// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "isa/instruction.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "simd/simd_messages.h"
#include "valu/valu.h"
#include "vrf/vrf.h"
#include "wave/state.h"

/// Contract of the simd block (simd.md): operand collection, DPP, lane moves, and the
/// sequencing of valu and vrf. The port list is drawn as if the register file were inside, so that
/// RTL can grow from the valu to the whole simd without moving a port.
namespace cuvette::simd {

/// Ordering: instructions of one slot retire in issue order; slots may interleave between
/// instructions, not within one. Fills are visible to instructions issued after them; rows of
/// `fill` and rows written through registers() go in in the order in which they were sent. Lockstep
/// classes: data under write, masks, scalar, flags `exact`; interleaving of slots `ordered-by-dut`;
/// cycle of issue acceptance and retirement `time`.
class Simd : public machine::Core {
 public:
  machine::Channel<Issue> issue{1};       ///< instructions, with their scalar operands
  machine::Channel<Retire> retire{8};     ///< beats of results
  machine::Channel<Fill> fill{4};         ///< rows written from outside
  machine::Channel<ReadRow> read{4};      ///< rows to be read
  machine::Channel<RowData> row_data{4};  ///< answers to `read`

  virtual bool implements(const isa::Row& row, isa::Encoding encoding,
                          const isa::Modifiers& modifiers) const = 0;
  /// Cycles the issue port is taken by an instruction (4 for a full-rate wave64 operation, 16 at
  /// quarter rate): the sequencer's cost model and the timing contract.
  virtual unsigned issue_cycles(const isa::Instruction& instruction) const = 0;
  /// Not 0: messages of vector instructions and fills are not observed. The sender of an
  /// instruction may then execute it on registers().view(), if there is one, and write rows there.
  /// It retires issue_cycles() and so many cycles less one behind its issue.
  virtual uint32_t pipeline_at_issue() const { return 0; }
  /// Asked once of every instruction that is to be executed so. True: it has to be sent as the next
  /// message on `issue` after all, because it is observed.
  virtual bool looks_at(const isa::Instruction&) { return false; }
  /// Registers without time: debugger, tests, and a wave's memory operands when rows are host
  /// memory.
  virtual vrf::Vrf& registers() = 0;

  /// Counters since construction, for statistics.
  struct Counters {
    /// `lane_operations`: active lanes, summed over instructions.
    uint64_t instructions = 0, lane_operations = 0, fallbacks = 0;
    std::map<const isa::Row*, uint64_t> fallbacks_by_row;  ///< `fallbacks` by instruction
  };
  virtual Counters counters() const = 0;
};

/// Times of `tlm` with the valu `tlm` (docs/reference/simd.md, Timing).
enum class Timing : uint8_t {
  Issue,  ///< issue cycles and latency alone
  Ports,  ///< as the pins of rtl/simd move, bank conflicts included
};

/// Configuration of one SIMD; registries outlive it.
struct Config {
  isa::Target target = isa::Target::Gfx908;  ///< instruction set
  vrf::Config registers;
  valu::Config valu;
  const valu::Registry* valus = nullptr;    ///< null: there is `tlm` alone
  std::string valu_implementation = "tlm";  ///< name in `valus`
  const vrf::Registry* vrfs = nullptr;      ///< null: there is `tlm` alone
  std::string vrf_implementation = "tlm";   ///< name in `vrfs`
  bool allow_fallback =
      false;  ///< answer by our own valu what the chosen one does not implement, and count
  Timing timing = Timing::Issue;  ///< times that the simd keeps
  uint32_t pipeline_cycles = 1;   ///< from the last beat issued to the last Retire; not of a device
  uint32_t valu_cycles = 4;       ///< issue cycles of a full-rate wave64 instruction
  uint32_t transcendental_cycles = 16;  ///< issue cycles of a transcendental instruction,
  uint32_t double_cycles = 8;           ///< of one on F64
};
using Registry = machine::Registry<Simd, Config>;

}  // namespace cuvette::simd
