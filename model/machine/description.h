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

/// The machine description: what config/<name>.yaml says, as plain structs. Units are in the names;
/// every number of the file carries its source there (docs/machine_description.md). A field that
/// the file leaves out is an error: nothing about a machine is implied.
struct CacheDescription {
  uint32_t bytes = 0;
  uint32_t ways = 0;
  uint32_t line_bytes = 0;
  uint32_t hit_cycles = 0;
  uint32_t misses = 0;     ///< outstanding misses
  uint32_t shared_by = 1;  ///< compute units behind one cache (scalar and instruction caches)
};

struct ComputeUnitDescription {
  uint32_t simds = 0;
  uint32_t waves_per_simd = 0;
  uint32_t vgpr_rows = 0;     ///< per lane and SIMD
  uint32_t accvgpr_rows = 0;  ///< 0: unified file
  uint32_t vgpr_granule = 0;
  uint32_t sgprs_per_simd = 0;
  uint32_t lds_bytes = 0;
  uint32_t lds_granule_bytes = 0;
  uint32_t lds_latency_cycles = 0;
  uint32_t lds_lanes_per_cycle = 0;
  uint32_t salu_cycles = 0;
  uint32_t valu_cycles = 0;
  uint32_t transcendental_cycles = 0;
  uint32_t double_cycles = 0;
  uint32_t valu_latency_cycles = 0;  ///< of a full-rate instruction, at least valu_cycles
  bool simd_ports = false;  ///< `simd_timing: ports`: the simd `tlm` keeps the times of its pins
  uint32_t branch_cycles = 0;
  uint32_t barrier_cycles = 0;
  uint32_t fetch_cycles = 0;
  uint32_t coalescer_lanes_per_cycle = 0;
};

struct MemoryDescription {
  uint64_t bytes = 0;
  uint32_t latency_cycles = 0;
  uint32_t cycles_per_block = 0;  ///< one 64-byte block on one channel
};

struct L2Description {
  uint32_t slices = 0;
  uint32_t interleave_bytes = 0;
  CacheDescription slice;
};

/// The global data share; how large it is follows from the target.
struct GdsDescription {
  uint32_t latency_cycles = 0;
  uint32_t bytes_per_cycle = 0;
};

/// Paths between the parts of the machine that advance on their own (docs/engines.md). Every
/// message on one travels that long, each way.
struct LinkDescription {
  uint32_t crossbar_cycles = 0;   ///< first-level caches and command processor to the L2
  uint32_t cluster_cycles = 0;    ///< compute unit to its shared scalar and instruction caches
  uint32_t front_end_cycles = 0;  ///< spi, command processor and host to compute units and caches,
                                  ///< compute units to the gds

  /// What one part may run ahead of another.
  uint32_t smallest() const {
    const uint32_t two = crossbar_cycles < cluster_cycles ? crossbar_cycles : cluster_cycles;
    return two < front_end_cycles ? two : front_end_cycles;
  }
};

struct FrontEndDescription {
  uint32_t packet_cycles = 0;
  uint32_t launch_cycles = 0;
  uint32_t poll_cycles = 0;  ///< between two looks at the signals of a barrier packet
  std::string placement;
};

/// The timing check of a block in lockstep (docs/lockstep.md).
struct TimingRule {
  enum class Kind : uint8_t {
    Ignore,
    Exact,    ///< cycle by cycle as the block's page says
    Bounded,  ///< an answer `min` to `max` cycles after its request was taken
  };
  Kind kind = Kind::Ignore;
  uint32_t min_cycles = 0, max_cycles = 0;
};

/// How a block is compared with the reference.
struct LockstepCheck {
  uint32_t share = 1;  ///< one of so many transactions is compared
  bool timing_given = false;
  TimingRule timing;  ///< where not given: exact for our RTL, ignore for a device
};

struct Description {
  std::string name;
  std::string target;  ///< "gfx908"
  bool sramecc = false, xnack = false;
  uint32_t compute_units = 0;
  double clock_mhz = 0;
  uint32_t lookahead_cycles = 0;  ///< 0: as far as the links allow
  uint64_t shared_aperture = 0, private_aperture = 0;
  ComputeUnitDescription compute_unit;
  CacheDescription vector_l1, scalar_cache, instruction_cache;
  L2Description l2;
  MemoryDescription memory;
  GdsDescription gds;
  LinkDescription links;
  FrontEndDescription front_end;
  /// Implementation per block: "simd: tlm", "valu: rtl", "valu: dut:mine".
  std::map<std::string, std::string> implementations;
  /// Device plug-ins that any block may name: name to shared module file.
  std::map<std::string, std::string> devices;
  /// Those given with the block that names them, by block and name; they come before `devices`.
  std::map<std::pair<std::string, std::string>, std::string> block_devices;
  /// By block; a block that is not there has the default.
  std::map<std::string, LockstepCheck> lockstep_checks;
  /// Blocks in lockstep everywhere, or in compute unit 0 (and there SIMD 0) alone with `tlm`
  /// elsewhere.
  bool lockstep_everywhere = true;
  /// Where the file says what only others can judge, by path: "target", "front_end.placement",
  /// "implementations.simd", "devices.mine".
  std::map<std::string, base::Location> places;

  /// An error at the place of `key`; without a place where the file does not have it.
  base::Error error(const std::string& key, const std::string& what) const;
};

/// Errors: place and expectation for a missing, unknown or out-of-range field, or fields that
/// contradict each other (cache bytes not ways times lines, granule not a power of two, lookahead
/// beyond the shortest link).
/// "exact", "ignore" or "bounded(MIN,MAX)".
base::Result<TimingRule> parse_timing_rule(const std::string& text);
/// "1/N" with N from 1 to 1000000: N.
base::Result<uint32_t> parse_share(const std::string& text);

base::Result<Description> load_description(const std::string& path);
base::Result<Description> parse_description(const std::string& text, const std::string& file);

/// Finds a description: an existing path, then NAME.yaml in `directories` in order, then in the
/// directories of CUVETTE_CONFIG_DIR, then in share/cuvette/config of the tree, installed or built,
/// that the program or the shared library around this code belongs to. Error: the places that were
/// tried.
base::Result<std::string> find_description(const std::string& name_or_path,
                                           const std::vector<std::string>& directories);

}  // namespace cuvette::machine
