// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/machine.h"
#include "host/golden_view.h"
#include "hsa/target.h"
#include "spi/initial_state.h"
#include "spi/spi.h"

namespace cuvette::host {

/// Spi of the golden engine for the command processor: runs every dispatch as a whole on the golden
/// machine, in the cycle in which it arrives. Kernels that wait for one another therefore end by
/// the watchdog.
///
/// A dispatch that the stop point has made stand still goes on piece by piece, one in each cycle,
/// so that what the host does about it arrives.
class GoldenSpi final : public spi::Spi {
 public:
  /// `memory` outlives it. Compute units and shader engines are there to be masked only.
  GoldenSpi(hsa::DeviceMemory& memory, const hsa::TargetId& target, const golden::Config& config,
            unsigned compute_units = 1, unsigned shader_engines = 1);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override {
    const machine::Cycle own =
        standing_ || !over_.empty() || !waiting_.empty() ? go_on_at_ : machine::kNever;
    return std::min({own, dispatch.next_event(), cancel.next_event()});
  }
  unsigned compute_units() const override { return 0; }  // with waves of their own
  ComputeUnitPort& compute_unit(unsigned) override { return none_; }

  /// Page tables of VMIDs, and the doorbells that waves can ring; without, there are none.
  /// `contexts` outlives it.
  void see_by(const gpu::VmContexts& contexts);
  /// Doorbells that waves have rung since the last call.
  std::vector<command_processor::Doorbell> take_rung();

  /// A dispatch asks `stop`, which is that of the config, to stop for StopReason::Cycles after so
  /// many instructions; 0: never.
  void stop_after(uint64_t instructions) { stop_after_ = instructions; }
  /// Scratch memory is that of the queue, also where VMIDs have no page tables; without, the golden
  /// machine allocates some.
  void use_scratch_of_queues() { scratch_of_queues_ = true; }
  /// Work executed by all dispatches that are over.
  struct Work {
    uint64_t instructions = 0, waves = 0;        ///< instructions of waves
    std::map<const isa::Row*, uint64_t> by_row;  ///< instructions
  };
  const Work& work() const { return work_; }
  /// Called for every retirement, in dispatches that begin later.
  void on_retire(golden::Machine::Observer observer) { machine_.observe(std::move(observer)); }

  /// Reports the waves of the dispatch that stands, when one does.
  /// Neither argument is changed without one. `dispatch`: spi::Dispatch::id.
  void look(std::vector<golden::WaveReport>& waves, uint32_t& dispatch);

  /// Dispatches that failed since the last call, a line each.
  std::vector<std::string> take_errors() { return std::exchange(errors_, {}); }

 private:
  void run(const spi::Dispatch& dispatch, machine::Cycle now);
  void go_on(machine::Cycle now);
  void take_cancel(const spi::Cancel& cancel, machine::Cycle now);
  void finish(const base::Result<golden::Report>& report, machine::Cycle now);
  void stand(uint64_t instructions, machine::Cycle now);
  spi::DispatchDone refuse(const spi::Dispatch& d, uint32_t code, uint64_t address,
                           const std::string& text);
  /// False: `done` says why, or that there is nothing to run.
  bool prepare(const spi::Dispatch& d, golden::DispatchRequest& request, spi::DispatchDone& done);
  base::Result<hsa::KernelInfo> kernel_at(const hsa::DeviceMemory& memory, uint64_t address) const;

  hsa::DeviceMemory& memory_;
  hsa::TargetId target_;
  std::unique_ptr<GoldenView> view_;
  golden::Machine machine_;
  base::StopPoint* stop_;
  /// The dispatch that golden has under way, and what it is made of.
  spi::Dispatch dispatch_;
  hsa::KernelInfo kernel_;
  bool standing_ = false;
  std::deque<spi::Dispatch> waiting_;  // for the one that stands
  std::deque<uint32_t> over_;          // ids of those of them that were cancelled
  machine::Cycle go_on_at_ = 0;
  uint64_t stop_after_ = 0, since_stop_ = 0;  // instructions
  uint64_t done_before_ = 0;                  // of the dispatch, when it stood last
  bool scratch_of_queues_ = false;
  Work work_;
  unsigned units_, engines_;
  ComputeUnitPort none_;
  std::vector<std::string> errors_;
};

}  // namespace cuvette::host
