// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Invalidate and Writeback of a cache.
#include <algorithm>

#include "cache/cache_model.h"

namespace cuvette::cache {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

Cycle CacheModel::quiet_at() const {
  const bool under_way = !woken_.empty() || !missing_.empty() || forwards_under_way_ != 0;
  return under_way ? machine::kNever : last_turn_ + kStages;
}

/// At a vector L1 the level below goes first when the scope is the system's.
void CacheModel::begin_maintenance(Cycle now) {
  if (!maintenance_ || maintenance_->state != Maintenance::State::Waits) return;
  if (busy_until_ > now || quiet_at() > now) return;
  if (config_.role != Role::VectorL1 || maintenance_->request.scope != memory::Scope::System) {
    return walk(*maintenance_, now);
  }
  maintenance_->state = Maintenance::State::Below;
  MemReq down = maintenance_->request;
  down.id = remember({Pending::Kind::Below, 0, 0, 0, down.op});
  down.time = last_sent_ = std::max(now + kStages - 1, last_sent_ + 1);
  down_->request.push(down, down.time);
}

void CacheModel::begin_walk(Maintenance& m, const MemResp& below, Cycle now) {
  m.status = below.status;
  if (below.status == MemStatus::Fault) m.request.address = below.address;
  walk(m, now);
}

/// From `now` on, a cycle for each set, and more for each dirty line in it.
void CacheModel::walk(Maintenance& m, Cycle now) {
  m.state = Maintenance::State::Walks;
  m.walked = now - 1;
  const bool invalidates = m.request.op == MemOp::Invalidate;
  if (config_.role == Role::VectorL1 && m.request.glc) return;  // meant for the L2 alone
  if (invalidates) ++counters_.invalidates;
  if (!invalidates && !write_back_) return;
  const uint64_t writebacks = counters_.writebacks;
  Cycle steps = 0;  // of dirty lines
  for (size_t n = 0; n < tags_.lines().size(); ++n) {
    TagStore::Line& line = tags_.lines()[n];
    if (!line.used) continue;
    uint64_t dirty = 0;
    for (auto& block : line.blocks) {
      dirty |= block.dirty;
      if (invalidates) block.valid = block.dirty;
    }
    if (dirty != 0) {
      if (!invalidates) write_back(line, now, now + kWalkSends + n / config_.ways + steps);
      steps += kWoken;
    } else if (invalidates) {
      tags_.release(line);
      traffic_.invalidated_line();
    }
  }
  m.walked += config_.sets() + steps;
  traffic_.maintenance_wrote(counters_.writebacks - writebacks);
}

void CacheModel::finish_maintenance(Cycle now) {
  if (!maintenance_ || maintenance_->state != Maintenance::State::Walks) return;
  if (writebacks_under_way_ != 0) return;
  Maintenance& m = *maintenance_;
  if (m.request.op == MemOp::Writeback && refused_) {
    m.status = MemStatus::Fault;
    m.request.address = *refused_;
    refused_.reset();
  }
  const Cycle given = std::max(m.walked, now - 1) - 1;
  answer(m.port, m.request, given, nullptr, m.status);
  busy_until_ = given + config_.hit_cycles;
  maintenance_.reset();
}

}  // namespace cuvette::cache
