// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace cuvette::machine {

/// Time inside the GPU: clock cycles since reset.
using Cycle = uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// A block as a plain object, without SystemC: a clocked core that talks through Channels.
///
/// The owner calls tick(now) with increasing `now`; it may leave out cycles before next_event(). A
/// core acts in tick(now) on messages whose time is <= now and stamps what it sends with a time >
/// now, so the order in which cores are ticked within one cycle never matters.
class Core {
 public:
  virtual ~Core() = default;
  virtual void tick(Cycle now) = 0;
  /// The first cycle at which tick() would do anything if no further message arrives; kNever when
  /// idle.
  virtual Cycle next_event() const = 0;
};

}  // namespace cuvette::machine
