// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_lockstep.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "ip/mutant.h"
#include "ip/valu_ops.h"

namespace cuvette::ip {
namespace {

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const isa::Row& row_of(const valu::Request& request) {
  return *(isa::rows().begin() + request.row);
}

std::string describe(const valu::Request& r) {
  std::string text = "id " + std::to_string(r.id) + " beat " + std::to_string(r.beat) + " " +
                     std::string(row_of(r).mnemonic) + " exec " + hex(r.exec) + " mask_in " +
                     hex(r.mask_in) + " mode " + hex(r.mode);
  const isa::Modifiers& m = r.modifiers;
  if (m.abs != 0) text += " abs " + hex(m.abs);
  if (m.neg != 0) text += " neg " + hex(m.neg);
  if (m.omod != 0) text += " omod " + std::to_string(m.omod);
  if (m.clamp) text += " clamp";
  return text;
}

std::string operands(const valu::Request& r, unsigned lane) {
  return "src " + hex(r.src[0][lane]) + " " + hex(r.src[1][lane]) + " " + hex(r.src[2][lane]) +
         " old " + hex(r.old[lane]);
}

/// Lanes of `write` that differ, as a mask.
uint16_t different_lanes(const valu::Response& a, const valu::Response& b, uint16_t write) {
  unsigned differ = 0;
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    differ |= static_cast<unsigned>(a.dst[l] != b.dst[l]) << l;
  }
  return static_cast<uint16_t>(differ & write);
}

}  // namespace

ValuLockstep::ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config,
                           Observer on_mismatch, Failed device_failed)
    : device_(std::move(device)),
      reference_(config.target),
      on_mismatch_(std::move(on_mismatch)),
      device_failed_(std::move(device_failed)) {}

void ValuLockstep::remember_requests() {
  const uint64_t offered = taken_ + request.size();
  for (; seen_ < offered; ++seen_) {
    if (seen_ - answered_ == kRing - kHistory) {
      return fail("order", at(answered_), {}, {}, -1, kRing - kHistory, seen_ + 1 - answered_);
    }
    at(seen_) = request.peek(seen_ - taken_);
  }
}

void ValuLockstep::tick(machine::Cycle now) {
  now_ = now;
  if (!mismatch_) remember_requests();
  const size_t offered = request.size();
  const size_t answers = response.size();
  std::swap(request, device_->request);
  std::swap(response, device_->response);
  device_->tick(now);
  std::swap(request, device_->request);
  std::swap(response, device_->response);
  taken_ += offered - request.size();
  if (device_failed_ && !mismatch_ && device_failed_()) {
    fail("assertion", at(answered_), {}, {}, -1, 0, 1);
  }
  for (size_t i = answers; i < response.size() && !mismatch_; ++i) check(response.peek(i));
}

machine::Cycle ValuLockstep::next_event() const {
  return std::min(device_->next_event(), request.next_event());
}

bool ValuLockstep::implements(const isa::Row& row, isa::Encoding encoding,
                              const isa::Modifiers& modifiers) const {
  return valu::LaneBeat::has(row) && device_->implements(row, encoding, modifiers);
}

void ValuLockstep::check(const valu::Response& actual) {
  const valu::Request& q = at(answered_);
  valu::Response want;
  if (answered_ >= taken_) {
    fail("order", q, actual, want, -1, taken_, answered_ + 1);
    return;
  }
  reference_.compute(q, want);
  ++answered_;
  ++counts_.responses;
  ++counts_.write_sets;
  ++counts_.flags;
  if (CUVETTE_MUTANT(110, actual.id != want.id, false)) {
    return fail("id", q, actual, want, -1, want.id, actual.id);
  }
  if (actual.beat != want.beat || actual.pass != want.pass) {
    return fail("beat", q, actual, want, -1, want.beat, actual.beat);
  }
  if (CUVETTE_MUTANT(111, actual.write != want.write, (actual.write & ~want.write) != 0)) {
    return fail("write", q, actual, want, -1, want.write, actual.write);
  }
  if (actual.has_mask != want.has_mask) {
    return fail("has_mask", q, actual, want, -1, want.has_mask, actual.has_mask);
  }
  if (want.has_mask) {
    ++counts_.masks;
    if (CUVETTE_MUTANT(112, actual.mask != want.mask, false)) {
      return fail("mask", q, actual, want, -1, want.mask, actual.mask);
    }
  }
  counts_.lanes += static_cast<unsigned>(std::popcount(want.write));
  const uint16_t compared = CUVETTE_MUTANT(113, want.write, want.write & 0x7fff);
  if (const uint16_t differ = different_lanes(actual, want, compared); differ != 0) {
    const int lane = std::countr_zero(differ);
    return fail("dst", q, actual, want, lane, want.dst[lane], actual.dst[lane]);
  }
  if (CUVETTE_MUTANT(114, actual.flags != want.flags, (want.flags & ~actual.flags) != 0)) {
    return fail("flags", q, actual, want, -1, want.flags, actual.flags);
  }
}

void ValuLockstep::fail(const char* field, const valu::Request& asked, const valu::Response& actual,
                        const valu::Response& expected, int lane, uint64_t want, uint64_t have) {
  ValuMismatch m;
  m.field = field;
  m.time = now_;
  m.id = asked.id;
  m.instruction = std::string(row_of(asked).mnemonic);
  m.lane = lane;
  m.expected = want;
  m.actual = have;
  m.report = "lockstep: valu differs in " + m.field + " at cycle " + std::to_string(now_) +
             ": expected " + hex(want) + ", got " + hex(have) + "\n  " + describe(asked) + "\n";
  if (lane >= 0) {
    m.report += "  lane " + std::to_string(lane) + ": " +
                operands(asked, static_cast<unsigned>(lane)) + "\n";
  }
  m.report += "  lanes:\n";
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    if ((asked.exec >> l & 1) == 0) continue;
    m.report += "    " + std::to_string(l) + ": " + operands(asked, l) + " expected " +
                hex(expected.dst[l]) + " mask " + std::to_string(expected.mask >> l & 1) +
                ", got " + hex(actual.dst[l]) + " mask " + std::to_string(actual.mask >> l & 1) +
                "\n";
  }
  m.report += transactions();
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

std::string ValuLockstep::transactions() const {
  const uint64_t first = answered_ > kHistory ? answered_ - kHistory : 0;
  std::string text = "  last transactions, oldest first:\n";
  for (uint64_t n = first; n < answered_; ++n) text += "    " + describe(at(n)) + "\n";
  return text;
}

base::Status ValuLockstep::rerun_with_waves(ValuDevice& device, const std::string& path) const {
  if (!mismatch_) return base::Error("lockstep: valu has no difference to show");
  if (const base::Status traced = device.trace(path); !traced) return traced;
  device.reset();
  uint64_t next = answered_ > kHistory ? answered_ - kHistory : 0;
  // Three stages behind the last request, one cycle to see the end.
  for (int drain = 4; drain > 0;) {
    const valu::Request* asked = next < answered_ ? &at(next) : nullptr;
    const uint8_t op =
        asked != nullptr ? valu_op(row_of(*asked).mnemonic, row_of(*asked).format) : 0;
    device.drive(asked, op, true);
    if (asked == nullptr) --drain;
    if (asked != nullptr && device.request_ready()) ++next;
    device.clock();
  }
  return {};
}

}  // namespace cuvette::ip
