// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/gds_model.h"

#include <algorithm>
#include <bit>

#include "wave/memory/share_access.h"

namespace cuvette::gds {

using machine::Cycle;
using machine::kNever;

namespace {

/// Waves that began and ended are of interest to ordered counts only. Nobody is woken for them
/// before so many are known.
constexpr size_t kMostUnread = 4096;

constexpr Cycle kBeats = 4;              // of a request and of a response
constexpr Cycle kHeld = 1;               // cycles that a beat is held before it goes on
constexpr size_t kSyncAnswersKept = 16;  // until their time

}  // namespace

GdsModel::GdsModel(const Config& config)
    : data_(wave::gds_bytes(config.target)),
      share_(config),
      sync_answers_(kSyncAnswersKept),
      latency_(std::max(1u, config.latency_cycles)),
      waves_per_cycle_(std::max(1u, config.shader_engines)) {
  for (unsigned i = 0; i < config.compute_units; ++i) ports_.push_back(std::make_unique<Port>());
}

Cycle GdsModel::next_event() const {
  Cycle next = std::min(share_.next_start(), next_reply());
  next = std::min(next, intake_ ? acting(*intake_) : next_request());
  if (sync_.walks()) return std::min(next, sync_from_);
  return wants_waves() ? std::min(next, next_wave()) : next;
}

bool GdsModel::wants_waves() const {
  return sync_.counts_wait() || (intake_ && intake_->syncs()) || waves.size() >= kMostUnread;
}

void GdsModel::tick(Cycle now) {
  if (now < next_event()) return;
  if (now >= share_.next_start()) share_.start(now);
  step_sync(now);
  if (intake_ && now >= acting(*intake_)) {
    act(*intake_, now);
    intake_.reset();
  }
  if (!intake_) take_request(now);
  if (now >= next_reply()) reply(now);
}

/// The sync unit in the cycles until this one: a step of its walk, or waves that begin and end, one
/// a cycle of each shader engine.
void GdsModel::step_sync(Cycle now) {
  if (sync_.walks()) {
    if (now < sync_from_) return;
    sync_from_ = now + 1;
    if (const auto answer = sync_.step(sync_answers_.room_from() <= now)) {
      sync_answers_.push(*answer, now + latency_);
    }
    return;
  }
  for (Cycle at = next_wave(); at <= now; at = next_wave()) {
    sync_from_ = at + 1;
    for (unsigned n = 0; n < waves_per_cycle_ && waves.front(at) != nullptr; ++n) {
      sync_.note(waves.pop(at));
      if (sync_.walks()) return;
    }
  }
}

/// When the next wave begins or ends: behind a withdrawal that waits to act.
Cycle GdsModel::next_wave() const {
  if (waves.empty()) return kNever;
  const Cycle at = std::max(waves.next_event(), sync_from_);
  const bool behind = intake_ && intake_->request.withdraw && at >= last_beat(*intake_);
  return behind ? kNever : at;
}

/// The first cycle in which the last beat of the request may go on; kNever: not known yet.
Cycle GdsModel::last_beat(const Intake& who) const {
  const Cycle first = who.first + kHeld;
  const Cycle room = who.syncs() ? 0 : share_.room_from();
  return room == kNever ? kNever : std::max(first, room) + (kBeats - 1);
}

/// When the request acts. One with `sync` waits for a cycle without waves.
Cycle GdsModel::acting(const Intake& who) const {
  if (!who.syncs()) return last_beat(who);
  if (sync_.walks()) return kNever;
  return std::max({last_beat(who), sync_from_, sync_answers_.room_from()});
}

void GdsModel::act(const Intake& who, Cycle now) {
  const Request& r = who.request;
  if (!r.withdraw) {
    ports_[who.unit]->taken.push(Taken{r.id}, now + 1);
    ++counters_.requests;
    counters_.busy_cycles += kBeats;
  }
  if (who.syncs()) {
    if (!r.withdraw) ++counters_.syncs;
    sync_from_ = now + 1;
    if (const auto answer = sync_.act(who.unit, r)) {
      sync_answers_.push(*answer, now + latency_);
    }
    return;
  }
  if (is_atomic(r)) counters_.atomics += static_cast<uint64_t>(std::popcount(r.exec[0]));
  share_.take(r, size(), Answer{who.unit, data_.access(r)}, now);
}

/// The first beat of the next request, of the compute unit behind the one that was served last.
void GdsModel::take_request(Cycle now) {
  const unsigned units = compute_units();
  for (unsigned n = 0; n < units; ++n) {
    const unsigned unit = (next_unit_ + n) % units;
    machine::Channel<Request>& requests = ports_[unit]->request;
    if (requests.front(now) == nullptr) continue;
    intake_ = Intake{unit, requests.pop(now), now};
    next_unit_ = unit + 1;
    return;
  }
}

Cycle GdsModel::next_request() const {
  Cycle next = kNever;
  for (const auto& port : ports_) next = std::min(next, port->request.next_event());
  return next;
}

Cycle GdsModel::next_reply() const {
  const Cycle due = std::min(share_.answers().due(), sync_answers_.due());
  return due == kNever ? kNever : std::max(due, reply_from_);
}

/// A whole response, of the part whose turn it is if both have one.
void GdsModel::reply(Cycle now) {
  const bool of_share =
      share_.answers().due() <= now && (share_goes_first_ || sync_answers_.due() > now);
  share_goes_first_ = !of_share;
  reply_from_ = now + kBeats;
  const Answer next = (of_share ? share_.answers() : sync_answers_).pop(reply_from_);
  ports_[next.unit]->response.push(next.response, reply_from_);
}

Gds::Counters GdsModel::counters() const {
  Counters all = counters_;
  all.waits = sync_.waits();
  return all;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<GdsModel>(config); });
}

}  // namespace cuvette::gds
