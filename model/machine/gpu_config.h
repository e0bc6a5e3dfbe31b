// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cuvette::machine {

/// Cache of the machine description, config/<name>.yaml as plain structs. Units are in the names;
/// every number of the file carries its source there (machine_description.md). A field that
/// the file leaves out is an error: nothing about a machine is implied.
struct CacheDescription {
  uint32_t bytes = 0;       ///< of one cache, or of one slice of the L2
  uint32_t ways = 0;        ///< associativity; bytes = ways * line_bytes * sets
  uint32_t line_bytes = 0;  ///< 64 or 128
  uint32_t hit_cycles = 0;  ///< from request to answer
  uint32_t misses = 0;      ///< outstanding misses
  uint32_t shared_by = 1;   ///< compute units behind one cache (scalar and instruction caches)
  std::string replacement = "lru";  ///< name of the policy
  uint64_t replacement_seed = 1;    ///< of a policy that draws
};

/// Compute unit: SIMDs, register files, LDS, and the times of its instructions.
struct ComputeUnitDescription {
  uint32_t simds = 0;                  ///< each with its register files and wave slots
  uint32_t waves_per_simd = 0;         ///< wave slots
  uint32_t vgpr_rows = 0;              ///< per lane and SIMD
  uint32_t accvgpr_rows = 0;           ///< 0: unified file
  uint32_t vgpr_granule = 0;           ///< VGPRs are allocated in multiples of it
  uint32_t sgprs_per_simd = 0;         ///< shared by its waves
  uint32_t lds_bytes = 0;              ///< shared by the work-groups
  uint32_t lds_granule_bytes = 0;      ///< the LDS is allocated in multiples of it
  uint32_t lds_latency_cycles = 0;     ///< from request to answer without conflicts
  uint32_t lds_lanes_per_cycle = 0;    ///< lanes that are served together
  uint32_t salu_cycles = 0;            ///< issue cycles of a scalar instruction,
  uint32_t valu_cycles = 0;            ///< of a full-rate vector instruction,
  uint32_t transcendental_cycles = 0;  ///< of a transcendental one,
  uint32_t double_cycles = 0;          ///< of one on F64
  uint32_t valu_latency_cycles = 0;    ///< of a full-rate instruction, at least valu_cycles
  bool simd_ports = false;     ///< `simd_timing: ports`: the simd `tlm` keeps the times of its pins
  uint32_t branch_cycles = 0;  ///< from a branch to the next instruction of its wave
  uint32_t barrier_cycles = 0;  ///< from the last wave at a barrier to the next instructions
  uint32_t fetch_cycles = 0;    ///< from the cache's answer to the refilled instruction buffer
  uint32_t coalescer_lanes_per_cycle = 0;    ///< lanes whose addresses are joined in a cycle
  std::string issue_order = "oldest_first";  ///< name of the policy
};

/// Device memory; `bytes` bounds the allocations of a run.
struct MemoryDescription {
  uint64_t bytes = 0;             ///< of all channels
  uint32_t latency_cycles = 0;    ///< from request to answer, unloaded
  uint32_t cycles_per_block = 0;  ///< one 64-byte block on one channel
};

/// L2: slices that share the addresses.
struct L2Description {
  uint32_t slices = 0;            ///< each with one channel of memory
  uint32_t interleave_bytes = 0;  ///< addresses change the slice after so many bytes
  CacheDescription slice;         ///< `bytes` and `misses` are those of one
};

/// The global data share; how large it is follows from the target.
struct GdsDescription {
  uint32_t latency_cycles = 0;   ///< from the last bytes of a request to its answer
  uint32_t bytes_per_cycle = 0;  ///< of the banks of the memory, 4 each
};

/// System DMA engines (docs/reference/sdma.md); none where the file has no section of them.
struct SdmaDescription {
  uint32_t engines = 0;           ///< that copy anywhere
  uint32_t xgmi_engines = 0;      ///< beside them, for links to other devices
  uint32_t rings_per_engine = 0;  ///< user-mode queues on one engine at most
  uint32_t packet_cycles = 0;     ///< to digest a packet
  uint32_t latency_cycles = 0;    ///< from a request to memory to its data
  uint32_t bytes_per_cycle = 0;   ///< of one engine
};

/// Paths between the parts of the machine. Every message on one travels that long, each way.
struct LinkDescription {
  uint32_t crossbar_cycles = 0;   ///< first-level caches and command processor to the L2
  uint32_t cluster_cycles = 0;    ///< compute unit to its shared scalar and instruction caches
  uint32_t front_end_cycles = 0;  ///< spi, command processor and host to compute units and caches,
                                  ///< compute units to the gds

