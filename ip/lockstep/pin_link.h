// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_adapter.h"
#include "ip/lockstep/request_log.h"

namespace cuvette::ip {

/// Binding of a block's channels to a device on pins, without a comparison. The clock of the device
/// stands still while nothing is offered and no request waits for its answer.
template <class Core>
class PinLink {
 public:
  template <size_t kChannels>
  PinLink(const contract::ChannelInfo (&channels)[kChannels], Core& shell,
          std::unique_ptr<PinDevice> device, std::vector<PinChannel> pins)
      : infos_(channels), adapter_(std::move(device), std::move(pins)) {
    for (const contract::ChannelInfo& c : channels) answered_.push_back(c.answers);
    ends_.resize(adapter_.channels().size());
    visit_channels(shell, Bind{*this});
    for (auto& end : ends_) adapter_.add(std::move(end));
  }

  void tick(machine::Cycle now) {
    if (!busy() && adapter_.next_event() > now) return;
    now_ = now;
    if (before_cycle_) before_cycle_(now);
    adapter_.tick(now);
    if (after_cycle_) after_cycle_(now);
  }
  machine::Cycle next_event() const {
    return busy() ? std::min(now_ + 1, adapter_.next_event()) : adapter_.next_event();
  }
  /// Sends a message to the device past the channel of the shell.
  template <class M>
  void inject(unsigned channel, M message, unsigned port = 0) {
    ahead_.of<M>(pin_of(channel, port)).push_back(std::move(message));
  }
  using Watcher = std::function<void(machine::Cycle)>;
  /// Called around each clock cycle of the device.
  void on_cycle(Watcher before, Watcher after) {
    before_cycle_ = std::move(before);
    after_cycle_ = std::move(after);
  }
  PinEnd& end(unsigned pin) { return adapter_.end(pin); }
  PinDevice& device() { return adapter_.device(); }
  const PinDevice& device() const { return adapter_.device(); }
  std::optional<DeviceFailure> failure() const { return adapter_.failure(); }

 private:
  struct Bind {
    PinLink& owner;
    template <class M>
    void in(unsigned channel, unsigned port, machine::Channel<M>& source) {
      auto& ahead = owner.ahead_.of<M>(owner.pin_of(channel, port));
      const bool counts = owner.is_answered(channel);
      owner.put(channel, port, [&](unsigned pin) {
        return std::make_unique<ToDevice<M>>(
            pin, source, ahead, [](const M&, machine::Cycle) {},
            [&o = owner, counts](const M& message, machine::Cycle) {
              if (!counts) return;
              o.open_ = !completes(message);
              if (!o.open_) ++o.asked_;
            });
      });
    }
    template <class M>
    void out(unsigned channel, unsigned port, machine::Channel<M>& sink) {
      const bool counts = !owner.answered_[channel].empty();
      owner.put(channel, port, [&](unsigned pin) {
        return std::make_unique<FromDevice<M>>(
            pin, sink,
            [&o = owner, counts](M& message, machine::Cycle) {
              if (counts && completes(message)) ++o.given_;
              return true;
            },
            [](bool, machine::Cycle) {});
      });
    }
  };
  template <class Make>
  void put(unsigned channel, unsigned port, Make&& make) {
    const unsigned pin = pin_of(channel, port);
    ends_[pin] = make(pin);
  }
  unsigned pin_of(unsigned channel, unsigned port) const {
    const auto& all = adapter_.channels();
    unsigned pin = 0;
    while (all[pin].channel != channel || all[pin].port != port) ++pin;
    return pin;
  }
  bool is_answered(unsigned channel) const {
    return std::find(answered_.begin(), answered_.end(), infos_[channel].name) != answered_.end();
  }
  bool busy() const { return open_ || asked_ > given_ || !adapter_.idle_inside(); }

  const contract::ChannelInfo* infos_;
  std::vector<std::string> answered_;  ///< by channel: the one that it answers, or empty
  PinAdapter adapter_;
  AheadQueues ahead_;
  std::vector<std::unique_ptr<PinEnd>> ends_;  ///< until the adapter has them
  uint64_t asked_ = 0, given_ = 0;
  bool open_ = false;  ///< messages of a request are to come
  machine::Cycle now_ = 0;
  Watcher before_cycle_, after_cycle_;
};

}  // namespace cuvette::ip
