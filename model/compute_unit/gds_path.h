// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "compute_unit/memory_unit.h"
#include "compute_unit/request_ids.h"
#include "compute_unit/wave_slots.h"
#include "gds/gds.h"

namespace cuvette::compute_unit {

/// Path to the global data share: DS instructions with the GDS bit, global wave sync and the
/// ordered count. LGKM_CNT falls with the answer, EXP_CNT as soon as the gds has the data
/// (Vega ISA 4.4). A wave that a sync holds goes on to its next wait for LGKM_CNT.
class GdsPath {
 public:
  GdsPath(gds::Port& port, WaveSlots& slots, RequestIds& ids)
      : port_(port), slots_(slots), ids_(ids) {}

  void send(WaveContext& w, Operation& operation, machine::Cycle now);
  /// Takes what has arrived; operations that are answered are appended to `answered`.
  void take(machine::Cycle now, std::vector<Operation*>& answered);
  /// The wave ends, or is ending: its sync, if it waits for one, waits for nobody any more.
  void withdraw(const WaveContext& w);

  /// No request is under way.
  bool idle() const { return under_way_.empty(); }
  machine::Cycle next_event() const {
    if (idle()) return machine::kNever;
    return std::min(port_.taken.next_event(), port_.response.next_event());
  }

 private:
  Operation& operation_of(uint32_t request) const;

  gds::Port& port_;
  WaveSlots& slots_;
  RequestIds& ids_;
  std::vector<Operation*> under_way_;  // in the order of their requests
};

/// Name in reports of a sync that holds a wave.
const char* text_of(wave::SyncOp sync);

}  // namespace cuvette::compute_unit
