// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "compute_unit/compute_unit.h"
#include "compute_unit/fetch.h"
#include "compute_unit/matrix_unit.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/wave_context.h"
#include "wave/execute.h"
#include "wave/operand.h"

namespace cuvette::compute_unit {

/// Our implementation of the compute unit. In every cycle one SIMD has its turn (isa_notes 5): of
/// its waves, by priority and then age, at most one instruction per class is issued. The scalar
/// unit executes at issue; vector registers change when the simd, the lds, the matrix core or a
/// cache has answered.
class ComputeUnitTlm final : public ComputeUnit, private Backdoor {
 public:
  /// What the registries made; make() checks that all of it is there.
  struct Parts {
    std::vector<std::unique_ptr<simd::Simd>> simds;
    std::vector<std::unique_ptr<matrix_core::MatrixCore>> matrix;  ///< one per SIMD, or none
    std::unique_ptr<lds::Lds> lds;
  };
  ComputeUnitTlm(const Config& config, Parts parts);
  /// Null when a registry lacks an implementation the configuration names.
  static std::unique_ptr<ComputeUnitTlm> make(const Config& config);

  void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
               cache::Cache::Port& scalar, cache::Cache::Port& instruction) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  void observe(Observer observer) override { observer_ = std::move(observer); }
  bool watch(Watcher watcher) override {
    watcher_ = std::move(watcher);
    return true;
  }
  std::vector<WaveReport> waves() const override;
  std::vector<std::string> in_flight() const override;
  std::string failure() const override { return failure_; }
  std::string failure_of(uint64_t wave) const override {
    const auto found = failures_.find(wave);
    return found == failures_.end() ? std::string() : found->second;
  }
  simd::Simd* simd(unsigned index) override {
    due_ |= uint64_t{1} << index;
    return simds_[index].simd.get();
  }
  lds::Lds* local_data_share() override { return lds_.get(); }
  lds::Lds::Counters lds_counters() const override { return lds_->counters(); }
  Backdoor* backdoor() override { return this; }
  Counters counters() const override { return counters(now_); }
  Counters counters(machine::Cycle now) const override;
  std::optional<uint32_t> inspect(unsigned simd, unsigned slot, uint32_t index,
                                  unsigned lane) const override;

 private:
  /// A vector instruction in a simd.
  struct VectorIssue {
    uint32_t id = 0;
    unsigned wave = 0;
    uint64_t pc = 0, order = 0, exec = 0;
    const isa::Instruction* instruction = nullptr;
    bool scalar_result = false;
    bool has_mask = false, has_scalar = false;
    uint64_t mask = 0;
    uint32_t scalar = 0;
    uint8_t flags = 0;
    std::vector<wave::VectorWrite> writes;  ///< for the observer
  };
  /// A row on its way to the registers; the last one of an instruction completes it.
  struct FillJob {
    Operation* operation = nullptr;  ///< a memory instruction
    MatrixIssue* matrix = nullptr;   ///< or a matrix instruction
    uint8_t row = 0;                 ///< of its rows
    bool last = false;
    mutable bool written = false;  ///< in_place
  };
  struct SimdUnit {
    // What every cycle looks at.
    machine::Cycle next = machine::kNever;  ///< nothing happens inside before, unless it is due
    uint64_t resident = 0;                  ///< slots with a wave, one bit each
    uint64_t ending = 0;                    ///< those of them in Phase::Ending
    uint64_t without_room = 0;              ///< those whose memory instruction found no room
    // Kept by next_try().
    mutable machine::Cycle next_try = machine::kNever;  ///< the first of `try_at`
    mutable uint64_t stale = 0;  ///< slots with waves that have changed since
    mutable uint64_t passed_over =
        0;  ///< slots with waves whose turns are left out for want of words
    mutable machine::Cycle passed_turn = 0;      ///< the first of these turns
    mutable std::vector<machine::Cycle> try_at;  ///< by slot
    std::unique_ptr<simd::Simd> simd;
    std::unique_ptr<MatrixUnit> matrix;
    machine::Cycle issue_free_at = 0;
    uint32_t pipeline_cycles = 0;       // Simd::pipeline_at_issue
    std::deque<VectorIssue> under_way;  // through the simd
    using Fills = machine::Channel<FillJob>;
    Fills memory_fills{machine::kUnbounded}, matrix_fills{machine::kUnbounded};  // one port each
  };
  struct Turn {
    machine::Cycle now = 0;
    bool taken[kIssueClasses] = {};
  };

  // backdoor.cpp
  void on_violation(OnViolation what) override { on_violation_ = what; }
  const wave::ScalarState& scalars(unsigned simd, unsigned slot) const override;
  void set_scalars(unsigned simd, unsigned slot, const wave::ScalarState& state) override;
  Progress progress(unsigned simd, unsigned slot) const override;
  const std::string& failure_of(unsigned simd, unsigned slot) const override;
  const WaveContext& at(unsigned simd, unsigned slot) const {
    return waves_[simd * config_.slots + slot];
  }

