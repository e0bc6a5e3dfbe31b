// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_rtl.h"

#include <algorithm>
#include <utility>

#include "matrix_core/computation.h"

namespace cuvette::ip {
namespace {

bool same_header(const matrix_core::Result& a, const matrix_core::Result& b) {
  return a.id == b.id && a.pass == b.pass && a.last == b.last && a.first_row == b.first_row &&
         a.rows == b.rows;
}

}  // namespace

MatrixRtl::MatrixRtl(std::unique_ptr<MatrixDevice> device, isa::Target target)
    : device_(std::move(device)), target_(target) {}

void MatrixRtl::tick(machine::Cycle now) {
  const matrix_core::Operands* next = operands.front(now);
  if (next == nullptr && in_flight_ == 0) return;
  last_ = now;
  if (next != nullptr) message_ = contract::pack(*next, beat_);
  const bool can_take = result.can_push(now);
  device_->drive(next != nullptr ? &message_ : nullptr, can_take);
  if (can_take && device_->result_valid()) take_result(now);
  const bool taken = next != nullptr && device_->operands_ready();
  device_->clock();
  if (!taken) return;
  if (next->pass == 0 && beat_ == 0) ++in_flight_;
  if (++beat_ == kMatrixBeats) {
    beat_ = 0;
    operands.drop(now);
  }
}

void MatrixRtl::take_result(machine::Cycle now) {
  MatrixResultMessage message;
  device_->result(message);
  const unsigned beat =
      contract::beat_of<matrix_core::Result>(reinterpret_cast<const uint8_t*>(message.data()));
  const matrix_core::Result before = result_;
  contract::unpack(message, result_);
  const matrix_core::Result& due = result_beat_ == 0 ? result_ : before;
  if (broken_.empty() && (beat != result_beat_ || !same_header(due, result_))) {
    broken_ = "result: beat " + std::to_string(beat) + " of id " + std::to_string(result_.id) +
              " pass " + std::to_string(result_.pass) + " where beat " +
              std::to_string(result_beat_) + " of id " + std::to_string(due.id) + " pass " +
              std::to_string(due.pass) + " is due";
  }
  if (++result_beat_ != kMatrixBeats) return;
  result_beat_ = 0;
  result.push(result_, now + 1);
  if (result_.last && in_flight_ != 0) --in_flight_;
}

machine::Cycle MatrixRtl::next_event() const {
  return in_flight_ != 0 ? std::min(last_ + 1, operands.next_event()) : operands.next_event();
}

bool MatrixRtl::implements(const isa::Row& row) const {
  return has_matrix_rtl(target_) && row.on(target_) &&
         (row.semantic == isa::SemanticId::v_mfma || row.semantic == isa::SemanticId::v_smfmac) &&
         device_->implements(row);
}

unsigned MatrixRtl::occupancy_cycles(const isa::Row& row) const {
  return matrix_core::occupancy_of(row, target_);
}

unsigned MatrixRtl::latency_cycles(const isa::Row& row) const {
  return matrix_core::latency_of(row, target_);
}

std::optional<DeviceFailure> MatrixRtl::failure() const {
  if (auto own = device_->failure()) return own;
  if (!broken_.empty()) return DeviceFailure{"protocol", broken_};
  return std::nullopt;
}

}  // namespace cuvette::ip
