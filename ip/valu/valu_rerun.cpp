// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_rerun.h"

#include <algorithm>
#include <utility>

#include "ip/common/answer_watch.h"
#include "ip/valu/valu_ops.h"
#include "ip/valu/valu_timing.h"

namespace cuvette::ip {
namespace {

/// Longer pauses between transactions are cut to this: nothing happens in them.
constexpr machine::Cycle kLongestPause = 8;
/// Behind the last response; shows the end in the waveforms, and a response too many.
constexpr machine::Cycle kDrain = 64;

class Rerun {
 public:
  Rerun(ValuDevice& device, const ValuRecording& recording)
      : device_(device),
        recording_(recording),
        reference_(recording.target),
        timing_(recording.timing),
        watch_(recording.timing) {}

  ValuRerun run() {
    const std::vector<ValuTransaction>& all = recording_.transactions;
    if (all.empty()) return {};
    now_ = all.front().offered;
    for (machine::Cycle drain = 0; drain < kDrain && !result_.mismatch; ++now_) {
      if (answered_ == all.size()) ++drain;
      cycle();
      if (next_ < all.size() && answered_ == next_ && all[next_].offered > now_ + kLongestPause) {
        now_ = all[next_].offered - kLongestPause;
      }
    }
    // A few cycles more, so that the waveforms show what came after the difference.
    for (int n = 0; n < 4; ++n) {
      device_.drive(nullptr, 0, true);
      device_.clock();
    }
    result_.counts.times = timing_.compared();
    return std::move(result_);
  }

 private:
  void cycle() {
    const std::vector<ValuTransaction>& all = recording_.transactions;
    const ValuTransaction* asked =
        next_ < all.size() && all[next_].offered <= now_ ? &all[next_] : nullptr;
    const machine::Cycle held = answered_ < all.size() ? all[answered_].answered : machine::kNever;
    ValuTiming::Cycle pins;
    pins.now = now_;
    pins.offered = asked != nullptr;
    pins.ready = held == machine::kNever || held <= now_;
    const isa::Row* row = asked != nullptr ? isa::rows().begin() + asked->request.row : nullptr;
    device_.drive(asked != nullptr ? &asked->request : nullptr,
                  row != nullptr ? valu_op(*row, recording_.target) : uint16_t{0}, pins.ready);
    pins.taken = asked != nullptr && device_.request_ready();
    pins.answered = pins.ready && device_.response_valid();
    valu::Response actual;
    if (pins.answered) device_.response(actual);
    device_.clock();
    if (pins.answered) check(actual);
    if (pins.taken) ++next_;
    if (result_.mismatch) return;
    if (const auto failure = device_.failure()) {
      return fail({failure->field.c_str()}, failure->what, answered_);
    }
    if (const std::string wrong = timing_.check(pins); !wrong.empty()) {
      return fail({"timing"}, wrong, pins.answered ? answered_ - 1 : answered_);
    }
    if (watch_.is_over(asked != nullptr || answered_ < next_, pins.ready, pins.answered)) {
      fail({"order"}, "no response in " + std::to_string(watch_.limit()) + " cycles", answered_);
    }
  }

  void check(const valu::Response& actual) {
    if (answered_ >= next_) return fail({"order"}, "a response without a request", answered_);
    const size_t number = answered_++;
    valu::Response want;
    reference_.compute(recording_.transactions[number].request, want);
    if (const auto difference = compare(want, actual, result_.counts)) {
      fail(*difference, "", number, &want, &actual);
    }
  }

  void fail(const ValuDifference& difference, const std::string& what, size_t number,
            const valu::Response* expected = nullptr, const valu::Response* actual = nullptr) {
    ValuMismatch m;
    m.field = difference.field;
    m.what = what;
    m.time = now_;
    m.compute_unit = recording_.compute_unit;
    m.simd = recording_.simd;
    m.lane = difference.lane;
    m.expected = difference.expected;
    m.actual = difference.actual;
    m.transactions = recording_.transactions;
    m.failing = std::min(number, m.transactions.size());
    if (number < m.transactions.size()) {
      const valu::Request& asked = m.transactions[number].request;
      m.id = asked.id;
      m.origin = asked.origin;
      m.instruction = std::string((isa::rows().begin() + asked.row)->mnemonic);
    }
    write_report(m, recording_.target, expected, actual);
    result_.mismatch = std::move(m);
  }

  ValuDevice& device_;
  const ValuRecording& recording_;
  valu::LaneBeat reference_;
  ValuTiming timing_;
  AnswerWatch watch_;
  ValuRerun result_;
  size_t next_ = 0, answered_ = 0;
  machine::Cycle now_ = 0;
};

}  // namespace

base::Result<ValuRerun> rerun_valu(ValuDevice& device, const ValuRecording& recording,
                                   const std::string& wave) {
  if (!wave.empty()) {
    if (const base::Status traced = device.trace(wave); !traced) return traced.error();
  }
  for (const ValuTransaction& t : recording.transactions) {
    const isa::Row& row = *(isa::rows().begin() + t.request.row);
    const bool known = valu_op(row, recording.target) != kNoValuOp;
    if (known && device.implements(row, t.request.encoding, t.request.modifiers)) continue;
    return base::Error("the device has no circuit for " + std::string(row.mnemonic));
  }
  device.reset();
  return Rerun(device, recording).run();
}

}  // namespace cuvette::ip
