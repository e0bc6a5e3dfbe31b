// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/matrix_core/matrix_lockstep.h"
#include "ip/matrix_core/matrix_monitor.h"
#include "ip/matrix_core/matrix_rtl.h"
#include "matrix_core/matrix_core_tlm.h"
#include "matrix_program.h"

// Faulty devices for testing the checker itself: an implementation with one field of one result,
// one time, or one rule of the handshake changed.
namespace cuvette::matrix_faults {

using matrix_core::Result;

struct Fault {
  std::string name;
  std::string field;  ///< what the lockstep must report
  std::function<bool(const Result&)> applies;
  std::function<void(Result&)> change;
  int copies = 1;  ///< of the result: 0 is lost, 2 is given twice
};

/// So many instructions of a program a faulty device gets.
inline constexpr unsigned kReported = 20;

inline bool any(const Result&) {
  return true;
}

/// Every field of the contract.
inline const std::vector<Fault>& faults() {
  using R = Result;
  const auto not_last = [](const R& r) { return !r.last; };
  const auto last = [](const R& r) { return r.last; };
  const auto nothing = [](R&) {};
  static const std::vector<Fault> list = {
      {"id", "id", any, [](R& r) { r.id ^= 0x80000000; }},
      {"pass", "pass", any, [](R& r) { r.pass ^= 1; }},
      {"last invented", "last", not_last, [](R& r) { r.last = true; }},
      {"last missing", "last", last, [](R& r) { r.last = false; }},
      {"first row", "first_row", any, [](R& r) { r.first_row += 1; }},
      {"rows", "rows", any, [](R& r) { r.rows = 1; }},
      {"row 0 lane 0", "d", any, [](R& r) { r.d[0][0] ^= 1; }},
      {"row 0 lane 63", "d", any, [](R& r) { r.d[0][63] ^= 0x80000000; }},
      {"row 1 lane 31", "d", any, [](R& r) { r.d[1][31] ^= 0x10; }},
      {"row 1 lane 63", "d", last, [](R& r) { r.d[1][63] ^= 1; }},
      {"given twice", "pass", not_last, nothing, 2},
      {"the last given twice", "id", last, nothing, 2},
      {"one too many", "order", [](const R& r) { return r.last && r.id == kReported; }, nothing, 2},
      {"lost", "pass", not_last, nothing, 0},
      {"the last lost", "id", last, nothing, 0},
  };
  return list;
}

/// `tlm` with `fault` in the first result it applies to, from the tenth on.
class FaultyCore final : public matrix_core::MatrixCore {
 public:
  explicit FaultyCore(const Fault& fault) : model_(matrix_core::Config()), fault_(fault) {}

  void tick(machine::Cycle now) override {
    std::swap(operands, model_.operands);
    model_.tick(now);
    std::swap(operands, model_.operands);
    while (!model_.result.empty()) {
      const machine::Cycle time = model_.result.next_event();
      Result r = model_.result.pop(time);
      int copies = 1;
      if (++count_ >= 10 && !done_ && fault_.applies(r)) {
        fault_.change(r);
        copies = fault_.copies;
        done_ = true;
      }
      for (int n = 0; n < copies; ++n) result.push(r, time);
    }
  }
  machine::Cycle next_event() const override { return model_.next_event(); }
  bool implements(const isa::Row& row) const override { return model_.implements(row); }
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return model_.occupancy_cycles(row);
  }
  unsigned latency_cycles(const isa::Row& row) const override { return model_.latency_cycles(row); }

 private:
  matrix_core::MatrixCoreTlm model_;
  const Fault& fault_;
  unsigned count_ = 0;
  bool done_ = false;
};

inline std::unique_ptr<ip::MatrixLockstep> lockstep_of(
    std::unique_ptr<matrix_core::MatrixCore> device, const ip::MatrixLockstep::Options& options,
    ip::MatrixLockstep::Failed failed = {}) {
  return std::make_unique<ip::MatrixLockstep>(std::move(device), matrix_core::Config(),
                                              ip::MatrixLockstep::Observer(), std::move(failed),
                                              options);
}

/// The field the lockstep reports for a device with `fault`; empty when it reports nothing.
inline std::string reported(const Fault& fault,
                            const std::vector<matrix_program::Instruction>& all) {
  const std::vector<matrix_program::Instruction> program(all.begin(), all.begin() + kReported);
  const auto lockstep = lockstep_of(std::make_unique<FaultyCore>(fault), {});
  matrix_program::run(*lockstep, program, 8, 8, 1,
                      [&] { return lockstep->mismatch().has_value(); });
  return lockstep->mismatch() ? lockstep->mismatch()->field : std::string();
}

