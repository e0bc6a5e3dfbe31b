// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/probe_point.h"

#include "base/bits.h"
#include "wave/status_register.h"

namespace cuvette::compute_unit {

using machine::Cycle;

void ProbePoint::issue(const WaveContext& w, const isa::Instruction& i, uint64_t pc,
                       wave::Relative relative, Cycle complete, uint32_t requests,
                       Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Issue, now, pc);
  a.instruction = &i;
  a.relative = relative;
  a.order = w.order;
  a.complete = complete;
  a.requests = requests;
  watcher_(a);
}

void ProbePoint::retired(const WaveContext& w, uint64_t pc, uint64_t order, Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Retire, now, pc);
  a.order = order;
  watcher_(a);
}

void ProbePoint::tell_request(const WaveContext& w, const Operation& o,
                              const memory::MemReq& request, Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Request, now, o.pc);
  a.order = o.order;
  a.sequence = request.sequence;
  a.op = request.op;
  a.address = request.address;
  watcher_(a);
}

void ProbePoint::tell_answer(const WaveContext& w, const Operation& o, uint32_t sequence,
                             Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Answer, now, o.pc);
  a.order = o.order;
  a.sequence = sequence;
  watcher_(a);
}

void ProbePoint::tell_fetch(const WaveContext& w, const memory::MemReq& request, uint64_t va,
                            uint32_t bytes, Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Fetch, now, va);
  a.sequence = request.sequence;
  a.address = request.address;
  a.bytes = bytes;
  watcher_(a);
}

void ProbePoint::tell_fetched(const WaveContext& w, uint32_t sequence, Cycle now) const {
  Activity a = activity_of(w, Activity::Kind::Fetched, now, 0);
  a.sequence = sequence;
  watcher_(a);
}

wave::RetireRecord ProbePoint::record_of(const WaveContext& w, const isa::Instruction& i,
                                         uint64_t pc, uint64_t order, uint64_t exec) {
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = order;
  r.pc = pc;
  r.instruction = i;
  r.exec = exec;
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  return r;
}

void ProbePoint::retire_nothing(const WaveContext& w, const isa::Instruction& i) const {
  retire(record_of(w, i, w.state.s.pc, w.order, w.state.s.exec()));
}

void ProbePoint::retire_memory(const WaveContext& w, const Operation& o,
                               std::vector<wave::ScalarWrite> scalars) const {
  const wave::MemoryOp& op = o.op;
  wave::RetireRecord r = record_of(w, *o.instruction, o.pc, o.order, o.exec);
  r.scalar_writes = std::move(scalars);
  for (unsigned n = 0; n < o.written_rows && o.written_lanes != 0; ++n) {
    wave::VectorWrite v{op.dst_kind, static_cast<uint16_t>(op.dst + n), o.written_lanes, o.rows[n]};
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if (!base::bit(v.lanes, lane)) v.data[lane] = 0;
    }
    r.vector_writes.push_back(v);
  }
  const bool accesses = !o.maintenance && op.sync == wave::SyncOp::None;
  if (accesses) wave::append_accesses(op, o.reply, r.accesses);
  for (wave::MemoryAccess& a : r.accesses) describe(w, o, a);
  retire(r);
}

/// Completes an access with data of the memory path: the memory type of its page, its place in the
/// coherence log.
void ProbePoint::describe(const WaveContext& w, const Operation& o,
                          wave::MemoryAccess& access) const {
  if (access.space != wave::MemorySpace::Global && access.space != wave::MemorySpace::Scalar)
    return;
  const auto t = space_.translate(w.launch.vmid, access.address, hsa::Access::None);
  if (t.ok()) access.memory_type = static_cast<uint8_t>(t.type);
  if (access.kind == wave::MemoryKind::Load) return;
  for (size_t g = 0; g < o.requests.groups.size(); ++g) {
    const Group& group = o.requests.groups[g];
    o.requests.for_pieces(group, [&](const Piece& p) {
      const unsigned item = access.lane - p.item;
      const uint64_t first = group.address + p.offset + uint64_t{item} * p.count;
      if (item < p.items && first >= t.pa && first < t.pa + access.size) {
        access.serial = o.serials[g];
      }
    });
  }
}

}  // namespace cuvette::compute_unit
