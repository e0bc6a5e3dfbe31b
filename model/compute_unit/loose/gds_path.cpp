// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compute_unit/group_request.h"
#include "compute_unit/loose/loose_unit.h"
#include "wave/trap.h"

// The way to the global data share. A wave waits at the instruction until it is answered.
namespace cuvette::compute_unit::loose {

void LooseUnit::send_to_gds(Slot& w, uint64_t pc, const isa::Instruction& i) {
  w.in_gds = std::make_unique<GdsAccess>();
  GdsAccess& a = *w.in_gds;
  a.request = next_request_++;
  a.pc = pc;
  a.instruction = i;
  a.op = op_;
  a.op.instruction = &a.instruction;
  a.scalars = w.state.s;
  gds::Request r = gds_request_of(a.op);
  r.id = a.request;
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  w.sync = a.op.sync;
  ++w.exp;
  put(gds_requests_, w.ready_at, std::move(r));
}

void LooseUnit::take_gds() {
  const auto asks = [this](uint32_t request) -> Slot* {
    for (Slot* w : resident_) {
      if (w->in_gds != nullptr && w->in_gds->request == request) return w;
    }
    return nullptr;
  };
  while (const gds::Taken* taken = gds.taken.front(now_)) {
    if (Slot* w = asks(taken->id)) --w->exp;
    gds.taken.drop(now_);
  }
  while (const gds::Response* response = gds.response.front(now_)) {
    if (Slot* w = asks(response->id)) finish_gds(*w, *response);
    gds.response.drop(now_);
  }
}

void LooseUnit::finish_gds(Slot& w, const gds::Response& response) {
  const std::unique_ptr<GdsAccess> a = std::move(w.in_gds);
  reply_ = {};
  for (unsigned d = 0; d < 4; ++d) {
    std::copy(response.data[d].begin(), response.data[d].end(), reply_.data[d]);
  }
  w.sync = wave::SyncOp::None;
  w.exp = 0;
  advance(w, now_, Stall::Waitcnt);
  wave::complete(w.state, a->op, reply_);
  if (a->op.violation != 0) {
    w.state.s.trapsts |= wave::kMemViol;
    wave::take_exception_trap(w.state, wave::kMemViol, 0);
  }
  if (observer_) {
    op_ = a->op;
    const Before before{a->scalars, wave::written_vectors(w.state, op_)};
    const bool accesses = op_.sync == wave::SyncOp::None;
    wave::Outcome outcome;
    outcome.event = accesses ? wave::Event::Memory : wave::Event::GlobalSync;
    --w.order;  // as when it was issued
    record(w, before, a->pc, a->instruction, outcome, 0);
    ++w.order;
  }
  if (w.phase == Phase::Ending) end_wave(w);
}

/// The wave ends: it waits for nobody any more.
void LooseUnit::leave_gds(Slot& w) {
  if (w.sync == wave::SyncOp::None) return;
  gds::Request r;
  r.wave = w.launch.id;
  r.dispatch = w.launch.dispatch;
  r.withdraw = true;
  put(gds_requests_, std::max(w.ready_at, now_ + 1), std::move(r));
}

}  // namespace cuvette::compute_unit::loose
