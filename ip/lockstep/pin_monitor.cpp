// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lockstep/pin_monitor.h"

#include <cstring>
#include <utility>

namespace cuvette::ip {

PinMonitor::PinMonitor(std::unique_ptr<PinDevice> device, std::vector<PinChannel> channels,
                       unsigned ready_within)
    : device_(std::move(device)), channels_(std::move(channels)) {
  for (const PinChannel& channel : channels_) {
    watched_.push_back({HandshakeMonitor(channel.name, channel.to_device ? ready_within : 0),
                        std::vector<uint8_t>(beat_bytes(channel))});
  }
  reset(*this, channels_);
}

void PinMonitor::set_reset(bool active) {
  in_reset_ = active;
  device_->set_reset(active);
}

void PinMonitor::drive(unsigned channel, const uint8_t* beat) {
  Watched& w = watched_[channel];
  w.valid = beat != nullptr;
  if (w.valid) std::memcpy(w.beat.data(), beat, w.beat.size());
  device_->drive(channel, beat);
}

void PinMonitor::accept(unsigned channel, bool ready) {
  watched_[channel].ready = ready;
  device_->accept(channel, ready);
}

bool PinMonitor::ready(unsigned channel) {
  return watched_[channel].ready = device_->ready(channel);
}

bool PinMonitor::sample(unsigned channel, uint8_t* beat) {
  Watched& w = watched_[channel];
  w.valid = device_->sample(channel, beat);
  if (w.valid) std::memcpy(w.beat.data(), beat, w.beat.size());
  return w.valid;
}

void PinMonitor::clock() {
  for (Watched& w : watched_) {
    w.monitor.cycle(in_reset_, w.valid, w.ready, w.beat.data(), w.beat.size());
  }
  device_->clock();
}

std::optional<DeviceFailure> PinMonitor::failure() const {
  if (auto own = device_->failure()) return own;
  for (const bool to_device : {false, true}) {
    for (size_t c = 0; c < channels_.size(); ++c) {
      const std::string& violation = watched_[c].monitor.violation();
      if (channels_[c].to_device == to_device && !violation.empty()) {
        return DeviceFailure{"protocol", violation};
      }
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
