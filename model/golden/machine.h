// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop_point.h"
#include "golden/memory_port.h"
#include "golden/program.h"
#include "golden/view.h"
#include "golden/wave.h"
#include "hsa/dispatch.h"
#include "hsa/kernel_info.h"
#include "hsa/memory.h"
#include "isa/target.h"

namespace cuvette::golden {

struct LaunchPlan;
class ParallelRun;

/// One kernel dispatch as golden sees it: what the AQL packet says, resolved by the caller.
struct DispatchRequest {
  const hsa::KernelInfo* kernel = nullptr;             ///< never null; outlives run()
  std::array<uint32_t, 3> grid{1, 1, 1};               ///< work-items in x, y, z
  std::array<uint16_t, 3> workgroup{1, 1, 1};          ///< work-items in x, y, z
  uint64_t kernarg = 0;                                ///< address of the kernel arguments
  std::array<uint32_t, hsa::kMaxUserSgprs> preload{};  ///< dwords of kernarg (hsa::read_preload)
  uint32_t group_bytes = 0;                            ///< LDS of a work-group: static and dynamic
  uint32_t private_bytes = 0;                          ///< scratch of a work-item: static and stack
  uint64_t packet_address = 0, queue_address = 0, dispatch_id = 0;  ///< values of initial SGPRs
  uint64_t tba = 0, tma = 0;  ///< trap handler and its memory, byte addresses; 0: none
  uint16_t doorbell = 0;      ///< of the queue, as spi::Dispatch has it
  /// COMPUTE_PGM_RSRC2.TRAP_PRESENT. Packet processors have it in every dispatch of a packet,
  /// whatever the object says (LLVM AMDGPUUsage, compute_pgm_rsrc2, ENABLE_TRAP_HANDLER).
  bool trap_present = true;
  // For grids that come from the COMPUTE_* registers.
  std::array<uint32_t, 3> start{0, 0, 0};  ///< first work-group id; those before it do not run
  /// User SGPRs, as many as the kernel's rsrc2 says; null: those of the kernel's enable bits. Has
  /// to live as long as run().
  const std::array<uint32_t, 16>* user_data = nullptr;
  /// Memory that the waves see; null: the machine's. Has to live until the next run(). Such a
  /// dispatch is run by one thread.
  View* view = nullptr;
  /// The queue's own scratch memory; without it the machine allocates some.
  struct Scratch {
    uint64_t base = 0;  ///< of the first wave
    uint64_t bytes_per_wave = 0;
    uint64_t waves = 0;  ///< that it holds at a time; 0: all of the grid
    std::array<uint32_t, 4> descriptor{};
  };
  std::optional<Scratch> scratch;
};

struct Config {
  isa::Target target = isa::Target::Gfx908;       ///< instruction set
  bool sramecc = true;                            ///< D16 loads write whole registers
  uint64_t shared_aperture = uint64_t{1} << 48;   ///< first flat address of LDS
  uint64_t private_aperture = uint64_t{2} << 48;  ///< first flat address of scratch
  uint64_t watchdog = 0;                          ///< instructions of one dispatch; 0: no limit
  uint32_t slice = 4096;          ///< instructions a wave runs before the next one is tried
  uint32_t resident_waves = 256;  ///< work-groups are admitted up to about this many waves
  unsigned threads = 1;           ///< of the host; results are those of one thread
  /// Point at which a dispatch may be made to stand still, between two slices; it is run by one
  /// thread then. Outlives the machine. Null: none.
  base::StopPoint* stop = nullptr;
  /// Called for S_SENDMSG of waves: SIMM16 and M0. Such a machine runs a dispatch by one thread.
  /// Empty: not called.
  std::function<void(uint32_t message, uint32_t m0)> on_message;
  bool poison = false;  ///< unnamed registers start with a pattern instead of zero
  bool decoded = true;  ///< executor: micro-ops, or the reference. Results are the same
};

/// Failure that ended a run early.
struct Failure {
  enum class Kind {
    WildAccess,
    IllegalInstruction,
    Unsupported,
    Deadlock,
    Watchdog,
    Resources,
    Trap
  } kind = Kind::Unsupported;
  std::string message;   ///< wave, pc, instruction, address
  uint64_t address = 0;  ///< of a WildAccess: the first that failed
};

struct Report {
  uint64_t instructions = 0;           ///< of waves, whatever their kind
  uint64_t waves = 0, workgroups = 0;  ///< that were started
  isa::RowCounts by_row;               ///< for the honesty part of the summary
  std::vector<Failure> failures;

