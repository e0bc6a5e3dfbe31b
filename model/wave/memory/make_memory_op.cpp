// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

namespace cuvette::wave {
namespace memory {
namespace {

/// Store data, and the compare value behind it for CMPSWAP of FLAT, MUBUF and SMEM: DATA[0] is the
/// new value, DATA[1] the compared one (isa_notes 26).
void fill_vector_data(const WaveState& wave, const Form& form, const isa::Operand& data,
                      MemoryOp& op) {
  const unsigned dwords = form.dwords();
  for (unsigned d = 0; d < dwords; ++d) {
    const LaneRow& row = source_row(wave, data, d);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      op.data[d][lane] = form.high ? row[lane] >> 16 : row[lane];
    }
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
         format == isa::Format::Scratch || format == isa::Format::Mubuf;
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
  op.dst_dwords = static_cast<uint8_t>(form.dwords() * form.accesses);
  // One returned dword outside the allocation and the instruction runs with EXEC = 0
  // (isa_notes 23).
  if (!vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) op.exec = 0;
}

}  // namespace memory

const char* memory_reason(const isa::Row& row) {
  if (memory::is_lane_move(row.semantic) || memory::is_clock_read(row.semantic)) return "";
  switch (row.format) {
    case isa::Format::Mimg:
      return "image instructions are not modelled";
    case isa::Format::Mtbuf:
      return "typed buffer instructions are not modelled";
    default:
      break;
  }
  if (row.has(isa::kFormatted)) return "formatted buffer instructions are not modelled";
  if (row.unit == isa::Unit::Gds) return "global data share is not modelled";
  if (memory::find_form(row.semantic) != nullptr) return "";
  return row.has(isa::kLdsDma) ? "memory to LDS transfers are not modelled"
                               : "no semantics for this memory instruction";
}

const char* memory_reason(const isa::Instruction& i) {
  if (i.mem.gds) return "global data share is not modelled";
  // On the other rows the bit has no or another meaning.
  if (i.mem.lds && i.row->has(isa::kLdsDma)) return "memory to LDS transfers are not modelled";
  if (i.mem.tfe) return "texel fail enable is not modelled";
  return memory_reason(*i.row);
}

bool make_memory_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  op = MemoryOp{};
  op.instruction = &i;
  if (*memory_reason(i) != '\0') return false;
  if (memory::make_lane_move(wave, i, op) || memory::make_clock_read(wave, i, op)) return true;
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
      memory::address_lds(wave, i, form, op);
      return true;
    case isa::Format::Flat:
    case isa::Format::Global:
    case isa::Format::Scratch:
      memory::fill_common(wave, i, form, source(isa::Role::Data0), destination(isa::Role::Vdst),
                          op);
      memory::address_flat(wave, i, op);
      return true;
    case isa::Format::Mubuf:
      memory::fill_common(wave, i, form, source(isa::Role::Vdata), destination(isa::Role::Vdata),
                          op);
      memory::address_buffer(wave, i, op);
      return true;
    default:
      return false;
  }
}

}  // namespace cuvette::wave
