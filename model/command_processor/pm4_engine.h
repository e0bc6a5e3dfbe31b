// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "command_processor/pm4.h"
#include "command_processor/queue_notices.h"
#include "command_processor/queue_scheduler.h"
#include "command_processor/queue_table.h"
#include "command_processor/register_grids.h"

namespace cuvette::command_processor {

/// PM4 interpreter: packets of indirect buffers and rings, one function for each opcode.
class Pm4Engine : public Firmware {
 public:
  Pm4Engine(MicroEngine& me, QueueTable& queues, QueueNotices& notices, RegisterGrids& grids,
            QueueScheduler& scheduler)
      : Firmware(me), queues_(queues), notices_(notices), grids_(grids), scheduler_(scheduler) {}

  /// Runs the buffers of a vendor packet until none is left or `run.error` is set. A malformed
  /// packet, or one not known here, is an error of the vendor packet; a memory access that faults
  /// is a memory fault.
  Task run(QueueRun& queue, Pm4Run& run);
  /// The packet with this header and run.body.
  Task run_packet(QueueRun& queue, Pm4Run& run, uint32_t head);
  Task run_buffers(QueueRun& queue, Pm4Run& run);

 private:
  /// An opcode, its sizes, the queues that may use it, and its function.
  struct Row {
    enum class Who : uint8_t { All, Bank, Kernel };
    pm4::Opcode opcode;
    unsigned least, most;  // dwords of the body
    Task (*run)(Pm4Engine&, QueueRun&, Pm4Run&);
    Who who = Who::All;
  };
  static const Row kRows[];
  template <Task (Pm4Engine::*Function)(QueueRun&, Pm4Run&)>
  static Task own(Pm4Engine& e, QueueRun& queue, Pm4Run& run) {
    return (e.*Function)(queue, run);
  }
  template <Task (RegisterGrids::*Function)(QueueRun&, Pm4Run&)>
  static Task grids(Pm4Engine& e, QueueRun& queue, Pm4Run& run) {
    return (e.grids_.*Function)(queue, run);
  }
  template <Task (QueueScheduler::*Function)(QueueRun&, Pm4Run&)>
  static Task scheduler(Pm4Engine& e, QueueRun& queue, Pm4Run& run) {
    return (e.scheduler_.*Function)(queue, run);
  }

  Task indirect_buffer(QueueRun& queue, Pm4Run& run);
  Task write_data(QueueRun& queue, Pm4Run& run);
  Task wait_reg_mem(QueueRun& queue, Pm4Run& run);
  Task copy_data(QueueRun& queue, Pm4Run& run);
  Task acquire_mem(QueueRun& queue, Pm4Run& run);
  Task release_mem(QueueRun& queue, Pm4Run& run);
  Task end_of_pipe(QueueRun& queue, Pm4Run& run);
  Task release_later(QueueRun& queue, InFlight& entry, std::vector<uint32_t> body);
  Task event_write(QueueRun& queue, Pm4Run& run);
  Task cond_exec(QueueRun& queue, Pm4Run& run);

  QueueTable& queues_;
  QueueNotices& notices_;
  RegisterGrids& grids_;
  QueueScheduler& scheduler_;
};

}  // namespace cuvette::command_processor
