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

/// What a GPU shows to its host, whatever engine runs behind it.
namespace cuvette::gpu {

/// The MMIO window of doorbells (gpu.h says what is legal).
class DoorbellWindow {
 public:
  /// Fills `ring` and the response status; false for an illegal access.
  bool write(tlm::tlm_generic_payload& trans, command_processor::Doorbell& ring);
  unsigned debug(tlm::tlm_generic_payload& trans) const;

 private:
  std::map<uint64_t, uint64_t> written_;  // doorbell to last value
};

/// Gives interrupts to a port or a function at their time. Spawns its process: construct it inside
/// a module.
class InterruptLine {
 public:
  using Sink = std::function<void(machine::Cycle, const command_processor::Interrupt&)>;
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
class AgentLine {
 public:
  using Answer = std::function<void(machine::Cycle, const command_processor::AgentDone&)>;
  AgentLine(const sc_core::sc_time& period, Answer answer);
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

/// Gives messages of the cores to whoever serves them at their time, in order.
template <class Message>
class OrderedLine {
 public:
  using Sink = std::function<void(machine::Cycle, const Message&)>;
  OrderedLine(const sc_core::sc_time& period, Sink sink);
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
using AccessLine = OrderedLine<command_processor::RegisterAccess>;
using RingLine = OrderedLine<command_processor::Doorbell>;

std::string wave_line(unsigned compute_unit, const compute_unit::WaveReport& wave);

/// Words for a wave of compute unit `index` that ended by an error.
std::string wave_error_text(unsigned index, const compute_unit::ComputeUnit& unit,
                            const spi::WaveDone& done, const VmContexts& contexts);

}  // namespace cuvette::gpu
