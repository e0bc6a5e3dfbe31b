// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gds/answer_queue.h"
#include "gds/gds.h"
#include "gds/share_data.h"
#include "gds/share_schedule.h"
#include "gds/sync_unit.h"

namespace cuvette::gds {

/// The global data share cycle by cycle, as docs/reference/gds.md states it under Timing: requests
/// of the compute units in turn, a beat a cycle; the memory and the sync unit, which work beside
/// each other; responses of both in turns, a beat a cycle. A message to the block is visible in the
/// cycle of its first beat, one from the block in the cycle behind its last beat.
class GdsModel final : public Gds {
 public:
  explicit GdsModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned compute_units() const override { return static_cast<unsigned>(ports_.size()); }
  Port& compute_unit(unsigned index) override { return *ports_[index]; }
  bool wants_waves() const override;
  uint32_t size() const override { return data_.size(); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override {
    data_.peek(address, bytes, count);
  }
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override {
    data_.poke(address, bytes, count);
  }
  Counters counters() const override;

 private:
  /// The request whose beats come in.
  struct Intake {
    unsigned unit = 0;
    Request request;
    machine::Cycle first = 0;  ///< cycle in which its first beat is taken
    bool syncs() const { return request.withdraw || request.sync != wave::SyncOp::None; }
  };

  void step_sync(machine::Cycle now);
  machine::Cycle next_wave() const;
  machine::Cycle last_beat(const Intake& who) const;
  machine::Cycle acting(const Intake& who) const;
  void act(const Intake& who, machine::Cycle now);
  void take_request(machine::Cycle now);
  machine::Cycle next_request() const;
  machine::Cycle next_reply() const;
  void reply(machine::Cycle now);

  std::vector<std::unique_ptr<Port>> ports_;
  ShareData data_;
  ShareSchedule share_;
  SyncUnit sync_;
  AnswerQueue sync_answers_;
  uint32_t latency_, waves_per_cycle_;
  std::optional<Intake> intake_;
  unsigned next_unit_ = 0;         ///< that goes first
  machine::Cycle sync_from_ = 0;   ///< the sync unit does nothing more before
  bool share_goes_first_ = true;   ///< of the two parts that answer
  machine::Cycle reply_from_ = 0;  ///< next response, at the earliest
  Counters counters_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::gds
