// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/fetch.h"
#include "compute_unit/gds_path.h"
#include "compute_unit/issue_stage.h"
#include "compute_unit/lds_path.h"
#include "compute_unit/matrix_port.h"
#include "compute_unit/memory_port.h"
#include "compute_unit/memory_retirement.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/probe_point.h"
#include "compute_unit/request_ids.h"
#include "compute_unit/scalar_unit.h"
#include "compute_unit/sequencer.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/statistics.h"
#include "compute_unit/trap_unit.h"
#include "compute_unit/vector_port.h"
#include "compute_unit/vector_registers.h"
#include "compute_unit/vector_retirement.h"
#include "compute_unit/wakeup_schedule.h"
#include "compute_unit/wave_commands.h"
#include "compute_unit/wave_launcher.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/wave_termination.h"
#include "compute_unit/workgroups.h"
#include "compute_unit/write_back.h"

namespace cuvette::compute_unit {

/// Compute unit made of units with one job each, around the contexts of its waves. The scalar unit
/// executes at issue; vector registers change when the simd, the lds, the matrix core or a cache
/// has answered. Units know those above them in the list of members. This class moves messages
/// between the ports and the units, once per cycle.
class ComputeUnitModel final : public ComputeUnit, private Backdoor {
 public:
  /// Components of a compute unit, built by the registries; make() checks that none is missing.
  struct Parts {
    std::vector<std::unique_ptr<simd::Simd>> simds;
    std::vector<std::unique_ptr<matrix_core::MatrixCore>> matrix;  ///< one per SIMD, or none
    std::unique_ptr<lds::Lds> lds;
  };
  ComputeUnitModel(const Config& config, Parts parts);
  /// Null when a registry lacks an implementation the configuration names.
  static std::unique_ptr<ComputeUnitModel> make(const Config& config);

  void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
               cache::Cache::Port& scalar, cache::Cache::Port& instruction) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  void observe(Observer observer) override { probe_.observe(std::move(observer)); }
  bool watch(Watcher watcher) override {
    watch_requests(watcher != nullptr);
    probe_.watch(std::move(watcher));
    return true;
  }
  bool watch_residency(ResidencyWatcher watcher) override {
    probe_.watch_residency(std::move(watcher));
    return true;
  }
  void tell_residents(machine::Cycle now, const ResidencyWatcher& tell) const override;
  std::vector<WaveReport> waves() const override;
  std::vector<std::string> in_flight() const override;
  std::string failure() const override { return termination_.failure(); }
  std::string failure_of(uint64_t wave) const override { return termination_.failure_of(wave); }
  simd::Simd* simd(unsigned index) override {
    simds_.make_due(index);
    return simds_[index].simd.get();
  }
  lds::Lds* local_data_share() override { return &lds_path_.lds(); }
  lds::Lds::Counters lds_counters() const override { return lds_path_.lds().counters(); }
  std::optional<lds::Lds::Detail> lds_detail() const override { return lds_path_.lds().detail(); }
  Backdoor* backdoor() override { return this; }
  Counters counters() const override { return counters(slots_.now()); }
  Counters counters(machine::Cycle now) const override;
  std::optional<uint32_t> inspect(unsigned simd, unsigned slot, uint32_t index,
                                  unsigned lane) const override;

 private:
  // backdoor.cpp
  void on_violation(OnViolation what) override { traps_.on_violation(what); }
  const wave::ScalarState& scalars(unsigned simd, unsigned slot) const override;
  void set_scalars(unsigned simd, unsigned slot, const wave::ScalarState& state) override;
  Progress progress(unsigned simd, unsigned slot) const override;
  const std::string& failure_of(unsigned simd, unsigned slot) const override;

  Residency account_resident(const WaveContext& w, machine::Cycle end, Counters& into,
                             const ResidencyWatcher& tell) const;
  void watch_requests(bool watched);
  void take_launches(machine::Cycle now);
  void take_commands(machine::Cycle now);
  void take_words(machine::Cycle now);
  void take_answers();
  void send_rows(machine::Cycle now);
  std::string waits_for(const WaveContext& w) const;

  Config config_;
  spi::Spi::ComputeUnitPort* port_ = nullptr;
  uint32_t sequence_ = 0;  // MemReq::sequence of the next request to a cache
  RequestIds ids_;
  std::vector<Operation*> answered_;  // memory instructions, in this cycle

  Statistics statistics_;
  ProbePoint probe_;
  WaveSlots slots_;
  Fetch fetch_;
  StallAccounting stalls_;
  WakeupSchedule wakeup_;
  SimdUnits simds_;
  VectorRegisters registers_;
  MemoryUnit memory_;
  LdsPath lds_path_;
  GdsPath gds_path_;
  Workgroups groups_;
  WaveTermination termination_;
  TrapUnit traps_;
  WriteBack write_back_;
  MemoryRetirement memory_retirement_;
  VectorRetirement vector_retirement_;
  MatrixRetirement matrix_retirement_;
  IssueStage stage_;
  ScalarUnit scalar_unit_;
  VectorPort vector_port_;
  MatrixPort matrix_port_;
  MemoryPort memory_port_;
  Sequencer sequencer_;
  WaveLauncher launcher_;
  WaveCommands commands_;
};

/// Adds `tlm` to a registry. Its factory gives null when a part is missing.
void register_tlm(Registry& registry);

}  // namespace cuvette::compute_unit
