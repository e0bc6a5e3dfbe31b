// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <tuple>
#include <utility>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "machine/core.h"
#include "spi/spi.h"

namespace cuvette::gpu {
class VmContexts;
}

/// Front end of a GPU towards its host, the same for every engine with time.
namespace cuvette::gpu {

/// The MMIO window of doorbells (gpu.h says what is legal).
class DoorbellWindow {
 public:
  /// Fills `ring` and the response status; false for an illegal access.
  bool write(tlm::tlm_generic_payload& trans, command_processor::Doorbell& ring);
  /// transport_dbg: reads the last value written. The result: bytes read.
  unsigned debug(tlm::tlm_generic_payload& trans) const;

 private:
  std::map<uint64_t, uint64_t> written_;  // doorbell to last value
};

/// Gives interrupts to a port or a function at their time. Spawns its process: construct it inside
/// a module.
class InterruptLine {
 public:
  /// Called at the interrupt's time.
  using Sink = std::function<void(machine::Cycle, const command_processor::Interrupt&)>;
  /// `period`: of the clock.
  InterruptLine(const sc_core::sc_time& period, Sink sink);
  InterruptLine(const sc_core::sc_time& period,
                tlm::tlm_analysis_port<command_processor::Interrupt>& port);
  /// `time`: not before the simulation's.
  void raise(machine::Cycle time, const command_processor::Interrupt& interrupt);
  bool empty() const { return pending_.empty(); }

 private:
  void notify();
  void deliver();

  sc_core::sc_time period_;
  Sink sink_;
  std::multimap<std::tuple<machine::Cycle, uint32_t, uint32_t, uint64_t>,
                command_processor::Interrupt>
      pending_;
  sc_core::sc_event event_;
};

/// Serves an agent dispatch packet: true when it has done what the packet asks, false when it does
/// not know the type. Called at the packet's time, must not wait.
using AgentHandler = std::function<bool(const command_processor::AgentDispatch&)>;

/// Gives agent dispatch packets to a handler at their time; without one every packet is refused.
class AgentQueue {
 public:
  /// Called with the handler's answer.
  using Answer = std::function<void(machine::Cycle, const command_processor::AgentDone&)>;
  AgentQueue(const sc_core::sc_time& period, Answer answer);
  void raise(machine::Cycle time, const command_processor::AgentDispatch& packet);
  void handle_by(AgentHandler handler) { handler_ = std::move(handler); }
  bool empty() const { return pending_.empty(); }

 private:
  void notify();
  void deliver();

  sc_core::sc_time period_;
  Answer answer_;
  AgentHandler handler_;
  std::multimap<machine::Cycle, command_processor::AgentDispatch> pending_;
  sc_core::sc_event event_;
};

/// Queue of messages of the cores for their receiver, delivered at their time, in order.
template <class Message>
class OrderedQueue {
 public:
  /// Called at the message's time.
  using Sink = std::function<void(machine::Cycle, const Message&)>;
  OrderedQueue(const sc_core::sc_time& period, Sink sink);
  void raise(machine::Cycle time, const Message& message);
  bool empty() const { return pending_.empty(); }

 private:
  void notify();
  void deliver();

  sc_core::sc_time period_;
  Sink sink_;
  std::deque<std::pair<machine::Cycle, Message>> pending_;
  sc_core::sc_event event_;
};
/// Register accesses of packets, and doorbells that waves have stored to.
using RegisterAccessQueue = OrderedQueue<command_processor::RegisterAccess>;
using DoorbellQueue = OrderedQueue<command_processor::Doorbell>;

/// Line of wave_report() for a wave.
std::string wave_line(unsigned compute_unit, const compute_unit::WaveReport& wave);

/// Words for a wave of compute unit `index` that ended by an error.
std::string wave_error_text(unsigned index, const compute_unit::ComputeUnit& unit,
                            const spi::WaveDone& done, const VmContexts& contexts);

}  // namespace cuvette::gpu
