// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "wave/memory/buffer_resource.h"
#include "wave/memory/form.h"
#include "wave/memory/texel.h"

// MUBUF and MTBUF addresses and formats (MI100 ISA 9.1.3 to 9.1.9; isa_notes 31, 32, 37).
namespace cuvette::wave::memory {
namespace {

uint64_t buffer_offset(const Resource& r, uint64_t index, uint64_t offset) {
  if (!r.swizzle) return index * r.stride + offset;
  const uint64_t group = index / r.index_stride * r.stride;
  const uint64_t element = offset / kElementBytes * kElementBytes;
  return (group + element) * r.index_stride + (index % r.index_stride) * kElementBytes +
         offset % kElementBytes;
}

/// Applies the offset check to one lane, dword by dword for plain loads and stores, all or nothing
/// for atomics and typed accesses: what is accessed has to end inside (decision D51).
void check_offset(const Resource& r, MemoryOp& op, unsigned lane, uint64_t offset) {
  const uint64_t bit = uint64_t{1} << lane;
  const auto inside = [&](uint64_t bytes) { return offset + bytes <= r.num_records; };
  const bool whole = op.kind == MemoryKind::Atomic || op.kind == MemoryKind::AtomicReturn ||
                     op.texel.mode != TexelConversion::Mode::None;
  if (!inside(whole ? op.bytes : std::min<uint64_t>(op.bytes, 4))) {
    reject(op, bit, false);
    return;
  }
  for (unsigned d = 1; !whole && 4 * d < op.bytes; ++d) {
    if (!inside(4 * (d + 1))) op.partial[d] |= bit;
  }
}

/// Format and component selection: MTBUF has them in the instruction, MUBUF in the descriptor
/// (MI100 ISA table 34). Stores get their elements here.
void set_format(const isa::Instruction& i, const Form& form, const Resource& r, MemoryOp& op) {
  TexelConversion& t = op.texel;
  const bool typed = i.row->format == isa::Format::Mtbuf;
  t.mode = TexelConversion::Mode::Convert;
  t.data_format = typed ? i.mem.dfmt : r.data_format;
  t.number_format = typed ? i.mem.nfmt : r.number_format;
  t.mask = static_cast<uint8_t>(base::low_mask(form.texels));
  t.d16 = form.d16;
  t.high = form.high;
  for (unsigned c = 0; c < 4; ++c) {
    t.select[c] = typed ? static_cast<uint8_t>(4 + c) : r.select[c];
  }
  if (r.unbound || t.data_format == kFormatInvalid) {
    reject(op, op.exec, false);
    return;
  }
  const bool store = op.kind == MemoryKind::Store;
  const char* reason = texel_reason(t.data_format, t.number_format, store);
  if (*reason != '\0') return refuse(op, reason);
  op.bytes = texel_layout(t.data_format)->bytes;
  if (!store) return;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(op.exec, lane)) continue;
    uint32_t raw[4] = {};
    texel_stored(t, [&](unsigned n) { return op.data[n][lane]; }, raw);
    for (unsigned d = 0; d < 4; ++d) op.data[d][lane] = raw[d];
  }
}

}  // namespace

Resource read_resource(const WaveState& wave, unsigned code, bool formatted) {
  const bool exists = scalar_in_range(wave, code, 4);
  const uint64_t low = read_code64(wave, exists ? code : 0);
  const uint64_t high = read_code64(wave, exists ? code + 2 : 0);
  Resource r;
  r.base = base::bits(low, 47, 0);
  r.stride = static_cast<uint32_t>(base::bits(low, 61, 48));
  r.swizzle = base::bit(low, 63);
  r.num_records = base::lo32(high);
  r.add_tid = base::bit(high, 55);
  r.index_stride = 8u << base::bits(high, 54, 53);
  const uint32_t format = static_cast<uint32_t>(base::bits(high, 50, 47));
  if (r.add_tid && !formatted) {
    r.stride |= format << 14;
  } else {
    r.unbound = format == kFormatInvalid;
    r.data_format = static_cast<uint8_t>(format);
  }
  r.number_format = static_cast<uint8_t>(base::bits(high, 46, 44));
  for (unsigned c = 0; c < 4; ++c) {
    r.select[c] = static_cast<uint8_t>(base::bits(high, 34 + 3 * c, 32 + 3 * c));
  }
  return r;
}

