// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "compute_unit/compute_unit.h"
#include "machine/gpu_config.h"
#include "memory/memory_messages.h"
#include "run/trace/filter.h"
#include "run/trace/options.h"
#include "run/trace/writer.h"

namespace cuvette::run {

class TimedGpu;
struct EngineReport;

/// Stream of trace events of one GPU: from its observers, through filter, window and limit, in one
/// order to a writer. Events wait for those of other parts of the machine that are told later and
/// happened earlier; none is older than the simulation's time, so what is kept is bounded by how
/// far parts run ahead of it.
class TraceStream {
 public:
  /// Name of the kernel whose waves begin at that address; "" when nobody knows it.
  using KernelName = std::function<std::string(uint64_t entry)>;
  /// Errors: what check_trace() finds, a compute unit that the machine lacks.
  static base::Result<std::unique_ptr<TraceStream>> make(const TraceOptions& options,
                                                         const machine::GpuConfig& description,
                                                         KernelName kernel_name);

  /// Sets the observers of the GPU but those of activity, residency and packets, which others may
  /// share.
  void attach(TimedGpu& gpu);
  /// False when the file shows no cycles of residency.
  bool wants_residency() const { return writer_->wants_stalls(); }
  /// Told by the observer of residency.
  void residency(const compute_unit::ResidencyCycles& cycles);
  /// Told by the observer of activity: an event of a wave on compute unit `unit`.
  void activity(unsigned unit, const compute_unit::Activity& activity);
  /// Told by the observer of packets: packet `index` of queue `queue` reaches a stage.
  void packet(machine::Cycle now, uint32_t queue, uint64_t index,
              command_processor::CommandProcessor::Stage stage);

  /// Writes the rest of the file, and says in the report what is not in it. A filter that no wave
  /// has met is a failure.
  void finish(EngineReport& report);

 private:
  struct Wave {
    TraceEvent begin;
    bool shown = false;  ///< to the writer
  };
  struct Kernel {
    std::string name;
    bool known = false;
  };
  struct Code {
    TraceCode code;
    std::array<uint32_t, 4> words{};
    uint8_t length = 0;
  };

  TraceStream(const TraceOptions& options, const machine::GpuConfig& description,
              KernelName kernel_name, TraceFilter filter);

  TraceEvent& add(machine::Cycle time);
  TraceEvent& add_past(machine::Cycle time);
  TraceEvent& put(machine::Cycle time);
  void drain_sometimes();
  const TraceCode& code_at(uint64_t pc, const isa::Instruction& instruction);
  const std::string& kernel_at(uint64_t pc);
  void drain(machine::Cycle before);
  void bring_near();
  void sort(std::vector<TraceEvent>& events) const;
  void pass(const TraceEvent& event);
  bool follow(const TraceEvent& event);
  bool chosen(const TraceEvent& event) const;
  void open_window();
  /// To the writer, unless the limit is reached.
  bool show(const TraceEvent& event);
  std::string left_out_text() const;

  TraceOptions options_;
  KernelName kernel_name_;
  TraceFilter filter_;
  unsigned simds_, slots_;
  std::unique_ptr<TraceWriter> writer_;
  std::function<machine::Cycle()> now_;

  // Events that wait, by time: those of the next kNear cycles by its lowest bits, the others in
  // order.
  static constexpr machine::Cycle kNear = 4096;
  std::vector<std::vector<TraceEvent>> near_;
  std::map<machine::Cycle, std::vector<TraceEvent>> far_;
  uint64_t near_count_ = 0;
  uint64_t added_ = 0;
  machine::Cycle drained_ = 0;  // earlier events have been passed on
  uint64_t late_ = 0;           // events that came after that

  std::deque<Code> codes_;
  std::unordered_map<uint64_t, Code*> code_at_;
  std::vector<Code*> recent_codes_;  // by pc, few
  std::map<uint64_t, const std::string*> kernel_at_;
  std::set<std::string> kernels_;  // that ran

  // State at the time of the event that is passed on.
  std::unordered_map<uint64_t, Wave> waves_;   // resident and chosen, by id
  std::map<uint32_t, TraceEvent> dispatches_;  // under way
  std::vector<uint8_t> slot_chosen_;           // holds a chosen wave
  bool whole_;                                 ///< no filter, window or limit
  bool window_open_ = false, window_over_ = false, met_ = false;
  machine::Cycle last_ = 0;
  TraceCounts shown_, left_out_;
};

}  // namespace cuvette::run
