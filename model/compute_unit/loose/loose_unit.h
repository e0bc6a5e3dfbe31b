// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/loose/levels.h"
#include "compute_unit/loose/slot.h"
#include "compute_unit/loose/time_rules.h"
#include "wave/execute.h"
#include "wave/executor/micro_op.h"
#include "wave/written.h"

namespace cuvette::compute_unit::loose {

/// The loosely timed implementation of the compute unit. In a tick every wave that can runs on the
/// decoded executor up to the end that run_ahead() has set, those with the highest priority
/// first, then the oldest; waves that a barrier releases come one after the other to their first
/// wait behind it. Time goes by rules (time_rules.h) and by accounts of what it shares with the
/// others (token_rate.h, levels.h). Effects on memory take place when the instruction runs.
class LooseUnit final : public ComputeUnit {
 public:
  /// `config.address_space` is set.
  explicit LooseUnit(const Config& config);

  void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port&, cache::Cache::Port&,
               cache::Cache::Port&) override {
    port_ = &waves;
  }
  bool reach(DirectMemory& memory) override {
    memory_ = &memory;
    return true;
  }
  void run_ahead(machine::Cycle end) override { end_ = end; }
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  void observe(Observer observer) override { observer_ = std::move(observer); }
  bool watch(Watcher watcher) override {
    watcher_ = std::move(watcher);
    return true;
  }
  bool watch_residency(ResidencyWatcher watcher) override {
    residency_watcher_ = std::move(watcher);
    return true;
  }
  void tell_residents(machine::Cycle now, const ResidencyWatcher& tell) const override;
  std::vector<WaveReport> waves() const override;
  std::string failure() const override { return failure_; }
  std::string failure_of(uint64_t wave) const override {
    const auto found = failures_.find(wave);
    return found == failures_.end() ? std::string() : found->second;
  }
  lds::Lds::Counters lds_counters() const override { return lds_counters_; }
  Counters counters() const override { return counters(now_); }
  Counters counters(machine::Cycle now) const override;
  std::optional<uint32_t> inspect(unsigned simd, unsigned slot, uint32_t index,
                                  unsigned lane) const override;

 private:
  /// Token rates of the units that the waves of a SIMD share.
  struct SimdRates {
    TokenRate vector, scalar, matrix;
  };
  /// Times of the blocks of a view's program, by their number.
  struct BlockTime {
    bool made = false;
    std::vector<Step> steps;
    uint64_t fetched_in = 0;  // code epoch in which its lines came
    machine::Cycle fetched_at = 0;
  };
  /// A VMID's view, and what was counted and found out about its code.
  struct Code {
    std::unique_ptr<AddressView> view;
    std::vector<BlockTime> times;
    uint64_t clearings = 0;
    std::vector<uint64_t> by_row;                        // executed before the last renewal
    std::unordered_map<uint64_t, machine::Cycle> lines;  // of code, when they came
  };

  /// State before an instruction that is observed.
  struct Before {
    wave::ScalarState scalars;
    wave::WrittenSet written;
  };

  // loose_unit.cpp
  void run_waves();
  bool can_run(const Slot& w) const;
  void send();
  Code& code_of(unsigned vmid);
  void renew_code();
  void advance(Slot& w, machine::Cycle to, Stall reason);
  Stall waiting_for(const Slot& w) const;
  std::vector<uint64_t> executed_by_row() const;
  void tell_cycles(const Slot& w, std::optional<Stall> stall, machine::Cycle cycles,
                   machine::Cycle end) const;
  void tell_slept(Slot& w, machine::Cycle end) const;
  void tell_issued(Slot& w, machine::Cycle cycles, Stall behind) const;
  void tell(const Slot& w, Activity::Kind kind, machine::Cycle time, uint64_t pc,
            const isa::Instruction* instruction, wave::Relative relative) const;

  // launch.cpp
  void take_launches();
  void launch(const spi::WaveLaunch& record);
  void join_group(Slot& w, const spi::WaveLaunch& record);
  void end_wave(Slot& w);
  void release_barrier(Group& group);
  void leave_program(Slot& w);
  void fail(Slot& w, uint32_t code, uint64_t address, const std::string& why,
            const isa::Instruction* instruction);

