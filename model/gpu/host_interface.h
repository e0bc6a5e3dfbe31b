// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "gds/gds.h"
#include "gpu/external_memory.h"
#include "gpu/front.h"
#include "sdma/engines.h"
#include "spi/spi.h"

namespace cuvette::gpu {

/// Host interface of a GPU model beside its sockets, whatever its engine: queues, the clock, errors
/// and reports, the blocks for observers.
class HostInterface {
 public:
  virtual ~HostInterface() = default;

  /// Makes a queue known; its packets run as soon as its doorbell rings or if some are there
  /// already. The queue number, for unbind_queue().
  virtual uint32_t bind_queue(const command_processor::QueueBinding& queue) = 0;
  /// Takes a queue away by its number; packets under way complete.
  virtual void unbind_queue(uint32_t queue) = 0;
  /// The same with an end that queue_report() shows: the queue is in it until it is gone. With
  /// `reset` what it has under way is cancelled.
  virtual void dequeue(uint32_t queue, bool reset) = 0;
  /// Reset of the chip: all queues are taken away and what they run is cancelled, as by dequeue()
  /// with `reset`; SDMA rings are forgotten. True when nothing was left to do that for: then every
  /// register has its reset value. False: call again when idle() says so. Memory, and what caches
  /// hold of it, stays.
  virtual bool reset() = 0;
  /// Calls `observer` at every step of every packet; false when the command processor has no such
  /// observer.
  virtual bool watch_packets(command_processor::CommandProcessor::OnStage observer) = 0;
  /// Serves agent dispatch packets of every queue; without one they stop their queue.
  virtual void on_agent_dispatch(AgentHandler handler) = 0;

  /// Whole cycles of simulated time.
  virtual machine::Cycle cycle() const = 0;
  /// Simulated time at which a cycle begins.
  virtual sc_core::sc_time time_of(machine::Cycle cycle) const = 0;
  /// True when nothing happens until a doorbell rings.
  virtual bool idle() const = 0;

  /// One line per wave: compute unit, pc, instruction, what it waits for. For reports of deadlock
  /// and watchdog.
  virtual std::vector<std::string> wave_report() const = 0;
  /// Queues, what they do and wait for; none when the command processor does not tell.
  virtual std::vector<command_processor::QueueReport> queue_report() const = 0;
  /// Waves that ended by an error since the last call, one line each.
  virtual std::vector<std::string> take_wave_errors() = 0;
  /// The same, and what the command processor asks of the host.
  virtual std::vector<std::string> take_errors() = 0;
  /// Addresses of the memory faults among those taken last.
  virtual const std::vector<uint64_t>& fault_addresses() const = 0;
  /// Refused register accesses, and what registers asked for that is not modelled, since the last
  /// call.
  virtual std::vector<std::string> take_register_reports() = 0;

  /// Call before a range of the own memory's backing is removed.
  virtual void invalidate_dmi() = 0;
  /// Counters of external memory; zeros without.
  virtual ExternalMemoryCounters external_memory() const = 0;

  // The cores behind, for observers. They live as long as the GPU.
  virtual unsigned compute_units() const = 0;
  virtual const compute_unit::ComputeUnit& compute_unit(unsigned index) const = 0;
  virtual compute_unit::ComputeUnit& compute_unit(unsigned index) = 0;
  virtual spi::Spi& spi() = 0;
  virtual gds::Gds& gds() = 0;
  virtual sdma::Engines& sdma() = 0;
  virtual const command_processor::CommandProcessor& processor() const = 0;
};

}  // namespace cuvette::gpu
