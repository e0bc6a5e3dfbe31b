// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop_point.h"
#include "hsa/external_symbols.h"
#include "hsa/launch_limits.h"
#include "hsa/memory.h"
#include "run/counter_recorder.h"
#include "run/dispatch_file.h"
#include "run/lockstep_files.h"
#include "run/statistics.h"
#include "run/trace/options.h"

namespace cuvette::run {

/// One explicit argument of a kernel, whatever language the kernel came in.
struct Parameter {
  enum class Kind { Value, GlobalPointer, LocalPointer };  ///< LocalPointer: to group memory
  std::string name;
  Kind kind = Kind::Value;
  uint64_t offset = 0;          ///< bytes, in the kernarg segment
  uint64_t size = 0;            ///< bytes
  std::optional<Element> type;  ///< if the code has it
};

/// Properties of a kernel that a session needs to launch it.
struct KernelShape {
  std::string name;
  std::vector<Parameter> parameters;
  uint64_t kernarg_bytes = 0;     ///< size of the kernarg segment
  uint32_t group_bytes = 0;       ///< static, per work-group
  uint32_t private_bytes = 0;     ///< static, per work-item; 0 where the engine does not say
  bool dynamic_stack = false;     ///< needs private memory that only the launch knows
  uint32_t vgprs = 0, sgprs = 0;  ///< allocated per wave; 0 where there are none
  unsigned wavefront = 64;        ///< work-items
  hsa::LaunchLimits limits;
};

/// Resources that a compute unit has for one work-group. Registers 0: not known for the target that
/// runs.
struct UnitRoom {
  uint64_t group_bytes = 65536;  ///< LDS
  /// SIMDs; wave slots of each.
  unsigned simds = 4, waves_per_simd = 10;
  /// VGPRs per lane and SIMD, the multiple in which they are allocated; SGPRs.
  uint32_t vgpr_rows = 0, vgpr_granule = 1, sgprs_per_simd = 0;
};

/// One launch with its kernarg segment in device memory.
struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint16_t, 3> workgroup{1, 1, 1};  ///< work-items
  unsigned dimensions = 1;                     ///< 1 to 3
  uint32_t dynamic_group_bytes = 0;            ///< per work-group, beside KernelShape::group_bytes
  uint32_t stack_bytes = 0;                    ///< per work-item, beside KernelShape::private_bytes
  uint64_t kernarg = 0;                        ///< device address of the segment
  uint64_t completion_signal = 0;  ///< handle; decreased by 1 at the end of a run without failures
};

/// Explicit arguments as bytes, in parameter order, for engines that lay out and fill hidden ones
/// themselves.
struct ArgumentBytes {
  std::vector<std::vector<uint8_t>> values;  ///< little-endian, as long as Parameter::size
  std::map<std::string, uint64_t> hidden;    ///< overrides, by metadata name
  uint32_t dynamic_group_bytes = 0;          ///< as of Launch
};

/// Report of a run about itself (docs/develop/architecture.md, "Honesty of a run").
struct EngineReport {
  uint64_t instructions = 0;  ///< of wavefronts, as all of these counts
  uint64_t cycles = 0;        ///< of all dispatches; 0 on engines without time
  uint64_t waves = 0;
  std::map<std::string, uint64_t> by_status;  ///< instructions executed per status
  /// Executed item that is not exact.
  struct NotExact {
    uint64_t count = 0;  ///< instructions executed; 0: the reason says how much
    std::string status;  ///< of the instruction; empty: not one of machine code
    std::string reason;
  };
  std::map<std::string, NotExact> not_exact;  ///< by mnemonic, or by place in the HSAIL
  std::vector<std::string> not_modelled;      ///< effects
  std::vector<std::string> failures;          ///< each makes the run fail
  /// Stores that had not completed when the run was broken off: memory may lack them.
  std::vector<std::string> in_flight;
  std::string time;                                   ///< validation of the cycles; empty: as
                                                      ///< documented
  std::map<std::string, uint64_t> lockstep_items;     ///< compared, per class
  uint64_t lockstep_mismatches = 0;                   ///< differences found
  std::string lockstep_scope;                         ///< instances compared, in words
  uint64_t fallbacks = 0;                             ///< instructions executed by a fallback
  std::map<std::string, uint64_t> fallbacks_by_name;  ///< mnemonics of what `fallbacks` were
  std::vector<std::string> stall_profile;             ///< of `--why-blocked`, worst first
  bool hazards_checked = false;
  std::map<std::string, uint64_t> hazard_counts;  ///< places of the program, per class of rule
  std::vector<std::string> hazards;               ///< one text per place
  std::vector<std::string> emulated;           ///< services that were replaced by others, in words
  std::string target;                          ///< of machine code; empty on hsail
  std::vector<DispatchStatistics> dispatches;  ///< dispatches that ran
  /// With several host threads: dispatches done over by one thread, per reason.
  std::map<std::string, uint64_t> restarts;
  uint64_t race_bytes = 0;         ///< changed by a work-group while another accessed them
  std::vector<std::string> races;  ///< the first ones
  std::shared_ptr<const CounterTable> counters;  ///< null: none were asked for
  uint64_t trace_events = 0;                     ///< as TraceCounts counts them
  std::vector<std::string> files;                ///< written, and what they hold or leave out
  std::vector<base::Error> lost_files;           ///< asked for and not written
};

