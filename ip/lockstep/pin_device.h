// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/device_failure.h"
#include "isa/row.h"
#include "machine/contract.h"

namespace cuvette::ip {

/// A channel of a device on pins. A channel of the contract with several ports is as many of these,
/// side by side.
struct PinChannel {
  std::string name;        ///< with the number of the port where there are several: "up_request[1]"
  uint32_t bits = 0;       ///< of a beat
  uint32_t beats = 1;      ///< of a message
  bool to_device = false;  ///< the device receives its messages
  unsigned channel = 0, port = 0;  ///< in the contract
};

/// The pin channels of a contract in the order of the plug-in table. `ports`: how many ports the
/// channels have that the contract gives a parameter; 0: the contract's default.
template <size_t kCount>
std::vector<PinChannel> pin_channels(const contract::ChannelInfo (&channels)[kCount],
                                     const contract::PortCounts& ports = {}) {
  std::vector<PinChannel> all;
  for (unsigned c = 0; c < kCount; ++c) {
    const contract::ChannelInfo& info = channels[c];
    const unsigned count = ports.of(info);
    for (unsigned p = 0; p < count; ++p) {
      const bool single = info.parameter == 0 && info.count == 1;
      const std::string name = single ? info.name : info.name + ("[" + std::to_string(p) + "]");
      all.push_back({name, info.bits, info.beats, info.to_device, c, p});
    }
  }
  return all;
}

/// Bytes of a beat.
inline size_t beat_bytes(const PinChannel& channel) {
  return (channel.bits + 7) / 8;
}

/// The pins of a block, one clock cycle at a time, whatever the block:
///
///     drive() and accept() for every channel;  ready() and sample();  clock();
///
/// Channels are counted as pin_channels() does. One simulation of its own per object. Not thread
/// safe.
class PinDevice {
 public:
  virtual ~PinDevice() = default;

  /// The reset pin from the next cycle on.
  virtual void set_reset(bool active) = 0;
  /// A beat offered to the device in this cycle; null: not valid. Read during the call only.
  virtual void drive(unsigned channel, const uint8_t* beat) = 0;
  /// Sets whether a beat of the device would be taken in this cycle.
  virtual void accept(unsigned channel, bool ready) = 0;
  /// True if the device takes the beat that drive() offers.
  virtual bool ready(unsigned channel) = 0;
  /// True if the device offers a beat, which is then copied to `beat`: beat_bytes().
  virtual bool sample(unsigned channel, uint8_t* beat) = 0;
  /// The rising edge that ends the cycle.
  virtual void clock() = 0;

  /// True if the device has a circuit for the instruction, with these CUVETTE_DUT_* modifiers
  /// (ip/dut.h). Our RTL has every one of its target; users' devices may have fewer.
  virtual bool implements(const isa::Row&, uint32_t /*modifiers*/) const { return true; }

  /// The first thing found wrong (an assertion of the RTL said more on stderr).
  virtual std::optional<DeviceFailure> failure() const = 0;
  /// Waveforms (FST) of all following cycles. Errors: this build has none; the file cannot be
  /// written.
  virtual base::Status trace(const std::string& path) = 0;
};

/// Two cycles of reset with nothing offered.
inline void reset(PinDevice& device, const std::vector<PinChannel>& channels) {
  device.set_reset(true);
  for (int cycle = 0; cycle < 2; ++cycle) {
    for (unsigned c = 0; c < channels.size(); ++c) {
      if (channels[c].to_device) {
        device.drive(c, nullptr);
      } else {
        device.accept(c, false);
      }
    }
    std::vector<uint8_t> beat;
    for (unsigned c = 0; c < channels.size(); ++c) {
      beat.resize(beat_bytes(channels[c]));
      if (channels[c].to_device) {
        device.ready(c);
      } else {
        device.sample(c, beat.data());
      }
    }
    device.clock();
  }
  device.set_reset(false);
}

}  // namespace cuvette::ip
