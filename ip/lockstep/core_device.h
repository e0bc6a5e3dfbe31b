// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_device.h"
#include "machine/channel.h"
#include "machine/core.h"

namespace cuvette::ip {

/// Block in C++ as a PinDevice: each of its channels takes or gives a beat in a cycle. A beat that
/// is taken at an edge is visible to the core in the next cycle.
template <class Core>
class CoreDevice final : public PinDevice {
 public:
  using Make = std::function<std::unique_ptr<Core>()>;
  /// Calls in() and out() of the device for every channel of a core.
  using Bind = std::function<void(Core&, CoreDevice&)>;

  /// `make`: a core in the state after reset, called whenever a reset begins.
  CoreDevice(Make make, Bind bind, std::vector<PinChannel> pins)
      : make_(std::move(make)), bind_(std::move(bind)), pins_(std::move(pins)) {
    set_reset(true);
  }

  template <class M>
  void in(unsigned channel, unsigned port, machine::Channel<M>& to) {
    ends_[pin_of(channel, port)] = std::make_unique<In<M>>(to);
  }
  template <class M>
  void out(unsigned channel, unsigned port, machine::Channel<M>& from) {
    ends_[pin_of(channel, port)] = std::make_unique<Out<M>>(from);
  }

  void set_reset(bool active) override {
    in_reset_ = active;
    if (!active) return;
    ends_.clear();
    ends_.resize(pins_.size());
    core_ = make_();
    bind_(*core_, *this);
  }
  void drive(unsigned channel, const uint8_t* beat) override { ends_[channel]->drive(beat); }
  void accept(unsigned channel, bool ready) override { ends_[channel]->accept(ready); }
  bool ready(unsigned channel) override { return !in_reset_ && ends_[channel]->ready(now_); }
  bool sample(unsigned channel, uint8_t* beat) override {
    return !in_reset_ && ends_[channel]->sample(now_, beat);
  }
  void clock() override {
    if (!in_reset_) {
      for (const auto& end : ends_) end->move(now_);
    }
    ++now_;
    if (!in_reset_ && core_->next_event() <= now_) core_->tick(now_);
  }
  std::optional<DeviceFailure> failure() const override { return std::nullopt; }
  base::Status trace(const std::string& path) override {
    return base::Error("a device in C++ has no waveforms", {path});
  }

 private:
  struct End {
    virtual ~End() = default;
    virtual void drive(const uint8_t*) {}
    virtual void accept(bool) {}
    virtual bool ready(machine::Cycle) { return false; }
    virtual bool sample(machine::Cycle, uint8_t*) { return false; }
    virtual void move(machine::Cycle now) = 0;
  };
  template <class M>
  struct In final : End {
    explicit In(machine::Channel<M>& channel) : to(channel) {}
    void drive(const uint8_t* bytes) override {
      valid = bytes != nullptr;
      if (valid) std::memcpy(pins.data(), bytes, (contract::Message<M>::kBits + 7) / 8);
    }
    bool ready(machine::Cycle now) override { return to.can_push(now); }
    void move(machine::Cycle now) override {
      if (!valid || !to.can_push(now)) return;
      contract::unpack(pins, message);
      if (++beat != contract::Message<M>::kBeats) return;
      beat = 0;
      to.push(message, now + 1);
    }
    machine::Channel<M>& to;
    contract::Pins<M> pins{};
    M message{};
    unsigned beat = 0;
    bool valid = false;
  };
  template <class M>
  struct Out final : End {
    explicit Out(machine::Channel<M>& channel) : from(channel) {}
    void accept(bool is_ready) override { wanted = is_ready; }
    bool sample(machine::Cycle now, uint8_t* bytes) override {
      const M* message = from.front(now);
      if (message == nullptr) return false;
      contract::pack(*message, beat, bytes);
      return true;
    }
    void move(machine::Cycle now) override {
      if (!wanted || from.front(now) == nullptr) return;
      if (++beat != contract::Message<M>::kBeats) return;
      beat = 0;
      from.drop(now);
    }
    machine::Channel<M>& from;
    unsigned beat = 0;
    bool wanted = false;
  };
  unsigned pin_of(unsigned channel, unsigned port) const {
    unsigned n = 0;
    while (pins_[n].channel != channel || pins_[n].port != port) ++n;
    return n;
  }

  Make make_;
  Bind bind_;
  std::vector<PinChannel> pins_;
  std::vector<std::unique_ptr<End>> ends_;  // before the core, whose channels they know
  std::unique_ptr<Core> core_;
  machine::Cycle now_ = 0;
  bool in_reset_ = false;
};

}  // namespace cuvette::ip
