// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "command_processor/queue_notices.h"
#include "command_processor/queue_table.h"

namespace cuvette::command_processor {

/// Grids from registers: PM4 packets that set registers, and the dispatch that a write of
/// COMPUTE_DISPATCH_INITIATOR starts.
class RegisterGrids : public Firmware {
 public:
  RegisterGrids(MicroEngine& me, QueueTable& queues, QueueNotices& notices)
      : Firmware(me), queues_(queues), notices_(notices) {}

  Task set_sh_reg(QueueRun& queue, Pm4Run& run);
  Task set_uconfig_reg(QueueRun& queue, Pm4Run& run);
  Task dispatch_direct(QueueRun& queue, Pm4Run& run);
  Task dispatch_indirect(QueueRun& queue, Pm4Run& run);
  /// A grid that the registers have started.
  void take_launch(const RegisterLaunch& grid);

 private:
  Task set_registers(QueueRun& queue, Pm4Run& run, uint32_t first, uint32_t end);
  Task start_grid(QueueRun& queue, Pm4Run& run, std::array<uint32_t, 3> groups, uint32_t initiator);
  Task run_grid(QueueRun& queue, InFlight& entry, RegisterLaunch grid);
  Task fail_grid(QueueRun& queue, uint32_t error, uint64_t address);

  QueueTable& queues_;
  QueueNotices& notices_;
};

}  // namespace cuvette::command_processor
