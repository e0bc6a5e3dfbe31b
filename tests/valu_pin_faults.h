// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/valu/valu_monitor.h"
#include "ip/valu/valu_sampled.h"
#include "ip/valu/valu_timing.h"
#include "valu/lane_beat.h"
#include "valu/valu_tlm.h"
#include "valu_program.h"

// Devices and pin sequences that break one rule of the handshake or of time, for testing what
// watches the pins.
namespace cuvette::valu_pin_faults {

enum class Fault {
  None,
  ValidDropped,
  MessageChanges,
  ValidInReset,
  NeverReady,
  NeverValid,
  UnknownId,
  AnswersTwice,
};

/// Three stages like the RTL, with `fault` in it.
class FakeDevice final : public ip::ValuDevice {
 public:
  explicit FakeDevice(Fault fault) : fault_(fault), lanes_(isa::Target::Gfx908) {}

  std::string lacks;  ///< a mnemonic it has no circuit for

  void set_reset(bool active) override {
    reset_ = active;
    if (active) stage_ = {};
  }
  void drive(const valu::Request* request, uint16_t, bool response_ready) override {
    request_ = request;
    ready_ = response_ready;
  }
  bool request_ready() const override { return fault_ != Fault::NeverReady && moves(0); }
  bool response_valid() const override {
    if (reset_) return fault_ == Fault::ValidInReset;
    if (fault_ == Fault::NeverValid) return false;
    return stage_[2].has_value() && !(fault_ == Fault::ValidDropped && waited_ == 1);
  }
  void response(valu::Response& out) const override {
    out = stage_[2].value_or(valu::Response{});
    if (fault_ == Fault::MessageChanges && waited_ == 1) out.dst[3] ^= 1;
    if (fault_ == Fault::UnknownId && given_ == 5) out.id ^= 0x10000;
  }
  void clock() override {
    const bool takes = request_ != nullptr && request_ready() && !reset_;
    const bool gives = response_valid() && ready_ && !reset_;
    waited_ = response_valid() && !ready_ ? waited_ + 1 : 0;
    const std::array<bool, 3> move{moves(0), moves(1), moves(2)};
    const bool again = fault_ == Fault::AnswersTwice && gives && given_ == 5;
    if (gives) ++given_;
    if (again) return;
    for (unsigned s = 3; s-- > 1;) {
      if (move[s]) stage_[s] = std::exchange(stage_[s - 1], std::nullopt);
    }
    if (takes) {
      stage_[0].emplace();
      lanes_.compute(*request_, *stage_[0]);
    }
  }
  bool implements(const isa::Row& row, isa::Encoding, const isa::Modifiers&) const override {
    return row.mnemonic != lacks;
  }
  std::optional<ip::DeviceFailure> failure() const override { return std::nullopt; }
  base::Status trace(const std::string& path) override {
    return base::Error("no waveforms", {path});
  }

 private:
  /// What is in front of stage `s` moves into it.
  bool moves(unsigned s) const {
    bool free = ready_ && response_valid();
    for (unsigned n = 3; n-- > s;) free = free || !stage_[n].has_value();
    return free;
  }

