// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/execute.h"

#include "wave/formats.h"
#include "wave/lane_op.h"
#include "wave/matrix.h"
#include "wave/operand.h"
#include "wave/relative.h"
#include "wave/status.h"
#include "wave/trap.h"

// Routing of one instruction to the part that executes it.
namespace cuvette::wave {
namespace {

using isa::Format;
using isa::SemanticId;

/// Memory formats that carry no access: what the machine is asked to do instead.
struct CacheEntry {
  SemanticId id;
  Event event;
};
constexpr CacheEntry kCache[] = {
    {SemanticId::s_dcache_inv, Event::ScalarCacheInvalidate},
    {SemanticId::s_dcache_inv_vol, Event::ScalarCacheInvalidate},
    {SemanticId::s_dcache_wb, Event::ScalarCacheWriteback},
    {SemanticId::s_dcache_wb_vol, Event::ScalarCacheWriteback},
    {SemanticId::buffer_wbinvl1, Event::VectorCacheInvalidate},
    {SemanticId::buffer_wbinvl1_vol, Event::VectorCacheInvalidate},
    {SemanticId::buffer_wbl2, Event::L2Writeback},
    {SemanticId::buffer_invl2, Event::L2Invalidate},
    {SemanticId::buffer_inv, Event::VectorCacheInvalidate},
    // Hints: discarding dirty lines and probing translations are allowed to do nothing.
    {SemanticId::s_dcache_discard, Event::None},
    {SemanticId::s_dcache_discard_x2, Event::None},
    {SemanticId::s_atc_probe, Event::None},
    {SemanticId::s_atc_probe_buffer, Event::None},
    {SemanticId::ds_nop, Event::None},
};

bool accesses_memory(const isa::Row& row) {
  return (row.flags & (isa::kLoad | isa::kStore | isa::kAtomic)) != 0;
}

const CacheEntry* find_cache_event(SemanticId id) {
  for (const CacheEntry& entry : kCache) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

/// BUFFER_INV and BUFFER_WBL2 of gfx942 name a scope by sc0 and sc1 (1 work-group, 2 agent,
/// 3 system): bit 0 and 1 of the argument.
uint32_t scope_of(const isa::Instruction& i) {
  return (i.mem.glc ? 1u : 0u) | (i.mem.scc ? 2u : 0u);
}

bool is_matrix(const isa::Row& row) {
  return row.format == Format::Vop3pMai || row.semantic == SemanticId::v_accvgpr_mov_b32;
}

bool is_graphics(const isa::Row& row) {
  return row.has(isa::kGraphicsOnly) || row.format == Format::Exp || row.format == Format::Vintrp;
}
constexpr const char* kGraphics = "not on a compute device";

Outcome execute_part(WaveState& wave, const isa::Instruction& instruction, MemoryOp& op) {
  const isa::Row& row = *instruction.row;
  if (is_graphics(row)) return {Event::Unsupported, 0, kGraphics};
  if (is_scalar(row.format)) return execute_scalar(wave, instruction);
  // Everything but scalar instructions is skipped, uncounted (Vega ISA 12.4, S_SETVSKIP).
  if (is_skipped(instruction, wave.s.mode.raw)) return {};
  if (is_memory(row.format)) {
    if (!accesses_memory(row)) {
      const CacheEntry* cache = find_cache_event(row.semantic);
      if (cache != nullptr) return {cache->event, scope_of(instruction), ""};
    }
    if (!make_memory_op(wave, instruction, op)) return {Event::Unsupported, 0, op.refusal};
    return {op.sync == SyncOp::None ? Event::Memory : Event::GlobalSync, 0, ""};
  }
  if (is_matrix(row)) return execute_matrix(wave, instruction, MatrixPath::Reference);
  return execute_vector(wave, instruction);
}

/// MODE.DEBUG, and the instruction that sets TRAPSTS.SAVECTX: the handler follows, but not on the
/// end of the program.
Outcome step(WaveState& wave, const Outcome& outcome, uint32_t trapsts_before) {
  switch (outcome.event) {
    case Event::EndProgram:
    case Event::Trap:
    case Event::Unsupported:
      return outcome;
    default:
      break;
  }
  const bool save = (wave.s.trapsts & ~trapsts_before & kSaveCtx) != 0;
  if (!wave.s.mode.debug() && !save) return outcome;
  enter_trap(wave, wave.s.pc, 0, 0);
  return outcome.event == Event::None ? Outcome{Event::Trap, 0, ""} : outcome;
}

/// With a trap handler present.
Outcome execute_with_traps(WaveState& wave, const isa::Instruction& instruction, MemoryOp& op) {
  if (is_scalar(instruction.row->format) || is_memory(instruction.row->format)) {
    const uint32_t before = wave.s.trapsts;
    return step(wave, execute_part(wave, instruction, op), before);
  }
  // The sticky bits make room, so that those of this instruction show.
  const uint32_t before = wave.s.trapsts;
  wave.s.trapsts &= ~uint32_t{kExcpMask};
  const Outcome outcome = execute_part(wave, instruction, op);
  const uint32_t raised = wave.s.trapsts & kExcpMask;
  wave.s.trapsts |= before & kExcpMask;
  if (take_exception_trap(wave, raised, instruction.length)) return {Event::Trap, 0, ""};
  return step(wave, outcome, before);
}

}  // namespace

Outcome execute(WaveState& wave, const isa::Instruction& instruction, MemoryOp& op) {
  if (traps_armed(wave)) [[unlikely]]
    return execute_with_traps(wave, instruction, op);
  return execute_part(wave, instruction, op);
}

StatusOf status_of(const isa::Row& row, isa::Target target) {
  if (!row.on(target)) return {Status::Unsupported, "not on this target"};
  if (is_graphics(row)) return {Status::Unsupported, kGraphics};
  if (is_scalar(row.format)) return status_of_scalar(row);
  if (find_cache_event(row.semantic) != nullptr) return {Status::Exact, ""};
  if (is_memory(row.format)) return status_of_memory(row, target);
  if (is_matrix(row)) return status_of_matrix(row, target);
  return status_of_vector(row, target);
}

}  // namespace cuvette::wave
