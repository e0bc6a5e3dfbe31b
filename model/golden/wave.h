// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/memory_port.h"
#include "golden/program.h"
#include "wave/execute.h"
#include "wave/lane_rows.h"
#include "wave/retire_record.h"
#include "wave/state.h"

namespace cuvette::golden {

/// What the waves of a work-group share.
struct Workgroup {
  uint32_t index = 0;  ///< flattened id
  std::vector<uint8_t> lds;
  unsigned waves = 0;  ///< alive
  unsigned at_barrier = 0;
};

enum class WaveStatus : uint8_t { Running, AtBarrier, Ended, Failed };

/// One wavefront with its registers.
class Wave {
 public:
  /// `vgprs` and `accvgprs` are rows owned here; with a unified file the accumulation rows follow
  /// the others.
  Wave(isa::Target target, uint16_t vgprs, uint16_t accvgprs);
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  wave::WaveState state;
  Workgroup* group = nullptr;
  uint64_t id = 0;
  uint64_t order = 0;  ///< instructions issued so far
  WaveStatus status = WaveStatus::Running;
  wave::Event stopped_by = wave::Event::None;  ///< why status is Failed
  std::string failure;                         ///< text of the failure
  bool trap_on_violation =
      false;  ///< probe: a violation is recorded in TRAPSTS and the wave goes on

  bool without_short_way = false;  ///< tests: every instruction through wave::execute

  using Observer = std::function<void(const wave::RetireRecord&)>;

  /// Runs up to `limit` instructions; stops at a barrier, the end, or a failure. Returns how many
  /// were run.
  uint64_t run(uint64_t limit, Program& program, MemoryPort& port, const Observer* observer);

  /// "wave 3 pc 0x1234: v_add_f32 ..." for messages.
  std::string place(uint64_t pc, const isa::Instruction* instruction) const;

 private:
  uint64_t run_straight(Program::Entry& entry, uint64_t limit, const Program& program,
                        wave::HostSlice& slice);
  bool act(const wave::Outcome& outcome, uint64_t pc, const isa::Instruction& instruction,
           MemoryPort& port);
  void fail(wave::Event event, const std::string& text);
  void record_lanes(wave::RetireRecord& r) const;
  void record_scalar(wave::RetireRecord& r) const;
  void record(const isa::Instruction& instruction, uint64_t pc, const wave::ScalarState& before,
              const wave::Outcome& outcome, const Observer& observer) const;

  wave::LaneRows rows_;
  wave::MemoryOp op_;
  wave::MemoryReply reply_;
};

}  // namespace cuvette::golden
