// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "command_processor/hqd_slots.h"
#include "command_processor/queue_notices.h"

namespace cuvette::command_processor {

/// Hardware queue scheduler: packets of the kernel queue that map other queues into slots and take
/// them away, one by one or by run lists whose processes take turns.
class QueueScheduler : public Firmware {
 public:
  QueueScheduler(MicroEngine& me, QueueNotices& notices)
      : Firmware(me), notices_(notices), slots_(me) {}

  // queue_scheduler.cpp
  Task set_resources(QueueRun& queue, Pm4Run& run);
  Task map_queues(QueueRun& queue, Pm4Run& run);
  Task unmap_queues(QueueRun& queue, Pm4Run& run);
  Task query_status(QueueRun& queue, Pm4Run& run);
  Task invalidate_tlbs(QueueRun& queue, Pm4Run& run);
  /// After a reset every slot is empty, and no resources are known.
  void forget();

  // run_list.cpp
  Task run_list(QueueRun& queue, Pm4Run& run);

 private:
  static uint32_t parse_list(const std::vector<uint32_t>& words, uint64_t address, RunList& list);
  Task clear_list(QueueRun& queue);
  Task map_next(QueueRun& queue, Pm4Run& run);
  Task map_process(QueueRun& queue, Pm4Run& run, uint8_t& process_vmid);
  Task take_turns(QueueRun& queue);
  Task end_turns(QueueRun& queue);

  QueueNotices& notices_;
  HqdSlots slots_;
  uint16_t vmid_mask_ = 0;      // VMIDs that run lists may use
  uint16_t process_vmids_ = 0;  // and those that processes of the list have
};

}  // namespace cuvette::command_processor
