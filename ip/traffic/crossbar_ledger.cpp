// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/crossbar_ledger.h"

#include <algorithm>

namespace cuvette::ip::traffic {

using crossbar::Aperture;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

void CrossbarLedger::asked(unsigned source, const MemReq& r, machine::Cycle now) {
  if (!open_.emplace(std::pair{source, r.id}, Open{r, now, 0, {}, false}).second) {
    fail("id",
         "source " + std::to_string(source) + ", id " + std::to_string(r.id) + ": used twice");
  }
  ++under_way_[source];
  for (unsigned k = 0; k < config_.slices; ++k) {
    const bool here = r.address / config_.interleave_bytes % config_.slices == k;
    if (here || is_broadcast(r.op)) order_[{source, k}].push_back(r.id);
  }
}

void CrossbarLedger::given(unsigned slice, const MemReq& r, bool store) {
  const std::string name = "slice " + std::to_string(slice) + ", id " + std::to_string(r.id) + ": ";
  const auto source = static_cast<unsigned>(r.id >> kCrossbarIdBits);
  const auto found = open_.find({source, r.id & kCrossbarIds});
  if (found == open_.end()) return fail("once", name + "no source asks for it");
  Open& open = found->second;
  auto& order = order_[{source, slice}];
  if (std::find(order.begin(), order.end(), r.id & kCrossbarIds) == order.end()) {
    return fail("once", name + "given twice, or at the wrong slice");
  }
  if (order.front() != (r.id & kCrossbarIds)) {
    return fail("order", name + "given before id " + std::to_string(order.front()) + " of source " +
                             std::to_string(source) + ", which was asked for before");
  }
  order.pop_front();
  if (content(open.request) != content(r)) fail("content", name + "changed on its way");
  ++open.slices;
  open.stored = store;
  if (is_at_slices(open)) ++at_slices_;
  check_place(open, store, name);
  if (!violation_) ++checked_;
}

/// The last aperture may hold, and one that another replaced after the request came.
void CrossbarLedger::check_place(const Open& open, bool store, const std::string& name) {
  const MemReq& r = open.request;
  const auto inside = [&r](const Aperture& a) {
    return a.there && r.op == MemOp::Write && r.address - a.base < a.bytes;
  };
  bool may_store = false, may_pass = apertures_.empty();
  for (size_t count = apertures_.size(), n = count; n-- != 0;) {
    const bool may_hold =
        n + 1 == count || (at_pins_ ? apertures_[n + 1].time >= open.asked : n + 2 == count);
    if (!may_hold) break;
    (inside(apertures_[n].aperture) ? may_store : may_pass) = true;
  }
  if (store && !may_store) fail("aperture", name + "left at the aperture and is not inside");
  if (!store && !may_pass) fail("aperture", name + "inside the aperture and given to the slice");
}

void CrossbarLedger::replied(const MemResp& r) {
  const auto found =
      open_.find({static_cast<unsigned>(r.id >> kCrossbarIdBits), r.id & kCrossbarIds});
  if (found == open_.end()) return;
  Open& open = found->second;
  const bool waited = is_at_slices(open);
  open.replies.push_back(r);
  if (waited && !is_at_slices(open)) --at_slices_;
}

void CrossbarLedger::answered(unsigned source, const MemResp& r) {
  const std::string name =
      "source " + std::to_string(source) + ", id " + std::to_string(r.id) + ": ";
  const auto found = open_.find({source, r.id});
  if (found == open_.end()) return fail("once", name + "answered, and nobody waits for it");
  const Open open = found->second;
  if (is_at_slices(open)) --at_slices_;
  open_.erase(found);
  --under_way_[source];
  if (open.slices != slices_of(open)) return fail("early", name + "answered before it was given");
  if (open.stored) {
    if (r.status != MemStatus::Ok || r.address != open.request.address) {
      return fail("aperture", name + "of a store, with another status or address");
    }
  } else if (open.replies.size() != open.slices) {
    return fail("early", name + "answered before its slices have");
  } else if (!is_broadcast(open.request.op)) {
    if (content(open.replies[0]) != content(r)) return fail("content", name + "changed on its way");
  } else {
    const auto is_fault = [](const MemResp& reply) { return reply.status == MemStatus::Fault; };
    const bool faults = std::any_of(open.replies.begin(), open.replies.end(), is_fault);
    const bool known = std::any_of(
        open.replies.begin(), open.replies.end(),
        [&r](const auto& reply) { return reply.status == r.status && reply.address == r.address; });
    if (faults != is_fault(r) || !known) {
      return fail("broadcast", name + "not the answer of a slice, or a fault is lost");
    }
  }
  ++checked_;
}

}  // namespace cuvette::ip::traffic
