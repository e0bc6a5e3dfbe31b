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

void Domain::check(std::function<uint64_t()> sent, Complain complain) {
  never_skip_ = checks_ = true;
  sent_ = std::move(sent);
  complain_ = std::move(complain);
}

void Domain::run(Cycle end) {
  while (next_ < end) tick(next_);
}

/// First every core's own view, then what the ticks mean for others: a message between two cores is
/// seen whichever of them was ticked first.
void Domain::tick(Cycle now) {
  assert(now >= next_cycle_);
  next_cycle_ = now + 1;
  ticked_.clear();
  if (checks_) {
    tick_checked(now);
  } else {
    for (const unsigned i : order_) {
      if (wake_[i] > now && !never_skip_) continue;
      members_[i].core->tick(now);
      ticked_.push_back(i);
    }
  }
  for (const unsigned i : ticked_) {
    wake_[i] = std::max(members_[i].core->next_event(), now + 1);
  }
  for (const unsigned i : ticked_) {
    if (checks_ && early_.count(i) != 0) {
      expect_silence(i, now);
    } else {
      members_[i].after(now);
    }
  }
  next_ = *std::min_element(wake_.begin(), wake_.end());
  if (never_skip_ && next_ != machine::kNever) next_ = now + 1;
}

void Domain::tick_checked(Cycle now) {
  early_.clear();
  for (const unsigned i : order_) {
    machine::Core& core = *members_[i].core;
    const Cycle promised = core.next_event();
    const uint64_t sent = sent_();
    core.tick(now);
    ticked_.push_back(i);
    if (promised <= now) continue;
    // Not due: its tick must change nothing that anybody can see.
    early_.insert(i);
    if (core.next_event() != promised || sent_() != sent) complain_(i, now);
  }
}

void Domain::expect_silence(unsigned core, Cycle now) {
  const auto wake = wake_;
  members_[core].after(now);
  if (wake_ != wake) complain_(core, now);
}

}  // namespace cuvette::gpu
