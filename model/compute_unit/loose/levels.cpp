// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/loose/levels.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuvette::compute_unit::loose {

using machine::Cycle;

namespace {

constexpr uint32_t kUnit = TokenRate::kUnit;

/// Cost of one of `count` that may be under way at a time, each for `cycles`.
uint64_t share_of(Cycle cycles, uint32_t count) {
  return cycles * kUnit / std::max(1u, count);
}

}  // namespace

Tags::Tags(uint64_t bytes, uint32_t line_bytes)
    : lines_(std::max<uint64_t>(1, bytes / line_bytes)),
      shift_(static_cast<unsigned>(std::countr_zero(line_bytes))),
      mask_(std::bit_ceil(2 * lines_) - 1),
      table_(mask_ + 1) {}

SharedLevels::SharedLevels(const LevelTiming& t)
    : tags_(t.l2_bytes, t.l2_line_bytes), l2_cost_(std::max(1u, kUnit / std::max(1u, t.slices))) {
  // A channel is as slow as its blocks, or as what a slice may have under way.
  const uint64_t block =
      std::max(uint64_t{t.cycles_per_block} * kUnit, share_of(t.memory_cycles, t.l2_misses));
  memory_cost_ = static_cast<uint32_t>(std::max<uint64_t>(1, block / std::max(1u, t.slices)));
}

void SharedLevels::begin(uint32_t dispatch) {
  if (any_ && dispatch <= newest_) return;
  any_ = true;
  newest_ = dispatch;
  tags_.clear();
}

Cycle SharedLevels::serve(Cycle at, unsigned blocks, unsigned far) {
  const Cycle served = l2_.take(at, uint64_t{blocks} * l2_cost_);
  return far == 0 ? served : std::max(served, memory_.take(at, uint64_t{far} * memory_cost_));
}

Levels::Levels(const LevelTiming& timing, std::shared_ptr<SharedLevels> shared)
    : timing_(timing),
      near_(2 * timing.crossbar_cycles + timing.l2_hit),
      shared_(std::move(shared)),
      vector_(timing.vector_bytes, timing.vector_line_bytes),
      scalar_(timing.scalar_bytes, timing.scalar_line_bytes) {
  vector_misses_.most = timing.vector_misses;
  scalar_misses_.most = timing.scalar_misses;
  for (Misses* m : {&vector_misses_, &scalar_misses_}) m->near_cost = share_of(near_, m->most);
}

void Levels::begin(uint32_t dispatch) {
  vector_.clear();
  scalar_.clear();
  shared_->begin(dispatch);
}

/// Time at which the last block missing in a first level is back there: `blocks` are missing, of
/// which memory has `far_blocks`.
Cycle Levels::below(Cycle at, unsigned blocks, unsigned far_blocks, Misses& misses, Cycle far) {
  if (far != misses.far) {
    misses.far = far;
    misses.far_cost = share_of(far, misses.most);
  }
  const Cycle sent =
      misses.rate.take(at, (blocks - far_blocks) * misses.near_cost + far_blocks * misses.far_cost);
  return shared_->serve(sent, blocks, far_blocks) + (far_blocks != 0 ? far : near_);
}

Cycle Levels::vector(Cycle at, const Touched& touched, AccessShape shape, Cycle far) {
  unsigned missing = 0, in_memory = 0;
  const unsigned shift = vector_.line_shift() - 6;
  const bool passes = shape.write || shape.atomic || shape.past_l1;
  // The tags of the L2 do not fit the caches of the host: all are asked for before any is needed.
  for (const uint64_t block : touched.blocks) shared_->prefetch(block);
  for (const uint64_t block : touched.blocks) {
    if (!passes && vector_.find(block >> shift)) continue;
    ++missing;
    if (!shared_->find(block)) ++in_memory;
  }
  const Cycle sent = vector_port_.take(at, touched.blocks.size() * kUnit);
  const Cycle back = sent + timing_.vector_hit;
  if (missing == 0) return back;
  if (shape.write) {
    // Written through to the L2; memory is written when it suits the L2.
    shared_->serve(sent, missing, in_memory);
    return back + near_;
  }
  return std::max(back, below(sent, missing, in_memory, vector_misses_, far) + timing_.vector_hit);
}

Cycle Levels::scalar(Cycle at, const Touched& touched, AccessShape shape, Cycle far) {
  unsigned missing = 0, in_memory = 0;
  const unsigned shift = scalar_.line_shift() - 6;
  for (const uint64_t block : touched.blocks) {
    if (!shape.atomic && !shape.past_l1 && scalar_.find(block >> shift)) continue;
    ++missing;
    if (!shared_->find(block)) ++in_memory;
  }
  const Cycle sent = scalar_port_.take(at, touched.blocks.size() * kUnit);
  const Cycle own = 2 * timing_.cluster_cycles + timing_.scalar_hit;
  if (missing == 0) return sent + own;
  return below(sent, missing, in_memory, scalar_misses_, far) + own;
}

Cycle Levels::code(Cycle at, uint64_t block, Cycle far) {
  const bool here = shared_->find(block);
  return shared_->serve(at, 1, here ? 0 : 1) + (here ? near_ : far) + fetch_cycles();
}

}  // namespace cuvette::compute_unit::loose
