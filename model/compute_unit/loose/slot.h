// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute_unit/loose/address_view.h"
#include "compute_unit/wave_context.h"
#include "wave/lane_rows.h"
#include "wave/memory_op.h"

namespace cuvette::compute_unit::loose {

/// When the accesses of one counter are back: as many as a wave may have under way, in the order
/// that the counter goes by.
class Outstanding {
 public:
  static constexpr unsigned kMost = 63;

  /// One more, `steps` of the counter. `in_order`: not before those that were sent earlier.
  void add(machine::Cycle back, unsigned steps = 1) {
    last_ = std::max(last_, back);  // counters that fall out of order are waited for as a whole
    for (unsigned i = 0; i < steps; ++i) back_[next_++ % back_.size()] = last_;
  }
  /// When at most `left` of them are out.
  machine::Cycle at_most(unsigned left) const {
    return next_ > left ? back_[(next_ - 1 - left) % back_.size()] : 0;
  }
  machine::Cycle all() const { return last_; }
  unsigned out(machine::Cycle now) const {
    unsigned n = 0;
    while (n < kMost && n < next_ && at_most(n) > now) ++n;
    return n;
  }

 private:
  std::array<machine::Cycle, kMost + 1> back_{};
  uint64_t next_ = 0;
  machine::Cycle last_ = 0;
};

/// State that the waves of a work-group share.
struct Group {
  uint32_t key = 0;  ///< WaveLaunch::workgroup
  unsigned waves = 1, arrived = 0, ended = 0;
  machine::Cycle latest = 0;  ///< of those that arrived at the barrier, or ended
  std::vector<uint8_t> lds;
};

/// A DS instruction that the gds has.
struct GdsAccess {
  uint32_t request = 0;
  uint64_t pc = 0;
  isa::Instruction instruction;
  wave::MemoryOp op;
  wave::ScalarState scalars;  ///< before
};

/// A wave slot with registers of its own. WaveContext::ready_at is the wave's local time: when its
/// next instruction is issued.
struct Slot : WaveContext {
  wave::LaneRows rows;
  AddressView* view = nullptr;
  Group* group = nullptr;
  Outstanding vector_back, scalar_back;          ///< VM_CNT, LGKM_CNT
  machine::Cycle results_at = 0;                 ///< of its vector instructions
  machine::Cycle matrix_at = 0;                  ///< of its matrix instructions
  machine::Cycle sleeps_from = machine::kNever;  ///< S_SLEEP, the last one
  uint64_t place = 0;        ///< address of what is to issue next, for who watches
  machine::Cycle slept = 0;  ///< cycles of the last S_SLEEP that nobody has been told
  bool released = false;     ///< by a barrier; it has waited for no access since
  bool yields = false;       ///< the other waves come first
  /// Until when its last instructions there keep the vector ALU, scalar issue and matrix core.
  machine::Cycle vector_until = 0, scalar_until = 0, matrix_until = 0;
  std::unique_ptr<GdsAccess> in_gds;
};

}  // namespace cuvette::compute_unit::loose
