// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "command_processor/queue_run.h"

namespace cuvette::command_processor {

/// Queues by number, with the packets they have under way.
class QueueTable {
 public:
  using Queues = std::map<uint32_t, std::unique_ptr<QueueRun>>;

  Queues::const_iterator begin() const { return queues_.begin(); }
  Queues::const_iterator end() const { return queues_.end(); }
  /// Null: there is none.
  QueueRun* find(uint32_t number) const;

  /// A queue with the next number.
  QueueRun& add();
  /// A queue for grids of a slot without one: nobody else sees it.
  QueueRun& add_hidden(uint32_t number, uint8_t vmid);

  /// The queue takes no packets any more; it is forgotten when nothing of it runs.
  void unbind(QueueRun& queue);
  bool has_unbound() const { return unbound_ != 0; }
  void forget_unbound();
  void let_leave();

  /// An entry for a packet that is launched now.
  std::unique_ptr<InFlight> in_flight();
  InFlight& launch(QueueRun& queue, std::unique_ptr<InFlight> entry);

  /// After coroutines have run: entries that are over go, and one coroutine that waited for that,
  /// or whose condition holds, is resumed. False: there was none.
  bool settle();

 private:
  Queues queues_;
  std::vector<std::unique_ptr<InFlight>> spare_;
  uint32_t next_queue_ = 0;
  unsigned unbound_ = 0;
};

}  // namespace cuvette::command_processor
