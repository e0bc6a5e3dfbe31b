// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "spi/wave_launch.h"

/// Contract of the spi block (spi.md): walks the grid, allocates wave slots, registers, LDS
/// and scratch, and gives every wave its initial state.
namespace cuvette::spi {

/// Ordering: work-groups start in flattened id order within a dispatch; the waves of a work-group
/// are launched in order, all on one compute unit. Lockstep classes: every register value, EXEC,
/// PC, MODE `exact`; placement (compute unit, simd, slot, bases) `ordered-by-dut`, checked for
/// overlap and limits; time `time`.
class Spi : public machine::Core {
 public:
  /// Channels of one compute unit.
  struct ComputeUnitPort {
    machine::Channel<WaveLaunch> launch{machine::kUnbounded};    ///< bound by the wave slots
    machine::Channel<WaveDone> done{machine::kUnbounded};        ///< ends of waves
    machine::Channel<WaveCommand> command{machine::kUnbounded};  ///< to the compute unit
  };
  machine::Channel<Dispatch> dispatch{2};                ///< from the command processor
  machine::Channel<DispatchDone> dispatch_done{4};       ///< answers to `dispatch`
  machine::Channel<Cancel> cancel{machine::kUnbounded};  ///< bound by the dispatches under way
  machine::Channel<Save> save{machine::kUnbounded};  ///< dispatches to be saved by trap handlers
  machine::Channel<SavedGroup> saved{machine::kUnbounded};    ///< bound by the wave slots
  machine::Channel<SavedGroup> restore{machine::kUnbounded};  ///< before the Dispatch, by `group`

  /// To the gds, not behind the launch it tells of; bound by the waves. May stay unread.
  machine::Channel<WaveOrder> wave_order{machine::kUnbounded};

  virtual unsigned compute_units() const = 0;
  virtual ComputeUnitPort& compute_unit(unsigned index) = 0;
  /// Compute units whose `launch` or `command` got something since the last call, ascending, in
  /// place of what `units` held: the others need no look. All of them, when the implementation does
  /// not keep count.
  virtual void take_sent(std::vector<unsigned>& units) {
    units.resize(compute_units());
    std::iota(units.begin(), units.end(), 0u);
  }

  /// Resource that the next work-group waits for, when no compute unit can take it: the one that
  /// the first tried lacks.
  enum class Resource : uint8_t {
    Launch,  ///< a compute unit is still being given waves, and no other has room
    Slots,
    Vgprs,
    AccVgprs,
    Sgprs,
    Lds,
    Scratch  ///< places of its memory
  };
  static constexpr unsigned kResources = 7;
  /// Counters since construction, for statistics.
  struct Counters {
    uint64_t dispatches = 0, workgroups = 0, waves = 0;  ///< begun; waves launched
    std::array<uint64_t, kResources> stall_cycles{};     ///< by Resource, of waits that are over
  };
  /// Zeros when the implementation keeps none.
  virtual Counters counters() const { return {}; }
  /// Counts for hardware counters beyond Counters, up to the time of the call.
  struct Detail {
    uint64_t busy_cycles = 0;                           ///< with a dispatch
    std::vector<uint64_t> engine_busy_cycles;           ///< with a wave, by shader engine
    std::vector<uint64_t> saved_waves, restored_waves;  ///< by shader engine
  };
  /// Details; nothing when the implementation does not keep them.
  virtual std::optional<Detail> detail(machine::Cycle /*now*/) const { return std::nullopt; }

  /// Called at the begin and end of every dispatch when set; false when the implementation has no
  /// such observer.
  using OnDispatch = std::function<void(machine::Cycle now, uint32_t id, bool begin)>;
  virtual bool on_dispatch(OnDispatch) { return false; }
};
/// "launch", "slots", ...: names in statistics.
const char* name_of(Spi::Resource resource);

/// Configuration from the machine description.
struct Config {
  isa::Target target = isa::Target::Gfx908;  ///< instruction set
  unsigned compute_units = 1;                ///< of the machine
  unsigned shader_engines = 1;  ///< equal parts of the compute units; each launches a wave a cycle
  unsigned simds = 4;           ///< per compute unit
  unsigned slots = 10;          ///< waves per simd
  unsigned vgpr_rows = 256, acc_rows = 256;  ///< per lane of a SIMD; acc_rows 0: none of their own
  unsigned vgpr_granule = 4;                 ///< VGPRs are allocated in multiples of it
  /// Bytes of an LDS; multiples in which it is allocated.
  uint32_t lds_bytes = 65536, lds_granule = 512;
  unsigned sgprs_per_simd = 800;   ///< shared by its waves
  uint32_t setup_cycles = 0;       ///< before the search for room for a dispatch begins
  uint32_t allocation_cycles = 0;  ///< of a shader engine, to find room for a wave; 0: at once
  uint32_t restore_cycles = 0;     ///< to find a work-group of a saved dispatch; 0: at once
  uint32_t save_cycles = 0;        ///< of a search for the next free room; 0: at once
  uint32_t launch_cycles = 1;      ///< between two waves given to one compute unit
  std::string placement = "round_robin";  ///< policy that picks the compute unit
  bool poison = false;                    ///< unnamed registers get a pattern instead of zero
};
using Registry = machine::Registry<Spi, Config>;

}  // namespace cuvette::spi