  // launch.cpp
  void take_launches(machine::Cycle now);
  void launch(const spi::WaveLaunch& record, machine::Cycle now);
  void clear_registers(const spi::WaveLaunch& record, machine::Cycle now);
  void end_waves(machine::Cycle now);
  void release_barrier(uint32_t key, machine::Cycle now);
  std::string near_buffer(const WaveContext& w, uint64_t address) const;
  void fail(WaveContext& w, uint32_t code, uint64_t address, const std::string& why,
            const isa::Instruction* instruction);

  // debug.cpp
  void take_commands(machine::Cycle now);
  void command(const spi::WaveCommand& c, machine::Cycle now);
  void kill(WaveContext& w);
  void begin_end(WaveContext& w);
  void save(const spi::WaveCommand& c, machine::Cycle now);
  void end_halted(WaveContext& w, const isa::Instruction* instruction);

  // issue.cpp
  void sequence(machine::Cycle now);
  void try_issue(WaveContext& w, Turn& turn);
  bool issue_scalar_unit(WaveContext& w, const Code& code, Turn& turn);
  bool issue_control(WaveContext& w, const isa::Instruction& i, const wave::Outcome& outcome,
                     Turn& turn);
  std::string why_lacking(const isa::Instruction& i, unsigned simd) const;
  bool at_issue(const WaveContext& w, const Code& code) const;
  void execute_vector(WaveContext& w, const Code& code, machine::Cycle now);
  bool issue_vector(WaveContext& w, const Code& code, Turn& turn);
  bool issue_matrix(WaveContext& w, const Code& code, Turn& turn);
  bool matrix_results_ready(WaveContext& w, const isa::Instruction& i, machine::Cycle now);
  bool issue_memory(WaveContext& w, const Code& code, Turn& turn);
  bool issue_maintenance(WaveContext& w, const Code& code, wave::Event event, uint32_t argument,
                         Turn& turn);
  bool block(WaveContext& w, Stall reason, machine::Cycle wake);
  bool block_for_room(WaveContext& w, Stall reason);
  void tell_of_room(machine::Cycle from);
  bool loses_again(const WaveContext& w, const Turn& turn);
  void start_stall(WaveContext& w, Stall reason, machine::Cycle since);
  void end_stall(WaveContext& w) { end_stall(w, now_); }
  void end_stall(WaveContext& w, machine::Cycle end);
  void account(WaveContext& w, machine::Cycle end) {
    changed(w);
    w.residency.account(end, w.ready_at, w.sleeping, counters_);
  }
  void follow_halt(WaveContext& w, machine::Cycle now);
  // traps.cpp
  void raise(WaveContext& w, uint32_t exceptions, unsigned length);
  bool take_trap(WaveContext& w, machine::Cycle now);
  bool enter_code(WaveContext& w);
  void enter_save(WaveContext& w, machine::Cycle now);
  void go_to_handler(WaveContext& w, machine::Cycle now);
  bool records_violations(const WaveContext& w) const;
  bool refuse(WaveContext& w, const isa::Instruction& i, const std::string& why);
  /// The instruction is issued: moves behind it and counts it.
  void step(WaveContext& w, const Code& code, machine::Cycle ready_at);
  void move_behind(WaveContext& w, const Code& code, machine::Cycle ready_at);
  void count(WaveContext& w, const Code& code, machine::Cycle ready_at);
  /// Rows of the wave's registers for reading; staged copies when the file is no host memory.
  wave::VectorFile operands(const WaveContext& w, const isa::Instruction& i);

  // lds_way.cpp
  void send_to_lds(WaveContext& w, Operation& o, machine::Cycle now);
  void start_transfer(Operation& o, LdsStep step);
  void send_transfer(machine::Cycle now);
  void take_lds(machine::Cycle now);

  // gds_way.cpp
  void send_to_gds(WaveContext& w, Operation& o, machine::Cycle now);
  void take_gds(machine::Cycle now);
  void leave_gds(WaveContext& w);
  Operation& in_gds(uint32_t request);

  // retire.cpp
  void take_retires(machine::Cycle now);
  void retire_beat(SimdUnit& unit, const simd::Retire& r);
  void retire_vector(VectorIssue& v);
  void take_matrix(machine::Cycle now);
  void answer(Operation& o);
  void complete_scalar(Operation& o);
  void start_fill(Operation& o);
  void merge_halves(Operation& o, unsigned r, SimdUnit& unit);
  void finish_vm(WaveContext& w);
  void done(Operation& o);
  void send_fills(machine::Cycle now);
  void take_written(machine::Cycle now);
  void write_row(const FillJob& job, SimdUnit& unit);
  simd::Fill fill_of(const FillJob& job, SimdUnit& unit);
  void row_written(WaveContext& w, uint32_t matrix) {
    w.matrix.row_written(matrix);
    wake(w);
  }
  bool send_fill(SimdUnit::Fills& jobs, SimdUnit& unit, machine::Cycle now);
  void finish_matrix(const MatrixIssue& m);
  void record_nothing(const WaveContext& w, const isa::Instruction& i) const;
  void record_memory(const Operation& o, std::vector<wave::ScalarWrite> scalars);
  void describe(const Operation& o, wave::MemoryAccess& access) const;

