// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_monitor.h"
#include "ip/vrf/vrf_lockstep.h"

// Faulty register files for testing the checker itself, and row accesses through every port.
namespace cuvette::vrf_faults {

/// A register file with one error.
enum class Fault {
  None,
  Lane,
  LostWrite,
  Late,
  Early,
  NotReady,
  WrongBeat,
  BeatTwice,
  LastLane,
  Refuses,
};

class FaultyVrf final : public ip::PinDevice {
 public:
  explicit FaultyVrf(Fault fault) : device_(ip::make_vrf_fast()), fault_(fault) {}
  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    // Takes a read in every second cycle alone, and says so.
    if (channel == kRead) {
      refusing_ = fault_ == Fault::Refuses && beat != nullptr && !refusing_;
      if (refusing_) beat = nullptr;
    }
    contract::Pins<vrf::Write> pins;
    if (channel == kWrite && beat != nullptr && ++writes_ == 9 && fault_ == Fault::LostWrite) {
      vrf::Write row;
      contract::unpack(beat, row);
      const unsigned number = contract::beat_of<vrf::Write>(beat);
      row.lanes &= ~(uint64_t{1} << number * contract::kBeatLanes);
      pins = contract::pack(row, number);
      beat = reinterpret_cast<const uint8_t*>(pins.data());
    }
    device_->drive(channel, beat);
  }
  void accept(unsigned channel, bool ready) override { device_->accept(channel, ready); }
  bool ready(unsigned channel) override {
    const bool is = device_->ready(channel);
    if (channel == kRead && refusing_) return false;
    return is && !(channel == kWrite && fault_ == Fault::NotReady);
  }
  bool sample(unsigned channel, uint8_t* beat) override {
    const bool valid = device_->sample(channel, beat);
    if (channel != kReadData) return valid;
    if (fault_ == Fault::Early) return true;
    if (!valid || fault_ == Fault::Late) return false;
    unsigned number = contract::beat_of<vrf::ReadData>(beat);
    vrf::ReadData row;
    contract::unpack(beat, row);
    uint32_t& last = row.data[number * contract::kBeatLanes + 15];
    if (fault_ == Fault::Lane) last ^= 0x80000000;
    if (fault_ == Fault::LastLane && number == 3) last ^= 1;
    const unsigned told = fault_ == Fault::WrongBeat                  ? number ^ 1u
                          : fault_ == Fault::BeatTwice && number == 3 ? 2u
                                                                      : number;
    std::swap_ranges(row.data.begin() + number * contract::kBeatLanes,
                     row.data.begin() + (number + 1) * contract::kBeatLanes,
                     row.data.begin() + told * contract::kBeatLanes);
    contract::pack(row, told, beat);
    return true;
  }
  void clock() override { device_->clock(); }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  // Pins of port 0.
  static constexpr unsigned kRead = 0, kReadData = vrf::kReadPorts, kWrite = 2 * vrf::kReadPorts;

  std::unique_ptr<ip::PinDevice> device_;
  Fault fault_;
  unsigned writes_ = 0;
  bool refusing_ = false;
};

/// A register file that breaks one rule of the handshake.
enum class Rule { AnswerDropped, AnswerChanges, AnswerInReset };

class BrokenPins final : public ip::PinDevice {
 public:
  explicit BrokenPins(Rule rule) : device_(ip::make_vrf_fast()), rule_(rule) {}
  void set_reset(bool active) override {
    reset_ = active;
    device_->set_reset(active);
  }
  void drive(unsigned channel, const uint8_t* beat) override { device_->drive(channel, beat); }
  void accept(unsigned channel, bool ready) override {
    if (channel == kAnswer) ready_ = ready;
    device_->accept(channel, ready);
  }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    const bool valid = device_->sample(channel, beat);
    if (channel != kAnswer) return valid;
    waits_ = valid && !ready_;
    const bool again = valid && waited_ != 0;
    if (rule_ == Rule::AnswerInReset && reset_) return true;
    if (rule_ == Rule::AnswerDropped && again) return false;
    if (rule_ == Rule::AnswerChanges && again) beat[12] ^= 1;
    return valid;
  }
  void clock() override {
    waited_ = waits_ ? waited_ + 1 : 0;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  static constexpr unsigned kAnswer = vrf::kReadPorts + 2;

  std::unique_ptr<ip::PinDevice> device_;
  Rule rule_;
  bool reset_ = false, ready_ = false, waits_ = false;
  unsigned waited_ = 0;
};

