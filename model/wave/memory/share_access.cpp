// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/share_access.h"

#include <cstring>

#include "wave/atomic.h"
#include "wave/memory/lane_data.h"

namespace cuvette::wave {

uint32_t gds_bytes(isa::Target target) {
  switch (target) {
    case isa::Target::Gfx900:
    case isa::Target::Gfx906:
      return 65536;
    case isa::Target::Gfx908:
      return 4096;
    default:
      return 0;
  }
}

void access_share(const MemoryOp& op, uint64_t lanes, const Mode& mode, std::vector<uint8_t>& share,
                  MemoryReply& reply) {
  const unsigned planes = memory::dwords_of(op.bytes);
  const auto fits = [&](uint64_t offset) {
    return offset <= share.size() && op.bytes <= share.size() - offset;
  };
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
    for (unsigned access = 0; access < op.accesses; ++access) {
      const uint64_t offset = op.address[access][lane];
      uint8_t bytes[16] = {};
      const bool inside = fits(offset) && op.byte_in_range(access, lane, 0) &&
                          (!op.operand_in_lds || fits(op.address[1][lane]));
      if (op.kind == MemoryKind::Load) {
        if (inside) std::memcpy(bytes, &share[offset], op.bytes);
        memory::scatter_lane(reply.data, access * planes, lane, op.bytes, bytes);
      } else if (op.kind == MemoryKind::Store) {
        memory::gather_lane(op.data, access * planes, lane, op.bytes, bytes);
        if (inside) std::memcpy(&share[offset], bytes, op.bytes);
      } else {
        uint64_t old = 0;
        if (inside) {
          std::memcpy(&old, &share[offset], op.bytes);
          uint64_t data = memory::lane_operand(op, lane, access * planes);
          if (op.operand_in_lds) {
            data = 0;
            std::memcpy(&data, &share[op.address[1][lane]], op.bytes);
          }
          const AtomicFlush flush = flush_of(op.atomic, mode);
          const uint64_t value = apply_atomic(op.atomic, old, data, memory::lane_compare(op, lane),
                                              op.bytes * 8u, flush.in, flush.out);
          std::memcpy(&share[offset], &value, op.bytes);
        }
        reply.data[access * planes][lane] = base::lo32(old);
        if (planes == 2) reply.data[access * planes + 1][lane] = base::hi32(old);
      }
    }
  }
}

}  // namespace cuvette::wave
