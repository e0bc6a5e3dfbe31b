// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "crossbar/crossbar_model.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "base/bits.h"

namespace cuvette::crossbar {

using machine::Cycle;
using machine::kNever;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;

namespace {

bool is_broadcast(const MemReq& request) {
  return request.op == MemOp::Invalidate || request.op == MemOp::Writeback;
}

}  // namespace

CrossbarModel::CrossbarModel(const Config& config, bool follows)
    : config_(config),
      follows_(follows),
      id_bits_(64 - id_source_bits(config.sources)),
      busy_(config.slices) {
  for (unsigned s = 0; s < config.sources; ++s) {
    sources_.push_back(std::make_unique<Source>());
    for (unsigned p = 0; p < config.depth; ++p) sources_.back()->places.push_back(0);
  }
  for (unsigned k = 0; k < config.slices; ++k) {
    slices_.push_back(std::make_unique<Slice>());
    for (unsigned p = 0; p < config.depth; ++p) slices_.back()->places.push(0);
  }
}

bool CrossbarModel::later(const Arrival& a, const Arrival& b) {
  return std::tie(a.time, a.source, a.number) > std::tie(b.time, b.source, b.number);
}

/// When the port takes a request follows from what is known when it is noticed: places and
/// broadcasts that end later than now end behind every cycle that has been run.
Cycle CrossbarModel::take_in(unsigned source) {
  Source& s = *sources_[source];
  Cycle first = kNever;
  s.waits = false;
  while (!s.port.request.empty()) {
    const Cycle sent = s.port.request.next_event();
    const MemReq& request = *s.port.request.front(sent);
    const bool all = is_broadcast(request);
    Cycle at = sent;
    if (!follows_) {
      if (s.places.empty() || (all && !s.broadcasts.empty())) {
        s.waits = true;
        break;
      }
      at = std::max({sent, s.next_entry, s.places.front()});
      if (all) at = std::max(at, s.next_broadcast);
      s.places.pop_front();
      s.next_entry = at + 1;
    }
    enter(source, request, at + config_.latency_cycles);
    s.port.request.drop(sent);
    if (first == kNever) first = at + config_.latency_cycles;
  }
  return first;
}

void CrossbarModel::enter(unsigned source, const MemReq& request, Cycle arrival) {
  assert(request.id >> id_bits_ == 0);
  uint32_t entry = 0;
  if (free_.empty()) {
    entry = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    entry = free_.back();
    free_.pop_back();
  }
  Source& s = *sources_[source];
  const bool all = is_broadcast(request);
  entries_[entry] = {request, source, all ? config_.slices : 1};
  const auto place = [&](unsigned slice) {
    busy_.insert(slice);
    auto& queue = slices_[slice]->queue;
    queue.push_back({arrival, source, s.sent++, entry});
    std::push_heap(queue.begin(), queue.end(), later);
  };
  if (!all) return place(slice_of(request.address));
  s.broadcasts.push_back({request.id, config_.slices, {}});
  for (unsigned k = 0; k < config_.slices; ++k) place(k);
}

void CrossbarModel::tick(Cycle now) {
  for (unsigned s = 0; !noticed_ && s < sources(); ++s) {
    if (is_to_take(*sources_[s])) take_in(s);
  }
  busy_.for_each([&](size_t k) {
    const auto slice = static_cast<unsigned>(k);
    give(slice, now);
    take_answer(slice, now);
    const Slice& s = *slices_[slice];
    if (s.queue.empty() && s.under_way == 0) busy_.erase(k);
  });
  for (const unsigned source : resumed_) take_in(source);
  resumed_.clear();
  while (const Aperture* moved = aperture.front(now)) {
    aperture_ = *moved;
    aperture.drop(now);
  }
}

void CrossbarModel::give(unsigned slice, Cycle now) {
  Slice& s = *slices_[slice];
  if (s.queue.empty() || s.queue.front().time > now) return;
  const uint32_t entry = s.queue.front().entry;
  const Entry& e = entries_[entry];
  const bool store = is_inside(e.request);
  if (store) {
    if (s.places.top() > now || !s.stores.can_push(now)) return;
  } else if (!s.port.request.can_push(now)) {
    return;
  }
  std::pop_heap(s.queue.begin(), s.queue.end(), later);
  s.queue.pop_back();
  MemReq& out = store ? s.stores.push_in_place(now + 1) : s.port.request.push_in_place(now + 1);
  out = e.request;
  out.id = uint64_t{e.source} << id_bits_ | e.request.id;
  out.time = now + 1;
  tell_slice(slice);
  if (store) {
    MemResp response;
    response.id = e.request.id;
    response.address = e.request.address;
    s.next_take = now + 1;
    answer(slice, e.source, response, now);
  } else {
    ++s.under_way;
    at_slices_.enter(now);
  }
  release(entry, now);
}

/// A slice has been given the request.
void CrossbarModel::release(uint32_t entry, Cycle now) {
  Entry& e = entries_[entry];
  if (--e.left != 0) return;
  Source& s = *sources_[e.source];
  if (!follows_) s.places.push_back(now + 1);
  if (std::exchange(s.waits, false)) resumed_.push_back(e.source);
  free_.push_back(entry);
}

void CrossbarModel::take_answer(unsigned slice, Cycle now) {
  Slice& s = *slices_[slice];
  const MemResp* const given = s.port.response.front(now);
  if (given == nullptr) return;
  if (!follows_ && (now < s.next_take || s.places.top() > now)) return;
  s.next_take = now + 1;
  MemResp response = *given;
  s.port.response.drop(now);
  --s.under_way;
  at_slices_.leave(now);
  const auto source = static_cast<unsigned>(response.id >> id_bits_);
  assert(source < sources_.size());
  response.id &= base::low_mask(id_bits_);
  Source& to = *sources_[source];
  const auto b =
      std::find_if(to.broadcasts.begin(), to.broadcasts.end(),
                   [&response](const Broadcast& each) { return each.id == response.id; });
  if (b == to.broadcasts.end()) return answer(slice, source, response, now);
  if (response.status == memory::MemStatus::Fault && !b->fault) b->fault = response;
  if (--b->left != 0) return;
  if (b->fault) response = *b->fault;
  to.broadcasts.erase(b);
  to.next_broadcast = now + 1;
  if (std::exchange(to.waits, false)) resumed_.push_back(source);
  answer(slice, source, response, now);
}

void CrossbarModel::answer(unsigned slice, unsigned source, const MemResp& response, Cycle now) {
  Source& s = *sources_[source];
  const Cycle at = std::max(now + config_.latency_cycles, s.next_delivery);
  s.next_delivery = at + 1;
  auto& places = slices_[slice]->places;
  places.pop();
  places.push(at);
  MemResp& out = s.port.response.push_in_place(at);
  out = response;
  out.time = at;
  if (!std::exchange(s.told, true)) to_sources_.push_back(source);
}

void CrossbarModel::tell_slice(unsigned slice) {
  if (!std::exchange(slices_[slice]->told, true)) to_slices_.push_back(slice);
}

void CrossbarModel::take_sent(std::vector<unsigned>& to_slices, std::vector<unsigned>& to_sources) {
  for (const unsigned k : to_slices_) slices_[k]->told = false;
  for (const unsigned s : to_sources_) sources_[s]->told = false;
  to_slices.swap(to_slices_);
  to_sources.swap(to_sources_);
  to_slices_.clear();
  to_sources_.clear();
}

Cycle CrossbarModel::next_event() const {
  Cycle next = aperture.next_event();
  busy_.for_each([&](size_t k) {
    const Slice& s = *slices_[k];
    if (!s.queue.empty()) next = std::min(next, s.queue.front().time);
    const Cycle given = s.port.response.next_event();
    if (given != kNever) next = std::min(next, std::max({given, s.next_take, s.places.top()}));
  });
  for (unsigned s = 0; !noticed_ && s < sources(); ++s) {
    if (is_to_take(*sources_[s])) next = std::min(next, sources_[s]->port.request.next_event());
  }
  return next;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<CrossbarModel>(config); });
}

}  // namespace cuvette::crossbar
