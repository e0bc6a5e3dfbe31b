// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "command_processor/queue_run.h"

namespace cuvette::command_processor {

/// Notices of queues to the host: interrupts, states, errors in the inactive signal, stages of
/// packets for observers.
class QueueNotices : public Firmware {
 public:
  /// `ports`: with the channels `interrupt` and `queue_status`; outlives this.
  QueueNotices(MicroEngine& me, CommandProcessor& ports) : Firmware(me), ports_(ports) {}

  void observe(CommandProcessor::OnStage observer) { on_stage_ = std::move(observer); }

  void raise(const QueueRun& queue, uint32_t source, uint64_t context);
  void reach(const QueueRun& queue, uint64_t packet, CommandProcessor::Stage stage) const;
  void tell(const QueueRun& queue, QueueState state, uint32_t error = 0, uint64_t address = 0);
  Task tell_inactive(QueueRun& queue, int64_t code, bool& good);
  Task fail(QueueRun& queue, uint32_t error, uint64_t address);

  void report(std::string text) { reports_.push_back(std::move(text)); }
  std::vector<std::string> take_reports() { return std::exchange(reports_, {}); }

  bool waits() const { return !raised_.empty(); }
  void send_interrupts();

 private:
  CommandProcessor& ports_;
  std::deque<Interrupt> raised_;  // waiting for room in `interrupt`
  std::vector<std::string> reports_;
  CommandProcessor::OnStage on_stage_;
};

}  // namespace cuvette::command_processor
