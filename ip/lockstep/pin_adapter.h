// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_device.h"
#include "machine/channel.h"

namespace cuvette::ip {

/// End of a channel of the model at the pins of a device.
class PinEnd {
 public:
  virtual ~PinEnd() = default;
  /// First half of a cycle: offers a beat, or says whether one would be taken.
  virtual void offer(PinDevice& device, machine::Cycle now) = 0;
  /// Second half, when the pins have settled: whether a beat moves at the edge.
  virtual void look(PinDevice& device) = 0;
  /// After the edge: moves it.
  virtual void move(machine::Cycle now) = 0;
  /// Nothing waits or is partly moved.
  virtual bool idle() const = 0;
  /// When a message waits in the model's channel.
  virtual machine::Cycle next_event() const = 0;
  /// Beats that do not belong together; empty: none.
  virtual std::string violation() const { return {}; }
};

/// A channel to the device. `taken` is called with a message when its last beat has moved at the
/// edge that ends `now`. Messages of `ahead` go before those of the model's channel.
template <class M>
class ToDevice final : public PinEnd {
 public:
  using Taken = std::function<void(const M&, machine::Cycle)>;
  ToDevice(unsigned pin, machine::Channel<M>& source, std::deque<M>& ahead, Taken taken)
      : pin_(pin), source_(source), ahead_(ahead), taken_(std::move(taken)) {}

  void offer(PinDevice& device, machine::Cycle now) override {
    // A message that has been offered stays until it is taken.
    if (!packed_ && beat_ == 0) from_ahead_ = !ahead_.empty();
    const M* message = from_ahead_ ? &ahead_.front() : source_.front(now);
    offered_ = message != nullptr;
    if (!offered_) return device.drive(pin_, nullptr);
    if (!packed_) contract::pack(*message, beat_, reinterpret_cast<uint8_t*>(pins_.data()));
    packed_ = true;
    device.drive(pin_, reinterpret_cast<const uint8_t*>(pins_.data()));
  }
  void look(PinDevice& device) override { moves_ = device.ready(pin_) && offered_; }
  void move(machine::Cycle now) override {
    if (!moves_) return;
    packed_ = false;
    if (++beat_ != contract::Message<M>::kBeats) return;
    beat_ = 0;
    if (from_ahead_) {
      taken_(ahead_.front(), now);
      ahead_.pop_front();
    } else {
      taken_(*source_.front(now), now);
      source_.drop(now);
    }
  }
  bool idle() const override { return beat_ == 0 && ahead_.empty() && source_.empty(); }
  machine::Cycle next_event() const override {
    return ahead_.empty() && !from_ahead_ ? source_.next_event() : 0;
  }

 private:
  unsigned pin_;
  machine::Channel<M>& source_;
  std::deque<M>& ahead_;
  Taken taken_;
  contract::Pins<M> pins_{};
  unsigned beat_ = 0;
  bool packed_ = false, offered_ = false, moves_ = false, from_ahead_ = false;
};

/// A channel from the device. `given` is called with a message when its last beat has moved; what
/// it leaves in the message goes to the model, visible in the next cycle, unless it returns false.
template <class M>
class FromDevice final : public PinEnd {
 public:
  using Given = std::function<bool(M&, machine::Cycle)>;
  FromDevice(unsigned pin, machine::Channel<M>& sink, Given given)
      : pin_(pin), sink_(sink), given_(std::move(given)) {}

  void offer(PinDevice& device, machine::Cycle now) override {
    room_ = sink_.can_push(now);
    device.accept(pin_, room_);
  }
  void look(PinDevice& device) override {
    moves_ = device.sample(pin_, reinterpret_cast<uint8_t*>(pins_.data())) && room_;
  }
  void move(machine::Cycle now) override {
    if (!moves_) return;
    const unsigned beat = contract::beat_of<M>(reinterpret_cast<const uint8_t*>(pins_.data()));
    if (beat != beat_ && violation_.empty()) {
      violation_ =
          "beat " + std::to_string(beat) + " where beat " + std::to_string(beat_) + " is due";
    }
    if (beat_ == 0) first_ = pins_;
    contract::unpack(pins_, message_);
    if (violation_.empty() && beat_ != 0 && differs_outside_lanes()) {
      violation_ = "beat " + std::to_string(beat) + " has other fields than beat 0";
    }
    if (++beat_ != contract::Message<M>::kBeats) return;
    beat_ = 0;
    if (given_(message_, now)) sink_.push(message_, now + 1);
  }
  bool idle() const override { return beat_ == 0; }
  machine::Cycle next_event() const override { return machine::kNever; }
  std::string violation() const override { return violation_; }

 private:
  /// Whether a field that is equal in all beats is not: the first beat, made again from the
  /// message, shows it.
  bool differs_outside_lanes() const { return contract::pack(message_, 0) != first_; }

  unsigned pin_;
  machine::Channel<M>& sink_;
  Given given_;
  contract::Pins<M> pins_{}, first_{};
  M message_{};
  unsigned beat_ = 0;
  bool room_ = false, moves_ = false;
  std::string violation_;
};

/// Bridge between the channels of the model and the pins of a device, one clock cycle per tick.
/// While no end has anything to do and nothing is under way the clock stands still.
class PinAdapter {
 public:
  PinAdapter(std::unique_ptr<PinDevice> device, std::vector<PinChannel> channels)
      : device_(std::move(device)), channels_(std::move(channels)) {}

  /// In the order of the pin channels.
  void add(std::unique_ptr<PinEnd> end) { ends_.push_back(std::move(end)); }
  void tick(machine::Cycle now) {
    for (const auto& end : ends_) end->offer(*device_, now);
    for (const auto& end : ends_) end->look(*device_);
    device_->clock();
    for (const auto& end : ends_) end->move(now);
  }
  machine::Cycle next_event() const {
    machine::Cycle next = machine::kNever;
    for (const auto& end : ends_) next = next < end->next_event() ? next : end->next_event();
    return next;
  }
  bool idle() const {
    for (const auto& end : ends_) {
      if (!end->idle()) return false;
    }
    return true;
  }
  const std::vector<PinChannel>& channels() const { return channels_; }
  /// What the device or its pins have against it.
  std::optional<DeviceFailure> failure() const {
    if (auto own = device_->failure()) return own;
    for (size_t n = 0; n < ends_.size(); ++n) {
      const std::string text = ends_[n]->violation();
      if (!text.empty()) return DeviceFailure{"protocol", channels_[n].name + ": " + text};
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<PinDevice> device_;
  std::vector<PinChannel> channels_;
  std::vector<std::unique_ptr<PinEnd>> ends_;
};

}  // namespace cuvette::ip
