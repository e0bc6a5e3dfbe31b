// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

// SMEM addresses and the clock reads (MI100 ISA 8; isa_notes 35).
namespace cuvette::wave::memory {
namespace {

constexpr uint64_t kDwordMask = ~uint64_t{3};

/// Immediate plus register offset. The two lowest bits of every component are ignored; the register
/// of the scratch forms counts 64 bytes (MI100 ISA 8.2.1).
uint64_t offset_of(const WaveState& wave, const isa::Instruction& i, const Form& form) {
  uint64_t offset = 0;
  if (i.mem.imm) offset = static_cast<uint64_t>(int64_t{i.mem.offset}) & kDwordMask;
  const isa::Operand* soffset = find_source(i, isa::Role::Soffset);
  if (soffset != nullptr && soffset->kind == isa::OperandKind::Sgpr) {
    const uint64_t value = read_scalar32(wave, *soffset);
    offset += form.scratch ? value * 64 : value & kDwordMask;
  }
  return offset;
}

uint64_t low_dwords(unsigned count) {
  return base::low_mask(count);
}

/// The bound of a buffer in bytes (isa_notes erratum 6).
uint64_t buffer_size(uint64_t low, uint64_t high) {
  const uint64_t stride = base::bits(low, 61, 48);
  const uint64_t records = base::lo32(high);
  return stride == 0 ? records : stride * records;
}

void set_destination(const WaveState& wave, const isa::Operand& operand, unsigned dwords,
                     MemoryOp& op) {
  if (operand.kind != isa::OperandKind::Sgpr) return;
  op.dst_kind = isa::OperandKind::Sgpr;
  op.dst = operand.index;
  op.dst_dwords = static_cast<uint8_t>(dwords);
  // A destination out of range: the instruction is not executed (MI100 ISA 8.4).
  if (!scalar_in_range(wave, operand.index, dwords)) {
    op.exec = 0;
    op.dst_dwords = 0;
  }
}

}  // namespace

void make_scalar_op(const WaveState& wave, const isa::Instruction& i, const Form& form,
                    MemoryOp& op) {
  const unsigned dwords = form.dwords();
  op.space = MemorySpace::Scalar;
  op.kind = form.kind;
  if (form.kind == MemoryKind::Atomic && i.mem.glc) op.kind = MemoryKind::AtomicReturn;
  op.atomic = form.atomic;
  op.bytes = form.bytes;
  op.mode = wave.s.mode.raw;
  op.glc = i.mem.glc;
  op.nv = i.mem.nv;
  op.counts_lgkm = true;
  op.lgkm = dwords == 1 ? 1 : 2;
  op.exec = low_dwords(dwords);

  const isa::Operand& sbase = *find_source(i, isa::Role::Sbase);
  const uint64_t offset = offset_of(wave, i, form);
  if (form.buffer) {
    const bool exists = scalar_in_range(wave, sbase.index, 4);
    const uint64_t low = read_code64(wave, exists ? sbase.index : 0);
    const uint64_t high = read_code64(wave, exists ? sbase.index + 2u : 0);
    op.address[0][0] = (base::bits(low, 47, 0) & kDwordMask) + offset;
    // A negative offset is outside, too; so the dwords inside are always the first ones.
    const uint64_t size = static_cast<int64_t>(offset) < 0 ? 0 : buffer_size(low, high);
    for (unsigned d = 0; d < dwords; ++d) {
      if (offset + 4 * d >= size) reject(op, uint64_t{1} << d, false);
    }
    // Atomics are all or nothing.
    if (form.kind == MemoryKind::Atomic && op.out_of_range != 0) reject(op, op.exec, false);
  } else {
    op.address[0][0] = (read_scalar64(wave, sbase) & kDwordMask) + offset;
  }

  if (op.kind == MemoryKind::Load) {
    set_destination(wave, i.dst[0], dwords, op);
    return;
  }
  const isa::Operand& data = *find_source(i, isa::Role::Sdata);
  for (unsigned d = 0; d < dwords; ++d) op.scalar_data[d] = read_code(wave, data.index + d);
  if (form.kind != MemoryKind::Atomic) return;
  if (form.atomic == base::AtomicOp::CmpSwap) {
    for (unsigned d = 0; d < dwords; ++d) {
      op.compare[d][0] = read_code(wave, data.index + dwords + d);
    }
  }
  if (op.kind == MemoryKind::AtomicReturn) set_destination(wave, i.dst[0], dwords, op);
}

bool is_clock_read(Id id) {
  return id == Id::s_memtime || id == Id::s_memrealtime;
}

/// Both counters are the machine's one clock; it arrives like the data of a two-dword load.
bool make_clock_read(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  if (!is_clock_read(i.semantic())) return false;
  const uint64_t now = wave.clock == nullptr ? 0 : wave.clock(wave.clock_context);
  op.space = MemorySpace::Scalar;
  op.kind = MemoryKind::Load;
  op.bytes = 8;
  op.counts_lgkm = true;
  op.lgkm = 2;
  op.scalar_data[0] = base::lo32(now);
  op.scalar_data[1] = base::hi32(now);
  set_destination(wave, i.dst[0], 2, op);
  op.moved = op.dst_dwords == 0 ? 0 : 3;
  return true;
}

}  // namespace cuvette::wave::memory
