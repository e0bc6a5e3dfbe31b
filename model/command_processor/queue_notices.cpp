// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/queue_notices.h"

#include <cstddef>

#include "hsa/queue_error.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {

void QueueNotices::raise(const QueueRun& queue, uint32_t source, uint64_t context) {
  raised_.push_back({source, queue.number, context});
}

void QueueNotices::reach(const QueueRun& queue, uint64_t packet,
                         CommandProcessor::Stage stage) const {
  if (on_stage_) on_stage_(me_.now(), queue.number, packet, stage);
}

void QueueNotices::tell(const QueueRun& queue, QueueState state, uint32_t error, uint64_t address) {
  ports_.queue_status.push(QueueStatus{queue.number, state, queue.published, error, address,
                                       queue.stack_offset, queue.save_end},
                           me_.now() + 1);
}

/// Stores `code` into the inactive signal and raises the signal's event, as every change of a
/// signal does; but for memory faults, of which drivers hear by the interrupt and runtimes by an
/// event of their own. Not `good`: the signal, or its mailbox, is not there.
Task QueueNotices::tell_inactive(QueueRun& q, int64_t code, bool& good) {
  const uint8_t vmid = q.binding.vmid;
  const uint64_t signal = q.queue.queue_inactive_signal;
  hsa::AmdSignal contents;
  good = co_await me_.read(vmid, signal, &contents, sizeof contents);
  if (!good) co_return;
  good = co_await me_.write(vmid, signal + hsa::kSignalValueOffset, &code, sizeof code);
  if (!good || contents.event_mailbox_ptr == 0) co_return;
  if ((code & int64_t{hsa::kQueueErrorMemoryFault}) != 0) co_return;
  const uint64_t event = contents.event_id;
  good = co_await me_.write(vmid, contents.event_mailbox_ptr, &event, sizeof event);
  if (good) raise(q, 0, event);
}

/// A queue stops once: its inactive signal gets the error bits, the host an interrupt.
Task QueueNotices::fail(QueueRun& q, uint32_t error, uint64_t address) {
  if (q.failed || q.reset) co_return;
  q.failed = true;
  ++me_.counters().errors;
  bool told = true;
  if (q.queue.queue_inactive_signal != 0) co_await tell_inactive(q, error, told);
  raise(q, error, address);
  tell(q, QueueState::Failed, error, address);
}

/// As many as the channel has room for: the others wait here, in order, and none is lost.
void QueueNotices::send_interrupts() {
  while (!raised_.empty() && ports_.interrupt.can_push(me_.now())) {
    ports_.interrupt.push(raised_.front(), me_.now() + 1);
    raised_.pop_front();
  }
}

}  // namespace cuvette::command_processor
