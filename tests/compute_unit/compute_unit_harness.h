// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compute_unit/compute_unit_model.h"
#include "gds/gds_model.h"
#include "hsa/memory.h"

// One compute unit with a gds, caches that answer from device memory after a fixed time, and waves
// of assembled code.
namespace cuvette::compute_unit::testing {

/// Answers every request `latency` cycles after it became visible, one per cycle. Data is read or
/// written when the answer is made: nothing is there earlier.
class FakeCache {
 public:
  FakeCache(hsa::DeviceMemory& memory, machine::Cycle latency)
      : memory_(memory), latency_(latency) {}

  cache::Cache::Port port;
  void tick(machine::Cycle now);
  machine::Cycle next_event() const;

  unsigned reads = 0, writes = 0, atomics = 0, invalidates = 0, writebacks = 0;
  std::vector<memory::MemReq> log;
  /// Blocks whose accesses take so many cycles more; later requests overtake them.
  std::map<uint64_t, machine::Cycle> late;

 private:
  memory::MemResp serve(const memory::MemReq& request);

  struct Due {
    machine::Cycle at;
    memory::MemReq request;
  };
  hsa::DeviceMemory& memory_;
  machine::Cycle latency_;
  machine::Cycle last_ = 0;
  uint64_t serial_ = 0;
  std::deque<Due> due_;
};

/// Steps of the clock.
enum class Clock : uint8_t { EveryCycle, Skip };

struct Options {
  isa::Target target = isa::Target::Gfx908;
  std::string valu = "tlm";
  std::string simd = "tlm";  ///< or "dut:empty", which has no instruction
  bool simd_in_simd0_only = false;
  std::string matrix_core = "tlm";
  std::function<void(matrix_core::Registry&)> more_matrix_cores = {};  ///< beside "tlm"
  Clock clock = Clock::Skip;
  bool caches_first = false;  ///< order of ticks within a cycle
  machine::Cycle vector_latency = 40, scalar_latency = 15, instruction_latency = 6;
  unsigned simds = 4;
  std::string issue_order = "oldest_first";
};

/// A wave to launch.
struct Launch {
  unsigned simd = 0, slot = 0;
  uint32_t workgroup = 0;
  unsigned wave_in_group = 0, waves_in_group = 1;
  uint64_t exec = ~uint64_t{0};
  uint32_t lds_bytes = 0;
  std::vector<uint32_t> sgpr = {};
  unsigned vgprs = 64;
  unsigned sgprs = 102;
  uint8_t priority = 0;
  uint16_t doorbell = 0;      ///< of the queue
  uint64_t tba = 0, tma = 0;  ///< with a trap handler, TRAP_EN is on
  bool trap_en = false;       ///< also without
  uint32_t exceptions = 0;    ///< MODE.EXCP_EN
};

class Machine {
 public:
  explicit Machine(const Options& options = {});

  /// Fails the test on an error of the text.
  std::vector<uint32_t> assemble(const std::vector<std::string>& lines) const;
  /// Assembles and loads; gives the address.
  uint64_t load(const std::vector<std::string>& lines);
  uint64_t load_words(const std::vector<uint32_t>& words);
  /// v0 holds the lane number. Gives the wave's id.
  uint64_t launch(uint64_t pc, const Launch& what = {});
  /// Runs until all waves have ended or `limit` cycles are over.
  void run(machine::Cycle limit = 200000);
  /// At most so many cycles; waves may still run afterwards.
  void pass(machine::Cycle cycles);
  /// From outside, to one wave.
  void command(spi::WaveAction action, unsigned simd, unsigned slot);
  /// load, launch, run.
  void run_one(const std::vector<std::string>& lines, const Launch& what = {});

  uint64_t buffer(uint64_t bytes);
  uint32_t word(uint64_t address);
  void set(uint64_t address, uint32_t value);
  /// A VGPR of the last wave in this place; registers keep their values after the end.
  uint32_t vgpr(unsigned simd, unsigned slot, unsigned index, unsigned lane);

  Options options;
  hsa::DeviceMemory memory;
  std::unique_ptr<ComputeUnit> cu;
  FakeCache vector, scalar, instruction;
  std::unique_ptr<gds::Gds> gds;
  spi::Spi::ComputeUnitPort waves;
  std::vector<spi::WaveDone> done;
  machine::Cycle now = 0;
  machine::Cycle finished_at = 0;
  unsigned ticks = 0;

 private:
  unsigned pending_ = 0;
  uint64_t next_wave_ = 1;
};

/// s[n], s[n+1] = address as launch values.
std::vector<uint32_t> pointers(const std::vector<uint64_t>& addresses);

}  // namespace cuvette::compute_unit::testing
