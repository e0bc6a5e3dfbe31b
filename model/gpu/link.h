// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/channel.h"

namespace cuvette::gpu {

/// Carries every message of `from` over a path of `cycles` into `to`, whether it is visible yet or
/// not. The answer is when the first one arrives; kNever when there was none. The channels have no
/// depth limit: what bounds them is credit (docs/engines.md).
template <class Message>
machine::Cycle carry(machine::Channel<Message>& from, machine::Channel<Message>& to,
                     machine::Cycle cycles) {
  machine::Cycle first = machine::kNever;
  while (!from.empty()) {
    const machine::Cycle sent = from.next_event();
    to.push(from.pop(sent), sent + cycles);
    if (first == machine::kNever) first = sent + cycles;
  }
  return first;
}

}  // namespace cuvette::gpu
