// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/request_ids.h"
#include "compute_unit/wave_slots.h"
#include "lds/lds.h"

namespace cuvette::compute_unit {

/// Path to the local data share, which it owns: DS and FLAT instructions, and those that move data
/// between memory and LDS without registers (MI100 ISA 9.1.9). Answers come in the order of the
/// requests.
class LdsPath {
 public:
  LdsPath(std::unique_ptr<lds::Lds> lds, const WaveSlots& slots, RequestIds& ids)
      : lds_(std::move(lds)), slots_(slots), ids_(ids) {}

  lds::Lds& lds() { return *lds_; }
  const lds::Lds& lds() const { return *lds_; }
  /// Storage for a work-group starts as zeros; without time.
  void clear(uint32_t base, uint32_t bytes);

  /// True when the lds has taken a request: there is room for others from the next cycle on.
  bool tick(machine::Cycle now) {
    const size_t waiting = lds_->request.size();
    if (waiting == 0 && next_ > now) return false;
    lds_->tick(now);
    next_ = lds_->next_event();
    return lds_->request.size() != waiting;
  }
  bool has_room(machine::Cycle now) const { return lds_->request.can_push(now); }
  /// The LDS lanes of a DS or FLAT instruction; there must be room.
  void send(const WaveContext& w, Operation& operation, machine::Cycle now);
  /// The LDS side of an operation that moves data between memory and LDS, as soon as there is room.
  void start_transfer(Operation& operation, LdsStep step) {
    operation.lds_pending = true;
    operation.lds_step = step;
    transfers_.push_back(&operation);
  }
  /// Sends at most one transfer that waits for room.
  void send_transfer(machine::Cycle now) {
    if (!transfers_.empty() && has_room(now)) send_next_transfer(now);
  }
  /// Takes what has arrived; operations with everything back are appended to `answered`.
  void take(machine::Cycle now, std::vector<Operation*>& answered) {
    if (lds_->response.front(now) != nullptr) take_responses(now, answered);
  }

  /// 0: in the next cycle, with a transfer that waits.
  machine::Cycle next_event() const {
    if (!transfers_.empty()) return 0;
    const machine::Cycle inside = lds_->request.empty() ? next_ : lds_->next_event();
    return std::min(inside, lds_->response.next_event());
  }

 private:
  void send_next_transfer(machine::Cycle now);
  void take_responses(machine::Cycle now, std::vector<Operation*>& answered);

  std::unique_ptr<lds::Lds> lds_;
  machine::Cycle next_ = 0;  // its next event, while there is no request
  const WaveSlots& slots_;
  RequestIds& ids_;
  base::Ring<Operation*> under_way_;  // in the order of their requests
  base::Ring<Operation*> transfers_;  // that have yet to be sent
};

}  // namespace cuvette::compute_unit
