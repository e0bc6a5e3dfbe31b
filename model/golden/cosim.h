// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/memory.h"
#include "isa/target.h"
#include "wave/retire_record.h"

namespace cuvette::golden {

/// How one wavefront starts, as values (the device under test reports them, golden checks them
/// against its own computation of the launch state).
struct CosimWave {
  uint64_t id = 0;
  uint64_t pc = 0;
  uint64_t exec = 0;
  uint32_t mode = 0;
  uint32_t lds_bytes = 0;
  uint16_t vgprs = 0, accvgprs = 0, sgprs = 0;
  uint64_t scratch_base = 0;
  std::vector<uint32_t> sgpr;       ///< from s0
  std::vector<wave::LaneRow> vgpr;  ///< from v0
  uint32_t workgroup = 0;           ///< waves of one work-group share LDS and barrier
};

struct CosimCounts {
  uint64_t instructions = 0, registers = 0, lanes = 0, accesses = 0;
  uint64_t loads_determined = 0, loads_chosen = 0, loads_rejected = 0;
};

/// Golden as the shadow of a device under test: the device runs, golden steps the same wave and
/// compares.
///
/// Single-threaded; calls for one wave come in its program order, calls for different waves in any
/// order. The first mismatch is kept; every later call returns false until it has been read.
class Cosim {
 public:
  virtual ~Cosim() = default;

  /// Memory as it is before the run; bytes are copied.
  virtual base::Status load(uint64_t address, const void* bytes, size_t count) = 0;
  virtual base::Status start(const CosimWave& wave) = 0;

  /// The device retired an instruction: golden executes it and compares pc, words, every register,
  /// lane and mask, and all accesses. Loads of racing memory must have been observed before.
  virtual bool retire(const wave::RetireRecord& device) = 0;

  /// The device saw `bytes` (size * lanes of `lanes`, ascending) for the load with issue index
  /// `order`. Accepted only if every byte is legally visible under the stores declared so far: own
  /// program order first, then the coherence log. Nothing else is ever copied from the device into
  /// golden.
  virtual bool observe_load(uint64_t wave, uint64_t order, uint64_t lanes,
                            const std::vector<uint8_t>& bytes) = 0;
  /// A store or atomic of the device became visible at this position of the coherence log.
  virtual void observe_store(uint64_t wave, uint64_t order, uint8_t lane, uint64_t serial) = 0;

  virtual bool failed() const = 0;
  /// First mismatch in words: wave, pc, instruction, item, expected and actual, decoded.
  virtual std::string mismatch() const = 0;
  virtual CosimCounts counts() const = 0;
};

}  // namespace cuvette::golden