  // driver.cpp
  void run(Slot& w);
  bool enter_code(Slot& w);
  BlockTime& time_of(Slot& w, const wave::Program::Block& block);
  machine::Cycle fetch(Slot& w, uint64_t begin, uint64_t end);
  machine::Cycle far_of(const Slot& w) const;
  bool run_block(Slot& w, wave::Program::Block& block, wave::Context& context);
  void jump(Slot& w);
  void pass_part(Slot& w, const wave::Program::Block& block, size_t micro_ops, uint32_t before,
                 unsigned lanes);
  void pass(Slot& w, const Step& step, uint32_t instructions, unsigned lanes);
  void end_step(Slot& w, const Step& step, unsigned lanes);
  machine::Cycle share_access(const isa::Instruction& i, machine::Cycle issued, unsigned lanes);
  void wait(Slot& w, const isa::Instruction& waitcnt);
  bool refuse(Slot& w, const isa::Instruction& i, const std::string& why);

  // reference.cpp
  void run_reference(Slot& w, wave::Program::Entry& entry);
  bool access(Slot& w, uint64_t pc, const isa::Instruction& i);
  void control(Slot& w, const wave::Outcome& outcome, uint64_t pc, const isa::Instruction& i);
  void wake(Slot& w, machine::Cycle now);
  void record(const Slot& w, const Before& before, uint64_t pc, const isa::Instruction& i,
              const wave::Outcome& outcome, uint8_t flags) const;

  // control.cpp
  void take_commands();
  void command(const spi::WaveCommand& c);
  void save(const spi::WaveCommand& c);
  void enter_save(Slot& w);
  void end_halted(Slot& w, const isa::Instruction* instruction);

  // gds_path.cpp
  void send_to_gds(Slot& w, uint64_t pc, const isa::Instruction& i);
  void take_gds();
  void finish_gds(Slot& w, const gds::Response& response);
  void leave_gds(Slot& w);

  template <class Act>
  void for_resident(Act act) {
    for (Slot* w : std::vector<Slot*>(resident_)) act(*w);
  }

  Config config_;
  TimeRules rules_;
  Levels levels_;
  machine::Cycle refill_;  // of an instruction buffer with what the cache has
  spi::Spi::ComputeUnitPort* port_ = nullptr;
  DirectMemory* memory_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<Slot*> resident_;  // by age
  std::vector<std::unique_ptr<Group>> groups_, spare_groups_;
  std::vector<std::unique_ptr<Code>> codes_;  // by VMID
  std::vector<SimdRates> simds_;
  TokenRate lds_rate_, lds_answers_, coalescer_;
  uint64_t code_epoch_ = 1;
  bool any_dispatch_ = false;
  uint32_t newest_dispatch_ = 0;

  /// Messages of waves, each at its own time, in order of time.
  template <class T>
  using Sent = std::vector<std::pair<machine::Cycle, T>>;
  template <class T>
  static void put(Sent<T>& sent, machine::Cycle time, T message) {
    auto at = sent.end();
    while (at != sent.begin() && std::prev(at)->first > time) --at;
    sent.emplace(at, time, std::move(message));
  }

  // State of the tick at hand.
  machine::Cycle now_ = 0, end_ = 0;
  uint64_t budget_ = 0;      // instructions
  std::vector<Slot*> turn_;  // waves that can run
  wave::MemoryOp op_;
  wave::MemoryReply reply_;
  machine::Cycle answered_ = 0;  // of the access at hand, by who grants no DMI
  unsigned in_lds_ = 0;          // its lanes in the LDS, where the reference has carried it out
  machine::Cycle behind_ = 0;    // so many cycles of ready_at are those behind what is issued
  bool renews_ = false;          // behind the instruction at hand code is fetched anew
  Sent<spi::WaveDone> done_;
  Sent<Message> sent_messages_;
  Sent<gds::Request> gds_requests_;

  Observer observer_;
  Watcher watcher_;
  ResidencyWatcher residency_watcher_;
  std::string failure_;                       // the first
  std::map<uint64_t, std::string> failures_;  // by wave
  bool attached_ = false;                     // waves that halt stay
  Counters counters_;
  /// Instructions by row when so many waves had begun and all had ended.
  struct Settled {
    uint64_t waves = ~uint64_t{0};
    std::vector<uint64_t> by_row;
  };
  mutable Settled settled_;
  lds::Lds::Counters lds_counters_;
  machine::Cycle busy_from_ = 0, busy_to_ = 0;  // residency that is not in busy_cycles yet
  uint64_t launches_ = 0;
  uint32_t next_request_ = 0;
};

/// Adds `loose` to a registry.
void register_loose(Registry& registry);

}  // namespace cuvette::compute_unit::loose
