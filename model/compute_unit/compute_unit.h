// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "compute_unit/backdoor.h"
#include "compute_unit/compute_unit_messages.h"
#include "compute_unit/direct_memory.h"
#include "gds/gds.h"
#include "hsa/memory.h"
#include "isa/instruction.h"
#include "isa/target.h"
#include "lds/lds.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "matrix_core/matrix_core.h"
#include "simd/simd.h"
#include "spi/spi.h"
#include "wave/relative.h"
#include "wave/retire_record.h"

/// Contract of the compute_unit block (compute_unit.md): wave slots, instruction fetch,
/// sequencer, scalar unit, address coalescing; composes simd, matrix_core and lds through their
/// contracts.
namespace cuvette::compute_unit {

/// State of a wave and the condition it waits for: printed by deadlock and watchdog reports.
struct WaveReport {
  uint64_t id = 0;                     ///< spi::WaveLaunch::id
  uint32_t dispatch = 0;               ///< spi::Dispatch::id
  uint32_t workgroup = 0;              ///< key of the work-group on this compute unit
  uint8_t wave_in_group = 0;           ///< from 0 on, in launch order
  uint8_t simd = 0, slot = 0;          ///< place on the compute unit
  uint64_t pc = 0;                     ///< of the next instruction
  unsigned vm = 0, lgkm = 0, exp = 0;  ///< VM_CNT, LGKM_CNT, EXP_CNT
  /// Waits at S_BARRIER; halted by a debugger; past its last instruction.
  bool at_barrier = false, halted = false, ending = false;
  std::string instruction;  ///< text of the next instruction
  std::string waits_for;    ///< in words; empty: nothing
};

/// Reason why a resident wave does not issue. Every cycle of its residency is an issue or one of
/// these: the first reason found for its next instruction, or, where nothing is asked yet, one of
/// the last five.
enum class Stall : uint8_t {
  Fetch,
  Arbitration,  ///< another wave's instruction of the class went first
  ScalarResult,
  Waitcnt,
  VectorResult,
  Message,
  MatrixResult,
  Simd,
  MatrixCore,
  MemoryPipeline,
  Lds,
  FullCounter,
  Barrier,
  Latency,   ///< its last instruction (or its launch) takes so long: branches, S_NOP, traps
  Sleep,     ///< S_SLEEP
  Rotation,  ///< ready, and the sequencer is at another SIMD
  Halt,      ///< by a debugger
  End,       ///< after its last instruction: what is outstanding
};
inline constexpr unsigned kStalls = 18;
/// "fetch", "full_counter": names in statistics.
const char* name_of(Stall stall);
/// Name of a reason in reports: the wave waits for "a full counter".
const char* text_of(Stall stall);

/// Event of a wave, reported as it happens.
struct Activity {
  enum class Kind : uint8_t {
    Launch,
    Issue,
    Retire,   ///< of an instruction whose `complete` was not known when it was issued
    Request,  ///< of an instruction to a cache is sent
    Answer,   ///< to a request is here
    Fetch,    ///< a request for instructions is sent, `pc` the address of the first
    Fetched,  ///< its answer is here; the wave may have ended, or gone elsewhere
    End
  } kind = Kind::Launch;
  machine::Cycle time = 0;               ///< cycle in which it happens
  uint64_t wave = 0;                     ///< spi::WaveLaunch::id
  uint32_t dispatch = 0, workgroup = 0;  ///< spi::Dispatch::id; key of the work-group here
  uint8_t simd = 0, slot = 0;
  uint64_t pc = 0;                                ///< of the instruction
  const isa::Instruction* instruction = nullptr;  ///< Issue: valid during the call
  wave::Relative relative;                        ///< Issue: before the instruction
  uint64_t order = 0;  ///< number of the wave's instruction; Issue, Retire, Request, Answer
  /// Issue: the first cycle in which results can be used; kNever: Retire tells it. Loosely timed
  /// implementations say the cycle behind the issue.
  machine::Cycle complete = machine::kNever;
  uint32_t requests = 0;                   ///< Issue: to the vector L1 or the scalar cache
  uint32_t bytes = 0;                      ///< Fetch: of instructions
  uint32_t sequence = 0;                   ///< Request, Answer, Fetch, Fetched: MemReq::sequence
  memory::MemOp op = memory::MemOp::Read;  ///< Request
  uint64_t address = 0;                    ///< Request, Fetch: MemReq::address
};

/// Cycles of a wave's residency, reported when they are over.
struct ResidencyCycles {
  uint64_t wave = 0;           ///< spi::WaveLaunch::id
  uint64_t pc = 0;             ///< of the instruction that is to issue next
  std::optional<Stall> stall;  ///< none: those of issues
  machine::Cycle cycles = 0;   ///< number of them
  machine::Cycle end = 0;      ///< the cycle behind the last
};

/// Ordering: each wave's instructions issue in program order; memory of one wave to one cache stays
/// in issue order. Lockstep classes: what waves retire and all memory requests `exact` per wave;
/// interleaving of waves `ordered-by-dut`; time `time`.
class ComputeUnit : public machine::Core {
 public:
  /// Called once after construction; the ports outlive the compute unit.
  virtual void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
                       cache::Cache::Port& scalar, cache::Cache::Port& instruction) = 0;
  /// Loosely timed implementations have memory in one place instead of caches, reached without
  /// requests where that is granted; it outlives the compute unit. False: this one has the caches
  /// of connect().
  virtual bool reach(DirectMemory&) { return false; }
  /// Loosely timed implementations: the next ticks may let waves run ahead until `end`.
  virtual void run_ahead(machine::Cycle /*end*/) {}
  machine::Channel<Message> messages{16};  ///< interrupts of waves, to the command processor
  /// Commands from outside, beside those that come from the spi.
  machine::Channel<spi::WaveCommand> debug{machine::kUnbounded};
  /// The way to the global data share, and back.
  gds::Port gds;

