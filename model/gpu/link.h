// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/channel.h"

namespace cuvette::gpu {

/// Carries every message of `from` over a path of `cycles` into `to`, whether it is visible yet or
/// not. The answer is when the first one arrives; kNever when there was none. The channels have no
/// depth limit: what bounds them is credit (docs/reference/engines.md).
template <class Message>
machine::Cycle carry(machine::Channel<Message>& from, machine::Channel<Message>& to,
                     machine::Cycle cycles) {
  if (from.empty()) return machine::kNever;
  const machine::Cycle first = from.next_event() + cycles;
  while (!from.empty()) {
    const machine::Cycle sent = from.next_event();
    to.push(*from.front(sent), sent + cycles);
    from.drop(sent);
  }
  return first;
}

}  // namespace cuvette::gpu
