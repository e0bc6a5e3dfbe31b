// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_device.h"
#include "machine/channel.h"

namespace cuvette::ip {

/// Source of the next message of a channel to a device.
enum class NextMessage : uint8_t {
  Channel,  ///< the model's channel
  Ahead,    ///< messages sent past it
  None,     ///< nothing yet
};

/// End of a channel of the model at the pins of a device.
class PinEnd {
 public:
  virtual ~PinEnd() = default;
  /// For a channel to the device: sets the function by which the block says what comes next. Called
  /// in every cycle in which no message is at the pins; by default messages sent past the model's
  /// channel go first.
  virtual void choose(const std::function<NextMessage()>&) {}
  /// First half of a cycle: offers a beat, or says whether one would be taken.
  virtual void offer(PinDevice& device, machine::Cycle now) = 0;
  /// Second half, when the pins have settled: whether a beat moves at the edge.
  virtual void look(PinDevice& device) = 0;
  /// After the edge: moves it.
  virtual void move(machine::Cycle now) = 0;
  /// True when no message waits or is partly moved.
  virtual bool idle() const = 0;
  /// True if the receiver of a channel from the device was ready.
  virtual bool ready() const { return true; }
  /// Between the beats of a message.
  virtual bool within_message() const = 0;
  /// When a message waits in the model's channel.
  virtual machine::Cycle next_event() const = 0;
  /// A message is at the pins in the cycle that ended last.
  virtual bool at_pins() const = 0;
  /// A beat moved at its edge.
  virtual bool moves() const = 0;
  /// The last beat of one moved at its edge.
  virtual bool moved() const = 0;
  /// Beats that do not belong together; empty: none.
  virtual std::string violation() const { return {}; }
};

/// A channel to the device. `offered` is called with a message when its first beat is at the pins
/// in cycle `now`, `taken` when its last beat has moved at the edge that ends it. `ahead`: messages
/// that are sent past the model's channel.
template <class M>
class ToDevice final : public PinEnd {
 public:
  using Moved = std::function<void(const M&, machine::Cycle)>;
  ToDevice(unsigned pin, machine::Channel<M>& source, std::deque<M>& ahead, Moved offered,
           Moved taken)
      : pin_(pin),
        source_(source),
        ahead_(ahead),
        on_offered_(std::move(offered)),
        on_taken_(std::move(taken)) {}

  void offer(PinDevice& device, machine::Cycle now) override {
    // A message that has been offered stays until it is taken.
    if (!packed_ && beat_ == 0) next_ = next();
    const M* message = next_ == NextMessage::Ahead     ? &ahead_.front()
                       : next_ == NextMessage::Channel ? source_.front(now)
                                                       : nullptr;
    offered_ = message != nullptr;
    if (!offered_) return device.drive(pin_, nullptr);
    if (!packed_) {
      if (beat_ == 0) on_offered_(*message, now);
      contract::pack(*message, beat_, reinterpret_cast<uint8_t*>(pins_.data()));
    }
    packed_ = true;
    device.drive(pin_, reinterpret_cast<const uint8_t*>(pins_.data()));
  }
  void look(PinDevice& device) override { moves_ = device.ready(pin_) && offered_; }
  void move(machine::Cycle now) override {
    moved_ = false;
    if (!moves_) return;
    packed_ = false;
    if (++beat_ != contract::Message<M>::kBeats) return;
    beat_ = 0;
    moved_ = true;
    if (next_ == NextMessage::Ahead) {
      on_taken_(ahead_.front(), now);
      ahead_.pop_front();
    } else {
      on_taken_(*source_.front(now), now);
      source_.drop(now);
    }
  }
  bool idle() const override { return beat_ == 0 && ahead_.empty() && source_.empty(); }
  bool within_message() const override { return beat_ != 0; }
  bool at_pins() const override { return offered_; }
  bool moves() const override { return moves_; }
  bool moved() const override { return moved_; }
  machine::Cycle next_event() const override {
    return ahead_.empty() && next_ != NextMessage::Ahead ? source_.next_event() : 0;
  }
  void choose(const std::function<NextMessage()>& choose) override { choose_ = choose; }

 private:
  NextMessage next() const {
    if (choose_) return choose_();
    return ahead_.empty() ? NextMessage::Channel : NextMessage::Ahead;
  }