/// Runs kernels. One engine serves one dispatch file; its memory lives as long as it does.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Device memory of all dispatches.
  virtual hsa::DeviceMemory& memory() = 0;
  /// Limits that every dispatch is held against before run(); make_engine() sets it.
  UnitRoom room;
  /// The higher base of the two apertures, group and private, among the machine's flat addresses.
  virtual uint64_t last_aperture() const = 0;

  /// Loads the code of a dispatch (files already resolved) and finds the kernel. The same code with
  /// the same externals is loaded once. Errors are bad input: malformed files, unknown kernels,
  /// other targets, externals that are missing or do not fit.
  virtual base::Result<KernelShape> load(const Dispatch& dispatch,
                                         const hsa::ExternalVariables& externals) = 0;

  /// The code handle of an indirect function ("&name") of the code loaded last (HSAIL PRM 10.8).
  virtual base::Result<uint64_t> function_handle(const std::string& name) const = 0;

  /// The address of a symbol of the code loaded last; none on engines without machine code.
  virtual std::optional<uint64_t> symbol(const std::string&) const { return std::nullopt; }

  /// The kernarg segment of the kernel found by the last load().
  virtual base::Result<std::vector<uint8_t>> kernarg(const Launch& launch,
                                                     const ArgumentBytes& arguments) = 0;

  /// Runs the kernel found by the last load() to its completion. Errors are bad input (a launch no
  /// machine could start); what goes wrong while running is in the report.
  virtual base::Status run(const Launch& launch, EngineReport& report) = 0;

  /// After the last run(): writes files about all of them, and adds to the report what can only be
  /// said of all of them together.
  virtual void finish(EngineReport&) {}
};

/// Report: findings stand in the summary. Strict: a broken required rule fails the run.
enum class HazardMode { Off, Report, Strict };

/// Options of make_engine(). In parentheses: the engines that an option is for, where not for all.
struct EngineOptions {
  std::string engine = "golden";         ///< "hsail", "golden", "lt", "ca"
  std::string target;                    ///< empty: the machine description's
  std::string module = "gpu";            ///< name of the GPU in the simulation (lt, ca)
  std::string config = "mi100";          ///< machine description: name or path
  std::vector<std::string> config_dirs;  ///< looked through first for it
  std::vector<std::string> settings;     ///< PATH=VALUE: fields of the description changed
  std::string log;                       ///< retirement log to write (golden, ca); empty: none
  uint64_t watchdog = 0;   ///< instructions (hsail, golden) or cycles (lt, ca); 0: the default
  unsigned wavesize = 64;  ///< of the interpreter: a power of two up to 256 (hsail only)
  /// Choice of the interpreter where the HSAIL PRM leaves the result undefined; empty: the usual.
  std::string undefined;   ///< "stop" or "go-on" (hsail only)
  unsigned threads = 1;    ///< host threads (golden, ca); golden's observers make it one
  bool poison = false;     ///< registers start with a pattern instead of zero (not hsail)
  bool reference = false;  ///< golden: every instruction by the reference executor
  HazardMode hazards = HazardMode::Off;  ///< not hsail
  TraceOptions trace;                    ///< trace to write (lt, ca)
  std::string why_blocked;               ///< a wave's number or a kernel (ca); empty: none
  std::string wait_graph;       ///< graph of who waits for what to write (lt, ca); empty: none
  std::string transactions;     ///< recording of the sockets to write (lt); empty: none
  bool allow_fallback = false;  ///< a block may pass on instructions that it lacks (lt, ca)
  std::vector<std::string> lockstep;         ///< blocks in lockstep
  std::string lockstep_instances;            ///< "1", "all"; empty: the machine description's
  LockstepFiles files;                       ///< of blocks in lockstep
  std::vector<std::string> implementations;  ///< BLOCK=NAME: before the description's
  std::vector<std::string> counters;         ///< names, or "all" (lt, ca)
  uint64_t stats_every = 0;      ///< cycles of an interval of statistics (lt, ca); 0: none
  bool block_intervals = false;  ///< DispatchStatistics has intervals, too
  /// Point at which a signal ends the run, with its report (lt, ca; golden on one host thread).
  /// Outlives the engine. Null: none.
  base::StopPoint* stop = nullptr;
  bool progress = false;  ///< a line on standard error while a dispatch runs (lt, ca)
};

/// Error of function_handle() for a name that it does not find.
base::Error no_indirect_function(const std::string& name);

/// Exit status 3 material: an engine that is not part of this build.
struct NotBuilt {
  std::string what;
};

/// Errors: unknown target or machine description. `not_built` is set, with a null result, when the
/// engine is not in this build.
base::Result<std::unique_ptr<Engine>> make_engine(const EngineOptions& options,
                                                  std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
