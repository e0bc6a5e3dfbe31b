// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/sync_unit.h"

namespace cuvette::gds {

using wave::SyncOp;

std::optional<Answer> SyncUnit::act(unsigned unit, const Request& r) {
  if (r.withdraw) {
    begin(Walk::Withdraw, r);
    return std::nullopt;
  }
  Waiting entry{unit, r.id, r.wave, r.dispatch, 0, r.resource, r.value, r.releases};
  if (r.sync == SyncOp::OrderedCount) {
    if (order_.has_turn(r.dispatch, r.wave)) {
      if (r.releases && counts_wait()) begin(Walk::Turns, r);
      return count(entry);
    }
    ++counting_;
  } else {
    wave::MemoryOp op;
    op.sync = r.sync;
    op.sync_resource = r.resource;
    op.data[0][0] = r.value;
    entry.ticket = sync_.perform(op);
    if (entry.ticket == 0) {
      const bool counted = r.sync == SyncOp::SemaphoreV || r.sync == SyncOp::SemaphoreBulk;
      const bool all = r.sync == SyncOp::SemaphoreReleaseAll || r.sync == SyncOp::Barrier;
      if (counted || all) begin(counted ? Walk::Counted : Walk::All, r);
      return Answer{unit, Response{r.id, {}}};
    }
  }
  ++waits_;
  waiting_.push_back(entry);
  return std::nullopt;
}

void SyncUnit::note(const spi::WaveOrder& w) {
  if (!w.ended) return order_.begin(w.dispatch, w.wave);
  order_.release(w.dispatch, w.wave);
  if (counts_wait()) begin(Walk::Turns, {});
}

void SyncUnit::begin(Walk walk, const Request& r) {
  walk_ = walk;
  place_ = 0;
  resource_ = r.resource;
  wave_ = r.wave;
}

std::optional<Answer> SyncUnit::step(bool room) {
  if (is_over()) {
    walk_ = Walk::None;
    return std::nullopt;
  }
  if (!is_chosen(waiting_[place_])) {
    ++place_;
    return std::nullopt;
  }
  if (!room) return std::nullopt;
  const Waiting entry = waiting_[place_];
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place_));
  if (entry.ticket == 0) --counting_;
  if (walk_ == Walk::Turns) {
    if (entry.releases) place_ = 0;  // the turns of older ones may have come
    return count(entry);
  }
  if (walk_ == Walk::Withdraw) {
    if (entry.ticket != 0) sync_.drop(entry.ticket);
  } else {
    sync_.released(entry.ticket);
  }
  return Answer{entry.unit, Response{entry.id, {}}};
}

/// Nobody is left, or nothing of what the semaphore counted: what those that have not gone on yet
/// will take, and what stays.
bool SyncUnit::is_over() const {
  if (place_ == waiting_.size()) return true;
  return walk_ == Walk::Counted && !sync_.any_may_go() && sync_.counter(resource_) == 0;
}

bool SyncUnit::is_chosen(const Waiting& entry) const {
  if (walk_ == Walk::Turns) return entry.ticket == 0 && order_.has_turn(entry.dispatch, entry.wave);
  if (walk_ == Walk::Withdraw) return entry.wave == wave_;
  return entry.ticket != 0 && sync_.may_go(entry.ticket);
}

/// Adds to an ordered counter.
Answer SyncUnit::count(const Waiting& who) {
  Answer done{who.unit, Response{who.id, {}}};
  done.response.data[0][0] = sync_.ordered_add(who.resource, who.value);
  if (who.releases) order_.release(who.dispatch, who.wave);
  return done;
}

}  // namespace cuvette::gds
