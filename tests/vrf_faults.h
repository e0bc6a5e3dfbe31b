// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

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

class FaultyVrf final : public ip::VrfDevice {
 public:
  explicit FaultyVrf(Fault fault) : device_(ip::make_vrf_fast()), fault_(fault) {}
  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(const ip::VrfInputs& inputs) override {
    ip::VrfInputs in = inputs;
    // Takes a read in every second cycle alone, and says so.
    refusing_ = fault_ == Fault::Refuses && in.reads[0].valid && !refusing_;
    if (refusing_) in.reads[0].valid = false;
    if (fault_ == Fault::LostWrite && ++writes_ == 9) in.writes[0].lanes &= 0xfffe;
    device_->drive(in);
  }
  void outputs(ip::VrfOutputs& out) const override {
    device_->outputs(out);
    auto& r = out.reads[0];
    if (fault_ == Fault::Lane && r.data_valid) r.data[15] ^= 0x80000000;
    if (fault_ == Fault::LastLane && r.data_valid && r.beat == 3) r.data[15] ^= 1;
    if (refusing_) r.ready = false;
    if (fault_ == Fault::Late && r.data_valid) r.data_valid = false;
    if (fault_ == Fault::Early) r.data_valid = true;
    if (fault_ == Fault::NotReady) out.write_ready[0] = false;
    if (fault_ == Fault::WrongBeat && r.data_valid) r.beat ^= 1;
    if (fault_ == Fault::BeatTwice && r.data_valid && r.beat == 3) r.beat = 2;
  }
  void clock() override { device_->clock(); }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::VrfDevice> device_;
  Fault fault_;
  unsigned writes_ = 0;
  bool refusing_ = false;
};

/// A register file that breaks one rule of the handshake.
enum class Rule { AnswerDropped, AnswerChanges, AnswerInReset };

class BrokenPins final : public ip::VrfDevice {
 public:
  explicit BrokenPins(Rule rule) : device_(ip::make_vrf_fast()), rule_(rule) {}
  void set_reset(bool active) override {
    reset_ = active;
    device_->set_reset(active);
  }
  void drive(const ip::VrfInputs& inputs) override {
    ready_ = inputs.reads[2].data_ready;
    device_->drive(inputs);
  }
  void outputs(ip::VrfOutputs& out) const override {
    device_->outputs(out);
    auto& r = out.reads[2];
    waits_ = r.data_valid && !ready_;
    const bool again = r.data_valid && waited_ != 0;
    if (rule_ == Rule::AnswerDropped && again) r.data_valid = false;
    if (rule_ == Rule::AnswerChanges && again) r.data[3] ^= 1;
    if (rule_ == Rule::AnswerInReset && reset_) r.data_valid = true;
  }
  void clock() override {
    waited_ = waits_ ? waited_ + 1 : 0;
    device_->clock();
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::VrfDevice> device_;
  Rule rule_;
  bool reset_ = false, ready_ = false;
  unsigned waited_ = 0;
  mutable bool waits_ = false;
};

inline const std::vector<std::pair<Rule, std::string>>& broken_rules() {
  static const std::vector<std::pair<Rule, std::string>> list = {
      {Rule::AnswerDropped, "read_data 2: valid dropped before ready"},
      {Rule::AnswerChanges, "read_data 2: the message changed before ready"},
      {Rule::AnswerInReset, "read_data 2: valid is high in reset"}};
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

/// What the lockstep must report, by fault.
inline const std::vector<std::pair<Fault, std::string>>& faults() {
  static const std::vector<std::pair<Fault, std::string>> list = {{Fault::None, ""},
                                                                  {Fault::Lane, "data"},
                                                                  {Fault::LostWrite, "data"},
                                                                  {Fault::Late, "protocol"},
                                                                  {Fault::Early, "timing"},
                                                                  {Fault::NotReady, "protocol"},
                                                                  {Fault::WrongBeat, "protocol"},
                                                                  {Fault::BeatTwice, "protocol"},
                                                                  {Fault::LastLane, "data"},
                                                                  {Fault::Refuses, "timing"}};
  return list;
}

/// The first difference found in a few rows in and out.
inline std::optional<ip::VrfMismatch> mismatch_of(Fault fault) {
  ip::VrfLockstep::Options options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  ip::VrfLockstep lockstep(std::make_unique<ip::VrfRtl>(std::make_unique<FaultyVrf>(fault)),
                           vrf::Config(), {}, options);
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
