// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/lockstep_ports.h"

namespace cuvette::ip {

/// Lockstep checker of one block: the device is in the loop, its answers and times are used, and a
/// reference, which takes every message when the device takes it, says what they must be. Generic
/// over the contract: `Core` is the class of the block, whose channels and messages come from the
/// description.
///
/// The owner is a Core itself (the shell): its channels are bound to the pins. The reference is
/// another Core of any implementation; messages that it gives later than the device are waited for
/// by running it ahead of time. Messages of a port are compared in their order, or by id where the
/// contract says so.
template <class Core>
class Lockstep final : public LockstepBase {
 public:
  template <size_t kChannels>
  Lockstep(const contract::ChannelInfo (&channels)[kChannels], Core& shell,
           std::unique_ptr<Core> reference, std::unique_ptr<PinDevice> device,
           std::vector<PinChannel> pins, BlockPlace place, const LockstepOptions& options,
           OnMismatch on_mismatch)
      : LockstepBase(channels, std::move(device), std::move(pins), std::move(place), options,
                     std::move(on_mismatch)),
        reference_(std::move(reference)) {
    std::vector<void*> of_reference;
    visit_channels(*reference_, Collect{of_reference});
    visit_channels(shell, Bind{*this, of_reference});
    for (auto& end : ends_) adapter_.add(std::move(end));
    connect_answers(kChannels);
  }

  void tick(machine::Cycle now) {
    if (mismatch_ || (is_quiet() && adapter_.next_event() > now)) return;
    now_ = now;
    moved_ = false;
    if (before_cycle_) before_cycle_(now);
    adapter_.tick(now);
    if (reference_now_ < now) reference_->tick(reference_now_ = now);
    compare(now);
    if (after_cycle_) after_cycle_(now);
  }
  machine::Cycle next_event() const {
    return is_quiet() ? std::max(adapter_.next_event(), now_ + 1) : now_ + 1;
  }
  void step(machine::Cycle now) override { tick(now); }
  machine::Cycle next_step() const override { return next_event(); }

  void conclude() override {
    if (before_conclusion_) before_conclusion_();
    if (!mismatch_ && answers_due()) fail("missing", "at the end, " + due_text());
  }

  /// Sends a message to the device past the shell's channel, and its answers to nobody: what the
  /// model does past its channels. `id` of the message, where it has one, is chosen here.
  template <class M>
  void inject(unsigned channel, M message, unsigned port = 0) {
    if constexpr (HasId<M>::value) message.id = kFirstInjected | (injected_++ & 0xffffff);
    ahead_.of<M>(pin_of(channel, port)).push_back(std::move(message));
  }
  /// Messages that were injected and have not been taken.
  template <class M>
  const std::deque<M>& injected(unsigned channel, unsigned port = 0) {
    return ahead_.of<M>(pin_of(channel, port));
  }

  Core& reference() { return *reference_; }
  template <class M>
  InputPort<M>& input(unsigned channel, unsigned port = 0) {
    return static_cast<InputPort<M>&>(*ports_[pin_of(channel, port)]);
  }
  template <class M>
  OutputPort<M>& output(unsigned channel, unsigned port = 0) {
    return static_cast<OutputPort<M>&>(*ports_[pin_of(channel, port)]);
  }
  /// True when no message is offered, under way or due.
  bool idle() const {
    return adapter_.idle() && reference_->next_event() == machine::kNever && !answers_due() &&
           !requests_open();
  }

 private:
  /// Cycles that the reference is run ahead for a message that the device has given already.
  static constexpr machine::Cycle kAhead = 100'000;

  /// Channels of the reference in the order of visit_channels().
  struct Collect {
    std::vector<void*>& all;
    template <class M>
    void in(unsigned, unsigned, machine::Channel<M>& channel) {
      all.push_back(&channel);
    }
    template <class M>
    void out(unsigned, unsigned, machine::Channel<M>& channel) {
      all.push_back(&channel);
    }
  };
  /// Binds the channels of the shell to the pins.
  struct Bind {
    Lockstep& owner;
    const std::vector<void*>& of_reference;
    size_t number = 0;

    template <class M>
    void in(unsigned channel, unsigned port, machine::Channel<M>& source) {
      auto* to = static_cast<machine::Channel<M>*>(of_reference[number++]);
      const unsigned pin = owner.pin_of(channel, port);
      const auto to_reference = [&o = owner, to](const M& message, machine::Cycle now) {
        to->push(message, std::max(now, o.reference_now_));
      };
      auto made =
          std::make_unique<InputPort<M>>(owner, pin, source, owner.ahead_.of<M>(pin), to_reference);
      owner.put(std::move(made));
    }
    template <class M>
    void out(unsigned channel, unsigned port, machine::Channel<M>& sink) {
      auto* from = static_cast<machine::Channel<M>*>(of_reference[number++]);
      const auto run_ahead = [&o = owner](const std::function<bool()>& there) {
        o.run_ahead(there);
      };
      owner.put(std::make_unique<OutputPort<M>>(owner, owner.pin_of(channel, port), *from, sink,
                                                run_ahead));
    }
  };
  template <class Port>
  void put(std::unique_ptr<Port> port) {
    ends_.resize(pins().size());
    ends_[port->pin()] = port->take_end();
    ports_[port->pin()] = std::move(port);
  }
  /// Answers find their requests: those of the port with the same number.
  void connect_answers(size_t channels) {
    for (unsigned pin = 0; pin < pins().size(); ++pin) {
      const std::string answered = info(pin).answers;
      const auto* const asked = std::find_if(
          infos_, infos_ + channels, [&](const auto& channel) { return channel.name == answered; });
      if (answered.empty() || asked == infos_ + channels) continue;
      const unsigned from = pin_of(static_cast<unsigned>(asked - infos_), pins()[pin].port);
      if (from < ports_.size()) ports_[pin]->answer(ports_[from]->requests());
    }
  }
  void run_ahead(const std::function<bool()>& there) {
    const machine::Cycle limit = now_ + kAhead;
    while (!there() && reference_->next_event() != machine::kNever && reference_now_ < limit) {
      reference_now_ = std::max(reference_now_ + 1, reference_->next_event());
      reference_->tick(reference_now_);
    }
  }
  /// True when the reference does nothing before the next message is visible.
  bool is_quiet() const {
    return adapter_.idle_inside() && now_ >= active_until_ &&
           reference_->next_event() == machine::kNever && !answers_due() && !requests_open();
  }

  std::unique_ptr<Core> reference_;
  machine::Cycle reference_now_ = 0;
  std::vector<std::unique_ptr<PinEnd>> ends_;  ///< until the adapter has them
  AheadQueues ahead_;
  uint32_t injected_ = 0;
};

}  // namespace cuvette::ip
