// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ip/vrf/vrf_cycle.h"
#include "ip/vrf/vrf_device.h"

// Register files at their pins.
namespace cuvette {

/// A device with all its pins at once, one clock cycle at a time: drive();  outputs();  clock();
class VrfPins {
 public:
  explicit VrfPins(std::unique_ptr<ip::PinDevice> device) : device_(std::move(device)) {}

  void reset() { ip::reset(*device_, ip::pin_channels(vrf::kChannels)); }
  void drive(const ip::VrfInputs& in) {
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      const ip::VrfInputs::Read& r = in.reads[p];
      drive(p, r.valid, contract::pack(vrf::Read{r.address}, r.beat));
      device_->accept(vrf::kReadPorts + p, r.data_ready);
    }
    for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
      const ip::VrfInputs::Write& w = in.writes[p];
      vrf::Write whole;
      whole.address = w.address;
      whole.lanes = uint64_t{w.lanes} << w.beat * contract::kBeatLanes;
      std::copy(w.data.begin(), w.data.end(), whole.data.begin() + w.beat * contract::kBeatLanes);
      drive(kFirstWrite + p, w.valid, contract::pack(whole, w.beat));
    }
  }
  void outputs(ip::VrfOutputs& out) {
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      ip::VrfOutputs::Read& r = out.reads[p];
      r.ready = device_->ready(p);
      contract::Pins<vrf::ReadData> pins{};
      auto* bytes = reinterpret_cast<uint8_t*>(pins.data());
      r.data_valid = device_->sample(vrf::kReadPorts + p, bytes);
      if (!r.data_valid) continue;
      r.beat = static_cast<uint8_t>(contract::beat_of<vrf::ReadData>(bytes));
      const auto answer = contract::unpacked<vrf::ReadData>(pins);
      std::copy_n(answer.data.begin() + r.beat * contract::kBeatLanes, r.data.size(),
                  r.data.begin());
    }
    for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
      out.write_ready[p] = device_->ready(kFirstWrite + p);
    }
  }
  void clock() { device_->clock(); }
  std::optional<ip::DeviceFailure> failure() const { return device_->failure(); }

 private:
  static constexpr unsigned kFirstWrite = 2 * vrf::kReadPorts;

  template <class Pins>
  void drive(unsigned channel, bool valid, const Pins& pins) {
    device_->drive(channel, valid ? reinterpret_cast<const uint8_t*>(pins.data()) : nullptr);
  }

  std::unique_ptr<ip::PinDevice> device_;
};

}  // namespace cuvette
