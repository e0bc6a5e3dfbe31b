// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gds/gds.h"
#include "gds/launch_order.h"
#include "wave/memory/global_sync.h"

namespace cuvette::gds {

/// A response and the compute unit that it is for.
struct Answer {
  unsigned unit = 0;
  Response response;
};

/// Global wave sync and ordered counts (Vega ISA 12.15). A request acts at once: it is answered, or
/// its wave waits. One that may let others go, or takes one out, is followed by a walk over those
/// that wait, the oldest first, and so is the end of a wave while ordered counts wait. The owner
/// says how long a step of the walk takes; before its end no request acts and no wave begins or
/// ends.
class SyncUnit {
 public:
  /// A request with `sync` or `withdraw`. Nothing: it waits, or has no answer.
  std::optional<Answer> act(unsigned unit, const Request& request);
  /// A wave begins or ends.
  void note(const spi::WaveOrder& wave);

  /// True until the walk is over.
  bool walks() const { return walk_ != Walk::None; }
  /// A step of the walk looks at one waiting request, or ends it. `room`: it may be answered;
  /// otherwise the walk stays at a request that would be.
  std::optional<Answer> step(bool room);

  /// Ordered counts wait: the end of a wave is of interest.
  bool counts_wait() const { return counting_ != 0; }
  /// Requests that had to wait, since construction.
  uint64_t waits() const { return waits_; }

 private:
  enum class Walk : uint8_t {
    None,
    Turns,     ///< ordered counts whose turn has come are done
    Counted,   ///< waves of a resource go on, as many as its semaphore counts
    All,       ///< all waves of a resource go on
    Withdraw,  ///< the requests of a wave are answered, undone
  };
  /// A request whose wave waits for others.
  struct Waiting {
    unsigned unit = 0;
    uint32_t id = 0;
    uint64_t wave = 0;
    uint32_t dispatch = 0;
    uint64_t ticket = 0;   ///< of global wave sync; 0: an ordered count
    uint8_t resource = 0;  ///< of a count: the counter
    uint32_t value = 0;
    bool releases = false;
  };
  void begin(Walk walk, const Request& request);
  bool is_over() const;
  bool is_chosen(const Waiting& entry) const;
  Answer count(const Waiting& who);

  wave::GlobalSync sync_;
  LaunchOrder order_;
  std::vector<Waiting> waiting_;  ///< in the order in which they came
  size_t counting_ = 0;           ///< of them, ordered counts
  uint64_t waits_ = 0;

  Walk walk_ = Walk::None;
  size_t place_ = 0;      ///< that the walk is at
  uint8_t resource_ = 0;  ///< of the walk
  uint64_t wave_ = 0;     ///< of the walk
};

}  // namespace cuvette::gds