  /// With several host threads, when no instruction depends on the order by itself. Bytes that a
  /// work-group changed while another accessed them, other than both by atomics, and texts of the
  /// first ones. Machine code does not tell a load or store that synchronises from a plain one:
  /// these may be meant.
  uint64_t race_bytes = 0;
  std::vector<std::string> races;
  /// Reason why the dispatch was run again by one thread; empty: it was not.
  std::string restarted;
  bool stands = false;  ///< not over: at a stop point, or out of instructions
};

/// A wave of a dispatch that stands still.
struct WaveReport {
  uint64_t id = 0, workgroup = 0;
  unsigned index = 0;  ///< in the work-group
  bool begun = true;   ///< false: it has no state yet
  uint64_t pc = 0;
  std::string instruction, waits_for;
  bool at_barrier = false;
};

/// The golden machine: runs dispatches to completion, instruction by instruction, without time.
/// Every resident wave gets bounded slices in turn, so waves that wait for each other make
/// progress. Deterministic. Keep one for many dispatches: it uses its storage again.
class Machine {
 public:
  Machine(hsa::DeviceMemory& memory, const Config& config);
  ~Machine();

  /// Errors: a dispatch no machine of the target could start (too much LDS, too many registers).
  /// Failures while running are in the report.
  /// A report that `stands` is not the last one: go_on() or abandon() comes next.
  base::Result<Report> run(const DispatchRequest& request) { return run(request, 0); }
  /// About so many instructions; 0: all. By one thread.
  base::Result<Report> run(const DispatchRequest& request, uint64_t instructions);
  /// The dispatch that stands.
  Report go_on(uint64_t instructions);
  /// Its waves end where they are.
  void abandon();
  bool stands() const { return standing_ != nullptr; }
  /// The waves of the dispatch that stands, resident ones.
  std::vector<WaveReport> waves();

  /// Sees every retirement. Much slower when set.
  using Observer = std::function<void(const wave::RetireRecord&)>;
  /// Sees the start of every run: the scratch memory of its waves.
  using StartObserver = std::function<void(uint64_t scratch_base)>;
  void observe(Observer observer, StartObserver start = {}) {
    observer_ = std::move(observer);
    start_observer_ = std::move(start);
  }

 private:
  struct Slot;
  struct Dispatch;
  base::Status find_scratch(LaunchPlan& plan);
  bool run_alone(Dispatch& dispatch, uint64_t instructions);
  bool stop_here() { return config_.stop != nullptr && config_.stop->here(); }
  void admit(Dispatch& dispatch);
  bool run_slices(Dispatch& dispatch);
  void wake(const Dispatch& dispatch, Wave& wave);
  void report_deadlock(Dispatch& dispatch);
  void tell_waves(const Dispatch& d, Failure& f);
  std::vector<WaveReport> waves_of(const Dispatch& d, size_t most);

  hsa::DeviceMemory& memory_;
  Config config_;
  Program program_;
  MemoryPort port_;
  Observer observer_;
  StartObserver start_observer_;
  std::unique_ptr<Dispatch> standing_;
  // Kept between dispatches.
  std::unique_ptr<ParallelRun> parallel_;  // null: not needed yet
  uint64_t scratch_ = 0, scratch_bytes_ = 0;
  std::vector<std::unique_ptr<Wave>> ended_waves_;  // all with registers of the last dispatch
  std::vector<std::unique_ptr<Workgroup>> ended_groups_;
};

}  // namespace cuvette::golden