// ---- Pins
enum class PinFault {
  None,
  ValidDropped,
  MessageChanges,
  ValidInReset,
  NeverReady,
  BeatSwapped,
  IdChangesInPass,
};

/// The RTL with its pins falsified.
class FaultyPins final : public ip::MatrixDevice {
 public:
  explicit FaultyPins(PinFault fault) : device_(ip::make_matrix_fast()), fault_(fault) {}

  void set_reset(bool active) override {
    reset_ = active;
    device_->set_reset(active);
  }
  void drive(const ip::MatrixOperandsMessage* operands, bool result_ready) override {
    ready_ = result_ready;
    device_->drive(fault_ == PinFault::NeverReady ? nullptr : operands, result_ready && !hides());
  }
  bool operands_ready() const override {
    return fault_ != PinFault::NeverReady && device_->operands_ready();
  }
  bool result_valid() const override {
    if (reset_) return fault_ == PinFault::ValidInReset;
    return device_->result_valid() && !hides();
  }
  void result(ip::MatrixResultMessage& out) const override {
    device_->result(out);
    const unsigned beat =
        contract::beat_of<matrix_core::Result>(reinterpret_cast<const uint8_t*>(out.data()));
    if (fault_ == PinFault::MessageChanges && waited_ == 1) out[7] ^= 1;
    if (fault_ == PinFault::BeatSwapped && beat == 2) out[32] ^= 1u << 10;
    if (fault_ == PinFault::IdChangesInPass && beat == 3) out[33] ^= 1u << 5;
  }
  void clock() override {
    const bool waits = device_->result_valid() && !ready_;
    waited_ = waits || hides() ? waited_ + 1 : 0;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return std::nullopt; }
  bool implements(const isa::Row& row) const override { return row.mnemonic != lacks; }
  base::Status trace(const std::string& path) override {
    return base::Error("no waveforms", {path});
  }

  std::string lacks;  ///< a mnemonic it has no circuit for

 private:
  /// In the cycle after a result has waited for the first time.
  bool hides() const { return fault_ == PinFault::ValidDropped && waited_ == 1; }

  std::unique_ptr<ip::MatrixDevice> device_;
  PinFault fault_;
  bool reset_ = false, ready_ = false;
  unsigned waited_ = 0;
};

/// What is said about a device with `fault` under random back-pressure; nothing when nothing is
/// seen.
inline std::optional<ip::DeviceFailure> seen(
    PinFault fault, const std::vector<matrix_program::Instruction>& program) {
  ip::MatrixRtl rtl(std::make_unique<ip::MatrixMonitor>(std::make_unique<FaultyPins>(fault)),
                    isa::Target::Gfx908);
  matrix_program::run(rtl, program, 8, 2, 5, [&] { return rtl.failure().has_value(); });
  return rtl.failure();
}

/// Every fault with what has to be said about it.
inline const std::vector<std::pair<PinFault, std::string>>& pin_faults() {
  static const std::vector<std::pair<PinFault, std::string>> all = {
      {PinFault::ValidDropped, "result: valid dropped before ready"},
      {PinFault::MessageChanges, "result: the message changed before ready"},
      {PinFault::ValidInReset, "result: valid is high in reset"},
      {PinFault::NeverReady, "operands: not ready within 16 cycles after reset"},
      {PinFault::BeatSwapped, "where beat 2 of id"},
      {PinFault::IdChangesInPass, "where beat 3 of id"}};
  return all;
}
inline bool named(const std::pair<PinFault, std::string>& fault,
                  const std::vector<matrix_program::Instruction>& program) {
  const auto failure = seen(fault.first, program);
  return failure && failure->field == "protocol" &&
         failure->what.find(fault.second) != std::string::npos;
}

// ---- Time
/// The RTL whose `number`-th result comes `delay` cycles late.
class LateCore final : public matrix_core::MatrixCore {
 public:
  LateCore(unsigned number, machine::Cycle delay)
      : rtl_(ip::make_matrix_fast(), isa::Target::Gfx908), number_(number), delay_(delay) {}
  void tick(machine::Cycle now) override {
    std::swap(operands, rtl_.operands);
    rtl_.tick(now);
    std::swap(operands, rtl_.operands);
    while (!rtl_.result.empty()) {
      // What the RTL gives in this cycle is visible in the next.
      Result r = rtl_.result.pop(rtl_.result.next_event());
      waiting_.push_back({r, now + (given_++ == number_ ? delay_ : 0)});
    }
    while (!waiting_.empty() && waiting_.front().second <= now && result.can_push(now)) {
      result.push(waiting_.front().first, now + 1);
      waiting_.erase(waiting_.begin());
    }
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row& row) const override { return rtl_.implements(row); }
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return rtl_.occupancy_cycles(row);
  }
  unsigned latency_cycles(const isa::Row& row) const override { return rtl_.latency_cycles(row); }

 private:
  ip::MatrixRtl rtl_;
  unsigned number_, given_ = 0;
  machine::Cycle delay_;
  std::vector<std::pair<Result, machine::Cycle>> waiting_;
};

