// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/gds_path.h"

#include <cassert>

#include "compute_unit/group_request.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using wave::SyncOp;

const char* text_of(SyncOp sync) {
  return sync == SyncOp::OrderedCount ? "earlier waves at an ordered count" : "a global wave sync";
}

void GdsPath::send(WaveContext& w, Operation& o, Cycle now) {
  gds::Request r = gds_request_of(o.op);
  r.id = o.gds_request = ids_.next();
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  w.sync = o.op.sync;
  port_.request.push(r, now + 1);
  ++w.exp;
  under_way_.push_back(&o);
}

Operation& GdsPath::operation_of(uint32_t request) const {
  const auto found =
      std::find_if(under_way_.begin(), under_way_.end(),
                   [request](const Operation* o) { return o->gds_request == request; });
  assert(found != under_way_.end());
  return **found;
}

void GdsPath::take(Cycle now, std::vector<Operation*>& answered) {
  while (const gds::Taken* taken = port_.taken.front(now)) {
    WaveContext& w = slots_[operation_of(taken->id).wave];
    --w.exp;
    slots_.wake(w);
    port_.taken.drop(now);
  }
  while (const gds::Response* response = port_.response.front(now)) {
    Operation& o = operation_of(response->id);
    std::erase(under_way_, &o);
    for (unsigned d = 0; d < 4; ++d) {
      std::copy(response->data[d].begin(), response->data[d].end(), o.reply.data[d]);
    }
    if (o.op.sync != SyncOp::None) slots_[o.wave].sync = SyncOp::None;
    answered.push_back(&o);
    port_.response.drop(now);
  }
}

void GdsPath::withdraw(const WaveContext& w) {
  if (w.sync == SyncOp::None) return;
  gds::Request r;
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  r.withdraw = true;
  port_.request.push(r, slots_.now() + 1);
}

}  // namespace cuvette::compute_unit
