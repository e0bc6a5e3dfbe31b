// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_rtl.h"

#include <algorithm>
#include <utility>

#include "ip/valu/valu_ops.h"

namespace cuvette::ip {
ValuRtl::ValuRtl(std::unique_ptr<ValuDevice> device, isa::Target target)
    : device_(std::move(device)), target_(target) {
  for (const isa::Row& row : isa::rows()) codes_.push_back(valu_op(row, target));
}

void ValuRtl::tick(machine::Cycle now) {
  const valu::Request* next = request.front(now);
  if (next == nullptr && in_flight_ == 0) return;
  last_ = now;
  const bool can_take = response.can_push(now);
  device_->drive(next, next != nullptr ? codes_[next->row] : uint16_t{0}, can_take);
  if (can_take && device_->response_valid()) {
    valu::Response& answer = response.push_in_place(now + 1);
    device_->response(answer);
    if (in_flight_ != 0) --in_flight_;
  }
  const bool taken = next != nullptr && device_->request_ready();
  device_->clock();
  if (taken) {
    request.drop(now);
    ++in_flight_;
  }
}

machine::Cycle ValuRtl::next_event() const {
  return in_flight_ != 0 ? std::min(last_ + 1, request.next_event()) : request.next_event();
}

bool ValuRtl::implements(const isa::Row& row, isa::Encoding encoding,
                         const isa::Modifiers& m) const {
  if (codes_[isa::index_of(row)] == kNoValuOp) return false;
  if (encoding == isa::Encoding::Sdwa && (row.sdwa_targets >> isa::index_of(target_) & 1) == 0) {
    return false;
  }
  return device_->implements(row, encoding, m);
}

}  // namespace cuvette::ip
