// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_processor/context_save.h"
#include "command_processor/pm4_engine.h"
#include "command_processor/queue_notices.h"
#include "command_processor/queue_table.h"

namespace cuvette::command_processor {

/// AQL packet processor: checks a packet and waits until it may start, launches it, and completes
/// it when its waves have ended (HSA System Architecture 2.8, 2.9).
class PacketProcessor : public Firmware {
 public:
  PacketProcessor(MicroEngine& me, QueueNotices& notices, ContextSave& context, Pm4Engine& pm4)
      : Firmware(me), notices_(notices), context_(context), pm4_(pm4) {}

  // packet_processor.cpp
  /// Checks the packet, waits for what a barrier waits for, reads the kernel's descriptor.
  Task prepare(QueueRun& queue, PacketContext& taken);
  spi::Dispatch dispatch_of(const QueueRun& queue, const PacketContext& taken, uint64_t address,
                            uint64_t index);

  // packet_completion.cpp
  /// From launch to completion of one packet: PM4 buffers, release, signal, read index.
  Task complete(QueueRun& queue, InFlight& launched);

 private:
  Task read_preload(QueueRun& queue, PacketContext& taken);
  Task find_scratch(QueueRun& queue, PacketContext& taken);
  Task wait_scratch(QueueRun& queue, PacketContext& taken);
  Task wait_barrier(QueueRun& queue, PacketContext& taken);
  Task wait_value(QueueRun& queue, PacketContext& taken);
  Task run_buffers(QueueRun& queue, InFlight& launched);
  Task signal_completion(QueueRun& queue, const InFlight& launched);

  QueueNotices& notices_;
  ContextSave& context_;
  Pm4Engine& pm4_;
};

}  // namespace cuvette::command_processor
