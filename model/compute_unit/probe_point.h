// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/wave_context.h"
#include "hsa/address_space.h"
#include "wave/retire_record.h"

namespace cuvette::compute_unit {

/// Probe point of a compute unit: retirement records, activities of waves and cycles of residency,
/// for those who observe them. Where nobody does, a call is a test of one pointer.
class ProbePoint {
 public:
  /// `space` tells the memory types of accesses; it outlives the probe point.
  explicit ProbePoint(const hsa::AddressSpace& space) : space_(space) {}

  void observe(ComputeUnit::Observer observer) { observer_ = std::move(observer); }
  void watch(ComputeUnit::Watcher watcher) { watcher_ = std::move(watcher); }
  void watch_residency(ComputeUnit::ResidencyWatcher watcher) {
    residency_watcher_ = std::move(watcher);
  }
  /// Retirement records are wanted; activities; cycles of residency.
  bool is_observed() const { return observer_ != nullptr; }
  bool is_watched() const { return watcher_ != nullptr; }
  bool watches_residency() const { return residency_watcher_ != nullptr; }

  // Activities, with the cycle in which they happen.
  void tell_launch(const WaveContext& w, machine::Cycle now) const {
    if (watcher_) watcher_(activity_of(w, Activity::Kind::Launch, now, w.state.s.pc));
  }
  void tell_end(const WaveContext& w, machine::Cycle now) const {
    if (watcher_) watcher_(activity_of(w, Activity::Kind::End, now, w.state.s.pc));
  }
  /// The instruction that the wave is about to move behind; `relative`: of before its execution.
  /// `complete`: the first cycle in which its results can be used; kNever: tell_retired() says it.
  void tell_issue(const WaveContext& w, const isa::Instruction& instruction, uint64_t pc,
                  wave::Relative relative, machine::Cycle complete, uint32_t requests,
                  machine::Cycle now) const {
    if (watcher_) issue(w, instruction, pc, relative, complete, requests, now);
  }
  void tell_retired(const WaveContext& w, uint64_t pc, uint64_t order, machine::Cycle now) const {
    if (watcher_) retired(w, pc, order, now);
  }
  /// Request to a cache, and the answer to one by its number (MemReq::sequence).
  void tell_request(const WaveContext& w, const Operation& operation, const memory::MemReq& request,
                    machine::Cycle now) const;
  void tell_answer(const WaveContext& w, const Operation& operation, uint32_t sequence,
                   machine::Cycle now) const;
  /// Request for `bytes` of instructions from `va` on, and the answer to one.
  void tell_fetch(const WaveContext& w, const memory::MemReq& request, uint64_t va, uint32_t bytes,
                  machine::Cycle now) const;
  void tell_fetched(const WaveContext& w, uint32_t sequence, machine::Cycle now) const;
  const ComputeUnit::ResidencyWatcher& residency_watcher() const { return residency_watcher_; }

  // Retirement records; to be made only if is_observed().
  /// With everything but what the instruction writes and accesses.
  static wave::RetireRecord record_of(const WaveContext& w, const isa::Instruction& instruction,
                                      uint64_t pc, uint64_t order, uint64_t exec);
  void retire(const wave::RetireRecord& record) const { observer_(record); }
  /// An instruction that is skipped, or a hint without effect, about to be passed.
  void retire_nothing(const WaveContext& w, const isa::Instruction& instruction) const;
  void retire_memory(const WaveContext& w, const Operation& operation,
                     std::vector<wave::ScalarWrite> scalars) const;

 private:
  void issue(const WaveContext& w, const isa::Instruction& instruction, uint64_t pc,
             wave::Relative relative, machine::Cycle complete, uint32_t requests,
             machine::Cycle now) const;
  void retired(const WaveContext& w, uint64_t pc, uint64_t order, machine::Cycle now) const;
  void describe(const WaveContext& w, const Operation& operation, wave::MemoryAccess& access) const;

  const hsa::AddressSpace& space_;
  ComputeUnit::Observer observer_;
  ComputeUnit::Watcher watcher_;
  ComputeUnit::ResidencyWatcher residency_watcher_;
};

}  // namespace cuvette::compute_unit