/// What a timing rule says about a result `delay` cycles late; empty when it is content.
inline std::string late(machine::Cycle delay, const machine::TimingRule& rule,
                        const std::vector<matrix_program::Instruction>& program) {
  ip::MatrixLockstep::Options options;
  options.timing = rule;
  const auto lockstep = lockstep_of(std::make_unique<LateCore>(7, delay), options);
  matrix_program::run(*lockstep, program, 8, 8, 1,
                      [&] { return lockstep->mismatch().has_value(); });
  return lockstep->mismatch() ? lockstep->mismatch()->field : std::string();
}

/// What happened at the channels of the RTL, cycle by cycle.
struct TimedCycle {
  const matrix_core::Operands* offered = nullptr;
  bool taken = false, ready = false, answered = false, last = false;
};
inline std::vector<TimedCycle> record(const std::vector<matrix_program::Instruction>& program,
                                      unsigned offers, unsigned takes) {
  ip::MatrixRtl rtl(ip::make_matrix_fast(), isa::Target::Gfx908);
  std::vector<const matrix_core::Operands*> passes;
  for (const auto& i : program) {
    for (const auto& pass : i) passes.push_back(&pass);
  }
  std::mt19937_64 random(11);
  std::vector<TimedCycle> out;
  size_t sent = 0, taken = 0, given = 0;
  for (machine::Cycle now = 0; given < passes.size() && now < 100000; ++now) {
    if (sent < passes.size() && random() % 8 < offers && rtl.operands.can_push(now)) {
      rtl.operands.push(*passes[sent++], now);
    }
    TimedCycle c;
    if (rtl.operands.front(now) != nullptr) c.offered = passes[taken];
    c.ready = rtl.result.can_push(now);
    const size_t offered = rtl.operands.size(), answers = rtl.result.size();
    rtl.tick(now);
    c.taken = rtl.operands.size() != offered;
    c.answered = rtl.result.size() != answers;
    c.last = c.answered && rtl.result.peek(rtl.result.size() - 1).last;
    taken += c.taken ? 1 : 0;
    given += c.answered ? 1 : 0;
    if (random() % 8 < takes && rtl.result.front(now) != nullptr) rtl.result.drop(now);
    out.push_back(c);
  }
  return out;
}

/// Whether a rule is content with a sequence.
inline bool keeps_time(const std::vector<TimedCycle>& cycles, const machine::TimingRule& rule) {
  ip::MatrixTiming timing(rule, isa::Target::Gfx908);
  for (size_t now = 0; now < cycles.size(); ++now) {
    const TimedCycle& c = cycles[now];
    ip::MatrixTiming::Cycle cycle;
    cycle.now = now;
    cycle.offered = c.offered;
    cycle.taken = c.taken;
    cycle.ready = c.ready;
    cycle.answered = c.answered;
    cycle.last = c.last;
    if (!timing.check(cycle).empty()) return false;
  }
  return true;
}

/// Sequences in which one thing is wrong, by name.
inline std::vector<std::pair<std::string, std::vector<TimedCycle>>> wrong_times(
    const std::vector<TimedCycle>& good) {
  std::vector<std::pair<std::string, std::vector<TimedCycle>>> out;
  const auto at = [&good](bool TimedCycle::* what, bool value, size_t from) {
    while (from < good.size() && good[from].*what != value) ++from;
    return from;
  };
  const auto change = [&](const char* name,
                          const std::function<void(std::vector<TimedCycle>&)>& fn) {
    out.push_back({name, good});
    fn(out.back().second);
  };
  const size_t middle = good.size() / 2;
  const size_t result = at(&TimedCycle::answered, true, middle);
  const size_t quiet = at(&TimedCycle::answered, false, middle);
  const size_t pass = at(&TimedCycle::taken, true, middle);
  change("a result too much", [&](auto& c) { c[quiet].answered = true; });
  change("a result missing", [&](auto& c) { c[result].answered = false; });
  change("a result late", [&](auto& c) { std::swap(c[result].answered, c[result + 1].answered); });
  change("a result early", [&](auto& c) { std::swap(c[result].answered, c[result - 1].answered); });
  change("operands late", [&](auto& c) { std::swap(c[pass].taken, c[pass + 1].taken); });
  change("operands early", [&](auto& c) { std::swap(c[pass].taken, c[pass - 1].taken); });
  return out;
}

}  // namespace cuvette::matrix_faults
