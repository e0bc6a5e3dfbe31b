// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hsa/memory.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/memory_messages.h"

/// Contract of the memory block (memory.md): device memory behind the L2, one channel per L2
/// slice.
namespace cuvette::memory {

/// Ordering: requests to one 64-byte block are served in arrival order; nothing else is promised.
/// Lockstep classes: data, status `exact`; time `time`.
class Memory : public machine::Core {
 public:
  /// Channels of one requester.
  struct Port {
    machine::Channel<MemReq> request{machine::kUnbounded};    ///< bound by the L2's credits
    machine::Channel<MemResp> response{machine::kUnbounded};  ///< one per request, matched by id
  };
  virtual unsigned ports() const = 0;
  virtual Port& port(unsigned index) = 0;

  /// Requests served so far.
  struct Traffic {
    uint64_t reads = 0, writes = 0, atomics = 0;  ///< requests
    uint64_t read_bytes = 0, written_bytes = 0;   ///< those of the byte masks, atomics apart

    void add(const MemReq& request);
  };
  virtual Traffic traffic() const = 0;
  /// Called with every request when its turn comes, if set; `until`: when the port can take the
  /// next one. False when the implementation has no such observer.
  using OnRequest = std::function<void(machine::Cycle now, unsigned port, const MemReq& request,
                                       machine::Cycle until)>;
  virtual bool on_request(OnRequest) { return false; }
  /// Cycles with a request under way, up to `now`; nothing when the implementation does not count
  /// them.
  virtual std::optional<uint64_t> busy_cycles(machine::Cycle /*now*/) const { return std::nullopt; }
};

/// Configuration from the machine description.
struct Config {
  unsigned ports = 1;               ///< requesters
  uint32_t latency_cycles = 1;      ///< from request to response, unloaded
  uint32_t cycles_per_block = 1;    ///< one 64-byte transfer occupies a port that long
  hsa::Backing* backing = nullptr;  ///< holds the bytes; outlives the block
};
using Registry = machine::Registry<Memory, Config>;

}  // namespace cuvette::memory
