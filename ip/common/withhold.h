// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "machine/channel.h"

namespace cuvette::ip {

/// Takes back all messages of a channel but its oldest `count`. A lockstep that has found a
/// difference does so with what the device said in that cycle and says from then on: the machine
/// runs on to the end of its quantum and must not act on fields that nobody has checked.
template <class Message>
void withhold(machine::Channel<Message>& channel, size_t count) {
  if (channel.size() <= count) return;
  machine::Channel<Message> all = channel;
  while (!channel.empty()) channel.drop(channel.next_event());
  for (; count != 0; --count) {
    const machine::Cycle visible_at = all.next_event();
    channel.push(all.pop(visible_at), visible_at);
  }
}

}  // namespace cuvette::ip
