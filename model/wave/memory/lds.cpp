// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

// DS addresses (Vega ISA 10.3, 12.15; isa_notes 24 to 30). M0 does not bound accesses on these
// targets (decisions.md D11); unaligned accesses are allowed, as the runtime sets them up.
namespace cuvette::wave::memory {
namespace {

/// Dword `first`..`first + dwords - 1` of the lane is outside the allocation.
void reject_access(MemoryOp& op, unsigned lane, unsigned first, unsigned dwords) {
  for (unsigned d = first; d < first + dwords; ++d) op.partial[d] |= uint64_t{1} << lane;
}

/// Lanes all of whose dwords are outside leave `exec`; every lane with a dword outside is a
/// violation (Vega ISA 9.6).
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

}  // namespace

void address_lds(const WaveState& wave, const isa::Instruction& i, const Form& form, MemoryOp& op) {
  op.space = MemorySpace::Lds;
  op.counts_lgkm = true;
  op.lgkm = 1;
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
      op.address[access][lane] = first;
      if (uint64_t{first} + form.bytes > wave.alloc.lds_bytes) {
        reject_access(op, lane, access * form.dwords(), form.dwords());
      }
    }
  }
  settle_range(op, form.dwords() * op.accesses);
}

}  // namespace cuvette::wave::memory
