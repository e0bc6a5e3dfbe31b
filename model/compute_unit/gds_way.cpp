// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "compute_unit/compute_unit_tlm.h"
#include "compute_unit/group_request.h"

// The way to the global data share: DS instructions with the GDS bit, global wave sync and the
// ordered count. LGKM_CNT falls with the answer, EXP_CNT as soon as the gds has the data
// (Vega ISA 4.4). A wave that a sync holds goes on to its next wait for LGKM_CNT.
namespace cuvette::compute_unit {

using machine::Cycle;
using wave::SyncOp;

const char* text_of(SyncOp sync) {
  return sync == SyncOp::OrderedCount ? "earlier waves at an ordered count" : "a global wave sync";
}

void ComputeUnitTlm::send_to_gds(WaveContext& w, Operation& o, Cycle now) {
  gds::Request r = gds_request_of(o.op);
  r.id = o.gds_request = next_id_++;
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  w.sync = o.op.sync;
  gds.request.push(r, now + 1);
  ++w.exp;
  in_gds_.push_back(&o);
}

Operation& ComputeUnitTlm::in_gds(uint32_t request) {
  const auto found = std::find_if(in_gds_.begin(), in_gds_.end(), [request](const Operation* o) {
    return o->gds_request == request;
  });
  assert(found != in_gds_.end());
  return **found;
}

void ComputeUnitTlm::take_gds(Cycle now) {
  while (const gds::Taken* taken = gds.taken.front(now)) {
    WaveContext& w = waves_[in_gds(taken->id).wave];
    --w.exp;
    wake(w);
    gds.taken.drop(now);
  }
  while (const gds::Response* response = gds.response.front(now)) {
    Operation& o = in_gds(response->id);
    std::erase(in_gds_, &o);
    for (unsigned d = 0; d < 4; ++d) {
      std::copy(response->data[d].begin(), response->data[d].end(), o.reply.data[d]);
    }
    if (o.op.sync != SyncOp::None) waves_[o.wave].sync = SyncOp::None;
    answered_.push_back(&o);
    gds.response.drop(now);
  }
}

/// The wave ends: it waits for nobody any more.
void ComputeUnitTlm::leave_gds(WaveContext& w) {
  if (w.sync == SyncOp::None) return;
  gds::Request r;
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  r.withdraw = true;
  gds.request.push(r, now_ + 1);
}

}  // namespace cuvette::compute_unit