  unsigned pin_;
  machine::Channel<M>& source_;
  std::deque<M>& ahead_;
  Moved on_offered_, on_taken_;
  std::function<NextMessage()> choose_;
  NextMessage next_ = NextMessage::Channel;
  contract::Pins<M> pins_{};
  unsigned beat_ = 0;
  bool packed_ = false, offered_ = false, moves_ = false, moved_ = false;
};

/// A channel from the device. `given` is called with a message when its last beat has moved; what
/// it leaves in the message goes to the model, visible in the next cycle, unless it returns false.
/// `ready` is called when the receiver begins or ceases to be ready; it is taken to be at first.
template <class M>
class FromDevice final : public PinEnd {
 public:
  using Given = std::function<bool(M&, machine::Cycle)>;
  using Ready = std::function<void(bool, machine::Cycle)>;
  FromDevice(unsigned pin, machine::Channel<M>& sink, Given given, Ready ready)
      : pin_(pin), sink_(sink), given_(std::move(given)), on_ready_(std::move(ready)) {}

  /// False: the receiver is not ready, whatever its channel says.
  void set_open(bool open) { open_ = open; }
  void offer(PinDevice& device, machine::Cycle now) override {
    const bool room = open_ && sink_.can_push(now);
    if (room != room_) on_ready_(room, now);
    room_ = room;
    device.accept(pin_, room_);
  }
  void look(PinDevice& device) override {
    valid_ = device.sample(pin_, reinterpret_cast<uint8_t*>(pins_.data()));
    moves_ = valid_ && room_;
  }
  void move(machine::Cycle now) override {
    moved_ = false;
    if (!moves_) return;
    const unsigned beat = contract::beat_of<M>(reinterpret_cast<const uint8_t*>(pins_.data()));
    if (beat != beat_ && violation_.empty()) {
      violation_ =
          "beat " + std::to_string(beat) + " where beat " + std::to_string(beat_) + " is due";
    }
    contract::unpack(pins_, message_);
    if constexpr (contract::Message<M>::kBeats > 1) {
      if (beat_ == 0) {
        first_ = pins_;
      } else if (violation_.empty() && differs_outside_lanes()) {
        violation_ = "beat " + std::to_string(beat) + " has other fields than beat 0";
      }
    }
    if (++beat_ != contract::Message<M>::kBeats) return;
    beat_ = 0;
    moved_ = true;
    if (given_(message_, now)) sink_.push(message_, now + 1);
  }
  bool idle() const override { return beat_ == 0; }
  bool within_message() const override { return beat_ != 0; }
  bool at_pins() const override { return valid_; }
  bool moves() const override { return moves_; }
  bool moved() const override { return moved_; }
  bool ready() const override { return room_; }
  machine::Cycle next_event() const override { return machine::kNever; }
  std::string violation() const override { return violation_; }

 private:
  /// True if a field that must be equal in all beats is not: the first beat, made again from the
  /// message, shows it.
  bool differs_outside_lanes() const { return contract::pack(message_, 0) != first_; }

  unsigned pin_;
  machine::Channel<M>& sink_;
  Given given_;
  Ready on_ready_;
  contract::Pins<M> pins_{}, first_{};
  M message_{};
  unsigned beat_ = 0;
  bool open_ = true, room_ = true, valid_ = false, moves_ = false, moved_ = false;
  std::string violation_;
};

/// Queues of messages that are sent past the model's channels, by pin.
class AheadQueues {
 public:
  template <class M>
  std::deque<M>& of(unsigned pin) {
    std::shared_ptr<void>& held = queues_[pin];
    if (held == nullptr) held = std::make_shared<std::deque<M>>();
    return *static_cast<std::deque<M>*>(held.get());
  }

 private:
  std::unordered_map<unsigned, std::shared_ptr<void>> queues_;
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
  /// True when no message is partly moved.
  bool idle_inside() const {
    for (const auto& end : ends_) {
      if (end->within_message()) return false;
    }
    return true;
  }
  const std::vector<PinChannel>& channels() const { return channels_; }
  const PinDevice& device() const { return *device_; }
  PinDevice& device() { return *device_; }
  const PinEnd& end(unsigned pin) const { return *ends_[pin]; }
  PinEnd& end(unsigned pin) { return *ends_[pin]; }
  /// First error of the device or of the protocol at its pins.
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