Check check_of(const Resource& r, bool idxen) {
  if (r.add_tid && !idxen) return Check::None;
  return idxen && r.stride != 0 ? Check::Index : Check::Offset;
}

void address_transfer(const WaveState& wave, int32_t offset, LdsTransfer transfer, MemoryOp& op) {
  op.transfer = transfer;
  const int64_t first = int64_t{wave.s.m0() & 0xffff} + offset;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const int64_t at = first + 4 * lane;
    op.address[1][lane] = static_cast<uint64_t>(at);
    if (at < 0 || at + 4 > int64_t{wave.alloc.lds_bytes}) op.exec &= ~(uint64_t{1} << lane);
  }
}

void address_buffer(const WaveState& wave, const isa::Instruction& i, const Form& form,
                    MemoryOp& op) {
  op.space = MemorySpace::Global;
  op.counts_vm = true;

  const isa::Operand& srsrc = *find_source(i, isa::Role::Srsrc);
  const isa::Operand& soffset = *find_source(i, isa::Role::Soffset);
  const isa::Operand* address = find_source(i, isa::Role::Addr);
  const Resource r = read_resource(wave, srsrc.index, form.texels != 0);
  if (form.texels != 0) set_format(i, form, r, op);
  const bool to_lds = i.mem.lds && i.row->has(isa::kLdsDma) && op.kind == MemoryKind::Load;
  const LdsTransfer transfer = to_lds ? LdsTransfer::ToLds : form.transfer;
  if (transfer != LdsTransfer::None) address_transfer(wave, i.mem.offset, transfer, op);
  const uint32_t scalar_offset = read_scalar32(wave, soffset);
  const uint64_t fixed = r.base + scalar_offset;

  static constexpr LaneRow kNone{};
  const bool has_vector = is_vector_register(address);
  const LaneRow& index_row = has_vector && i.mem.idxen ? source_row(wave, *address) : kNone;
  const LaneRow& offset_row =
      has_vector && i.mem.offen ? source_row(wave, *address, i.mem.idxen ? 1 : 0) : kNone;

  op.element_bytes = kElementBytes;
  op.element_stride = kElementBytes * r.index_stride;
  // Accesses of a dword and more drop the two lowest address bits (MI100 ISA 9.1.7), so their
  // dwords are whole elements; smaller ones may begin anywhere in one.
  const bool whole_dwords = op.bytes >= 4;
  op.element_origin = whole_dwords ? 0 : static_cast<uint32_t>(fixed % kElementBytes);
  if (r.swizzle) op.swizzled = op.exec;
  if (r.unbound) reject(op, op.exec, false);

  const Check check = check_of(r, i.mem.idxen);
  const uint64_t align = whole_dwords ? ~uint64_t{3} : ~uint64_t{0};
  const uint64_t exec = op.exec;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!base::bit(exec, lane)) continue;
    const uint64_t index = uint64_t{index_row[lane]} + (r.add_tid ? lane : 0);
    // The sum of these two has 32 bits, that with SOFFSET has not (decision D51).
    const uint32_t offset = offset_row[lane] + static_cast<uint32_t>(i.mem.offset);
    op.address[0][lane] = (fixed + buffer_offset(r, index, offset)) & align;
    if (check == Check::Index && index_row[lane] >= r.num_records) {
      reject(op, uint64_t{1} << lane, false);
    } else if (check == Check::Offset) {
      check_offset(r, op, lane, uint64_t{scalar_offset} + offset);
    }
  }
}

}  // namespace cuvette::wave::memory
