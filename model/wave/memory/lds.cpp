// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "wave/memory/form.h"
#include "wave/memory/share_access.h"

// DS addresses (Vega ISA 10.3, 12.15; isa_notes 24 to 30). M0 does not bound accesses on these
// targets (decisions.md D11); loads and stores need no alignment, as the runtime sets them up, and
// atomics do: a misaligned one is a violation (Vega ISA 3.11).
namespace cuvette::wave::memory {
namespace {

/// Dword `first`..`first + dwords - 1` of the lane is outside the allocation or misaligned.
void reject_access(MemoryOp& op, unsigned lane, unsigned first, unsigned dwords) {
  for (unsigned d = first; d < first + dwords; ++d) op.partial[d] |= uint64_t{1} << lane;
}

/// Lanes all of whose dwords are rejected leave `exec`; every lane with a rejected dword is a
/// violation (Vega ISA 3.11, 9.6).
void settle_range(MemoryOp& op, unsigned dwords) {
  uint64_t all = op.exec;
  uint64_t any = 0;
  for (unsigned d = 0; d < dwords; ++d) {
    all &= op.partial[d];
    any |= op.partial[d];
  }
  op.violation |= any & op.exec;
  reject(op, all, true);
  for (unsigned d = 0; d < dwords; ++d) op.partial[d] &= op.exec;
}

void fill_second(const WaveState& wave, const isa::Operand& data, const Form& form, MemoryOp& op) {
  for (unsigned d = 0; d < form.dwords(); ++d) {
    const LaneRow& row = source_row(wave, data, d);
    if (form.accesses == 2) {
      std::copy(row.begin(), row.end(), op.data[form.dwords() + d]);
    } else if (form.atomic == base::AtomicOp::CmpSwap || form.atomic == base::AtomicOp::FCmpSwap) {
      // DATA0 is the compared value, DATA1 the new one: the opposite of FLAT and MUBUF
      // (isa_notes 26).
      std::copy(op.data[d], op.data[d] + kLanes, op.compare[d]);
      std::copy(row.begin(), row.end(), op.data[d]);
    } else {
      std::copy(row.begin(), row.end(), op.compare[d]);
    }
  }
}

/// Bytes a DS instruction may touch, and where they begin: the allocation, or for GDS what M0 gives
/// of it, base in bits 31:16 and size in 15:0 (docs/reference/memory_semantics.md).
struct Bounds {
  uint32_t first = 0;
  uint64_t size = 0;
};
Bounds bounds_of(const WaveState& wave, const isa::Instruction& i) {
  if (!i.mem.gds) return {0, wave.alloc.lds_bytes};
  const uint32_t first = wave.s.m0() >> 16;
  const uint64_t physical = gds_bytes(wave.target);
  return {first,
          first >= physical ? 0 : std::min<uint64_t>(wave.s.m0() & 0xffff, physical - first)};
}

/// Distance, in bytes, of the operand of a SRC2 form from its destination: a signed dword offset
/// of 15 bits from the instruction, or with offset bit 15 from address bits 31:17 (Vega ISA 10.3).
int32_t source_distance(uint32_t address, uint32_t field) {
  const uint32_t dwords = base::bit(field, 15) ? address >> 17 : field & 0x7fff;
  return static_cast<int32_t>(base::sign_extend(dwords, 15) * 4);
}

void address_src2(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  op.operand_in_lds = true;
  const Bounds bounds = bounds_of(wave, i);
  const LaneRow& row = source_row(wave, *find_source(i, isa::Role::Addr));
  const uint32_t field = static_cast<uint32_t>(i.mem.offset);
  const uint64_t exec = op.exec;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(exec, lane)) continue;
    const uint32_t to = base::bit(field, 15) ? row[lane] & 0x1ffff : row[lane];
    const uint32_t from = to + static_cast<uint32_t>(source_distance(row[lane], field));
    op.address[0][lane] = bounds.first + uint64_t{to};
    op.address[1][lane] = bounds.first + uint64_t{from};
    if (uint64_t{to} + op.bytes > bounds.size || uint64_t{from} + op.bytes > bounds.size ||
        is_misaligned(op, op.address[0][lane]) || is_misaligned(op, op.address[1][lane])) {
      reject(op, uint64_t{1} << lane, true);
    }
  }
}

}  // namespace

void make_count_op(const WaveState& wave, const isa::Instruction& i, const Form& form,
                   MemoryOp& op) {
  op.space = i.mem.gds ? MemorySpace::Gds : MemorySpace::Lds;
  op.counts_lgkm = true;
  op.lgkm = 1;
  const auto lanes = static_cast<uint32_t>(__builtin_popcountll(op.exec));
  op.spread = op.exec;
  op.exec &= ~op.exec + 1;
  if (op.exec == 0) return;
  const auto lane = static_cast<unsigned>(__builtin_ctzll(op.exec));
  const uint64_t first = (wave.s.m0() & 0xffff) + static_cast<uint32_t>(i.mem.offset);
  op.address[0][lane] = first;
  op.data[0][lane] = lanes;
  const uint64_t size = i.mem.gds ? gds_bytes(wave.target) : wave.alloc.lds_bytes;
  if (first + form.bytes > size || is_misaligned(op, first)) reject(op, op.exec, true);
}

void address_lds(const WaveState& wave, const isa::Instruction& i, const Form& form, MemoryOp& op) {
  op.space = i.mem.gds ? MemorySpace::Gds : MemorySpace::Lds;
  op.counts_lgkm = true;
  op.lgkm = 1;
  if (form.src2) return address_src2(wave, i, op);
  const Bounds bounds = bounds_of(wave, i);
  const isa::Operand* second = find_source(i, isa::Role::Data1);
  if (is_vector_register(second) && op.kind != MemoryKind::Load) {
    fill_second(wave, *second, form, op);
  }

  const uint32_t field = static_cast<uint32_t>(i.mem.offset);
  const uint32_t unit = form.bytes * (form.stride64 ? 64u : 1u);
  const uint32_t offset[2] = {form.accesses == 2 ? (field & 0xff) * unit : field & 0xffff,
                              (field >> 8 & 0xff) * unit};
  // Equal offsets make one store of DATA0 (Vega ISA 10.3).
  if (form.accesses == 2 && op.kind == MemoryKind::Store && offset[0] == offset[1]) op.accesses = 1;

  const isa::Operand* address = find_source(i, isa::Role::Addr);
  static constexpr LaneRow kNone{};
  const LaneRow& row = is_vector_register(address) ? source_row(wave, *address) : kNone;
  const uint32_t tid_base = form.add_tid ? wave.s.m0() & 0xffff : 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(op.exec, lane)) continue;
    const uint32_t start = row[lane] + (form.add_tid ? tid_base + 4 * lane : 0);
    for (unsigned access = 0; access < op.accesses; ++access) {
      const uint32_t first = start + offset[access];
      op.address[access][lane] = bounds.first + uint64_t{first};
      if (uint64_t{first} + form.bytes > bounds.size ||
          is_misaligned(op, op.address[access][lane])) {
        reject_access(op, lane, access * form.dwords(), form.dwords());
      }
    }
  }
  settle_range(op, form.dwords() * op.accesses);
}

}  // namespace cuvette::wave::memory