  /// Value that a debugger reads of the wave in a slot, by the index space of SQ_IND_INDEX: 0x11
  /// and up registers of the wave, 0x200 + scalar operand code, 0x400 + VGPR of `lane` (AccVGPRs
  /// from 0x500 on). Holds still while the wave is halted. Nothing: no wave there, or no such
  /// register.
  virtual std::optional<uint32_t> inspect(unsigned /*simd*/, unsigned /*slot*/, uint32_t /*index*/,
                                          unsigned /*lane*/) const {
    return std::nullopt;
  }

  /// Called at every retirement when set (retirement log, lockstep of whole waves). Costs time only
  /// if set. To be set while there are no waves.
  using Observer = std::function<void(const wave::RetireRecord&)>;
  virtual void observe(Observer observer) = 0;

  /// Called with everything a wave does when set; each wave's in order, with times that do not
  /// fall. Instructions that VSKIP skips are no issues. Loosely timed implementations tell neither
  /// retirements, requests nor fetches. False when the implementation has no such observer.
  using Watcher = std::function<void(const Activity&)>;
  virtual bool watch(Watcher) { return false; }
  /// Called with every cycle of every wave's residency once, as soon as its class is known, when
  /// set. False when the implementation has no such observer.
  using ResidencyWatcher = std::function<void(const ResidencyCycles&)>;
  virtual bool watch_residency(ResidencyWatcher) { return false; }
  /// Calls `tell` with the cycles before `now` of resident waves whose class is still open: what
  /// the watcher has not been told when a run is broken off.
  virtual void tell_residents(machine::Cycle /*now*/, const ResidencyWatcher& /*tell*/) const {}

  virtual std::vector<WaveReport> waves() const = 0;
  /// Stores, atomics and write-backs of resident waves that have not completed, one line each, in
  /// program order of each wave: after a run that was broken off, what memory may lack.
  virtual std::vector<std::string> in_flight() const { return {}; }
  /// Error of the first wave that ended in error: compute unit, wave, pc, instruction and reason;
  /// empty as long as none has. WaveDone carries the same as numbers.
  virtual std::string failure() const = 0;
  /// The same of a wave, by WaveDone::id; empty where the implementation has no words for it.
  virtual std::string failure_of(uint64_t /*wave*/) const { return {}; }
  /// The blocks inside; null when the implementation is not made of them.
  virtual simd::Simd* simd(unsigned /*index*/) { return nullptr; }
  virtual lds::Lds* local_data_share() { return nullptr; }
  virtual lds::Lds::Counters lds_counters() const = 0;
  /// Details of the lds inside; nothing when it keeps none.
  virtual std::optional<lds::Lds::Detail> lds_detail() const { return std::nullopt; }
  /// Null when the implementation has none.
  virtual Backdoor* backdoor() { return nullptr; }

