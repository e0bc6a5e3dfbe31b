// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_processor/context_save.h"
#include "command_processor/packet_processor.h"
#include "command_processor/queue_notices.h"
#include "command_processor/queue_table.h"

namespace cuvette::command_processor {

/// Life of an AQL queue: it is opened, goes on with saved waves, sleeps and takes packets, and
/// leaves. Rings of PM4 packets leave in the same way.
class QueueService : public Firmware {
 public:
  /// `agent_dispatch`: for packets that the host serves.
  QueueService(MicroEngine& me, QueueTable& queues, QueueNotices& notices, ContextSave& context,
               PacketProcessor& packets, machine::Channel<AgentDispatch>& agent_dispatch)
      : Firmware(me),
        queues_(queues),
        notices_(notices),
        context_(context),
        packets_(packets),
        agent_dispatch_(agent_dispatch) {}

  Task serve(QueueRun& queue);
  Task leave(QueueRun& queue);

 private:
  Task open(QueueRun& queue, PacketContext& outcome);
  Task restore(QueueRun& queue, PacketContext& taken);
  Task restore_dispatch(QueueRun& queue, PacketContext& taken, const SavedDispatch& saved);
  Task acquire(PacketContext& taken);
  Task start(QueueRun& queue, PacketContext& taken, uint64_t address);
  void look_at_properties(QueueRun& queue);

  QueueTable& queues_;
  QueueNotices& notices_;
  ContextSave& context_;
  PacketProcessor& packets_;
  machine::Channel<AgentDispatch>& agent_dispatch_;
};

}  // namespace cuvette::command_processor
