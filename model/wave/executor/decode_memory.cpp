// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "wave/executor/decoder.h"
#include "wave/lanes/level_table.h"
#include "wave/memory/form.h"

// Memory instructions as micro-ops: plain loads and stores of all spaces; what else there is the
// reference executes.
namespace cuvette::wave {
namespace {

using isa::Format;
using isa::Operand;
using isa::OperandKind;
using memory::find_source;
using memory::Form;

/// SMEM (memory/scalar_memory.cpp). place[1]: the offset register, when sources is 2.
template <bool Buffer>
bool load_scalars(const MicroOp& p, WaveState& wave, Context& c) {
  if (c.memory == nullptr) return false;
  const isa::MemoryFields& mem = p.instruction->mem;
  uint64_t offset = 0;
  if (mem.imm) offset = static_cast<uint64_t>(int64_t{mem.offset}) & ~uint64_t{3};
  if (p.sources == 2) offset += p.get<uint32_t>(c, 1) & ~3u;
  const unsigned bytes = 4u * p.dst_dwords;
  uint64_t base = p.get<uint64_t>(c, 0);
  if constexpr (Buffer) {
    const uint64_t stride = base::bits(base, 61, 48);
    const uint64_t records = p.at(c, 0)[2];
    const uint64_t size = stride == 0 ? records : stride * records;
    if (static_cast<int64_t>(offset) < 0 || offset + bytes > size) return false;
    base = base::bits(base, 47, 0);
  }
  const uint64_t address = (base & ~uint64_t{3}) + offset;
  const uint8_t* const host = c.memory->host_of(address, bytes, false);
  if (host == nullptr) return false;
  if (c.memory->watched && !c.memory->is_unnoted(address, bytes)) {
    c.memory->touch(address, bytes, false);
  }
  std::memcpy(reinterpret_cast<char*>(&wave.s) + p.dst, host, bytes);
  return true;
}

/// DS_SWIZZLE, DS_PERMUTE and DS_BPERMUTE touch no memory.
bool move_lanes(const MicroOp& p, WaveState& wave, Context&) {
  LaneRow moved;
  memory::move_lanes(wave, *p.instruction, moved);
  LaneRow* const row = destination_row(wave, p.instruction->dst[0]);
  if (row == nullptr) return true;
  const uint64_t exec = wave.s.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    (*row)[lane] = base::bit(exec, lane) ? moved[lane] : (*row)[lane];
  }
  return true;
}

/// Whole elements, one after the other.
bool is_plain(const isa::Instruction& i, const Form& form) {
  return !form.add_tid && form.texels == 0 && !form.src2 && form.transfer == LdsTransfer::None &&
         !form.count && !i.mem.lds && !i.mem.gds && !i.mem.tfe && form.bytes <= 16;
}

bool take_rows(const Operand* operand, unsigned dwords, MemoryShape::Rows& rows, MicroOp& op) {
  if (!memory::is_vector_register(operand)) return false;
  rows.acc = operand->kind == OperandKind::Agpr;
  rows.offset = operand->index * static_cast<uint32_t>(sizeof(LaneRow));
  need(rows.acc ? op.accvgprs : op.vgprs, operand->index + dwords);
  return true;
}

/// SGPRs that are only limited by the allocation.
bool take_scalars(const Operand& operand, unsigned count, int16_t& code, MicroOp& op) {
  if (operand.kind != OperandKind::Sgpr) return false;
  const unsigned first = count > 1 ? operand.index & ~1u : operand.index;
  need(op.sgprs, first + count);
  code = static_cast<int16_t>(first);
  return first + count <= isa::kLastSgpr + 1u;
}

bool take_buffer(const isa::Instruction& i, MemoryShape& shape, MicroOp& op) {
  shape.space = MemoryShape::Space::Buffer;
  shape.offset[0] = i.mem.offset;
  shape.soffset = find_source(i, isa::Role::Soffset);
  const Operand* const address = find_source(i, isa::Role::Addr);
  shape.has_index = i.mem.idxen;
  shape.has_address = i.mem.offen;
  if (i.mem.idxen && !take_rows(address, 1, shape.index, op)) return false;
  if (i.mem.offen) {
    if (!take_rows(address, i.mem.idxen ? 2 : 1, shape.address, op)) return false;
    if (i.mem.idxen) shape.address.offset += sizeof(LaneRow);
  }
  return take_scalars(*find_source(i, isa::Role::Srsrc), 4, shape.scalar, op);
}

bool take_flat(const isa::Instruction& i, MemoryShape& shape, MicroOp& op) {
  const Format format = i.row->format;
  shape.space = format == Format::Flat      ? MemoryShape::Space::Flat
                : format == Format::Scratch ? MemoryShape::Space::Scratch
                                            : MemoryShape::Space::Global;
  shape.offset[0] = i.mem.offset;
  const Operand* const base = find_source(i, isa::Role::Saddr);
  const bool scratch = shape.space == MemoryShape::Space::Scratch;
  if (base != nullptr && base->kind == OperandKind::Sgpr &&
      !take_scalars(*base, scratch ? 1 : 2, shape.scalar, op)) {
    return false;
  }
  const Operand* const address = find_source(i, isa::Role::Addr);
  shape.has_address = memory::is_vector_register(address);
  shape.wide = shape.has_address && shape.scalar < 0 && !scratch;
  return !shape.has_address || take_rows(address, shape.wide ? 2 : 1, shape.address, op);
}

bool take_lds(const isa::Instruction& i, const Form& form, MemoryShape& shape, MicroOp& op) {
  shape.space = MemoryShape::Space::Lds;
  const auto field = static_cast<uint32_t>(i.mem.offset);
  const uint32_t unit = form.bytes * (form.stride64 ? 64u : 1u);
  const bool two = form.accesses == 2;
  shape.offset[0] = static_cast<int32_t>(two ? (field & 0xff) * unit : field & 0xffff);
  shape.offset[1] = static_cast<int32_t>((field >> 8 & 0xff) * unit);
  // Equal offsets make one store of DATA0.
  if (two && form.kind == MemoryKind::Store && shape.offset[0] == shape.offset[1]) {
    shape.accesses = 1;
  }
  shape.has_address = true;
  return take_rows(find_source(i, isa::Role::Addr), 1, shape.address, op);
}

/// Store data and results: MUBUF has one operand for both.
const Operand* data_of(const isa::Instruction& i) {
  return find_source(i, i.row->format == Format::Mubuf ? isa::Role::Vdata : isa::Role::Data0);
}
const Operand* result_of(const isa::Instruction& i) {
  return memory::find_destination(
      i, i.row->format == Format::Mubuf ? isa::Role::Vdata : isa::Role::Vdst);
}

/// DATA0 of LDS and DATA[1] of the others are what CMPSWAP compares with (isa_notes 26).
bool take_atomic(const isa::Instruction& i, const Form& form, MemoryShape& shape, MicroOp& op) {
  if (form.accesses != 1) return false;
  const unsigned dwords = shape.dwords();
  const bool lds = shape.space == MemoryShape::Space::Lds;
  const bool compares =
      form.atomic == base::AtomicOp::CmpSwap || form.atomic == base::AtomicOp::FCmpSwap;
  shape.atomic = form.atomic;
  shape.returns = form.kind == MemoryKind::AtomicReturn || (!lds && i.mem.glc);
  const Operand* const data = data_of(i);
  if (!take_rows(data, dwords, shape.data[0], op)) return false;
  if (lds && form.second) {
    shape.has_compare = true;
    if (!take_rows(find_source(i, isa::Role::Data1), dwords, shape.compare, op)) return false;
    if (compares) std::swap(shape.compare, shape.data[0]);
  } else if (compares) {
    shape.has_compare = true;
    if (!take_rows(data, 2 * dwords, shape.compare, op)) return false;
    shape.compare.offset += dwords * static_cast<uint32_t>(sizeof(LaneRow));
  }
  if (!shape.returns) return true;
  return take_rows(result_of(i), dwords, shape.data[1], op);
}

}  // namespace

