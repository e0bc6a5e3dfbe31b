// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/domain.h"

#include <algorithm>
#include <random>
#include <utility>

namespace cuvette::gpu {

using machine::Cycle;

unsigned Domain::add(machine::Core& core, After after) {
  members_.push_back({&core, std::move(after)});
  wake_.push_back(machine::kNever);
  order_.push_back(static_cast<unsigned>(order_.size()));
  return order_.back();
}

void Domain::shuffle(unsigned seed) {
  if (seed == 0) return;
  std::mt19937 random(seed);
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

void Domain::run(Cycle end) {
  while (next_ < end) tick(next_);
}

void Domain::tick(Cycle now) {
  ticked_.clear();
  for (const unsigned i : order_) {
    if (wake_[i] > now && !never_skip_) continue;
    members_[i].core->tick(now);
    ticked_.push_back(i);
  }
  // First every core's own view, then what the ticks mean for others: a message between two cores
  // is seen whichever of them was ticked first.
  for (const unsigned i : ticked_) {
    wake_[i] = std::max(members_[i].core->next_event(), now + 1);
  }
  next_ = machine::kNever;
  for (const unsigned i : ticked_) members_[i].after(now);
  for (const Cycle at : wake_) next_ = std::min(next_, at);
  if (never_skip_ && next_ != machine::kNever) next_ = now + 1;
}

}  // namespace cuvette::gpu
