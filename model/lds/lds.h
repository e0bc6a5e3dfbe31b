// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "wave/memory_op.h"

/// Contract of the lds block (docs/lds.md): the 64 KiB local data share of one compute unit, 32
/// banks of 4 bytes, with its atomic units.
namespace cuvette::lds {

inline constexpr uint32_t kBytes = 65536;
inline constexpr unsigned kBanks = 32;

/// One DS instruction, or the lanes of a FLAT instruction that fell into the shared aperture.
struct Request {
  uint32_t id = 0;
  uint8_t simd = 0, slot = 0;
  uint32_t base = 0;   ///< first byte of the work-group's allocation
  uint32_t limit = 0;  ///< its size: an access that reaches beyond it reads 0 and writes nothing
  wave::MemoryKind kind = wave::MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  bool flush_in = false, flush_out = false;  ///< float atomics obey MODE (decisions.md D8)
  bool operand_in_lds = false;  ///< SRC2 forms: an atomic's operand is at offset[1], not in `data`
  uint8_t accesses = 1;         ///< 2 for the two-address forms
  uint8_t bytes = 4;            ///< per access: 1, 2, 4, 8, 12, 16
  uint64_t exec = 0;
  std::array<std::array<uint32_t, wave::kLanes>, 2> offset{};  ///< byte offsets from `base`
  /// Access i of two has its dwords from [i * ceil(bytes / 4)] on, atomics too; Response alike.
  std::array<std::array<uint32_t, wave::kLanes>, 4> data{};
  std::array<std::array<uint32_t, wave::kLanes>, 2> compare{};
};

struct Response {
  uint32_t id = 0;
  std::array<std::array<uint32_t, wave::kLanes>, 4> data{};
  uint64_t out_of_range = 0;  ///< lanes whose offset was beyond the allocation
};

/// Ordering: one domain; requests act in arrival order, lanes of a request in ascending order
/// (decides conflicting stores and atomics). Lockstep classes: data, out_of_range `exact`; time
/// `time`, with bank-conflict cycles `exact` for our RTL.
class Lds : public machine::Core {
 public:
  machine::Channel<Request> request{4};
  machine::Channel<Response> response{4};

  /// Bytes without time: launch (poison), debugger, tests.
  virtual void peek(uint32_t address, uint8_t* bytes, uint32_t count) const = 0;
  virtual void poke(uint32_t address, const uint8_t* bytes, uint32_t count) = 0;

  struct Counters {
    uint64_t requests = 0, conflict_cycles = 0, atomics = 0;
  };
  virtual Counters counters() const = 0;
};

struct Config {
  uint32_t latency_cycles = 1;  ///< unloaded, without conflict
  uint32_t lanes_per_cycle = 32;
};
using Registry = machine::Registry<Lds, Config>;

}  // namespace cuvette::lds
