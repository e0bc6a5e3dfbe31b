// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/memory_unit.h"

#include <cassert>

#include "compute_unit/group_request.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using memory::MemReq;
using memory::MemResp;

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
    if (!o.maintenance) take_response(o.requests, g, *response, o.op, o.reply);
    if (on_answer_) on_answer_(o, flight.sequence);
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
    path.flights.push_back({&o, static_cast<uint32_t>(o.sent), request.sequence});
    if (on_request_) on_request_(o, request);
    ++*sequence_;
    if (!o.maintenance) ++path.accesses;
    ++o.sent;
    ++o.outstanding;
  }
  if (o.sent < o.requests.groups.size()) return;
  leave_queue(path, now);
  if (o.all_back()) answered.push_back(&o);
}

/// All requests of the instruction at the head are sent.
void MemoryUnit::leave_queue(Path& path, Cycle now) {
  const Operation& o = *path.queue.front();
  path.queue.pop_front();
  const uint64_t cycles = now + 1 - o.started;
  if (&path == &scalar_) {
    detail_.scalar_cycles += cycles;
    return;
  }
  addresses_.leave(now + 1);
  if (o.maintenance) return;
  const isa::Format format = o.instruction->row->format;
  const bool buffer = format == isa::Format::Mubuf || format == isa::Format::Mtbuf;
  const size_t requests = buffer ? o.requests.groups.size() : 0;
  if (buffer) detail_.address_buffer_cycles += cycles;
  if (o.op.kind == wave::MemoryKind::Load) {
    detail_.address_read_cycles += cycles;
    detail_.buffer_read_requests += requests;
  } else if (o.op.kind == wave::MemoryKind::Store) {
    detail_.address_write_cycles += cycles;
    detail_.buffer_write_requests += requests;
  }
}

void MemoryUnit::tell(ComputeUnit::Detail& d, Cycle now) const {
  d.address_cycles = addresses_.busy(now);
  d.address_read_cycles = detail_.address_read_cycles;
  d.address_write_cycles = detail_.address_write_cycles;
  d.address_buffer_cycles = detail_.address_buffer_cycles;
  d.scalar_cycles = detail_.scalar_cycles;
  d.buffer_read_requests = detail_.buffer_read_requests;
  d.buffer_write_requests = detail_.buffer_write_requests;
}

void MemoryUnit::fill_request(const Operation& o, const Group& g, Cycle now, MemReq& r) const {
  r = MemReq{};
  if (o.maintenance) {
    r.scope = o.scope;
    r.op = o.maintenance_op;
    r.glc = o.op.glc;
  } else {
    compute_unit::fill_request(o.op, o.requests, g, r);
  }
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(o.wave);
  r.time = now + 1;
  r.sequence = *sequence_;
}

}  // namespace cuvette::compute_unit
