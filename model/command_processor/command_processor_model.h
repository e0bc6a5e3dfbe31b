// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/occupancy.h"
#include "command_processor/command_processor.h"
#include "command_processor/context_save.h"
#include "command_processor/micro_engine.h"
#include "command_processor/packet_processor.h"
#include "command_processor/pm4_engine.h"
#include "command_processor/pm4_ring.h"
#include "command_processor/queue_notices.h"
#include "command_processor/queue_scheduler.h"
#include "command_processor/queue_service.h"
#include "command_processor/queue_table.h"
#include "command_processor/register_grids.h"

namespace cuvette::command_processor {

/// Command processor whose firmware is written as coroutines, one for each queue and for each
/// packet under way. Parts of the firmware know those above them in the list of members. This class
/// moves messages between the ports and the coroutines.
class CommandProcessorModel final : public CommandProcessor {
 public:
  explicit CommandProcessorModel(const Config& config);

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far) override {
    me_.connect(spi, memory, near, far);
  }
  uint32_t bind(const QueueBinding& queue, machine::Cycle when) override;
  void unbind(uint32_t queue) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  Counters counters() const override { return me_.counters(); }
  std::optional<Detail> detail(machine::Cycle now) const override {
    return Detail{working_.busy(now), in_memory_.busy(now), me_.decode_cycles()};
  }
  std::vector<std::string> take_reports() override { return notices_.take_reports(); }
  std::vector<QueueReport> queues() const override;
  bool on_stage(OnStage observer) override {
    notices_.observe(std::move(observer));
    return true;
  }

 private:
  void take_doorbells();
  void take_dequeues();
  void take_registers();
  void take_from_spi();
  void take_agents();
  void take_done(const spi::DispatchDone& done);
  void take_end(MicroEngine::Operation& op);
  void run_ready();
  bool settle();

  MicroEngine me_;
  QueueTable queues_;
  QueueNotices notices_;
  RegisterGrids grids_;
  QueueScheduler scheduler_;
  Pm4Engine pm4_;
  Pm4Ring ring_;
  ContextSave context_;
  PacketProcessor packets_;
  QueueService service_;
  bool resumed_ = false;  // a coroutine has run since settle() looked
  base::Occupancy working_, in_memory_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::command_processor
