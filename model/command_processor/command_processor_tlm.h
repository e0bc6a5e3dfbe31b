// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command_processor/command_processor.h"
#include "command_processor/pm4.h"
#include "command_processor/task.h"
#include "hsa/packet.h"
#include "hsa/queue.h"

namespace cuvette::command_processor {

/// Our implementation of the command_processor contract. Each queue is served by a coroutine that
/// reads like the firmware it stands for; every step that needs memory, a fence or the spi is
/// awaited.
class CommandProcessorTlm final : public CommandProcessor {
 public:
  explicit CommandProcessorTlm(const Config& config);
  ~CommandProcessorTlm() override;

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far) override;
  uint32_t bind(const QueueBinding& queue, machine::Cycle when) override;
  void unbind(uint32_t queue) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  Counters counters() const override { return counters_; }

 private:
  struct Operation;
  struct QueueRun;
  struct InFlight;
  struct Taken;
  struct Pm4Buffer;
  struct Pm4Run;
  class Await;
  class AwaitWake;
  class AwaitDone;
  class AwaitEarlier;
  class AwaitQuiet;

  // Firmware: the life of a queue (firmware.cpp), one packet (packets.cpp), PM4 (pm4.cpp).
  Task serve(QueueRun& queue);
  Task complete(QueueRun& queue, InFlight& launched);
  Task fail(QueueRun& queue, uint32_t error, uint64_t address);
  Task leave(QueueRun& queue);
  Task open(QueueRun& queue, Taken& outcome);
  Task prepare(QueueRun& queue, Taken& taken);
  Task wait_barrier(QueueRun& queue, Taken& taken);
  Task wait_value(QueueRun& queue, Taken& taken);
  Task signal_completion(QueueRun& queue, const InFlight& launched);
  Task run_pm4(QueueRun& queue, Pm4Run& run);
  Task pm4_indirect_buffer(QueueRun& queue, Pm4Run& run);
  Task pm4_write_data(QueueRun& queue, Pm4Run& run);
  Task pm4_wait_reg_mem(QueueRun& queue, Pm4Run& run);
  Task pm4_copy_data(QueueRun& queue, Pm4Run& run);
  Task pm4_acquire_mem(QueueRun& queue, Pm4Run& run);
  Task pm4_release_mem(QueueRun& queue, Pm4Run& run);
  struct Pm4Row {
    pm4::Opcode opcode;
    unsigned least, most;  // dwords of the body
    Task (CommandProcessorTlm::*run)(QueueRun&, Pm4Run&);
  };
  static const Pm4Row kPm4Rows[];

  // What firmware awaits (command_processor_tlm.cpp).
  Await read(uint8_t vmid, uint64_t va, uint8_t* out, unsigned bytes);
  Await write(uint8_t vmid, uint64_t va, const void* data, unsigned bytes);
  Await fetch_sub(uint8_t vmid, uint64_t va, uint64_t amount);
  Await fence(memory::MemOp op, const std::vector<cache::Cache::Port*>& caches);
  Await delay(uint32_t cycles);
  Await launch(const spi::Dispatch& dispatch);

  Operation* begin();
  void transfer(Operation& op, uint8_t vmid, uint64_t va, unsigned bytes, memory::MemReq request,
                uint8_t* out);
  void finish_part(Operation* op);
  void raise(QueueRun& queue, uint32_t source, uint64_t context);
  void tell(const QueueRun& queue, QueueState state, uint32_t error = 0, uint64_t address = 0);
  void take_dequeues();
  void take_done(const spi::DispatchDone& done);
  void let_leave();
  void run_ready();
  void send_interrupts();
  void forget_unbound();

  Config config_;
  spi::Spi* spi_ = nullptr;
  cache::Cache::Port* memory_ = nullptr;
  std::vector<cache::Cache::Port*> near_, far_;

  machine::Cycle now_ = 0;
  uint64_t next_id_ = 1;
  uint32_t sequence_ = 0;
  uint32_t next_dispatch_ = 1;
  struct Part {
    Operation* operation;
    uint8_t* out;            // null: no data wanted
    unsigned offset, bytes;  // in the block
  };
  std::map<uint64_t, Part> parts_;  // by request id
  std::list<std::unique_ptr<Operation>> operations_;
  std::deque<Operation*> ready_;
  std::multimap<machine::Cycle, Operation*> timers_;
  std::deque<std::pair<spi::Dispatch, Operation*>> launches_;
  std::deque<Interrupt> raised_;                          // waiting for room in `interrupt`
  std::vector<std::pair<Operation*, uint32_t>> start_;    // queues bound, not yet started
  std::map<uint32_t, std::unique_ptr<QueueRun>> queues_;  // by number
  uint32_t next_queue_ = 0;
  Counters counters_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::command_processor
