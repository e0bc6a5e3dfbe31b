// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/lockstep_ports.h"

namespace cuvette::ip {

/// A rule of a block's page that a device has broken.
struct Violation {
  std::string rule;  ///< its name on the page
  std::string what;  ///< the message and how it breaks the rule
};

/// Channel from a device that is checked: messages go to the shell as the check leaves them.
template <class M>
class RuleCheckedPort final : public FromDevicePort<M> {
 public:
  /// False: the message breaks a rule, and goes no further.
  using Check = std::function<bool(M&, machine::Cycle)>;

  RuleCheckedPort(LockstepBase& owner, unsigned pin, machine::Channel<M>& sink, Check check)
      : FromDevicePort<M>(owner, pin, sink,
                          [this, check = std::move(check)](M& message, machine::Cycle now) {
                            ++this->counts_.seen;
                            return check(message, now);
                          }) {}
};

/// Lockstep checker of a block whose choices are its own (class ordered-by-dut): the device is in
/// the loop, and a checker of the block's rules checks every message instead of predicting it.
///
/// `Checker` has, for the messages of the block's channels:
///   std::optional<Violation> taken(channel, port, const M&, now): the device has taken it;
///   std::optional<Violation> given(channel, port, M&, now): the device has given it; fields that
///     the adapter writes (timestamps) are set here;
///   bool busy(): something is under way, the clock has to run;
///   bool owes(): the device has something to do for which it waits for nobody;
///   std::string owed(): what that is;
///   std::optional<Violation> conclude(): what is missing at the end of a run;
///   uint64_t checked(): values that were compared.
/// The owner binds every channel by in() and out() before the first tick.
template <class Checker>
class RuleChecked final : public LockstepBase {
 public:
  template <size_t kChannels>
  RuleChecked(const contract::ChannelInfo (&channels)[kChannels], Checker& checker,
              std::unique_ptr<PinDevice> device, std::vector<PinChannel> pins, BlockPlace place,
              const LockstepOptions& options, OnMismatch on_mismatch)
      : LockstepBase(channels, std::move(device), std::move(pins), std::move(place), options,
                     std::move(on_mismatch)),
        checker_(checker),
        ends_(this->pins().size()) {}

  /// A channel to the device, and one from it, as the contract counts them.
  template <class M>
  void in(unsigned channel, unsigned port, machine::Channel<M>& source) {
    static std::deque<M> nothing_ahead;  // nobody adds to it
    const unsigned pin = pin_of(channel, port);
    put(std::make_unique<InputPort<M>>(
        *this, pin, source, nothing_ahead,
        [this, pin, channel, port](const M& message, machine::Cycle now) {
          see(pin, checker_.taken(channel, port, message, now));
        }));
  }
  template <class M>
  void out(unsigned channel, unsigned port, machine::Channel<M>& sink) {
    const unsigned pin = pin_of(channel, port);
    put(std::make_unique<RuleCheckedPort<M>>(
        *this, pin, sink, [this, pin, channel, port](M& message, machine::Cycle now) {
          answered_ = true;
          if (!violation_) see(pin, checker_.given(channel, port, message, now));
          return !violation_;
        }));
  }

  /// A channel to the device that is bound.
  template <class M>
  InputPort<M>& input(unsigned channel, unsigned port) {
    return static_cast<InputPort<M>&>(*ports_[pin_of(channel, port)]);
  }

  void tick(machine::Cycle now) {
    if (!begun_) begin();
    if (mismatch_ || (is_quiet() && adapter_.next_event() > now)) return;
    now_ = now;
    moved_ = answered_ = false;
    adapter_.tick(now);
    // A beat that breaks the rules of the pins is not checked further.
    if (const auto failure = adapter_.failure()) return fail(failure->field, failure->what);
    if (violation_) return fail(*violation_);
    if (moved_) active_until_ = now + drain_;
    const bool waits = !adapter_.idle() && !checker_.busy();  // a message is offered, and stays
    if (watch_.is_over(checker_.owes() || waits, true, answered_ || (waits && moved_))) {
      return fail(
          {"missing", "no message in " + std::to_string(watch_.limit()) + " cycles, " +
                          (checker_.owes() ? checker_.owed() : "one is offered and not taken")});
    }
    const bool ready = std::none_of(ports_.begin(), ports_.end(),
                                    [](const auto& port) { return port->stalled(); });
    if (const std::string stands = standstill(ready); !stands.empty()) fail({"missing", stands});
  }
  machine::Cycle next_event() const {
    return is_quiet() ? std::max(adapter_.next_event(), now_ + 1) : now_ + 1;
  }
  void step(machine::Cycle now) override { tick(now); }
  machine::Cycle next_step() const override { return next_event(); }

  void conclude() override {
    if (mismatch_) return;
    if (const auto missing = checker_.conclude()) fail(*missing);
  }
  ComparedItems items() const override {
    ComparedItems all = LockstepBase::items();
    all[place_.block + " values"] += checker_.checked();
    return all;
  }
  uint64_t compared() const override { return checker_.checked(); }

 private:
  using LockstepBase::fail;
  void fail(const Violation& v) { fail(v.rule, "rule " + v.rule + ": " + v.what); }
  template <class Port>
  void put(std::unique_ptr<Port> port) {
    ends_[port->pin()] = port->take_end();
    ports_[port->pin()] = std::move(port);
  }
  void begin() {
    begun_ = true;
    for (auto& end : ends_) adapter_.add(std::move(end));
  }
  void see(unsigned pin, std::optional<Violation> violation) {
    if (!violation || violation_) return;
    violation_ = std::move(violation);
    violation_->what = pins()[pin].name + ": " + violation_->what;
  }
  bool is_quiet() const {
    return begun_ && adapter_.idle() && now_ >= active_until_ && !checker_.busy();
  }

  Checker& checker_;
  std::vector<std::unique_ptr<PinEnd>> ends_;  ///< by pin, until the adapter has them
  std::optional<Violation> violation_;
  bool begun_ = false, answered_ = false;
};

}  // namespace cuvette::ip
