// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_rtl.h"

#include <algorithm>
#include <utility>

#include "ip/valu/valu_ops.h"

namespace cuvette::ip {
namespace {

using isa::SemanticId;

/// A device that has not given a row after so many cycles gives none.
constexpr unsigned kReadBackCycles = 256;
constexpr uint32_t kReadBackId = 0;

/// The simd's own work (docs/simd.md).
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

bool is_double(const isa::Row& row) {
  const auto wide = [](const isa::OperandSpec& o) { return o.type == isa::Type::F64; };
  return std::any_of(std::begin(row.dst), std::end(row.dst), wide) ||
         std::any_of(std::begin(row.src), std::end(row.src), wide);
}

}  // namespace

void SimdRtl::Mirror::write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address,
                            uint64_t lanes, const wave::LaneRow& data) {
  owner_.mirror_fills(now);
  rows.write(port, now, address, lanes, data);
  unsent.push_back({{port, address, lanes, data}, owner_.fills_taken_ + owner_.fill.size()});
}

SimdRtl::SimdRtl(std::unique_ptr<SimdDevice> device, const simd::Config& config)
    : device_(std::move(device)), config_(config), mirror_(*this, config.registers) {
  for (const isa::Row& row : isa::rows()) {
    known_.push_back(row.on(isa::Target::Gfx908) &&
                     (moves_lanes(row.semantic) || valu_op(row, isa::Target::Gfx908) != kNoValuOp));
  }
}

/// The row at the pins, or null. Rows go in in the order in which they were sent, past the channels
/// or through `fill`, so a row that is offered stays until it is taken; it waits for what was
/// offered before it.
const simd::Fill* SimdRtl::filling(machine::Cycle now) {
  if (fill_beat_ == 0) {
    if (issue_waits_ || read_waits_ || reads_ != 0) return nullptr;
    fill_is_unsent_ = !mirror_.unsent.empty() && mirror_.unsent.front().turn <= fills_taken_;
  }
  return fill_is_unsent_ ? &mirror_.unsent.front().row : fill.front(now);
}

void SimdRtl::fill_taken(machine::Cycle now) {
  if (++fill_beat_ != kSimdBeats) return;
  fill_beat_ = 0;
  if (fill_is_unsent_) {
    mirror_.unsent.pop_front();
    return;
  }
  fill.drop(now);
  ++fills_taken_;
  if (mirrored_ != 0) --mirrored_;
}

/// Whoever sent a row may read it past the channels from now on, however long the pins take.
void SimdRtl::mirror_fills(machine::Cycle now) {
  for (; mirrored_ < fill.size(); ++mirrored_) {
    const simd::Fill& f = fill.peek(mirrored_);
    mirror_.rows.write(f.port, now, f.row, f.lanes, f.data);
  }
}

void SimdRtl::tick(machine::Cycle now) {
  mirror_fills(now);
  const simd::Fill* row = filling(now);
  const bool held = row != nullptr;
  const simd::Issue* instruction = held ? nullptr : issue.front(now);
  const simd::ReadRow* wanted = held ? nullptr : read.front(now);
  const bool waiting = !in_flight_.empty() || reads_ != 0;
  if (row == nullptr && instruction == nullptr && wanted == nullptr && !waiting) return;
  last_ = now;

  SimdIssueMessage issue_message;
  SimdFillMessage fill_message;
  SimdReadMessage read_message;
  SimdInputs in;
  if (instruction != nullptr) in.issue = &(issue_message = contract::pack(*instruction));
  if (row != nullptr) in.fill = &(fill_message = contract::pack(*row, fill_beat_));
  if (wanted != nullptr) in.read = &(read_message = contract::pack(*wanted));
  in.retire_ready = retire.can_push(now);
  in.row_data_ready = row_data.can_push(now);
  device_->drive(in);
  SimdOutputs out;
  device_->outputs(out);
  device_->clock();

  const bool taken = instruction != nullptr && out.issue_ready;
  if (taken) in_flight_.push_back(instruction->id);
  if (in.retire_ready && out.retire_valid) take_retire(out.retire, now);
  if (in.row_data_ready && out.row_data_valid) take_row(out.row_data, now);
  fill_waits_ = row != nullptr && !out.fill_ready;
  if (row != nullptr && out.fill_ready) fill_taken(now);
  read_waits_ = wanted != nullptr;
  if (wanted != nullptr && out.read_ready) {
    read.drop(now);
    ++reads_;
  }
  issue_waits_ = instruction != nullptr && !taken;
  if (taken) {
    ++counters_.instructions;
    counters_.lane_operations += static_cast<uint64_t>(__builtin_popcountll(instruction->exec));
    issue.drop(now);
  }
}

