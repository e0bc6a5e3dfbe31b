// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

// FLAT, GLOBAL and SCRATCH addresses (Vega ISA 9.3 to 9.7; isa_notes 33, 34).
namespace cuvette::wave::memory {
namespace {

/// Scratch keeps each dword of the 64 lanes together: dword n of a lane is 256 bytes behind dword
/// n - 1 (isa_notes 34).
constexpr uint32_t kScratchStride = 4 * kLanes;

/// The wave's scratch: an architected base from gfx942 on, FLAT_SCRATCH before.
uint64_t scratch_base(const WaveState& wave) {
  return wave.target >= isa::Target::Gfx942 ? wave.alloc.scratch_base
                                            : wave.s.pair(isa::kFlatScratchLo);
}

/// Puts a lane's private byte offset where it really is, or takes the lane out.
void place_in_scratch(const WaveState& wave, MemoryOp& op, unsigned lane, int64_t offset) {
  const uint64_t bit = uint64_t{1} << lane;
  const int64_t limit = wave.alloc.scratch_bytes_per_lane;
  op.address[0][lane] = static_cast<uint64_t>(offset);
  if (offset < 0 || (limit != 0 && offset + op.bytes > limit)) {
    reject(op, bit, true);
    return;
  }
  const uint64_t position = static_cast<uint64_t>(offset);
  op.address[0][lane] =
      scratch_base(wave) + position / 4 * kScratchStride + lane * 4 + position % 4;
  op.swizzled |= bit;
}

void prepare_swizzle(const WaveState& wave, MemoryOp& op) {
  op.element_bytes = 4;
  op.element_stride = kScratchStride;
  op.element_origin = static_cast<uint32_t>(scratch_base(wave) & 3);
}

bool in_aperture(uint64_t address, uint64_t aperture) {
  return aperture != 0 && base::hi32(address) == base::hi32(aperture);
}

/// Segment of an address of the flat space: its upper half decides.
enum class FlatSegment : uint8_t { Global, Shared, Private };
FlatSegment segment_of(const WaveState& wave, uint64_t address) {
  if (in_aperture(address, wave.alloc.shared_aperture)) return FlatSegment::Shared;
  if (in_aperture(address, wave.alloc.private_aperture)) return FlatSegment::Private;
  return FlatSegment::Global;
}

/// Only FLAT looks at the apertures, and only with the address of the VGPRs: the offset is added
/// behind the test, and an access that it takes out of the segment is a violation (decision D54).
void place_flat(const WaveState& wave, MemoryOp& op, unsigned lane, uint64_t base, int32_t offset) {
  const uint64_t bit = uint64_t{1} << lane;
  const uint64_t address = base + static_cast<uint64_t>(int64_t{offset});
  const FlatSegment segment = segment_of(wave, base);
  op.address[0][lane] = address;
  if (segment != segment_of(wave, address) || segment != segment_of(wave, address + op.bytes - 1)) {
    op.strayed |= bit;
    reject(op, bit, true);
    return;
  }
  const uint32_t inside = base::lo32(address);
  switch (segment) {
    case FlatSegment::Shared:
      if (inside + uint64_t{op.bytes} > wave.alloc.lds_bytes || is_misaligned(op, inside)) {
        reject(op, bit, true);
      } else {
        op.address[0][lane] = inside;
        op.flat_lds |= bit;
      }
      break;
    case FlatSegment::Private:
      place_in_scratch(wave, op, lane, inside);
      if (base::bit(op.violation, lane)) op.address[0][lane] = address;
      break;
    case FlatSegment::Global:
      break;
  }
}

/// A global access to LDS is a violation (Vega ISA 9.4).
void place_global(const WaveState& wave, MemoryOp& op, unsigned lane, uint64_t address) {
  op.address[0][lane] = address;
  if (in_aperture(address, wave.alloc.shared_aperture)) reject(op, uint64_t{1} << lane, true);
}

}  // namespace

void address_flat(const WaveState& wave, const isa::Instruction& i, const Form& form,
                  MemoryOp& op) {
  const isa::Format format = i.row->format;
  op.space = MemorySpace::Global;
  op.counts_vm = true;
  op.counts_lgkm = format == isa::Format::Flat;
  op.lgkm = op.counts_lgkm ? 1 : 0;
  prepare_swizzle(wave, op);
  const bool to_lds = i.mem.lds && i.row->has(isa::kLdsDma);
  const LdsTransfer transfer = to_lds ? LdsTransfer::ToLds : form.transfer;
  if (transfer != LdsTransfer::None) address_transfer(wave, i.mem.offset, transfer, op);

  const isa::Operand* address = find_source(i, isa::Role::Addr);
  const isa::Operand* saddr = find_source(i, isa::Role::Saddr);
  const bool has_vector = is_vector_register(address);
  const bool has_scalar = saddr != nullptr && saddr->kind == isa::OperandKind::Sgpr;
  static constexpr LaneRow kNone{};
  const LaneRow& low = has_vector ? source_row(wave, *address) : kNone;

  if (format == isa::Format::Scratch) {
    const int64_t fixed = int64_t{i.mem.offset} + (has_scalar ? read_scalar32(wave, *saddr) : 0u);
    const uint64_t exec = op.exec;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (base::bit(exec, lane)) place_in_scratch(wave, op, lane, fixed + low[lane]);
    }
    return;
  }
  // With SADDR the VGPR is a 32-bit offset, without it a 64-bit address.
  const bool wide = has_vector && !has_scalar;
  const LaneRow& high = wide ? source_row(wave, *address, 1) : kNone;
  const uint64_t fixed = static_cast<uint64_t>(int64_t{i.mem.offset}) +
                         (has_scalar ? read_scalar64(wave, *saddr) : 0u);
  const uint64_t exec = op.exec;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(exec, lane)) continue;
    const uint64_t vector = base::join32(low[lane], high[lane]);
    if (format == isa::Format::Flat) {
      place_flat(wave, op, lane, vector, i.mem.offset);
    } else {
      place_global(wave, op, lane, fixed + vector);
    }
  }
}

}  // namespace cuvette::wave::memory