  Fault fault_;
  valu::LaneBeat lanes_;
  const valu::Request* request_ = nullptr;
  std::array<std::optional<valu::Response>, 3> stage_;
  bool reset_ = false, ready_ = false;
  unsigned waited_ = 0, given_ = 0;
};

/// What the monitor says about a device with `fault` under random back-pressure; nothing when it
/// sees nothing.
inline std::optional<ip::DeviceFailure> seen(Fault fault,
                                             const std::vector<valu::Request>& program) {
  ip::ValuMonitor monitor(std::make_unique<FakeDevice>(fault));
  std::mt19937_64 random(5);
  size_t next = 0;
  for (int cycle = 0; cycle < 400 && !monitor.failure(); ++cycle) {
    const valu::Request* request = next < program.size() ? &program[next] : nullptr;
    monitor.drive(request, 0, random() % 4 != 0);
    if (request != nullptr && monitor.request_ready()) ++next;
    monitor.clock();
  }
  return monitor.failure();
}

/// Every fault with what the monitor has to say about it.
inline const std::vector<std::pair<Fault, std::string>>& faults() {
  static const std::vector<std::pair<Fault, std::string>> all = {
      {Fault::ValidDropped, "response: valid dropped before ready"},
      {Fault::MessageChanges, "response: the message changed before ready"},
      {Fault::ValidInReset, "response: valid is high in reset"},
      {Fault::NeverReady, "request: not ready within 16 cycles after reset"},
      {Fault::UnknownId, "is not under way"},
      {Fault::AnswersTwice, "is not under way"}};
  return all;
}
inline bool named(const std::pair<Fault, std::string>& fault,
                  const std::vector<valu::Request>& program) {
  const auto failure = seen(fault.first, program);
  return failure && failure->field == "protocol" &&
         failure->what.find(fault.second) != std::string::npos;
}

/// Cycles at the pins, one character each: '.' nothing, 't' a request is offered and taken, 'o'
/// offered only, 'a' answered, 'b' taken and answered, 's' response not ready, 'S' so and a request
/// taken.
struct Sequence {
  std::string rule, cycles;
  bool good;
};
inline const std::vector<Sequence>& sequences() {
  static const std::vector<Sequence> all = {{"exact", "t..a", true},
                                            {"exact", "tttbbba..", false},
                                            {"exact", "tttbbbaaa", true},
                                            {"exact", "t.a", false},
                                            {"exact", "t...a", false},
                                            {"exact", "t..sssa", true},
                                            {"exact", "a", false},
                                            {"exact", "o", false},
                                            {"exact", "Stts", true},
                                            {"exact", "SttS", false},
                                            {"exact", "SSSsa", true},
                                            {"exact", "SSSS", false},
                                            {"bounded(3,5)", "t..a", true},
                                            {"bounded(3,5)", "t....a", true},
                                            {"bounded(3,5)", "t.a", false},
                                            {"bounded(3,5)", "t.....a", false},
                                            {"bounded(3,5)", "t......", false},
                                            {"bounded(3,5)", "t..ssssa", true},
                                            {"bounded(1,1)", "tbbbba", true},
                                            {"bounded(1,1)", "t.a", false},
                                            {"ignore", "aaa", true}};
  return all;
}
inline bool keeps_time(const Sequence& sequence) {
  ip::ValuTiming timing(*machine::parse_timing_rule(sequence.rule));
  machine::Cycle now = 10;
  for (const char c : sequence.cycles) {
    ip::ValuTiming::Cycle pins;
    pins.now = now++;
    pins.taken = c == 't' || c == 'b' || c == 'S';
    pins.offered = pins.taken || c == 'o';
    pins.ready = c != 's' && c != 'S';
    pins.answered = c == 'a' || c == 'b';
    if (!timing.check(pins).empty()) return false;
  }
  return true;
}

/// Sampled lockstep around `device`.
inline std::unique_ptr<ip::ValuSampled> sampled_around(std::unique_ptr<valu::Valu> device,
                                                       uint32_t share) {
  ip::ValuLockstep::Options options;
  options.share = share;
  return std::make_unique<ip::ValuSampled>(std::make_unique<ip::ValuLockstep>(
      std::move(device), valu::Config{}, ip::ValuLockstep::Observer{}, ip::ValuLockstep::Failed{},
      options));
}

/// Shows it a program, four requests for an instruction.
inline void show(valu::Witness& witness, const std::vector<valu::Request>& program) {
  for (size_t n = 0; n + 4 <= program.size(); n += 4) {
    if (!witness.wants(4)) continue;
    for (size_t k = 0; k < 4; ++k) witness.see(program[n + k], k == 3, n);
  }
}

/// Responses that a lockstep with share 4 compares.
inline uint64_t sampled_of(const std::vector<valu::Request>& program) {
  const auto block = sampled_around(std::make_unique<valu::ValuTlm>(valu::Config{}), 4);
  show(*block, program);
  return block->lockstep().counts().sampled;
}

}  // namespace cuvette::valu_pin_faults