inline std::unique_ptr<ip::PinDevice> watched(std::unique_ptr<ip::PinDevice> device) {
  return std::make_unique<ip::PinMonitor>(std::move(device), ip::pin_channels(vrf::kChannels), 0);
}

inline const std::vector<std::pair<Rule, std::string>>& broken_rules() {
  static const std::vector<std::pair<Rule, std::string>> list = {
      {Rule::AnswerDropped, "read_data[2]: valid dropped before ready"},
      {Rule::AnswerChanges, "read_data[2]: the message changed before ready"},
      {Rule::AnswerInReset, "read_data[2]: valid is high in reset"}};
  return list;
}

inline wave::LaneRow random_row(std::mt19937_64& rng) {
  wave::LaneRow row;
  for (uint32_t& lane : row) lane = static_cast<uint32_t>(rng());
  return row;
}

/// Rows in and out in lockstep; every row of both files, then random ones.
inline void use(vrf::Vrf& block, unsigned accesses) {
  std::mt19937_64 rng(99);
  for (const bool acc : {false, true}) {
    for (uint16_t row = 0; row < 256; ++row) {
      block.write(vrf::WritePort::Valu, 0, {acc, row}, ~uint64_t{0}, random_row(rng));
    }
  }
  for (unsigned n = 0; n < accesses; ++n) {
    const vrf::RowAddress address{rng() % 2 != 0, static_cast<uint16_t>(rng())};
    if (rng() % 2 != 0) {
      const auto port = static_cast<vrf::WritePort>(rng() % vrf::kWritePorts);
      block.write(port, n, address, rng(), random_row(rng));
    } else {
      wave::LaneRow row;
      block.read(static_cast<vrf::ReadPort>(rng() % vrf::kReadPorts), n, address, row);
    }
  }
}

/// Reports of the lockstep that are expected, by fault.
inline const std::vector<std::pair<Fault, std::string>>& faults() {
  static const std::vector<std::pair<Fault, std::string>> list = {{Fault::None, ""},
                                                                  {Fault::Lane, "data"},
                                                                  {Fault::LostWrite, "data"},
                                                                  {Fault::Late, "time"},
                                                                  {Fault::Early, "time"},
                                                                  {Fault::NotReady, "time"},
                                                                  {Fault::WrongBeat, "protocol"},
                                                                  {Fault::BeatTwice, "protocol"},
                                                                  {Fault::LastLane, "data"},
                                                                  {Fault::Refuses, "time"}};
  return list;
}

/// The first difference found in a few rows in and out.
inline std::optional<ip::BlockMismatch> mismatch_of(
    Fault fault, machine::TimingRule::Kind times = machine::TimingRule::Kind::Exact) {
  ip::LockstepOptions options;
  options.timing.kind = times;
  ip::VrfLockstep lockstep(std::make_unique<FaultyVrf>(fault), vrf::Config(), options);
  std::mt19937_64 rng(3);
  const wave::LaneRow row = random_row(rng);
  for (uint16_t n = 0; n < 4; ++n) {
    lockstep.write(vrf::WritePort::Valu, n, {false, n}, ~uint64_t{0}, row);
  }
  wave::LaneRow out;
  for (uint16_t n = 0; n < 4; ++n) {
    lockstep.read(vrf::ReadPort::Source0, 10, {false, n}, out);
  }
  return lockstep.mismatch();
}

}  // namespace cuvette::vrf_faults
