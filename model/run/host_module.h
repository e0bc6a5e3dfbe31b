// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>

#include "base/result.h"
#include "command_processor/command_processor.h"

namespace cuvette::run {

/// The host's side of a GPU in a simulation: rings doorbells, receives interrupts.
class HostModule final : public sc_core::sc_module,
                         public tlm::tlm_analysis_if<command_processor::Interrupt> {
 public:
  explicit HostModule(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<HostModule, 64> mmio;  ///< to the doorbell aperture
  /// Receiver of interrupts; may be empty.
  std::function<void(const command_processor::Interrupt&)> handler;

  /// Writes 64 bits to doorbell number `doorbell`, 8 bytes apart. Error: the GPU refuses the
  /// access. The first call elaborates the simulation.
  base::Status ring(uint32_t doorbell, uint64_t value);
  /// The clock goes on to `end`, whatever is left to happen.
  void pass(const sc_core::sc_time& end);
  /// Until sc_pause(), until nothing is left to happen, or `end`. False when nothing was left.
  bool simulate(const sc_core::sc_time& end);
  void write(const command_processor::Interrupt& interrupt) override {
    if (handler) handler(interrupt);
  }
};

}  // namespace cuvette::run
