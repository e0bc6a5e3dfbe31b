// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Reports of queues about their waits, for hang reports.
#include "command_processor/command_processor_model.h"

namespace cuvette::command_processor {

std::vector<QueueReport> CommandProcessorModel::queues() const {
  std::vector<QueueReport> out;
  for (const auto& [number, run] : queues_) {
    const QueueRun& q = *run;
    QueueReport r;
    r.queue = number;
    r.doorbell = q.binding.doorbell;
    r.vmid = q.binding.vmid;
    r.pm4 = q.binding.pm4;
    r.queue_address = q.binding.queue_address;
    r.next_packet = q.read_index;
    r.polls = q.polls;
    r.waits_for_earlier = bool(q.drainer);
    for (const auto& entry : q.in_flight) {
      if (entry->finished) continue;
      QueueReport::Packet p;
      p.index = entry->index;
      const auto type = hsa::decode_header(entry->packet.header).type;
      p.agent = type == hsa::PacketType::AgentDispatch && entry->waits;
      if (entry->grid || type == hsa::PacketType::KernelDispatch) p.dispatch = entry->id;
      if (type == hsa::PacketType::KernelDispatch && !entry->grid) {
        p.kernel_object = entry->packet.kernel_object;
      }
      // At the same place in packets of every kind (HSA System Architecture 2.9).
      if (!q.binding.pm4 && !entry->grid) p.completion_signal = entry->packet.completion_signal;
      r.packets.push_back(p);
    }
    using State = QueueReport::State;
    r.state = q.failed                                  ? State::Failed
              : q.unbound || q.leaving                  ? State::Leaving
              : !q.polls.empty() || r.waits_for_earlier ? State::Waiting
              : !r.packets.empty() || !bool(q.sleeper)  ? State::Running
                                                        : State::Idle;
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace cuvette::command_processor