bool Decoder::decode_scalar_memory(const isa::Instruction& i, MicroOp& op) {
  const Form& form = *memory::find_form(i.semantic());
  if (form.kind != MemoryKind::Load || form.scratch) return false;
  int16_t code = 0;
  if (!take_scalars(*find_source(i, isa::Role::Sbase), form.buffer ? 4 : 2, code, op)) return false;
  op.place[0] = op.place[1] = Place::Scalar;
  op.src[0] = static_cast<uint32_t>(code) * 4;
  op.sources = 1;
  const Operand* const offset = find_source(i, isa::Role::Soffset);
  if (offset != nullptr && offset->kind == OperandKind::Sgpr) {
    op.sources = 2;
    op.src[1] = offset->index * 4u;
    if (offset->index > isa::kLastSgpr && offset->index != isa::kM0) return false;
    if (offset->index <= isa::kLastSgpr) need(op.sgprs, offset->index + 1u);
  }
  const Operand& d = i.dst[0];
  if (d.kind != OperandKind::Sgpr || d.index + form.dwords() > isa::kLastSgpr + 1u) return false;
  need(op.sgprs, d.index + form.dwords());
  op.dst = d.index * 4u;
  op.dst_dwords = static_cast<uint8_t>(form.dwords());
  op.run = form.buffer ? load_scalars<true> : load_scalars<false>;
  return true;
}

