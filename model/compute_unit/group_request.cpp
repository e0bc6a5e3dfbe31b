// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/group_request.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"
#include "wave/memory/sampling.h"

namespace cuvette::compute_unit {

using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemorySpace;
using wave::SyncOp;

namespace {

MemOp mem_op(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Load:
      return MemOp::Read;
    case MemoryKind::Store:
      return MemOp::Write;
    case MemoryKind::Atomic:
      return MemOp::Atomic;
    case MemoryKind::AtomicReturn:
      return MemOp::AtomicReturn;
  }
  return MemOp::Read;
}

/// Scope within which an access has to be coherent, by its bits (LLVM's memory models). sc0 and sc1
/// of gfx942 name the scope; elsewhere GLC is that of the agent, SCC the system's. For an atomic
/// GLC or sc0 says that it returns something; it is done at the L2 in any case.
memory::Scope scope_of(const MemoryOp& op) {
  using memory::Scope;
  const bool atomic = is_atomic(op.kind);
  if (atomic) return op.scc ? Scope::System : Scope::Agent;
  const bool named =
      op.instruction->target == isa::Target::Gfx942 && op.space != MemorySpace::Scalar;
  if (named) return static_cast<Scope>((op.glc ? 1u : 0u) | (op.scc ? 2u : 0u));
  if (op.scc) return Scope::System;
  return op.glc ? Scope::Agent : Scope::Wave;
}

/// Copies between items' bytes, which lie in one dword plane each four, and a block. Single dwords
/// of consecutive lanes lie in one plane, one behind the other.
template <class Plane, class Copy>
void for_dwords(const Piece& p, Plane plane, Copy copy) {
  const bool dwords = p.count == 4 && p.first % 4 == 0;
  const unsigned step = dwords ? p.items : 1;
  for (unsigned item = 0; item < p.items; item += step) {
    const unsigned offset = p.offset + item * p.count;
    for (unsigned done = 0; done < p.count;) {
      const unsigned byte = p.first + done;
      const unsigned n = std::min(4 - byte % 4, p.count - done);
      auto* const at = reinterpret_cast<uint8_t*>(plane(p.item + item, byte / 4));
      copy(at + byte % 4, offset + done, n * step);
      done += n;
    }
  }
}

uint32_t* data_plane(MemoryOp& op, unsigned lane, unsigned dword) {
  return op.space == MemorySpace::Scalar ? &op.scalar_data[dword] : &op.data[dword][lane];
}

uint32_t* reply_plane(MemoryOp& op, wave::MemoryReply& reply, unsigned item, unsigned dword) {
  if (op.sampling != nullptr) return &op.sampling->fetches[item].raw[dword];
  return op.space == MemorySpace::Scalar ? &reply.scalar_data[dword] : &reply.data[dword][item];
}

}  // namespace

void fill_request(const MemoryOp& op, const Coalesced& requests, const Group& g, MemReq& r) {
  r.scope = scope_of(op);
  r.op = mem_op(op.kind);
  r.glc = op.glc;
  r.slc = op.slc;
  r.scc = op.scc;
  r.nv = op.nv;
  r.mtype = g.mtype;
  r.address = g.address;
  r.byte_mask = g.byte_mask;
  if (op.kind == MemoryKind::Load) return;
  auto& source = const_cast<MemoryOp&>(op);  // planes are shared with the writing direction
  if (op.kind == MemoryKind::Store) {
    requests.for_pieces(g, [&](const Piece& p) {
      for_dwords(
          p, [&](unsigned item, unsigned d) { return data_plane(source, item, d); },
          [&](const uint8_t* lane, unsigned at, unsigned n) {
            std::memcpy(r.data.data() + at, lane, n);
          });
    });
    return;
  }
  r.atomic = op.atomic;
  r.atomic_bytes = op.bytes;
  r.flush_subnormals = wave::flushes_in_l2(op.instruction->target);
  const unsigned lane = requests.pieces[g.first_piece].item;
  for (unsigned d = 0; 4u * d < op.bytes; ++d) {
    std::memcpy(r.data.data() + 4 * d, data_plane(source, lane, d), 4);
    std::memcpy(r.data.data() + 8 + 4 * d, &op.compare[d][lane], 4);
  }
}

void take_response(const Coalesced& requests, const Group& g, const MemResp& response, MemoryOp& op,
                   wave::MemoryReply& reply) {
  const bool atomic = op.kind == MemoryKind::AtomicReturn;
  if (op.kind != MemoryKind::Load && !atomic) return;
  requests.for_pieces(g, [&](const Piece& p) {
    // An atomic's old value comes at the start of the block.
    const unsigned shift = atomic ? p.offset : 0;
    for_dwords(
        p, [&](unsigned item, unsigned d) { return reply_plane(op, reply, item, d); },
        [&](uint8_t* item, unsigned at, unsigned n) {
          std::memcpy(item, response.data.data() + at - shift, n);
        });
  });
}

gds::Request gds_request_of(const MemoryOp& op) {
  gds::Request r;
  r.sync = op.sync;
  r.resource = op.sync_resource;
  r.value = op.sync == SyncOp::None ? 0 : op.data[0][0];
  r.releases = op.ordered_release;
  r.kind = op.kind;
  if (op.sync == SyncOp::None) {
    r.atomic = op.atomic;
    const wave::AtomicFlush flush = wave::flush_of(op.atomic, wave::Mode{op.mode});
    r.flush_in = flush.in;
    r.flush_out = flush.out;
    r.operand_in_gds = op.operand_in_lds;
    r.accesses = op.accesses;
    r.bytes = op.bytes;
    const unsigned dwords = (op.bytes + 3u) / 4;
    for (unsigned a = 0; a < op.accesses; ++a) r.exec[a] = op.exec & ~op.partial[a * dwords];
    for (unsigned a = 0; a < 2; ++a) {
      std::transform(std::begin(op.address[a]), std::end(op.address[a]), r.offset[a].begin(),
                     [](uint64_t offset) { return base::lo32(offset); });
      std::copy_n(op.compare[a], wave::kLanes, r.compare[a].begin());
    }
    for (unsigned d = 0; d < 4; ++d) std::copy_n(op.data[d], wave::kLanes, r.data[d].begin());
  }
  return r;
}

}  // namespace cuvette::compute_unit
