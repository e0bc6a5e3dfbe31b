// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/form.h"

// Returned data into registers (Vega ISA 8.1.4, 9, 10; decisions.md D9).
namespace cuvette::wave {
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

void complete_vector(WaveState& wave, const MemoryOp& op, const MemoryReply& reply) {
  LaneRow* file = op.dst_kind == isa::OperandKind::Agpr ? wave.v.acc : wave.v.arch;
  const uint64_t written = op.exec | op.out_of_range | op.moved;
  for (unsigned d = 0; d < op.dst_dwords; ++d) {
    LaneRow& row = file[op.dst + d];
    const uint64_t loaded = op.exec & ~op.partial[d];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!base::bit(written, lane)) continue;
      uint32_t value = 0;
      if (base::bit(op.moved, lane)) {
        value = op.data[d][lane];
      } else if (base::bit(loaded, lane)) {
        value = reply.data[d][lane];
      }
      row[lane] = extended(value, row[lane], op.extend, op.bytes, wave.sramecc);
    }
  }
}

}  // namespace

void complete(WaveState& wave, const MemoryOp& op, const MemoryReply& reply) {
  if (op.space == MemorySpace::Scalar) {
    // Scalar memory never reports violations (isa_notes 37).
    complete_scalar(wave, op, reply);
    return;
  }
  if ((op.violation | (reply.faulted & op.exec)) != 0) wave.s.trapsts |= kMemViol;
  const bool returns = op.kind == MemoryKind::Load || op.kind == MemoryKind::AtomicReturn;
  if (!returns || !vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) return;
  complete_vector(wave, op, reply);
}

}  // namespace cuvette::wave
