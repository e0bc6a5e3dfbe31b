// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "wave/memory/form.h"
#include "wave/memory/share_access.h"

namespace cuvette::wave {

using memory::Id;

namespace memory {
namespace {

/// Store data, and the compare value behind it for CMPSWAP of FLAT, MUBUF and SMEM: DATA[0] is the
/// new value, DATA[1] the compared one (isa_notes 26).
void fill_vector_data(const WaveState& wave, const Form& form, const isa::Operand& data,
                      MemoryOp& op) {
  const unsigned dwords = form.dwords();
  for (unsigned d = 0; d < dwords; ++d) {
    const LaneRow& row = source_row(wave, data, d);
    const unsigned shift = form.high && form.texels == 0 ? 16 : 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) op.data[d][lane] = row[lane] >> shift;
  }
  if (form.atomic != base::AtomicOp::CmpSwap || form.second) return;
  if (form.kind != MemoryKind::Atomic) return;
  for (unsigned d = 0; d < dwords; ++d) {
    const LaneRow& row = source_row(wave, data, dwords + d);
    std::copy(row.begin(), row.end(), op.compare[d]);
  }
}

bool is_global_format(isa::Format format) {
  return format == isa::Format::Flat || format == isa::Format::Global ||
         format == isa::Format::Scratch || format == isa::Format::Mubuf ||
         format == isa::Format::Mtbuf;
}

}  // namespace

void fill_common(const WaveState& wave, const isa::Instruction& i, const Form& form,
                 const isa::Operand* data, const isa::Operand* result, MemoryOp& op) {
  op.kind = form.kind;
  if (form.kind == MemoryKind::Atomic && i.mem.glc && is_global_format(i.row->format)) {
    op.kind = MemoryKind::AtomicReturn;
  }
  op.atomic = form.atomic;
  op.bytes = form.bytes;
  op.accesses = form.accesses;
  op.extend = form.extend;
  op.exec = wave.s.exec();
  op.mode = wave.s.mode.raw;
  op.glc = i.mem.glc;
  op.slc = i.mem.slc;
  op.scc = i.mem.scc;
  op.nv = i.mem.nv;
  if (op.kind != MemoryKind::Load && is_vector_register(data)) {
    fill_vector_data(wave, form, *data, op);
  }
  if (op.kind != MemoryKind::Load && op.kind != MemoryKind::AtomicReturn) return;
  if (!is_vector_register(result)) return;
  op.dst_kind = result->kind;
  op.dst = result->index;
  op.dst_dwords = static_cast<uint8_t>(form.dwords() * form.accesses + (i.mem.tfe ? 1 : 0));
  op.status_dword = i.mem.tfe;
  // One returned dword outside the allocation and the instruction runs with EXEC = 0
  // (isa_notes 23).
  if (!vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) op.exec = 0;
}

}  // namespace memory

const char* memory_reason(const isa::Row& row) {
  const Id id = row.semantic;
  const bool known = memory::is_lane_move(id) || memory::is_clock_read(id) || memory::is_sync(id) ||
                     memory::is_image(id) || memory::find_form(id) != nullptr;
  return known ? "" : "no semantics for this memory instruction";
}

bool make_memory_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  std::destroy_at(&op);  // in place: it is large
  std::construct_at(&op);
  op.instruction = &i;
  op.refusal = memory_reason(*i.row);
  if (*op.refusal != '\0') return false;
  if (i.row->format == isa::Format::Ds && i.mem.gds && gds_bytes(wave.target) == 0 &&
      !memory::is_sync(i.semantic())) {
    memory::refuse(op, "this target has no global data share");
    return false;
  }
  if (memory::make_lane_move(wave, i, op) || memory::make_clock_read(wave, i, op)) return true;
  if (memory::make_sync_op(wave, i, op)) return *op.refusal == '\0';
  if (i.row->format == isa::Format::Mimg) {
    memory::make_image_op(wave, i, op);
    return *op.refusal == '\0';
  }
  const memory::Form& form = *memory::find_form(i.semantic());
  const auto source = [&i](isa::Role role) { return memory::find_source(i, role); };
  const auto destination = [&i](isa::Role role) { return memory::find_destination(i, role); };
  switch (i.row->format) {
    case isa::Format::Smem:
      memory::make_scalar_op(wave, i, form, op);
      return true;
    case isa::Format::Ds:
      memory::fill_common(wave, i, form, source(isa::Role::Data0), destination(isa::Role::Vdst),
                          op);
      if (form.count) {
        memory::make_count_op(wave, i, form, op);
      } else {
        memory::address_lds(wave, i, form, op);
      }
      return true;
    case isa::Format::Flat:
    case isa::Format::Global:
    case isa::Format::Scratch:
      memory::fill_common(wave, i, form, source(isa::Role::Data0), destination(isa::Role::Vdst),
                          op);
      memory::address_flat(wave, i, form, op);
      return true;
    case isa::Format::Mubuf:
    case isa::Format::Mtbuf:
      memory::fill_common(wave, i, form, source(isa::Role::Vdata), destination(isa::Role::Vdata),
                          op);
      memory::address_buffer(wave, i, form, op);
      return *op.refusal == '\0';
    default:
      return false;
  }
}

}  // namespace cuvette::wave
