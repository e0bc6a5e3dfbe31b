// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "golden/memory_port.h"
#include "golden/program.h"
#include "golden/step_memory.h"
#include "wave/code_flow.h"
#include "wave/execute.h"
#include "wave/lane_rows.h"
#include "wave/retire_record.h"
#include "wave/state.h"

namespace cuvette::golden {

/// State that the waves of a work-group share.
struct Workgroup {
  uint32_t index = 0;  ///< flattened id
  std::vector<uint8_t> lds;
  unsigned waves = 0;  ///< alive
  unsigned at_barrier = 0;
  std::unique_ptr<AccessMap> accesses;  ///< log of accesses, kept with several host threads
};

enum class WaveStatus : uint8_t {
  Running,
  AtBarrier,
  AtGlobalSync,    ///< released by its ticket
  AtOrderedCount,  ///< until all earlier waves have released the next
  Ended,
  Failed
};

/// One wavefront with its registers.
class Wave {
 public:
  /// `vgprs` and `accvgprs` are rows owned here; with a unified file the accumulation rows follow
  /// the others.
  Wave(isa::Target target, uint16_t vgprs, uint16_t accvgprs);
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  /// As constructed, with the same registers. `accumulation`: AccVGPRs may have been written.
  void renew(bool accumulation);

  wave::WaveState state;
  Workgroup* group = nullptr;
  uint64_t id = 0;
  uint64_t order = 0;  ///< instructions issued so far
  WaveStatus status = WaveStatus::Running;
  wave::Event stopped_by = wave::Event::None;  ///< event for which status is Failed
  std::string failure;                         ///< text of the failure
  uint64_t failure_address = 0;                ///< of an access that failed
  bool trap_on_violation =
      false;  ///< probe: a violation is recorded in TRAPSTS and the wave goes on

  uint16_t doorbell = 0;  ///< of its queue: what S_SENDMSG MSG_GET_DOORBELL puts into EXEC
  /// Called for other messages: SIMM16 and M0. Null: none is.
  const std::function<void(uint32_t message, uint32_t m0)>* on_message = nullptr;

  hsa::CodeExtent code;  ///< code that it executes
  /// Address at which straight-line execution goes on behind the last instruction.
  uint64_t falls_to = wave::kNoFallThrough;

  uint64_t ticket = 0;            ///< with AtGlobalSync
  bool ordered_turn = false;      ///< all earlier waves have been through the ordered count
  bool ordered_released = false;  ///< this one has let the next wave go

  /// Executor of run(): micro-ops when true, else the reference for every instruction.
  bool uses_micro_ops = true;

  using Observer = std::function<void(const wave::RetireRecord&)>;

  /// Runs up to `limit` instructions; stops at a barrier, the end, or a failure. Returns how many
  /// were run.
  uint64_t run(uint64_t limit, Program& program, MemoryPort& port, const Observer* observer);

  /// Executes one instruction and says everything it did. False, with `record` as it was, when none
  /// retired: the wave is not Running, cannot fetch, or met an illegal or unsupported instruction
  /// or halted itself (status and failure say which). An access to memory that is not there retires
  /// and fails the wave.
  bool step(Program& program, StepMemory& memory, wave::RetireRecord& record);

  /// "wave 3 pc 0x1234: v_add_f32 ..." for messages.
  std::string place(uint64_t pc, const isa::Instruction* instruction) const;

 private:
  bool run_reference(Program::Entry& entry, MemoryPort& port);
  uint64_t run_block(Program::Block& block, uint64_t limit, Program& program,
                     wave::Context& context);
  uint64_t run_part(Program::Block& block, uint64_t limit, Program& program,
                    wave::Context& context);
  uint64_t pass(const Program::Block& block, size_t count, Program& program);
  bool act(const wave::Outcome& outcome, uint64_t pc, const isa::Instruction& instruction,
           MemoryPort& port);
  bool finish_memory(uint64_t pc, const isa::Instruction& instruction,
                     const hsa::AccessResult& fault, const hsa::DeviceMemory* memory);
  bool control(const wave::Outcome& outcome, uint64_t pc, const isa::Instruction& instruction);
  std::string wild_access(const hsa::AccessResult& fault, const hsa::DeviceMemory* memory);
  bool synchronize(uint64_t pc, GlobalSync& sync);
  bool enter_code(const Program& program);
  void fail(wave::Event event, const std::string& text);
  // step.cpp
  uint64_t run_observed(uint64_t limit, Program& program, MemoryPort& port,
                        const Observer& observer);
  wave::Outcome execute_flagged(const isa::Instruction& instruction, uint8_t& flags);

  wave::LaneRows rows_;
  wave::MemoryOp op_;
  wave::MemoryReply reply_;
  bool declined_ = false;          ///< the micro-op at PC wants the reference
  bool code_invalidated_ = false;  ///< by S_ICACHE_INV: decoded code may be out of date
};

}  // namespace cuvette::golden
