// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/crossbar.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace cuvette::gpu {

using machine::Cycle;

Crossbar::Crossbar(const Config& config)
    : config_(config), sources_(config.sources), slices_(config.slices), busy_(config.slices) {}

void Crossbar::connect_source(unsigned source, machine::Channel<memory::MemResp>& response) {
  sources_[source].response = &response;
}

void Crossbar::connect_slice(unsigned slice, cache::Cache::Port& up) {
  slices_[slice].up = &up;
}

bool Crossbar::later(const Arrival& a, const Arrival& b) {
  return std::tie(a.time, a.source, a.number) > std::tie(b.time, b.source, b.number);
}

Cycle Crossbar::send(unsigned source, const memory::MemReq& request, Cycle sent) {
  uint32_t entry = 0;
  if (free_.empty()) {
    entry = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    entry = free_.back();
    free_.pop_back();
  }
  const bool all =
      request.op == memory::MemOp::Invalidate || request.op == memory::MemOp::Writeback;
  entries_[entry] = {request, source, request.id, all ? config_.slices : 1, {}};
  const Cycle arrival = sent + config_.cycles;
  if (all) {
    for (unsigned i = 0; i < config_.slices; ++i) place(i, source, entry, arrival);
  } else {
    place(slice_of(request.address), source, entry, arrival);
  }
  return arrival;
}

void Crossbar::place(unsigned slice, unsigned source, uint32_t entry, Cycle arrival) {
  busy_.insert(slice);
  auto& queue = slices_[slice].queue;
  queue.push_back({arrival, source, sources_[source].sent++, entry});
  std::push_heap(queue.begin(), queue.end(), later);
}

void Crossbar::tick(Cycle now) {
  slices_fed_.clear();
  deliveries_.clear();
  rung_.clear();
  busy_.for_each([&](size_t i) {
    Slice& slice = slices_[i];
    bool fed = false;
    while (!slice.queue.empty() && slice.queue.front().time <= now) {
      std::pop_heap(slice.queue.begin(), slice.queue.end(), later);
      const uint32_t entry = slice.queue.back().entry;
      slice.queue.pop_back();
      memory::MemReq& request = entries_[entry].request;
      if (is_ring(request)) {
        for (const auto& d :
             doorbells_->rung(request.address, request.data.data(), request.byte_mask)) {
          rung_.push_back(d);
        }
        memory::MemResp response;
        response.address = request.address;
        deliver(entry, response, now + config_.cycles);
        continue;
      }
      request.id = entry;
      request.time = now + 1;
      slice.up->request.push(request, now + 1);
      ++slice.under_way;
      fed = true;
    }
    if (fed) slices_fed_.push_back(static_cast<unsigned>(i));
    while (const memory::MemResp* answer = slice.up->response.front(now)) {
      const auto entry = static_cast<uint32_t>(answer->id);
      assert(entry < entries_.size());
      deliver(entry, *answer, now + config_.cycles);
      slice.up->response.drop(now);
      --slice.under_way;
    }
    if (slice.queue.empty() && slice.under_way == 0) busy_.erase(i);
  });
}

void Crossbar::deliver(uint32_t entry, const memory::MemResp& response, Cycle time) {
  Entry& e = entries_[entry];
  if (response.status == memory::MemStatus::Fault && !e.fault) e.fault = response;
  if (--e.left != 0) return;
  memory::MemResp& out = sources_[e.source].response->push_in_place(time);
  out = e.fault ? *e.fault : response;
  out.id = e.id;
  out.time = time;
  free_.push_back(entry);
  deliveries_.push_back({e.source, time});
}

Cycle Crossbar::next_event() const {
  Cycle next = machine::kNever;
  busy_.for_each([&](size_t i) {
    const Slice& slice = slices_[i];
    if (!slice.queue.empty()) next = std::min(next, slice.queue.front().time);
    next = std::min(next, slice.up->response.next_event());
  });
  return next;
}

}  // namespace cuvette::gpu
