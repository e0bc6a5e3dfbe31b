// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "golden/difference.h"
#include "isa/target.h"
#include "wave/retire_record.h"

namespace cuvette::golden {

struct CosimOptions {
  isa::Target target = isa::Target::Gfx908;       ///< instruction set
  bool sramecc = true;                            ///< D16 loads write whole registers
  uint64_t shared_aperture = uint64_t{1} << 48;   ///< first flat address of LDS
  uint64_t private_aperture = uint64_t{2} << 48;  ///< first flat address of scratch
  uint32_t compare = kCompareAll;                 ///< Compare bits
};

/// Initial state of one wavefront, as values.
struct CosimWave {
  uint64_t id = 0;                              ///< never used before
  uint64_t pc = 0;                              ///< byte address of the first instruction
  uint64_t exec = 0;                            ///< bit 0: lane 0
  uint32_t mode = 0;                            ///< MODE register
  uint32_t lds_bytes = 0;                       ///< of the work-group; its first wave decides
  uint16_t vgprs = 0, accvgprs = 0, sgprs = 0;  ///< allocated
  uint64_t scratch_base = 0;
  std::vector<uint32_t> sgpr;       ///< from s0, by scalar operand code, at most 128
  std::vector<wave::LaneRow> vgpr;  ///< from v0
  uint32_t workgroup = 0;  ///< waves of one work-group share LDS; launch() has numbers of its own
};

/// A dispatch of a kernel that load_code_object() found: golden computes how its waves start.
struct CosimDispatch {
  std::string kernel;                          ///< may be empty when there is only one
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items in x, y, z
  std::array<uint16_t, 3> workgroup{1, 1, 1};  ///< work-items in x, y, z
  uint64_t kernarg = 0;                        ///< address of the kernel arguments
  uint32_t dynamic_group_bytes = 0, stack_bytes = 0;
  uint64_t packet_address = 0, queue_address = 0, dispatch_id = 0;  ///< values of initial SGPRs
  uint64_t scratch_base = 0;
};

struct CosimCode {
  uint64_t base = 0, bytes = 0;  ///< its address and size
  uint64_t descriptor = 0;       ///< of the first kernel by name
  uint64_t entry = 0;            ///< of the first kernel by name
};

struct CosimCounts {
  uint64_t instructions = 0, registers = 0, lanes = 0, accesses = 0;  ///< compared, all equal
  uint64_t loads_determined = 0;                                      ///< one legal value
  uint64_t loads_chosen = 0;    ///< one of several legal values
  uint64_t loads_rejected = 0;  ///< no legal value
};

/// Golden as the shadow of a device under test: the device runs, golden steps the same wave and
/// compares.
///
/// Single-threaded. Calls for one wave come in its program order, calls for different waves in any
/// order, but for LDS: operations of the waves of a work-group, loads to LDS among them, take
/// effect in the order of their retire() calls. Barriers are not checked. Global memory:
/// golden/visible_memory.h has the rules of what a load may see; stores and atomics become visible
/// to other waves by observe_store(). Code in memory that was stored to is fetched as the device
/// says, if that is legal. An invalidation of a cache makes the wave see what was
/// declared when its instruction before retired.
///
/// The first mismatch is kept; every later call that would change something does nothing and gives
/// a failure. Memory use grows with the number of stores.
class Cosim {
 public:
  static std::unique_ptr<Cosim> create(const CosimOptions& options);
  virtual ~Cosim() = default;

  /// Memory as it is before the run; bytes are copied. Addresses that are never loaded do not
  /// exist.
  virtual base::Status load(uint64_t address, const void* bytes, size_t count) = 0;
  /// Loads a code object (ELF) with its first page at `address`, a multiple of 4 KiB.
  virtual base::Result<CosimCode> load_code_object(uint64_t address, const void* bytes,
                                                   size_t count) = 0;

  /// Errors: an id used before, a pc that is no multiple of 4, more registers than the target has.
  virtual base::Status start(const CosimWave& wave) = 0;
  /// Starts wave `index` of work-group `group` (flattened) under the name `id`. Waves of the same
  /// group of equal dispatches (stack_bytes and scratch_base aside) are one work-group until an
  /// index comes again: that begins the next dispatch. Dispatches that overlap differ in something,
  /// dispatch_id for one.
  virtual base::Status launch(const CosimDispatch& dispatch, uint32_t group, uint32_t index,
                              uint64_t id) = 0;

  /// Golden alone executes the wave's next instruction. Stores and atomics take the next place in
  /// the coherence log; loads must be determined or have been observed before, otherwise there is a
  /// mismatch. Errors: the wave was not started or has ended, which are no mismatches, or cannot go
  /// on.
  virtual base::Result<wave::RetireRecord> step(uint64_t wave) = 0;

  /// The device retired an instruction: golden executes it and compares pc, words, every register,
  /// lane and mask, and all accesses. Loads that are not determined must have been observed before;
  /// returning atomics must have been declared. A store may be declared before or after. True when
  /// nothing differs.
  virtual bool retire(const wave::RetireRecord& device) = 0;

  /// The device saw `bytes` for the load with issue index `order`: op bytes of each lane of
  /// `lanes`, ascending, two-address forms one after the other; scalar loads and clock reads: lane
  /// 0, all dwords in range; sampled images: every enabled lane and all fetched elements
  /// (memory_semantics.md). LDS is not observed. Checked now when the load is the wave's next
  /// instruction, otherwise, by the stores declared now, when it retires. Nothing else is ever
  /// copied from the device into golden.
  virtual bool observe_load(uint64_t wave, uint64_t order, uint64_t lanes,
                            const std::vector<uint8_t>& bytes) = 0;
  /// A store or atomic of the device became visible at this position of the coherence log. Serials
  /// start at 1 and never fall; lanes of one instruction may share one. A lane that stores nothing
  /// to memory others see (not active, out of range, in LDS, faulting) takes no place: a mismatch,
  /// now when it is known, otherwise when the instruction retires.
  virtual bool observe_store(uint64_t wave, uint64_t order, uint8_t lane, uint64_t serial) = 0;

  virtual bool failed() const = 0;
  /// At the end of a run: something was compared, nothing differs, and no half of a register waits
  /// for the load that explains it (golden/kept_halves.h).
  virtual bool passed() const = 0;
  /// First mismatch in words: wave, pc, instruction, item, expected and actual, decoded.
  virtual std::string mismatch() const = 0;
  virtual CosimCounts counts() const = 0;
};

}  // namespace cuvette::golden
