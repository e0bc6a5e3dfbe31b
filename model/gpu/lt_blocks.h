// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "gds/gds.h"
#include "gpu/front.h"
#include "gpu/lt_shell.h"
#include "gpu/record.h"
#include "spi/spi.h"

/// The blocks of the front end and the compute unit as loosely timed modules, each with sockets for
/// everything it says to others: alone in a testbench, or together as LtGpu. A block runs ahead by
/// at most TLM's global quantum. Records are sent with the time their core gave them, plus
/// `link_cycles` on the way to or from compute units.
namespace cuvette::gpu {

/// Doorbells and packets in, dispatches out. Fences are answered at once: loosely timed machines
/// have no caches.
class LtCommandProcessor final : public LtShell {
 public:
  /// The core is not connected yet.
  LtCommandProcessor(const sc_core::sc_module_name& name,
                     std::unique_ptr<command_processor::CommandProcessor> core,
                     const sc_core::sc_time& period, uint32_t link_cycles,
                     const TransferOptions& transfer);
  ~LtCommandProcessor() override;

  // Also `memory`, of LtShell. Never DMI: host threads share queues and signals.
  tlm_utils::simple_target_socket<LtCommandProcessor, 64> doorbells;  ///< as Gpu's
  tlm::tlm_analysis_port<command_processor::Interrupt> interrupts;    ///< may stay unbound
  RecordInitiator<LtCommandProcessor, spi::Dispatch> dispatch;
  RecordTarget<LtCommandProcessor, spi::DispatchDone> dispatch_done;
  OptionalRecordInitiator<LtCommandProcessor, spi::Cancel> cancel;
  OptionalRecordInitiator<LtCommandProcessor, spi::Save> save;
  OptionalRecordTarget<LtCommandProcessor, spi::SavedGroup> saved;
  OptionalRecordInitiator<LtCommandProcessor, spi::SavedGroup> restore;

  const command_processor::CommandProcessor& core() const { return *core_; }
  command_processor::CommandProcessor& core() { return *core_; }
  uint32_t bind_queue(const command_processor::QueueBinding& queue);
  void unbind_queue(uint32_t queue);
  /// The queue leaves; its status tells when it is gone.
  void dequeue(const command_processor::Dequeue& dequeue);
  /// A grid from registers.
  void launch(const command_processor::RegisterLaunch& grid);
  /// Serves register accesses of packets; without one they are refused.
  using Registers = std::function<command_processor::RegisterDone(
      machine::Cycle, const command_processor::RegisterAccess&)>;
  void on_register_access(Registers f) { registers_ = std::move(f); }
  /// From now on, as after a write to `doorbells`.
  void ring(const command_processor::Doorbell& doorbell);
  /// Called for writes to `doorbells` instead of the core; calls ring() for those that count.
  void on_ring(std::function<void(const command_processor::Doorbell&)> f) {
    on_ring_ = std::move(f);
  }
  /// Called for reports on queues; the time is when the host may know.
  using OnStatus = std::function<void(machine::Cycle, const command_processor::QueueStatus&)>;
  void on_queue_status(OnStatus f) { on_status_ = std::move(f); }
  /// Serves agent dispatch packets; without one they stop their queue.
  void on_agent_dispatch(AgentHandler handler) { agents_.handle_by(std::move(handler)); }
  bool idle() const override {
    return LtShell::idle() && line_.empty() && agents_.empty() && accesses_.empty();
  }

 private:
  class SpiEnd;
  void after_tick(machine::Cycle now) override;
  void ring_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& trans) { return window_.debug(trans); }
  void take_done(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, done_);
  }
  void take_saved(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, saved_);
  }

  std::unique_ptr<command_processor::CommandProcessor> core_;
  std::unique_ptr<SpiEnd> spi_;
  cache::Cache::Port memory_;
  uint32_t link_cycles_;
  DoorbellWindow window_;
  InterruptLine line_;
  AgentQueue agents_;
  RegisterAccessQueue accesses_;
  std::function<void(const command_processor::Doorbell&)> on_ring_;
  OnStatus on_status_;
  Registers registers_;
  Arrivals<command_processor::Doorbell> rings_;
  Arrivals<command_processor::Dequeue> dequeues_;
  Arrivals<command_processor::RegisterLaunch> launches_;
  Arrivals<command_processor::AgentDone> agents_done_;
  Arrivals<command_processor::RegisterDone> accesses_done_;
  Arrivals<spi::DispatchDone> done_;
  Arrivals<spi::SavedGroup> saved_;
};

/// Dispatches in, waves out: `launch[i]`, `command[i]` and `done[i]` belong to compute unit i.
class LtSpi final : public LtShell {
 public:
  LtSpi(const sc_core::sc_module_name& name, std::unique_ptr<spi::Spi> core,
        const sc_core::sc_time& period, uint32_t link_cycles);

  RecordTarget<LtSpi, spi::Dispatch> dispatch;
  RecordInitiator<LtSpi, spi::DispatchDone> dispatch_done;
  OptionalRecordTarget<LtSpi, spi::Cancel> cancel;
  OptionalRecordTarget<LtSpi, spi::Save> save;
  OptionalRecordInitiator<LtSpi, spi::SavedGroup> saved;
  OptionalRecordTarget<LtSpi, spi::SavedGroup> restore;
  sc_core::sc_vector<RecordInitiator<LtSpi, spi::WaveLaunch>> launch;
  sc_core::sc_vector<OptionalRecordInitiator<LtSpi, spi::WaveCommand>> command;
  sc_core::sc_vector<TaggedRecordTarget<LtSpi, spi::WaveDone>> done;

