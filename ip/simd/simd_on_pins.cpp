// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_on_pins.h"

#include <algorithm>
#include <bit>

#include "valu/operations.h"

namespace cuvette::ip {
namespace {

using isa::SemanticId;

/// Work of the simd itself (docs/reference/simd.md).
bool moves_lanes(SemanticId id) {
  switch (id) {
    case SemanticId::v_nop:
    case SemanticId::v_clrexcp:
    case SemanticId::v_readlane_b32:
    case SemanticId::v_readfirstlane_b32:
    case SemanticId::v_writelane_b32:
    case SemanticId::v_swap_b32:
    case SemanticId::v_accvgpr_read_b32:
    case SemanticId::v_accvgpr_write_b32:
      return true;
    default:
      return false;
  }
}

}  // namespace

void SimdOnPins::Mirror::write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address,
                               uint64_t lanes, const wave::LaneRow& data) {
  owner_.mirror_fills(now);
  rows.write(port, now, address, lanes, data);
  owner_.turns_.push_back(owner_.fills_taken_ + owner_.fill.size());
  owner_.send({port, address, lanes, data});
  owner_.on_write();
}

SimdOnPins::SimdOnPins(const simd::Config& config) : config_(config), mirror_(*this) {
  for (const isa::Row& row : isa::rows()) {
    known_.push_back(row.on(isa::Target::Gfx908) &&
                     (moves_lanes(row.semantic) ||
                      valu::operation_of(row, isa::Target::Gfx908) != valu::kNoOperation));
  }
}

void SimdOnPins::bind_order() {
  const auto behind_rows = [this] { return row_first_ ? NextMessage::None : NextMessage::Channel; };
  end(SimdPin::kIssue).choose(behind_rows);
  end(SimdPin::kRead).choose(behind_rows);
  end(SimdPin::kFill).choose([this] { return row_at_pins_ = next_row_; });
}

/// Before a cycle: which row is next, from what the pins did in the cycle before. A row that is at
/// the pins stays there.
void SimdOnPins::choose_row(machine::Cycle now) {
  row_first_ = true;
  if (end(SimdPin::kFill).within_message()) return;
  if (waits(SimdPin::kIssue) || waits(SimdPin::kRead) || reading()) {
    next_row_ = NextMessage::None;
    row_first_ = false;
  } else if (!turns_.empty() && turns_.front() <= fills_taken_) {
    next_row_ = NextMessage::Ahead;
  } else {
    next_row_ = NextMessage::Channel;
    row_first_ = fill.front(now) != nullptr;
  }
}

/// Copies rows to the mirror: senders may read them past the channels from now on, whatever the
/// pins' time.
void SimdOnPins::mirror_fills(machine::Cycle now) {
  for (; mirrored_ < fill.size(); ++mirrored_) {
    const simd::Fill& f = fill.peek(mirrored_);
    mirror_.rows.write(f.port, now, f.row, f.lanes, f.data);
  }
}

void SimdOnPins::mirror_result(const simd::Retire& beat, machine::Cycle now) {
  const unsigned first = beat.beat * contract::kBeatLanes;
  for (unsigned n = 0; n < std::min<size_t>(beat.dwords, beat.data.size()); ++n) {
    wave::LaneRow lanes{};
    std::copy(beat.data[n].begin(), beat.data[n].end(), lanes.begin() + first);
    vrf::RowAddress address = beat.row;
    address.row = static_cast<uint16_t>(beat.row.row + n);
    mirror_.rows.write(vrf::WritePort::Valu, now, address, uint64_t{beat.write} << first, lanes);
  }
}

void SimdOnPins::row_taken() {
  if (row_at_pins_ == NextMessage::Ahead) {
    turns_.pop_front();
    return;
  }
  ++fills_taken_;
  --mirrored_;
}

void SimdOnPins::begin_cycle(machine::Cycle now) {
  mirror_fills(now);
  choose_row(now);
  const simd::Issue* const visible = issue.front(now);
  lanes_ = visible != nullptr ? std::popcount(visible->exec) : 0;
  retired_ = retire.size();
}

void SimdOnPins::end_cycle(machine::Cycle now) {
  for (size_t n = retired_; n < retire.size(); ++n) mirror_result(retire.peek(n), now);
  if (end(SimdPin::kFill).moved()) row_taken();
  if (end(SimdPin::kRead).moved()) ++reads_;
  if (end(SimdPin::kRowData).moved() && reading()) --reads_;
  if (end(SimdPin::kIssue).moved()) {
    ++counters_.instructions;
    counters_.lane_operations += static_cast<uint64_t>(lanes_);
  }
}

bool SimdOnPins::implements(const isa::Row& row, isa::Encoding encoding,
                            const isa::Modifiers&) const {
  if (!known_[isa::index_of(row)] || !pin_device().implements(row, 0)) return false;
  return encoding != isa::Encoding::Sdwa || row.sdwa_targets != 0;
}

}  // namespace cuvette::ip
