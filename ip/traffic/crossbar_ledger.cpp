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

void CrossbarLedger::asked(unsigned source, const MemReq& r) {
  if (!open_.emplace(std::pair{source, r.id}, Open{r, 0, {}, false}).second) fail("id used twice");
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
  if (found == open_.end()) return fail(name + "nobody asked");
  Open& open = found->second;
  auto& order = order_[{source, slice}];
  if (order.empty() || order.front() != (r.id & kCrossbarIds)) return fail(name + "not in order");
  order.pop_front();
  if (content(open.request) != content(r)) fail(name + "changed");
  ++open.slices;
  open.stored = store;
  const auto inside = [&r](const Aperture& a) {
    return a.there && r.op == MemOp::Write && r.address - a.base < a.bytes;
  };
  // The last one, and the one before, which may hold yet.
  bool may_store = false, may_pass = apertures_.empty();
  for (size_t n = apertures_.size() - std::min<size_t>(2, apertures_.size()); n < apertures_.size();
       ++n) {
    (inside(apertures_[n]) ? may_store : may_pass) = true;
  }
  if (apertures_.size() == 1) may_pass = !may_store;
  if (store ? !may_store : !may_pass) fail(name + "given to the wrong side");
}

void CrossbarLedger::replied(const MemResp& r) {
  const auto found =
      open_.find({static_cast<unsigned>(r.id >> kCrossbarIdBits), r.id & kCrossbarIds});
  if (found != open_.end()) found->second.replies.push_back(r);
}

void CrossbarLedger::answered(unsigned source, const MemResp& r) {
  const std::string name =
      "source " + std::to_string(source) + ", id " + std::to_string(r.id) + ": ";
  const auto found = open_.find({source, r.id});
  if (found == open_.end()) return fail(name + "nobody asked");
  const Open open = found->second;
  open_.erase(found);
  --under_way_[source];
  const bool all = is_broadcast(open.request.op);
  if (open.slices != (all ? config_.slices : 1)) return fail(name + "answered too early");
  if (open.stored) {
    if (r.status != MemStatus::Ok || r.address != open.request.address) fail(name + "of a store");
    return;
  }
  if (open.replies.size() != open.slices) return fail(name + "no slice has answered");
  if (!all) {
    if (content(open.replies[0]) != content(r)) fail(name + "changed");
    return;
  }
  const auto is_fault = [](const MemResp& reply) { return reply.status == MemStatus::Fault; };
  const bool faults = std::any_of(open.replies.begin(), open.replies.end(), is_fault);
  const bool known = std::any_of(open.replies.begin(), open.replies.end(), [&r](const auto& reply) {
    return reply.status == r.status && reply.address == r.address;
  });
  if (faults != is_fault(r) || !known) fail(name + "of a broadcast");
}

}  // namespace cuvette::ip::traffic
