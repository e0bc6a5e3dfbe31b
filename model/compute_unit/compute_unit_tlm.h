// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/fetch.h"
#include "compute_unit/matrix_unit.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/wave_context.h"
#include "wave/execute.h"

namespace cuvette::compute_unit {

/// Our implementation of the compute unit. In every cycle one SIMD has its turn (isa_notes 5): of
/// its waves, by priority and then age, at most one instruction per class is issued. The scalar
/// unit executes at issue; vector registers change when the simd, the lds, the matrix core or a
/// cache has answered.
class ComputeUnitTlm final : public ComputeUnit {
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
  std::vector<WaveReport> waves() const override;
  std::string failure() const override { return failure_; }
  simd::Simd& simd(unsigned index) override { return *simds_[index].simd; }
  lds::Lds& local_data_share() override { return *lds_; }
  Counters counters() const override;

 private:
  /// A vector instruction in a simd.
  struct VectorIssue {
    uint32_t id = 0;
    unsigned wave = 0;
    uint64_t pc = 0, order = 0, exec = 0;
    isa::Instruction instruction;
    bool scalar_result = false;
    bool has_mask = false, has_scalar = false;
    uint64_t mask = 0;
    uint32_t scalar = 0;
    uint8_t flags = 0;
    std::vector<wave::VectorWrite> writes;  ///< for the observer
  };
  /// A row on its way to the registers; the last one of an instruction completes it.
  struct FillJob {
    simd::Fill fill;
    Operation* operation = nullptr;
    std::unique_ptr<MatrixIssue> matrix;
  };
  struct SimdUnit {
    std::unique_ptr<simd::Simd> simd;
    std::unique_ptr<MatrixUnit> matrix;
    machine::Cycle issue_free_at = 0;
    std::deque<VectorIssue> under_way;
    std::deque<FillJob> memory_fills, matrix_fills;  // one port each
  };
  struct Turn {
    machine::Cycle now = 0;
    bool taken[kIssueClasses] = {};
  };

  // launch.cpp
  void take_launches(machine::Cycle now);
  void launch(const spi::WaveLaunch& record, machine::Cycle now);
  void clear_registers(const spi::WaveLaunch& record, machine::Cycle now);
  void end_waves(machine::Cycle now);
  void release_barrier(uint32_t key, machine::Cycle now);
  void fail(WaveContext& w, uint32_t code, uint64_t address, const std::string& why,
            const isa::Instruction* instruction);

  // issue.cpp
  void sequence(machine::Cycle now);
  void try_issue(WaveContext& w, Turn& turn);
  bool issue_scalar_unit(WaveContext& w, const isa::Instruction& i, Turn& turn);
  bool issue_control(WaveContext& w, const isa::Instruction& i, const wave::Outcome& outcome,
                     Turn& turn);
  bool issue_vector(WaveContext& w, const isa::Instruction& i, Turn& turn);
  bool issue_matrix(WaveContext& w, const isa::Instruction& i, Turn& turn);
  bool issue_memory(WaveContext& w, const isa::Instruction& i, Turn& turn);
  bool issue_maintenance(WaveContext& w, const isa::Instruction& i, wave::Event event,
                         uint32_t argument, Turn& turn);
  void send_to_lds(WaveContext& w, Operation& o, machine::Cycle now);
  bool block(WaveContext& w, const char* reason, machine::Cycle wake);
  bool refuse(WaveContext& w, const isa::Instruction& i, const std::string& why);
  /// Moves behind the instruction and counts it.
  void step(WaveContext& w, const isa::Instruction& i, machine::Cycle ready_at);
  void count(WaveContext& w, const isa::Instruction& i, machine::Cycle ready_at);
  /// Rows of the wave's registers for reading; staged copies when the file is no host memory.
  wave::VectorFile operands(const WaveContext& w, const isa::Instruction& i);

  // retire.cpp
  void take_retires(machine::Cycle now);
  void retire_beat(SimdUnit& unit, const simd::Retire& r);
  void retire_vector(VectorIssue& v);
  void take_lds(machine::Cycle now);
  void take_matrix(machine::Cycle now);
  void answer(Operation& o);
  void complete_scalar(Operation& o);
  void start_fill(Operation& o);
  void finish_vm(WaveContext& w);
  void done(Operation& o);
  void send_fills(machine::Cycle now);
  bool send_fill(std::deque<FillJob>& jobs, SimdUnit& unit, machine::Cycle now);
  void finish_matrix(const MatrixIssue& m);
  void record_memory(const Operation& o, std::vector<wave::ScalarWrite> scalars);

  SimdUnit& unit_of(const WaveContext& w) { return simds_[w.launch.simd]; }
  vrf::RowAddress row_of(const WaveContext& w, bool acc, unsigned index) const;
  std::string place(const WaveContext& w, uint64_t pc, const isa::Instruction* i) const;
  void wake_all() {
    for (auto& w : waves_) w.wake = 0;
  }

  Config config_;
  std::vector<SimdUnit> simds_;
  std::unique_ptr<lds::Lds> lds_;
  Fetch fetch_;
  MemoryUnit memory_;
  spi::Spi::ComputeUnitPort* port_ = nullptr;
  std::vector<WaveContext> waves_;
  std::map<uint32_t, WorkgroupContext> groups_;
  std::deque<Operation*> in_lds_;
  std::vector<Operation*> answered_;
  std::vector<wave::LaneRow> staged_;
  Observer observer_;
  std::string failure_;
  Counters counters_;
  machine::Cycle now_ = 0;
  machine::Cycle resident_since_ = 0;
  unsigned resident_ = 0;
  uint64_t launches_ = 0;
  uint32_t next_id_ = 0;
  uint32_t sequence_ = 0;
};

/// SGPRs, special registers and SCC that differ.
std::vector<wave::ScalarWrite> scalar_changes(const wave::ScalarState& before,
                                              const wave::ScalarState& after);

/// Adds `tlm` to a registry. Its factory gives null when a part is missing.
void register_tlm(Registry& registry);

}  // namespace cuvette::compute_unit
