// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "command_processor/queue_notices.h"
#include "command_processor/queue_run.h"

namespace cuvette::command_processor {

/// Context save of a queue that leaves with waves under way: its control stack says how they go on.
/// The layout of the stack is Cuvette's own (docs/reference/command_processor.md).
class ContextSave : public Firmware {
 public:
  ContextSave(MicroEngine& me, QueueNotices& notices) : Firmware(me), notices_(notices) {}

  /// A dispatch runs that can be asked to save its waves, and no other is being saved.
  static bool may_ask(const QueueRun& queue);
  void ask(QueueRun& queue);
  /// A work-group that the spi has saved.
  void take(const spi::SavedGroup& group) { groups_[group.dispatch].push_back(group); }
  void take_saved(QueueRun& queue, const InFlight& launched);
  /// Work-groups of a dispatch that is over.
  void forget(uint32_t dispatch) { groups_.erase(dispatch); }
  Task store(QueueRun& queue);
  /// Reads the control stack, before any packet of the ring. `dispatches`: those that go on.
  Task load(QueueRun& queue, PacketContext& taken, std::vector<SavedDispatch>& dispatches);

 private:
  QueueNotices& notices_;
  std::map<uint32_t, std::vector<spi::SavedGroup>> groups_;  // by dispatch, until its DispatchDone
};

}  // namespace cuvette::command_processor