  /// For those who may put something into its simd or matrix core.
  SimdUnit& unit_of(const WaveContext& w) {
    due_ |= uint64_t{1} << w.launch.simd;
    return simds_[w.launch.simd];
  }
  /// Calls `act` with every simd that is due, by index.
  template <class Act>
  void for_due(Act act) {
    for_units(due_, act);
  }
  template <class Act>
  void for_units(uint64_t units, Act act) {
    for (uint64_t left = units; left != 0; left &= left - 1) {
      act(simds_[static_cast<unsigned>(std::countr_zero(left))]);
    }
  }
  static machine::Cycle next_of(const SimdUnit& unit);
  /// The first turn of a simd from `from` on.
  machine::Cycle turn_of(unsigned simd, machine::Cycle from) const {
    return from + (simd + config_.simds - from % config_.simds) % config_.simds;
  }
  /// Without an instruction, nothing but to wait for one happens at the wave's turn.
  static bool only_fetches(const WaveContext& w) {
    return w.raised == 0 && w.valu == 0 && !w.saves && w.code.contains(w.state.s.pc);
  }
  machine::Cycle next_try(unsigned simd) const;
  machine::Cycle next_end() const;
  void catch_up(machine::Cycle now);
  machine::Cycle unseen_fetch(const WaveContext& w, machine::Cycle now) const;
  /// Calls `act` with every wave that has a slot, by index. `act` may free it.
  template <class Act>
  void for_resident(Act act) {
    for_slots(&SimdUnit::resident, act);
  }
  template <class Act>
  void for_ending(Act act) {
    for_slots(&SimdUnit::ending, act);
  }
  template <class Act>
  void for_slots(uint64_t SimdUnit::* slots, Act act) {
    for (uint64_t simds = occupied_; simds != 0; simds &= simds - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(simds));
      for (uint64_t left = simds_[s].*slots; left != 0; left &= left - 1) {
        act(waves_[s * config_.slots + static_cast<unsigned>(std::countr_zero(left))]);
      }
    }
  }
  WorkgroupContext& group_of(uint32_t key);
  vrf::RowAddress row_of(const WaveContext& w, bool acc, unsigned index) const;
  void tell(const WaveContext& w, Activity::Kind kind, uint64_t pc,
            const isa::Instruction* instruction = nullptr, wave::Relative relative = {}) const;
  /// What the wave waits for may be there: it is tried at its next turn.
  void wake(WaveContext& w) {
    w.wake = std::min(w.wake, wake_time_);
    changed(w);
  }
  /// When the wave is to be tried is not known any more.
  void changed(const WaveContext& w) {
    simds_[w.launch.simd].stale |= uint64_t{1} << w.launch.slot;
  }

  Config config_;
  std::vector<SimdUnit> simds_;
  uint64_t due_ = 0;       // simds into which something was put since `next` was found
  uint64_t filling_ = 0;   // simds with rows that wait for their write port
  uint64_t occupied_ = 0;  // simds with a wave
  machine::Cycle simds_next_ = machine::kNever;  // the first SimdUnit::next
  std::unique_ptr<lds::Lds> lds_;
  machine::Cycle lds_next_ = 0;  // its next event, while there is no request
  Fetch fetch_;
  MemoryUnit memory_;
  spi::Spi::ComputeUnitPort* port_ = nullptr;
  std::vector<WaveContext> waves_;
  std::vector<WorkgroupContext> groups_;  // resident, in no order
  base::Ring<Operation*> in_lds_;         // in the order of their requests
  std::vector<Operation*> in_gds_;        // in the order of their requests
  base::Ring<Operation*> transfers_;      // that have yet to be sent to the lds
  std::vector<Operation*> answered_;
  std::vector<wave::LaneRow> staged_;
  std::vector<std::pair<uint64_t, WaveContext*>> candidates_;  // of one turn, by precedence
  Observer observer_;
  Watcher watcher_;
  std::string failure_;                       // the first
  std::map<uint64_t, std::string> failures_;  // by wave
  OnViolation on_violation_ = OnViolation::EndWave;
  bool attached_ = false;  // waves that halt stay
  Counters counters_;
  machine::Cycle now_ = 0;
  machine::Cycle wake_time_ = 0;  // the first cycle in which who is woken now can be tried
  machine::Cycle resident_since_ = 0;
  unsigned resident_ = 0;
  unsigned ending_ = 0;  // waves in Phase::Ending
  uint64_t launches_ = 0;
  uint32_t next_id_ = 0;
  uint32_t sequence_ = 0;
};

/// What reports say of a wave that a sync holds.
const char* text_of(wave::SyncOp sync);

/// Adds `tlm` to a registry. Its factory gives null when a part is missing.
void register_tlm(Registry& registry);

}  // namespace cuvette::compute_unit