/// Whoever takes a beat relies on an instruction it belongs to and on no more registers than there
/// is data for.
bool SimdRtl::possible(const simd::Retire& beat) {
  const auto id = std::find(in_flight_.begin(), in_flight_.end(), beat.id);
  const bool known = id != in_flight_.end(), fits = beat.dwords <= beat.data.size();
  if (known && beat.last) in_flight_.erase(id);
  if (!known && !broken_) {
    broken_ = {"order", "a beat of id " + std::to_string(beat.id) + ", which is not under way"};
  }
  if (!fits && !broken_) {
    broken_ = {"dwords", "a beat of " + std::to_string(beat.dwords) + " registers, at most " +
                             std::to_string(beat.data.size()) + " can be written"};
  }
  return known && fits;
}

void SimdRtl::take_retire(const SimdRetireMessage& message, machine::Cycle now) {
  const auto r = contract::unpacked<simd::Retire>(message);
  if (!possible(r)) return;
  const unsigned first = r.beat * contract::kBeatLanes;
  for (unsigned n = 0; n < r.dwords; ++n) {
    wave::LaneRow lanes{};
    std::copy(r.data[n].begin(), r.data[n].end(), lanes.begin() + first);
    vrf::RowAddress address = r.row;
    address.row = static_cast<uint16_t>(r.row.row + n);
    mirror_.rows.write(vrf::WritePort::Valu, now, address, uint64_t{r.write} << first, lanes);
  }
  retire.push(r, now + 1);
}

/// Adds a beat to row_; whether it is the last one.
bool SimdRtl::gather(const SimdRowDataMessage& message) {
  const uint32_t due = row_.id;
  const unsigned beat =
      contract::beat_of<simd::RowData>(reinterpret_cast<const uint8_t*>(message.data()));
  contract::unpack(message, row_);
  if (!broken_ && (beat != row_beat_ || (row_beat_ != 0 && row_.id != due))) {
    broken_ = {"protocol", "row_data: beat " + std::to_string(beat) + " of id " +
                               std::to_string(row_.id) + " where beat " +
                               std::to_string(row_beat_) + " of id " +
                               std::to_string(row_beat_ == 0 ? row_.id : due) + " is due"};
  }
  row_beat_ = (row_beat_ + 1) % kSimdBeats;
  return row_beat_ == 0;
}

void SimdRtl::take_row(const SimdRowDataMessage& message, machine::Cycle now) {
  if (!gather(message)) return;
  row_data.push(row_, now + 1);
  if (reads_ != 0) --reads_;
}

bool SimdRtl::idle() const {
  return in_flight_.empty() && reads_ == 0 && fill_beat_ == 0 && mirror_.unsent.empty() &&
         !fill_waits_ && !issue_waits_ && !read_waits_;
}

std::optional<wave::LaneRow> SimdRtl::read_back(vrf::RowAddress address) {
  const SimdReadMessage request =
      contract::pack(simd::ReadRow{kReadBackId, vrf::ReadPort::Backdoor, address});
  bool asked = false;
  for (unsigned cycle = 0; cycle < kReadBackCycles; ++cycle) {
    SimdInputs in;
    in.read = asked ? nullptr : &request;
    in.row_data_ready = true;
    device_->drive(in);
    SimdOutputs out;
    device_->outputs(out);
    device_->clock();
    asked |= out.read_ready;
    if (!out.row_data_valid || !gather(out.row_data)) continue;
    if (row_.id != kReadBackId && !broken_) {
      broken_ = {"protocol", "row_data: a row of id " + std::to_string(row_.id) + ", expected id " +
                                 std::to_string(kReadBackId)};
    }
    return row_.data;
  }
  return std::nullopt;
}

machine::Cycle SimdRtl::next_event() const {
  if (!in_flight_.empty() || reads_ != 0 || !mirror_.unsent.empty() || fill_beat_ != 0)
    return last_ + 1;
  return std::min({issue.next_event(), fill.next_event(), read.next_event()});
}

bool SimdRtl::implements(const isa::Row& row, isa::Encoding encoding, const isa::Modifiers&) const {
  if (!known_[isa::index_of(row)] || !device_->implements(row)) return false;
  return encoding != isa::Encoding::Sdwa || row.sdwa_targets != 0;
}

unsigned SimdRtl::issue_cycles(const isa::Instruction& instruction) const {
  const isa::Row& row = *instruction.row;
  const uint32_t cycles = row.unit == isa::Unit::Trans ? config_.transcendental_cycles
                          : is_double(row)             ? config_.double_cycles
                                                       : config_.valu_cycles;
  return std::max(1u, cycles);
}

std::optional<DeviceFailure> SimdRtl::failure() const {
  if (auto own = device_->failure()) return own;
  return broken_;
}

SimdLockstep::Device probe_of(SimdRtl& adapter) {
  return {[&adapter] { return adapter.failure(); }, [&adapter] { return adapter.idle(); },
          [&adapter](vrf::RowAddress row) { return adapter.read_back(row); }};
}

}  // namespace cuvette::ip