  /// Counts for hardware counters beyond Counters. Times are cycles.
  struct Detail {
    uint64_t items = 0;  ///< work-items of the waves launched
    /// Waves launched with all 64 work-items, and with fewer than 64, 48, 32, 16.
    uint64_t whole_waves = 0, waves_below_64 = 0, waves_below_48 = 0, waves_below_32 = 0,
             waves_below_16 = 0;
    uint64_t resident_waves = 0;      ///< now
    uint64_t valu_cycles = 0;         ///< the SIMDs issue vector instructions, summed over SIMDs
    uint64_t valu_thread_cycles = 0;  ///< the same times the active lanes
    uint64_t matrix_cycles = 0;       ///< the matrix cores are busy, summed over SIMDs
    uint64_t skipped = 0;             ///< instructions that VSKIP skipped
    std::map<uint32_t, uint64_t> skipped_by_row;  ///< those; Counters::by_row has them, too
    uint64_t gds = 0;               ///< instructions of the GDS, synchronisation included
    uint64_t gds_data = 0;          ///< those of them that are DS instructions with the GDS bit
    uint64_t flat_lds_only = 0;     ///< FLAT instructions whose lanes are all in LDS
    uint64_t flat_without_lds = 0;  ///< those of which no lane is
    /// Under way, from issue until nothing is outstanding: those now, and the time of all.
    struct Level {
      uint64_t now = 0, time = 0;  ///< instructions; cycles, summed over instructions
    };
    Level vmem, smem, lds, fetches;  ///< vector, scalar and LDS instructions; instruction fetches
    // The address unit: from the coalescer's queue to the last request.
    uint64_t address_cycles = 0;         ///< with an instruction in it
    uint64_t address_read_cycles = 0;    ///< loads are at its head
    uint64_t address_write_cycles = 0;   ///< stores are
    uint64_t address_buffer_cycles = 0;  ///< buffer instructions are
    uint64_t scalar_cycles = 0;          ///< scalar accesses are at the head of theirs
    uint64_t buffer_read_requests = 0, buffer_write_requests = 0;  ///< to the vector L1
    uint64_t coalesced = 0;      ///< vector accesses with the fewest requests their bytes can have
    uint64_t return_cycles = 0;  ///< loaded rows are on their way to the registers
  };

  /// Counters since construction, for statistics (docs/reference/statistics.md).
  struct Counters {
    uint64_t instructions = 0, salu = 0, valu = 0, matrix = 0, smem = 0, vmem = 0, lds = 0,
             branch = 0, other = 0;
    uint64_t busy_cycles = 0;   ///< with at least one wave
    uint64_t wave_cycles = 0;   ///< residency, summed over waves; issue_cycles and all of stalled
    uint64_t issue_cycles = 0;  ///< wave-cycles with an issue
    uint64_t waves = 0, fallbacks = 0;  ///< waves launched; instructions answered by a fallback
    uint64_t lane_operations = 0;       ///< active lanes of instructions in the SIMDs
    uint64_t vector_requests = 0, scalar_requests = 0, fetches = 0;  ///< to the caches
    std::array<uint64_t, kStalls> stalled{};                         ///< wave-cycles by Stall
    std::vector<uint64_t> by_row;  ///< instructions per row of the table, by isa::index_of
    std::map<const isa::Row*, uint64_t> fallbacks_by_row;  ///< `fallbacks` by instruction
    std::optional<Detail> detail;  ///< nothing when the implementation does not keep it
  };
  virtual Counters counters() const = 0;
  /// Cycles of resident waves up to `now`; counters() ends at the last tick.
  virtual Counters counters(machine::Cycle /*now*/) const { return counters(); }
};