  /// Called with the begins and ends of waves that nobody has taken yet, before the launches they
  /// tell of are sent. Without it they are dropped.
  using OnWaveOrder = std::function<void(machine::Channel<spi::WaveOrder>&)>;
  void on_wave_order(OnWaveOrder f) { on_wave_order_ = std::move(f); }

  spi::Spi& core() { return *core_; }

 private:
  void after_tick(machine::Cycle now) override;
  void take_dispatch(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, dispatches_);
  }
  void take_cancel(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, cancels_);
  }
  void take_save(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, saves_);
  }
  void take_restore(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, restores_);
  }
  void take_done(int unit, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, done_[static_cast<unsigned>(unit)]);
  }

  std::unique_ptr<spi::Spi> core_;
  OnWaveOrder on_wave_order_;
  std::vector<unsigned> sent_;  // of one tick
  uint32_t link_cycles_;
  Arrivals<spi::Dispatch> dispatches_;
  Arrivals<spi::Cancel> cancels_;
  Arrivals<spi::Save> saves_;
  Arrivals<spi::SavedGroup> restores_;
  std::vector<Arrivals<spi::WaveDone>> done_;  // by compute unit
};

/// Waves in, memory accesses and ended waves out. Reads and writes use DMI where the target grants
/// it: those of implementation `loose` in place, others' as requests.
class LtComputeUnit final : public LtShell, private compute_unit::DirectMemory {
 public:
  /// The core is not connected yet. `index`: Interrupt::queue of its messages.
  LtComputeUnit(const sc_core::sc_module_name& name,
                std::unique_ptr<compute_unit::ComputeUnit> core, unsigned index,
                const sc_core::sc_time& period, uint32_t link_cycles,
                const TransferOptions& transfer);

  RecordTarget<LtComputeUnit, spi::WaveLaunch> launch;
  OptionalRecordTarget<LtComputeUnit, spi::WaveCommand> command;
  RecordInitiator<LtComputeUnit, spi::WaveDone> done;
  // To and from the gds; without one, a wave that asks it for something waits forever.
  OptionalRecordInitiator<LtComputeUnit, gds::Request> gds_request;
  OptionalRecordTarget<LtComputeUnit, gds::Taken> gds_taken;
  OptionalRecordTarget<LtComputeUnit, gds::Response> gds_response;
  /// S_SENDMSG of its waves (command_processor::kWaveMessage). May stay unbound.
  tlm::tlm_analysis_port<command_processor::Interrupt> messages;

  compute_unit::ComputeUnit& core() { return *core_; }
  /// Atomic operations use DMI, too: the target's own are atomics of the host on the same bytes.
  /// Before the first wave.
  void update_by_dmi() { updates_by_dmi_ = true; }
  /// From a debugger, beside those of the socket.
  void debug(const spi::WaveCommand& request);
  /// Waves that ended by an error since the last call, with the cycle.
  std::vector<std::pair<machine::Cycle, spi::WaveDone>> take_errors();
  bool idle() const override { return LtShell::idle() && line_.empty(); }

 private:
  Region region(uint64_t address, bool write) override;
  uint64_t generation() const override { return withdrawals(); }
  bool grants_atomics() const override { return updates_by_dmi_; }
  void request(const memory::MemReq& request, memory::MemResp& response) override;
  bool peek(uint64_t address, void* out, unsigned bytes) override;
  void before_tick(machine::Cycle end) override { core_->run_ahead(end); }
  void after_tick(machine::Cycle now) override;
  void take_launch(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, launches_);
  }
  void take_command(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, commands_);
  }
  void gds_has_taken(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, gds_takens_);
  }
  void gds_has_answered(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    take(trans, delay, gds_responses_);
  }

  std::unique_ptr<compute_unit::ComputeUnit> core_;
  unsigned index_;
  spi::Spi::ComputeUnitPort waves_;
  cache::Cache::Port vector_, scalar_, instruction_;
  uint32_t link_cycles_;
  bool updates_by_dmi_ = false;
  InterruptLine line_;
  Arrivals<spi::WaveLaunch> launches_;
  Arrivals<spi::WaveCommand> commands_, debug_;
  Arrivals<gds::Taken> gds_takens_;
  Arrivals<gds::Response> gds_responses_;
  std::vector<std::pair<machine::Cycle, spi::WaveDone>> errors_;
};

/// DS instructions with the GDS bit in, answers out: `request[i]`, `taken[i]` and `response[i]`
/// belong to compute unit i.
class LtGds final : public LtShell {
 public:
  LtGds(const sc_core::sc_module_name& name, std::unique_ptr<gds::Gds> core,
        const sc_core::sc_time& period, uint32_t link_cycles);

  sc_core::sc_vector<TaggedRecordTarget<LtGds, gds::Request>> request;
  sc_core::sc_vector<OptionalRecordInitiator<LtGds, gds::Taken>> taken;
  sc_core::sc_vector<OptionalRecordInitiator<LtGds, gds::Response>> response;

  /// Begins and ends of waves, as LtSpi gives them: taken when they are of interest, or many. The
  /// channel outlives the module.
  void offer(machine::Channel<spi::WaveOrder>& order);

  gds::Gds& core() { return *core_; }

 private:
  void after_tick(machine::Cycle now) override;
  void take_request(int unit, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  void take_order();

  std::unique_ptr<gds::Gds> core_;
  machine::Channel<spi::WaveOrder>* order_ = nullptr;
  uint32_t link_cycles_;
  std::vector<Arrivals<gds::Request>> requests_;  // by compute unit
};

}  // namespace cuvette::gpu
