// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_rtl.h"

#include <algorithm>
#include <utility>

#include "ip/mutant.h"
#include "ip/valu_ops.h"

namespace cuvette::ip {
namespace {

/// Units by operation code: rtl/valu/valu_ops.csv in the order of the generator.
constexpr unsigned kUnitAdd = 1, kUnitFloatSum = 7, kUnitFloatCompare = 9;
constexpr unsigned kFuncFmac = 5, kFuncMac = 7;
constexpr unsigned kUnitConvert = 15, kLastFromInteger = 5, kLastToInteger = 8;
constexpr uint8_t kCodeCndmask = 0x02, kCodeFirstSad = 0xca, kCodeLastSad = 0xce;

}  // namespace

ValuRtl::ValuRtl(std::unique_ptr<ValuDevice> device) : device_(std::move(device)) {
  for (const isa::Row& row : isa::rows()) codes_.push_back(valu_op(row.mnemonic, row.format));
}

void ValuRtl::tick(machine::Cycle now) {
  const valu::Request* next = request.front(now);
  if (next == nullptr && in_flight_ == 0) return;
  last_ = now;
  const bool can_take = response.can_push(now);
  device_->drive(next, next != nullptr ? codes_[next->row] : uint8_t{0}, can_take);
  if (CUVETTE_MUTANT(105, can_take, true) && device_->response_valid()) {
    valu::Response answer;
    device_->response(answer);
    if (CUVETTE_MUTANT(106, false, true)) answer.dst[0] = answer.dst[1];
    response.push(answer, now + CUVETTE_MUTANT(108, 1, 2));
    if (in_flight_ != 0) --in_flight_;
  }
  const bool taken = next != nullptr && CUVETTE_MUTANT(107, device_->request_ready(), true);
  device_->clock();
  if (taken) {
    request.drop(now);
    in_flight_ += CUVETTE_MUTANT(109, 1, 0);
  }
}

machine::Cycle ValuRtl::next_event() const {
  return in_flight_ != 0 ? std::min(last_ + 1, request.next_event()) : request.next_event();
}

bool ValuRtl::implements(const isa::Row& row, isa::Encoding encoding,
                         const isa::Modifiers& m) const {
  const uint8_t code = codes_[isa::index_of(row)];
  if (code == kNoValuOp || encoding == isa::Encoding::Sdwa) return false;
  if (!device_->implements(row.mnemonic, m)) return false;
  if (m.op_sel != 0 || m.op_sel_hi != 0 || m.neg_hi != 0 || m.sext != 0) return false;
  const unsigned unit = code >> 4;
  const unsigned func = code & 15;
  if (unit >= kUnitFloatSum && unit <= kUnitFloatCompare) {
    // Sources 0 and 1 only where the third is the destination.
    const bool accumulates = unit == kUnitFloatSum && (func == kFuncFmac || func == kFuncMac);
    return !accumulates || ((m.abs | m.neg) & 4) == 0;
  }
  if (unit == kUnitConvert) {
    // Integers have no abs and neg, integer results no OMOD.
    if (func <= kLastFromInteger) return m.abs == 0 && m.neg == 0;
    return func > kLastToInteger || m.omod == 0;
  }
  const bool sign_edits = code == kCodeCndmask;
  const bool saturates = unit == kUnitAdd || (code >= kCodeFirstSad && code <= kCodeLastSad);
  return (sign_edits || (m.abs == 0 && m.neg == 0)) && m.omod == 0 && (!m.clamp || saturates);
}

}  // namespace cuvette::ip