  /// Shortest of the paths between parts that advance on their own, in cycles: the lookahead. A
  /// compute unit and its caches advance together.
  uint32_t smallest() const {
    return crossbar_cycles < front_end_cycles ? crossbar_cycles : front_end_cycles;
  }
};

/// Command processor and SPI.
struct FrontEndDescription {
  uint32_t packet_cycles = 0;      ///< to digest a packet once its bytes are here
  uint32_t setup_cycles = 0;       ///< from a dispatch to the search for its first work-group
  uint32_t allocation_cycles = 0;  ///< of a shader engine, to find room for a wave
  uint32_t restore_cycles = 0;     ///< to find a work-group of a dispatch that was saved
  uint32_t save_cycles = 0;        ///< of a search for the next free room of one that is to be
  uint32_t launch_cycles = 0;      ///< between two waves on a compute unit
  uint32_t poll_cycles = 0;        ///< between two looks at the signals of a barrier packet
  std::string placement;           ///< name of the policy
};

/// The timing check of a block in lockstep (docs/reference/lockstep.md).
struct TimingRule {
  enum class Kind : uint8_t {
    Ignore,
    Exact,    ///< cycle by cycle as the block's page says
    Bounded,  ///< an answer `min` to `max` cycles after its request was taken
  };
  Kind kind = Kind::Ignore;                 ///< of the check
  uint32_t min_cycles = 0, max_cycles = 0;  ///< of Bounded, both ends included
};

/// Comparison of a block with the reference.
struct LockstepCheck {
  uint32_t share = 1;         ///< one of so many transactions is compared
  bool timing_given = false;  ///< the file has `timing`; otherwise the default applies
  TimingRule timing;          ///< default: exact for our RTL, ignore for a device
};

/// Whole machine description.
struct GpuConfig {
  std::string name;                     ///< of the machine, for messages
  std::string target;                   ///< "gfx908"
  bool sramecc = false, xnack = false;  ///< features of the target
  uint32_t compute_units = 0;           ///< of the machine
  double clock_mhz = 0;                 ///< converts cycles to time
  uint32_t lookahead_cycles = 0;        ///< 0: as far as the links allow
  /// First flat addresses of LDS and of scratch.
  uint64_t shared_aperture = 0, private_aperture = 0;
  ComputeUnitDescription compute_unit;
  CacheDescription vector_l1, scalar_cache, instruction_cache;
  L2Description l2;
  MemoryDescription memory;
  GdsDescription gds;
  SdmaDescription sdma;
  LinkDescription links;
  FrontEndDescription front_end;
  /// Implementation per block: "simd: tlm", "valu: rtl", "valu: dut:mine".
  std::map<std::string, std::string> implementations;
  /// Device plug-ins that any block may name: name to shared module file.
  std::map<std::string, std::string> devices;
  /// Devices given with the block that names them, by block and name; they come before `devices`.
  std::map<std::pair<std::string, std::string>, std::string> block_devices;
  /// Checks by block; a block that is not there has the default.
  std::map<std::string, LockstepCheck> lockstep_checks;
  /// Blocks in lockstep everywhere, or in compute unit 0 (and there SIMD 0) alone with `tlm`
  /// elsewhere.
  bool lockstep_everywhere = true;
  /// Places in the file of values that only other layers can check, by path: "target",
  /// "front_end.placement", "l2.slice.replacement", "implementations.simd", "devices.mine".
  std::map<std::string, base::Location> places;

  /// An error at the place of `key`; without a place where the file does not have it.
  base::Error error(const std::string& key, const std::string& what) const;
};

/// Rule of the text "exact", "ignore" or "bounded(MIN,MAX)".
base::Result<TimingRule> parse_timing_rule(const std::string& text);
/// "1/N" with N from 1 to 1000000: N.
base::Result<uint32_t> parse_share(const std::string& text);

/// Description of a file, or of `text`, which messages call `file`. Errors: place and expectation
/// for a missing, unknown or out-of-range field, or fields that contradict each other (cache bytes
/// not ways times lines, granule not a power of two, lookahead beyond the shortest link).
base::Result<GpuConfig> load_description(const std::string& path);
base::Result<GpuConfig> parse_description(const std::string& text, const std::string& file);

/// Finds a description: an existing path, then NAME.yaml in `directories` in order, then in the
/// directories of CUVETTE_CONFIG_DIR, then in share/cuvette/config of the tree, installed or built,
/// that the program or the shared library around this code belongs to. Error: the places that were
/// tried.
base::Result<std::string> find_description(const std::string& name_or_path,
                                           const std::vector<std::string>& directories);

}  // namespace cuvette::machine
