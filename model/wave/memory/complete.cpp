// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <iomanip>
#include <sstream>

#include "wave/memory/form.h"
#include "wave/memory/sampling.h"
#include "wave/memory/texel.h"

// Returned data into registers (Vega ISA 8.1.4, 9, 10; decisions.md D9).
namespace cuvette::wave {
namespace memory {
namespace {

uint32_t sign_extended(uint32_t value, unsigned width) {
  return static_cast<uint32_t>(base::sign_extend(value, width));
}

/// A 16-bit value into one half of a register. With SRAM ECC the other half becomes 0.
uint32_t merge_half(uint32_t old, uint32_t half, bool high, bool ecc) {
  const uint32_t kept = ecc ? 0 : old;
  half &= 0xffff;
  return high ? (kept & 0xffff) | half << 16 : (kept & 0xffff0000) | half;
}

uint32_t extended(uint32_t loaded, uint32_t old, LoadExtend extend, unsigned bytes, bool ecc) {
  const uint32_t zero = bytes == 1 ? loaded & 0xff : loaded & 0xffff;
  const uint32_t sign = sign_extended(loaded, 8);
  switch (extend) {
    case LoadExtend::None:
      return loaded;
    case LoadExtend::ZeroByte:
      return loaded & 0xff;
    case LoadExtend::SignByte:
      return sign;
    case LoadExtend::ZeroShort:
      return loaded & 0xffff;
    case LoadExtend::SignShort:
      return sign_extended(loaded, 16);
    case LoadExtend::D16Low:
      return merge_half(old, zero, false, ecc);
    case LoadExtend::D16High:
      return merge_half(old, zero, true, ecc);
    case LoadExtend::D16SignedLow:
      return merge_half(old, sign, false, ecc);
    case LoadExtend::D16SignedHigh:
      return merge_half(old, sign, true, ecc);
  }
  return loaded;
}

void complete_scalar(WaveState& wave, const MemoryOp& op, const MemoryReply& reply) {
  for (unsigned d = 0; d < op.dst_dwords; ++d) {
    const uint32_t value = base::bit(op.moved, d)  ? op.scalar_data[d]
                           : base::bit(op.exec, d) ? reply.scalar_data[d]
                                                   : 0;
    write_code(wave, op.dst + d, value);
  }
}

/// An element's own bits: `texel.mask` picks its dwords.
uint32_t raw_register(const MemoryOp& op, const uint32_t raw[4], unsigned dword) {
  unsigned from = 0;
  for (unsigned c = 0, n = 0; c < 4; ++c) {
    if ((op.texel.mask >> c & 1) != 0 && n++ == dword) from = c;
  }
  if (4 * from >= op.bytes) return 0;
  const unsigned width = 8 * op.bytes;
  if (width >= 32) return raw[from];
  const auto value = static_cast<uint32_t>(raw[0] & base::low_mask(width));
  return op.texel.mode == TexelConversion::Mode::RawSigned ? sign_extended(value, width) : value;
}

uint32_t texel_value(const MemoryOp& op, const MemoryReply& reply, unsigned lane, unsigned dword,
                     uint32_t old, bool ecc) {
  const bool loaded = base::bit(op.exec, lane);
  uint32_t raw[4] = {};
  for (unsigned d = 0; d < 4 && loaded; ++d) raw[d] = reply.data[d][lane];
  if (op.texel.mode != TexelConversion::Mode::Convert) return raw_register(op, raw, dword);
  uint32_t components[4];
  texel_components(op.texel, loaded, raw, components);
  return texel_register(op.texel, components, dword, old, ecc);
}

/// Lanes of `row` get what was loaded as it is.
void copy_lanes(const uint32_t* from, uint64_t lanes, LaneRow& row) {
  if (lanes == ~uint64_t{0}) {
    std::memcpy(row.data(), from, sizeof row);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
    row[lane] = from[lane];
  }
}

void complete_vector(WaveState& wave, const MemoryOp& op, const MemoryReply& reply) {
  LaneRow* file = op.dst_kind == isa::OperandKind::Agpr ? wave.v.acc : wave.v.arch;
  const uint64_t written = op.written_lanes();
  const unsigned first = op.exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(op.exec));
  const bool plain = op.sampling == nullptr && op.texel.mode == TexelConversion::Mode::None &&
                     op.extend == LoadExtend::None && op.spread == 0;
  for (unsigned d = 0; d < op.dst_dwords; ++d) {
    LaneRow& row = file[op.dst + d];
    const bool status = op.status_dword && d + 1 == op.dst_dwords;
    if (plain && !status) {
      static constexpr LaneRow kZero{};
      const uint64_t loaded = op.exec & ~op.partial[d] & ~op.moved;
      copy_lanes(op.data[d], op.moved, row);
      copy_lanes(reply.data[d], loaded, row);
      copy_lanes(kZero.data(), written & ~loaded & ~op.moved, row);
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!base::bit(written, lane)) continue;
      const unsigned from = base::bit(op.spread, lane) ? first : lane;
      row[lane] = status ? 0 : loaded_value(op, reply, from, d, row[lane], wave.sramecc);
    }
  }
}

}  // namespace
}  // namespace memory

uint32_t loaded_value(const MemoryOp& op, const MemoryReply& reply, unsigned lane, unsigned dword,
                      uint32_t old, bool sramecc) {
  if (op.sampling != nullptr) {
    return memory::texel_register(op.texel, op.sampling->result[lane].data(), dword, old, sramecc);
  }
  if (op.texel.mode != TexelConversion::Mode::None && !base::bit(op.moved, lane)) {
    return memory::texel_value(op, reply, lane, dword, old, sramecc);
  }
  uint32_t value = 0;
  if (base::bit(op.moved, lane)) {
    value = op.data[dword][lane];
  } else if (base::bit(op.exec & ~op.partial[dword], lane)) {
    value = reply.data[dword][lane];
  }
  return memory::extended(value, old, op.extend, op.bytes, sramecc);
}

std::string violation_text(const MemoryOp& op) {
  const auto lane = static_cast<unsigned>(__builtin_ctzll(op.violation));
  const uint64_t address = op.first_violation();
  std::ostringstream out;
  out << std::hex << "access ";
  if (base::bit(op.strayed, lane)) {
    const auto offset = static_cast<uint64_t>(int64_t{op.instruction->mem.offset});
    out << "at 0x" << address << " leaves the segment of its base address 0x" << address - offset;
  } else if (memory::is_misaligned(op, address)) {
    out << "of an atomic at 0x" << address << ", which is no multiple of its " << std::dec
        << unsigned{op.bytes} << " bytes" << std::hex;
  } else {
    const bool in_gds = op.space == MemorySpace::Gds;
    out << "out of bounds" << (in_gds ? " of the global data share" : "") << " at 0x" << address;
  }
  out << " (lanes 0x" << std::setw(16) << std::setfill('0') << op.violation << ")";
  return out.str();
}

void complete(WaveState& wave, const MemoryOp& op, const MemoryReply& reply) {
  if (op.space == MemorySpace::Scalar) {
    // Scalar memory never reports violations (isa_notes 37).
    memory::complete_scalar(wave, op, reply);
    return;
  }
  if ((op.violation | (reply.faulted & op.exec)) != 0) wave.s.trapsts |= kMemViol;
  const bool returns = op.kind == MemoryKind::Load || op.kind == MemoryKind::AtomicReturn;
  if (!returns || !vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) return;
  if (op.sampling != nullptr) memory::finish_sampling(*op.sampling);
  memory::complete_vector(wave, op, reply);
}

}  // namespace cuvette::wave
