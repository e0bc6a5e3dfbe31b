// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/memory_unit.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"
#include "wave/memory/sampling.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemorySpace;

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

/// How far away others may be whom an access is to agree with, by its bits (LLVM's memory models).
/// sc0 and sc1 of gfx942 name the scope; elsewhere GLC is that of the agent, SCC the system's. Of
/// an atomic GLC or sc0 says that it returns something; it is done at the L2 in any case.
memory::Scope scope_of(const MemoryOp& op) {
  using memory::Scope;
  const bool atomic = op.kind == MemoryKind::Atomic || op.kind == MemoryKind::AtomicReturn;
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

uint32_t* reply_plane(Operation& o, unsigned item, unsigned dword) {
  if (o.op.sampling != nullptr) return &o.op.sampling->fetches[item].raw[dword];
  return o.op.space == MemorySpace::Scalar ? &o.reply.scalar_data[dword]
                                           : &o.reply.data[dword][item];
}

}  // namespace

void MemoryUnit::connect(uint16_t cu, cache::Cache::Port& vector, cache::Cache::Port& scalar,
                         uint32_t& sequence) {
  cu_ = cu;
  vector_.port = &vector;
  scalar_.port = &scalar;
  sequence_ = &sequence;
}

Operation* MemoryUnit::allocate() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Operation>());
    free_.push_back(all_.back().get());
  }
  Operation* operation = free_.back();
  free_.pop_back();
  operation->active = true;
  return operation;
}

void MemoryUnit::release(Operation* o) {
  o->active = false;
  o->reply = {};
  o->maintenance = false;
  o->scope = memory::Scope::Wave;
  o->requests.groups.clear();
  o->requests.pieces.clear();
  o->sent = 0;
  o->started = 0;
  o->outstanding = 0;
  o->lds_pending = false;
  o->lds_step = LdsStep::None;
  o->serials.clear();
  o->answered = o->filling = o->done = false;
  o->written_rows = 0;
  o->written_lanes = 0;
  free_.push_back(o);
}

void MemoryUnit::take_path(Path& path, Cycle now, std::vector<Operation*>& answered) {
  while (const MemResp* response = path.port->response.front(now)) {
    assert(response->id - path.first_id < path.flights.size());
    Flight& flight = path.flights[response->id - path.first_id];
    assert(flight.operation != nullptr);
    Operation& o = *flight.operation;
    const Group& g = o.requests.groups[flight.group];
    o.serials[flight.group] = response->serial;
    if (response->status == memory::MemStatus::Fault && o.requests.fault == hsa::Fault::None) {
      o.requests.fault = hsa::Fault::NotBacked;
      o.requests.fault_address = o.maintenance ? response->address : g.address;
    }
    const bool atomic = o.op.kind == MemoryKind::AtomicReturn;
    if (!o.maintenance && (o.op.kind == MemoryKind::Load || atomic)) {
      o.requests.for_pieces(g, [&](const Piece& p) {
        // An atomic's old value comes at the start of the block.
        const unsigned shift = atomic ? p.offset : 0;
        for_dwords(
            p, [&](unsigned item, unsigned d) { return reply_plane(o, item, d); },
            [&](uint8_t* item, unsigned at, unsigned n) {
              std::memcpy(item, response->data.data() + at - shift, n);
            });
      });
    }
    flight.operation = nullptr;
    --o.outstanding;
    if (o.all_back()) answered.push_back(&o);
    path.port->response.drop(now);
  }
  while (!path.flights.empty() && path.flights.front().operation == nullptr) {
    path.flights.pop_front();
    ++path.first_id;
  }
}

void MemoryUnit::send_path(Path& path, Cycle now, std::vector<Operation*>& answered) {
  Operation& o = *path.queue.front();
  if (o.fetches_data()) return;
  if (o.sent == 0 && o.started == 0) {
    o.started = now;
    o.serials.assign(o.requests.groups.size(), 0);
  }
  if (o.sent < o.requests.groups.size()) {
    const Group& g = o.requests.groups[o.sent];
    if (now < o.started + g.window || !path.port->request.can_push(now)) return;
    MemReq& request = path.port->request.push_in_place(now + 1);
    fill_request(o, g, now, request);
    request.id = path.first_id + path.flights.size();
    path.flights.push_back({&o, static_cast<uint32_t>(o.sent)});
    ++*sequence_;
    if (!o.maintenance) ++path.accesses;
    ++o.sent;
    ++o.outstanding;
  }
  if (o.sent < o.requests.groups.size()) return;
  path.queue.pop_front();
  if (o.all_back()) answered.push_back(&o);
}

void MemoryUnit::fill_request(const Operation& o, const Group& g, Cycle now, MemReq& r) const {
  r = MemReq{};
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(o.wave);
  r.time = now + 1;
  r.sequence = *sequence_;
  r.scope = o.maintenance ? o.scope : scope_of(o.op);
  if (o.maintenance) {
    r.op = o.maintenance_op;
    r.glc = o.op.glc;
    return;
  }
  const MemoryOp& op = o.op;
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
    o.requests.for_pieces(g, [&](const Piece& p) {
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
  const unsigned lane = o.requests.pieces[g.first_piece].item;
  for (unsigned d = 0; 4u * d < op.bytes; ++d) {
    std::memcpy(r.data.data() + 4 * d, data_plane(source, lane, d), 4);
    std::memcpy(r.data.data() + 8 + 4 * d, &op.compare[d][lane], 4);
  }
}

}  // namespace cuvette::compute_unit
