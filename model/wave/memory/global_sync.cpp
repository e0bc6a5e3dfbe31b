// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/global_sync.h"

#include <algorithm>

namespace cuvette::wave {

uint64_t GlobalSync::wait(Resource& r) {
  r.queue.push_back(next_ticket_);
  return next_ticket_++;
}

/// Lets waiting waves go: all of them, or as many as the semaphore counts.
void GlobalSync::release(Resource& r, bool counted) {
  while (!r.queue.empty() && (!counted || r.counter > 0)) {
    released_.insert(r.queue.front());
    r.queue.pop_front();
    if (counted) --r.counter;
  }
}

uint64_t GlobalSync::perform(const MemoryOp& op) {
  Resource& r = resources_[op.sync_resource % resources_.size()];
  const uint32_t value = op.data[0][0];
  switch (op.sync) {
    case SyncOp::Init:
      r.counter = value;
      break;
    case SyncOp::SemaphoreV:
      ++r.counter;
      release(r, true);
      break;
    case SyncOp::SemaphoreBulk:
      r.counter += value;
      release(r, true);
      break;
    case SyncOp::SemaphoreReleaseAll:
      r.counter = 0;
      release(r, false);
      break;
    case SyncOp::SemaphoreP:
      if (r.counter <= 0 || !r.queue.empty()) return wait(r);
      --r.counter;
      break;
    case SyncOp::Barrier:
      // The counter holds how many more waves than this one are missing; the last one brings the
      // count of the next barrier.
      if (r.counter > 0) {
        --r.counter;
        return wait(r);
      }
      r.counter = value;
      release(r, false);
      break;
    default:
      break;
  }
  return 0;
}

uint32_t GlobalSync::ordered_add(unsigned counter, uint32_t count) {
  const uint32_t old = ordered_[counter % ordered_.size()];
  ordered_[counter % ordered_.size()] = old + count;
  return old;
}

void GlobalSync::drop(uint64_t ticket) {
  for (Resource& r : resources_) {
    r.queue.erase(std::remove(r.queue.begin(), r.queue.end(), ticket), r.queue.end());
  }
  released_.erase(ticket);
}

void GlobalSync::drop_waiting() {
  for (Resource& r : resources_) r.queue.clear();
  released_.clear();
}

}  // namespace cuvette::wave
