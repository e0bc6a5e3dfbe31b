// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

// Global wave sync and the ordered count (Vega ISA 12.15, opcodes 152 to 157 and 191).
namespace cuvette::wave::memory {
namespace {

struct SyncEntry {
  Id id;
  SyncOp op;
};
constexpr SyncEntry kSync[] = {
    {Id::ds_gws_init, SyncOp::Init},
    {Id::ds_gws_sema_v, SyncOp::SemaphoreV},
    {Id::ds_gws_sema_br, SyncOp::SemaphoreBulk},
    {Id::ds_gws_sema_p, SyncOp::SemaphoreP},
    {Id::ds_gws_sema_release_all, SyncOp::SemaphoreReleaseAll},
    {Id::ds_gws_barrier, SyncOp::Barrier},
    {Id::ds_ordered_count, SyncOp::OrderedCount},
};

const SyncEntry* find_sync(Id id) {
  for (const SyncEntry& entry : kSync) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

}  // namespace

bool is_sync(Id id) {
  return find_sync(id) != nullptr;
}

bool make_sync_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  const SyncEntry* entry = find_sync(i.semantic());
  if (entry == nullptr) return false;
  op.space = MemorySpace::Gds;
  op.kind = MemoryKind::Atomic;
  op.sync = entry->op;
  op.counts_lgkm = true;
  op.lgkm = 1;
  if (!i.mem.gds) {
    refuse(op, "this instruction needs the GDS bit");
    return true;
  }
  const uint64_t exec = wave.s.exec();
  const auto field = static_cast<uint32_t>(i.mem.offset);
  if (entry->op == SyncOp::OrderedCount) {
    // offset0: which counter, times 4; offset1: bit 0 releases the next wave, bit 1 is the last
    // one's (docs/reference/memory_semantics.md).
    op.kind = MemoryKind::AtomicReturn;
    op.sync_resource = static_cast<uint8_t>(field >> 2 & 3);
    op.ordered_release = (field >> 8 & 3) != 0;
    op.data[0][0] = static_cast<uint32_t>(__builtin_popcountll(exec));
    op.spread = exec;
    op.exec = exec == 0 ? 0 : 1;  // the answer is lane 0's
    op.dst_kind = i.dst[0].kind;
    op.dst = i.dst[0].index;
    op.dst_dwords = 1;
    return true;
  }
  // The resource is M0[21:16] plus the offset; the value is the first enabled lane's.
  op.sync_resource = static_cast<uint8_t>(((wave.s.m0() >> 16) + field) & 63);
  const isa::Operand* value = find_source(i, isa::Role::Addr);
  if (is_vector_register(value)) {
    const unsigned lane = exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(exec));
    op.data[0][0] = source_row(wave, *value)[lane];
  }
  return true;
}

}  // namespace cuvette::wave::memory
