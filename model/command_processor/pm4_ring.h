// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_processor/pm4_engine.h"
#include "command_processor/queue_notices.h"

namespace cuvette::command_processor {

/// Life of a queue whose ring holds PM4 packets: it sleeps until the write pointer moves and takes
/// packets up to it.
class Pm4Ring : public Firmware {
 public:
  Pm4Ring(MicroEngine& me, QueueNotices& notices, Pm4Engine& pm4)
      : Firmware(me), notices_(notices), pm4_(pm4) {}

  Task serve(QueueRun& queue);

 private:
  Task take_packet(QueueRun& queue, Pm4Run& run);
  Task read_ring(QueueRun& queue, uint64_t pointer, uint32_t* out, unsigned dwords, bool& good);
  Task report_pointer(QueueRun& queue, Pm4Run& run);

  QueueNotices& notices_;
  Pm4Engine& pm4_;
};

}  // namespace cuvette::command_processor
