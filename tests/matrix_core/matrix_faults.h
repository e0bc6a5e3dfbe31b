// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/core_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/matrix_core/matrix_lockstep.h"
#include "ip/matrix_core/matrix_rtl.h"
#include "ip/matrix_core/matrix_timing.h"
#include "matrix_core/matrix_core_model.h"
#include "matrix_program.h"

// Faulty devices for testing the checker itself: an implementation with one field of one result,
// one time, or one rule of the handshake changed.
namespace cuvette::matrix_faults {

using matrix_core::Result;

struct Fault {
  std::string name;
  std::string field;  ///< field that the lockstep must report
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
  machine::Cycle next_event() const override {
    return std::min(model_.next_event(), operands.next_event());
  }
  bool implements(const isa::Row& row) const override { return model_.implements(row); }
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return model_.occupancy_cycles(row);
  }
  unsigned latency_cycles(const isa::Row& row) const override { return model_.latency_cycles(row); }

 private:
  matrix_core::MatrixCoreModel model_;
  const Fault& fault_;
  unsigned count_ = 0;
  bool done_ = false;
};

inline std::vector<ip::PinChannel> pins() {
  return ip::pin_channels(matrix_core::kChannels);
}
/// A model behind pins.
using Make = std::function<std::unique_ptr<matrix_core::MatrixCore>()>;
inline std::unique_ptr<ip::PinDevice> behind_pins(Make make) {
  using Device = ip::CoreDevice<matrix_core::MatrixCore>;
  auto device = std::make_unique<Device>(
      std::move(make), [](matrix_core::MatrixCore& core, Device& d) { visit_channels(core, d); },
      pins());
  ip::reset(*device, pins());
  return device;
}
inline std::unique_ptr<ip::MatrixLockstep> lockstep_of(std::unique_ptr<ip::PinDevice> device,
                                                       const ip::LockstepOptions& options = {}) {
  return std::make_unique<ip::MatrixLockstep>(std::move(device), matrix_core::Config(), options,
                                              ip::MatrixLockstep::Kit::OnMismatch());
}
inline std::unique_ptr<ip::MatrixLockstep> lockstep_of(const Fault& fault) {
  return lockstep_of(behind_pins([&fault] { return std::make_unique<FaultyCore>(fault); }));
}

/// The field the lockstep reports for a device with `fault`; empty when it reports nothing.
inline std::string reported(const Fault& fault,
                            const std::vector<matrix_program::Instruction>& all) {
  const std::vector<matrix_program::Instruction> program(all.begin(), all.begin() + kReported);
  const auto lockstep = lockstep_of(fault);
  const auto run = matrix_program::run(*lockstep, program, 8, 8, 1,
                                       [&] { return lockstep->mismatch().has_value(); });
  // A message too much takes as many cycles as it has beats.
  for (machine::Cycle after = 1; after < 16; ++after) lockstep->tick(run.cycles + after);
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
class FaultyPins final : public ip::PinDevice {
 public:
  explicit FaultyPins(PinFault fault) : device_(ip::make_matrix_fast()), fault_(fault) {}

  void set_reset(bool active) override {
    reset_ = active;
    device_->set_reset(active);
  }
  void drive(unsigned channel, const uint8_t* beat) override {
    device_->drive(channel, fault_ == PinFault::NeverReady ? nullptr : beat);
  }
  void accept(unsigned channel, bool ready) override {
    ready_ = ready;
    device_->accept(channel, ready && !hides());
  }
  bool ready(unsigned channel) override {
    return fault_ != PinFault::NeverReady && device_->ready(channel);
  }
  bool sample(unsigned channel, uint8_t* beat) override {
    if (reset_) return fault_ == PinFault::ValidInReset;
    valid_ = device_->sample(channel, beat);
    if (!valid_ || hides()) return false;
    const unsigned number = contract::beat_of<matrix_core::Result>(beat);
    constexpr size_t kBeatAt = contract::Message<matrix_core::Result>::kBeatAt;
    if (fault_ == PinFault::MessageChanges && waited_ == 1) beat[28] ^= 1;
    if (fault_ == PinFault::BeatSwapped && number == 2) beat[kBeatAt / 8] ^= 1 << kBeatAt % 8;
    // The id is highest.
    constexpr size_t kTop = contract::Message<matrix_core::Result>::kBits - 1;
    if (fault_ == PinFault::IdChangesInPass && number == 3) beat[kTop / 8] ^= 1 << kTop % 8;
    return true;
  }
  void clock() override {
    waited_ = (valid_ && !ready_) || hides() ? waited_ + 1 : 0;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return std::nullopt; }
  bool implements(const isa::Row& row, uint32_t) const override { return row.mnemonic != lacks; }
  base::Status trace(const std::string& path) override {
    return base::Error("no waveforms", {path});
  }

  std::string lacks;  ///< a mnemonic it has no circuit for

 private:
  /// In the cycle after a result has waited for the first time.
  bool hides() const { return fault_ == PinFault::ValidDropped && waited_ == 1; }

  std::unique_ptr<ip::PinDevice> device_;
  PinFault fault_;
  bool reset_ = false, ready_ = false, valid_ = false;
  unsigned waited_ = 0;
};

/// Error reported for a device with `fault` under random back-pressure; nothing when none is found.
inline std::optional<ip::DeviceFailure> seen(
    PinFault fault, const std::vector<matrix_program::Instruction>& program) {
  ip::MatrixRtl rtl(std::make_unique<ip::PinMonitor>(std::make_unique<FaultyPins>(fault), pins()),
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
      {PinFault::BeatSwapped, "result: beat 3 where beat 2 is due"},
      {PinFault::IdChangesInPass, "result: beat 3 has other fields than beat 0"}};
  return all;
}
inline bool named(const std::pair<PinFault, std::string>& fault,
                  const std::vector<matrix_program::Instruction>& program) {
  const auto failure = seen(fault.first, program);
  return failure && failure->field == "protocol" &&
         failure->what.find(fault.second) != std::string::npos;
}

// ---- Time
/// The RTL whose `number`-th pass of results comes `delay` cycles late.
class LateDevice final : public ip::PinDevice {
 public:
  LateDevice(unsigned number, machine::Cycle delay)
      : device_(ip::make_matrix_fast()), number_(number), delay_(delay) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override { device_->drive(channel, beat); }
  void accept(unsigned channel, bool ready) override {
    ready_ = ready;
    device_->accept(channel, ready && !holds());
  }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    valid_ = device_->sample(channel, beat);
    return valid_ && !holds();
  }
  void clock() override {
    if (valid_ && holds()) {
      --delay_;
    } else if (valid_ && ready_) {
      ++beats_;
    }
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  bool holds() const { return beats_ == 4 * number_ && delay_ != 0; }

  std::unique_ptr<ip::PinDevice> device_;
  unsigned number_, beats_ = 0;
  machine::Cycle delay_;
  bool valid_ = false, ready_ = false;
};

/// Error that a timing rule reports for a result `delay` cycles late; empty when it is content.
inline std::string late(machine::Cycle delay, const machine::TimingRule& rule,
                        const std::vector<matrix_program::Instruction>& program) {
  ip::LockstepOptions options;
  options.timing = rule;
  const auto lockstep = lockstep_of(std::make_unique<LateDevice>(7, delay), options);
  matrix_program::run(*lockstep, program, 8, 8, 1,
                      [&] { return lockstep->mismatch().has_value(); });
  return lockstep->mismatch() ? lockstep->mismatch()->field : std::string();
}

/// Events at the channels of the RTL, cycle by cycle.
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

/// True if a rule is content with a sequence.
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