bool Decoder::decode_vector_memory(const isa::Instruction& i, MicroOp& op) {
  const lanes::LevelTable* const level = lanes::level_table();
  const Form& form = *memory::find_form(i.semantic());
  if (level == nullptr || !is_plain(i, form)) return false;
  MemoryShape shape;
  shape.bytes = form.bytes;
  shape.extend = form.extend;
  shape.accesses = form.accesses;
  shape.high = form.high;
  const bool store = form.kind == MemoryKind::Store;
  bool taken = false;
  switch (i.row->format) {
    case Format::Ds:
      taken = take_lds(i, form, shape, op);
      break;
    case Format::Mubuf:
      taken = take_buffer(i, shape, op);
      break;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      taken = take_flat(i, shape, op);
      break;
    default:
      break;
  }
  if (!taken) return false;
  const unsigned dwords = shape.dwords();
  const bool updates = is_atomic(form.kind);
  if (updates) {
    if (!take_atomic(i, form, shape, op)) return false;
  } else if (store) {
    if (!take_rows(data_of(i), dwords, shape.data[0], op)) return false;
    if (shape.accesses == 2 &&
        !take_rows(find_source(i, isa::Role::Data1), dwords, shape.data[1], op)) {
      return false;
    }
  } else {
    if (!take_rows(result_of(i), dwords * shape.accesses, shape.data[0], op)) return false;
    shape.data[1] = shape.data[0];
    shape.data[1].offset += dwords * static_cast<uint32_t>(sizeof(LaneRow));
  }
  shapes_.push_back(shape);
  op.memory = &shapes_.back();
  if (shape.accesses == 2) {
    op.run = store ? level->store_pairs : level->load_pairs;
  } else {
    const auto& by_space = updates ? level->update : store ? level->store : level->load;
    op.run = by_space[static_cast<unsigned>(shape.space)];
  }
  return true;
}

MicroOp Decoder::decode_memory(const isa::Instruction& i) {
  if (*memory_reason(*i.row) != '\0') return {};
  MicroOp op;
  op.kind = MicroKind::Straight;
  op.modes = kDebugging;
  if (memory::is_lane_move(i.semantic())) {
    op.modes |= kSkipping;
    op.run = move_lanes;
    return op;
  }
  if (memory::find_form(i.semantic()) == nullptr) return {};
  if (i.row->format == Format::Smem) return decode_scalar_memory(i, op) ? op : MicroOp{};
  op.modes |= kSkipping;
  return decode_vector_memory(i, op) ? op : MicroOp{};
}

}  // namespace cuvette::wave
