// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/retire_record.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "isa/registers.h"
#include "wave/access_pieces.h"
#include "wave/memory/sampling.h"

namespace cuvette::wave {
namespace {

constexpr unsigned kPieceBytes = sizeof(MemoryAccess::bytes);

bool has_second_operand(base::AtomicOp op) {
  return op == base::AtomicOp::CmpSwap || op == base::AtomicOp::FCmpSwap ||
         op == base::AtomicOp::MSkOr;
}

AccessScope scope_of(const MemoryOp& op) {
  if (op.instruction->target == isa::Target::Gfx942) {
    return static_cast<AccessScope>((op.glc ? 1u : 0u) | (op.scc ? 2u : 0u));
  }
  if (op.scc) return AccessScope::System;
  return op.glc ? AccessScope::Agent : AccessScope::Wave;
}

MemoryAccess access_of(const MemoryOp& op) {
  MemoryAccess a;
  a.space = op.space;
  a.kind = op.kind;
  a.atomic = op.atomic;
  a.glc = op.glc;
  a.slc = op.slc;
  a.scc = op.scc;
  a.nv = op.nv;
  a.scope = scope_of(op);
  return a;
}

void append_scalar(const MemoryOp& op, const MemoryReply& reply, std::vector<MemoryAccess>& out) {
  const unsigned bytes = 4u * static_cast<unsigned>(std::popcount(op.exec));
  const uint32_t* data = op.kind == MemoryKind::Load ? reply.scalar_data : op.scalar_data;
  for (unsigned first = 0; first < bytes; first += kPieceBytes) {
    MemoryAccess a = access_of(op);
    a.size = static_cast<uint8_t>(std::min(kPieceBytes, bytes - first));
    a.fault = reply.faulted != 0;
    a.address = op.address[0][0] + first;
    std::memcpy(a.bytes, data + first / 4, a.size);
    if (is_atomic(op.kind) && has_second_operand(op.atomic)) {
      for (unsigned d = 0; d < a.size / 4u; ++d) {
        std::memcpy(a.bytes + a.size + 4 * d, &op.compare[d][0], 4);
      }
    }
    if (op.kind == MemoryKind::AtomicReturn) std::memcpy(a.old_bytes, reply.scalar_data, a.size);
    out.push_back(a);
  }
}

/// LDS side of a transfer between memory and LDS: one dword per lane.
void append_transfer(const MemoryOp& op, const MemoryReply& reply, std::vector<MemoryAccess>& out) {
  const bool to_lds = op.transfer == LdsTransfer::ToLds;
  const uint64_t moving = to_lds ? op.exec | op.out_of_range : op.exec;
  for (uint64_t lanes = moving; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const uint32_t value =
        to_lds ? loaded_value(op, reply, lane, 0, 0, false) : reply.data[0][lane];
    MemoryAccess a = access_of(op);
    a.lane = static_cast<uint8_t>(lane);
    a.space = MemorySpace::Lds;
    a.kind = to_lds ? MemoryKind::Store : MemoryKind::Load;
    a.address = op.address[1][lane];
    a.size = 4;
    std::memcpy(a.bytes, &value, 4);
    out.push_back(a);
  }
}

/// A sampling instruction fetches elements; every one is an access.
void append_fetches(const MemoryOp& op, const MemoryReply& reply, std::vector<MemoryAccess>& out) {
  for (const Sampling::Fetch& fetch : op.sampling->fetches) {
    MemoryAccess a = access_of(op);
    a.lane = fetch.lane;
    a.fault = base::bit(reply.faulted, fetch.lane);
    a.address = fetch.address;
    a.size = op.sampling->bytes;
    std::memcpy(a.bytes, fetch.raw, a.size);
    out.push_back(a);
  }
}

/// One access of one lane, in contiguous pieces.
void append_lane(const MemoryOp& op, const MemoryReply& reply, unsigned lane, unsigned access,
                 std::vector<MemoryAccess>& out) {
  const unsigned plane = access * ((op.bytes + 3u) / 4);
  const bool answered = op.kind == MemoryKind::Load || op.transfer == LdsTransfer::FromLds;
  const auto byte_of = [&](const uint32_t planes[][kLanes], unsigned byte) {
    return static_cast<uint8_t>(planes[byte / 4][lane] >> 8 * (byte % 4));
  };
  for_access_pieces(op, access, lane, [&](uint64_t address, unsigned first, unsigned count) {
    MemoryAccess a = access_of(op);
    a.lane = static_cast<uint8_t>(lane);
    if (base::bit(op.flat_lds, lane)) a.space = MemorySpace::Lds;
    a.fault = base::bit(reply.faulted, lane);
    a.address = address;
    a.size = static_cast<uint8_t>(count);
    for (unsigned n = 0; n < count; ++n) {
      a.bytes[n] = byte_of((answered ? reply.data : op.data) + plane, first + n);
      if (op.kind == MemoryKind::AtomicReturn) {
        a.old_bytes[n] = byte_of(reply.data + plane, first + n);
      }
      if (is_atomic(op.kind) && has_second_operand(op.atomic)) {
        a.bytes[count + n] = byte_of(op.compare, first + n);
      }
    }
    out.push_back(a);
  });
}

}  // namespace

std::vector<ScalarWrite> scalar_changes(const ScalarState& before, const ScalarState& after) {
  std::vector<ScalarWrite> out;
  for (uint16_t code = 0; code < after.sgpr.size(); ++code) {
    if (after.sgpr[code] != before.sgpr[code]) out.push_back({code, after.sgpr[code]});
  }
  if (after.scc != before.scc) out.push_back({isa::kScc, after.scc});
  return out;
}

void append_writes(const WrittenSet& set, const VectorFile& file, std::vector<VectorWrite>& out) {
  for (unsigned n = 0; n < set.count; ++n) {
    const WrittenVectors& w = set.at[n];
    const LaneRow* rows = w.kind == isa::OperandKind::Agpr ? file.acc : file.arch;
    for (unsigned d = 0; d < w.dwords; ++d) {
      VectorWrite write;
      write.kind = w.kind;
      write.index = static_cast<uint16_t>(w.index + d);
      write.lanes = w.lanes;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (base::bit(w.lanes, lane)) write.data[lane] = rows[write.index][lane];
      }
      out.push_back(write);
    }
  }
  std::sort(out.begin(), out.end(), [](const VectorWrite& a, const VectorWrite& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  });
}

void append_accesses(const MemoryOp& op, const MemoryReply& reply, std::vector<MemoryAccess>& out) {
  if (op.space == MemorySpace::Scalar) {
    append_scalar(op, reply, out);
    return;
  }
  if (op.sampling != nullptr) {
    append_fetches(op, reply, out);
    return;
  }
  for (uint64_t lanes = op.exec; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    for (unsigned access = 0; access < op.accesses; ++access) {
      append_lane(op, reply, lane, access, out);
    }
  }
  if (op.transfer != LdsTransfer::None) append_transfer(op, reply, out);
}

}  // namespace cuvette::wave
