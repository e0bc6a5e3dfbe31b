// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "machine/channel.h"
#include "machine/core.h"
#include "vrf/vrf_messages.h"

namespace cuvette::vrf {

/// Register file on channels, one for each reader and writer: the form of the block that devices on
/// pins have. A row is four beats there (vrf.md, Timing).
class VrfPorts : public machine::Core {
 public:
  std::array<machine::Channel<Read>, kReadPorts> reads;
  std::array<machine::Channel<ReadData>, kReadPorts> answers;
  std::array<machine::Channel<Write>, kWritePorts> writes;

  static constexpr unsigned read_ports() { return kReadPorts; }
  static constexpr unsigned write_ports() { return kWritePorts; }

  void tick(machine::Cycle) override {}
  machine::Cycle next_event() const override { return machine::kNever; }
};

}  // namespace cuvette::vrf