class CodeStore;

/// Implementation names of the blocks inside.
struct Implementations {
  std::string simd = "tlm", valu = "tlm", vrf = "tlm", matrix_core = "tlm", lds = "tlm";
};

/// Issue and latency parameters; every one comes from the machine description.
struct Timing {
  uint32_t fetch_cycles = 1;                ///< instruction buffer refill after the cache answered
  uint32_t salu_cycles = 1;                 ///< issue cycles of a scalar instruction,
  uint32_t valu_cycles = 4;                 ///< of a full-rate vector instruction,
  uint32_t transcendental_cycles = 16;      ///< of a transcendental one,
  uint32_t double_cycles = 4;               ///< of one on F64
  uint32_t branch_cycles = 4;               ///< from a branch to the next instruction
  uint32_t coalescer_lanes_per_cycle = 16;  ///< lanes whose addresses are joined in a cycle
  uint32_t barrier_cycles = 1;  ///< from the last wave at a barrier to the next instructions
};

namespace loose {
class SharedLevels;
}

/// The levels of memory, for implementations that are loosely timed and have no caches: only their
/// times. Latencies in cycles, there and back where it says so.
struct LevelTiming {
  uint64_t vector_bytes = 16384, scalar_bytes = 16384, l2_bytes = 262144;  ///< L2: of all slices
  uint32_t vector_line_bytes = 64, scalar_line_bytes = 64, l2_line_bytes = 64;  ///< 64 or 128 each
  /// From request to answer of a hit.
  uint32_t vector_hit = 1, scalar_hit = 1, code_hit = 1, l2_hit = 1;
  uint32_t vector_misses = 64, scalar_misses = 16, l2_misses = 64;  ///< under way; of a slice
  uint32_t slices = 1;                               ///< of the L2, each with a memory channel
  uint32_t memory_cycles = 1, cycles_per_block = 1;  ///< of one channel; there is one per slice
  uint32_t crossbar_cycles = 1, cluster_cycles = 1;  ///< one way
};

/// Configuration of one compute unit; pointers outlive it.
struct Config {
  unsigned index = 0;                        ///< number in the machine
  isa::Target target = isa::Target::Gfx908;  ///< instruction set
  bool sramecc = false;                      ///< D16 loads write whole registers
  unsigned simds = 4, slots = 10;            ///< SIMDs; wave slots of each
  std::string issue_order = "oldest_first";  ///< policy of `tlm` (compute_unit/issue_order.h)
  unsigned units_per_engine = 16;  ///< HW_ID counts compute units by shader engine, as the spi does
  Implementations implementations;  ///< of the blocks inside
  bool valu_in_simd0_only = false;  ///< SIMDs 1 and up have `tlm` instead of implementations.valu
  bool simd_in_simd0_only = false;  ///< the same of implementations.simd
  bool vrf_in_simd0_only = false;   ///< the same of implementations.vrf
  bool matrix_core_in_simd0_only = false;  ///< the same of implementations.matrix_core
  simd::Config simd;
  lds::Config lds;
  matrix_core::Config matrix_core;
  const simd::Registry* simds_registry = nullptr;          ///< needed by `tlm`
  const lds::Registry* lds_registry = nullptr;             ///< needed by `tlm`
  const matrix_core::Registry* matrix_registry = nullptr;  ///< needed by `tlm` from gfx908 on
  const hsa::AddressSpace* address_space = nullptr;        ///< translates by VMID
  Timing timing;
  /// Decoded instructions, for all that have this configuration; who made it publishes what they
  /// find. Null: each keeps its own.
  std::shared_ptr<CodeStore> code;
  LevelTiming levels;  ///< of loosely timed implementations alone
  /// Levels shared by all compute units of a machine; null: its own.
  std::shared_ptr<loose::SharedLevels> shared_levels;
  /// First flat addresses of LDS and of scratch.
  uint64_t shared_aperture = 0, private_aperture = 0;
};
using Registry = machine::Registry<ComputeUnit, Config>;

}  // namespace cuvette::compute_unit
