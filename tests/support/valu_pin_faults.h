// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_monitor.h"
#include "ip/valu/valu_sampled.h"
#include "ip/valu/valu_timing.h"
#include "valu/lane_beat.h"
#include "valu/valu_model.h"
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
class FakeDevice final : public ip::PinDevice {
 public:
  explicit FakeDevice(Fault fault) : fault_(fault), lanes_(isa::Target::Gfx908) {}

  std::string lacks;  ///< a mnemonic it has no circuit for

  void set_reset(bool active) override {
    reset_ = active;
    if (active) stage_ = {};
  }
  void drive(unsigned, const uint8_t* beat) override {
    offered_ = beat != nullptr;
    if (offered_) contract::unpack(beat, request_);
  }
  void accept(unsigned, bool is_ready) override { ready_ = is_ready; }
  bool ready(unsigned) override { return fault_ != Fault::NeverReady && moves(0); }
  bool sample(unsigned, uint8_t* beat) override {
    if (!valid()) return false;
    valu::Response out = stage_[2].value_or(valu::Response{});
    if (fault_ == Fault::MessageChanges && waited_ == 1) out.dst[3] ^= 1;
    if (fault_ == Fault::UnknownId && given_ == 5) out.id ^= 0x10000;
    contract::pack(out, 0, beat);
    return true;
  }
  void clock() override {
    const bool takes = offered_ && ready(0) && !reset_;
    const bool gives = valid() && ready_ && !reset_;
    waited_ = valid() && !ready_ ? waited_ + 1 : 0;
    const std::array<bool, 3> move{moves(0), moves(1), moves(2)};
    const bool again = fault_ == Fault::AnswersTwice && gives && given_ == 5;
    if (gives) ++given_;
    if (again) return;
    for (unsigned s = 3; s-- > 1;) {
      if (move[s]) stage_[s] = std::exchange(stage_[s - 1], std::nullopt);
    }
    if (takes) {
      stage_[0].emplace();
      lanes_.compute(request_, *stage_[0]);
    }
  }
  bool implements(const isa::Row& row, uint32_t) const override { return row.mnemonic != lacks; }
  std::optional<ip::DeviceFailure> failure() const override { return std::nullopt; }
  base::Status trace(const std::string& path) override {
    return base::Error("no waveforms", {path});
  }

 private:
  bool valid() const {
    if (reset_) return fault_ == Fault::ValidInReset;
    if (fault_ == Fault::NeverValid) return false;
    return stage_[2].has_value() && !(fault_ == Fault::ValidDropped && waited_ == 1);
  }
  /// The message in front of stage `s` moves into it.
  bool moves(unsigned s) const {
    bool free = ready_ && valid();
    for (unsigned n = 3; n-- > s;) free = free || !stage_[n].has_value();
    return free;
  }

  Fault fault_;
  valu::LaneBeat lanes_;
  valu::Request request_;
  std::array<std::optional<valu::Response>, 3> stage_;
  bool offered_ = false, reset_ = false, ready_ = false;
  unsigned waited_ = 0, given_ = 0;
};

inline std::unique_ptr<ip::PinMonitor> watched(Fault fault) {
  const auto pins = ip::pin_channels(valu::kChannels);
  auto monitor = std::make_unique<ip::PinMonitor>(std::make_unique<FakeDevice>(fault), pins);
  ip::reset(*monitor, pins);
  return monitor;
}

/// Field and words of what lockstep says about a device with `fault` under random back-pressure;
/// empty when it sees nothing.
inline std::pair<std::string, std::string> seen(Fault fault,
                                                const std::vector<valu::Request>& program) {
  ip::ValuLockstep lockstep(watched(fault), valu::Config());
  valu_program::run(lockstep, program, 8, 5, 5, [&] { return lockstep.mismatch().has_value(); });
  if (!lockstep.mismatch()) return {};
  return {lockstep.mismatch()->field, lockstep.mismatch()->report};
}

/// Every fault with the field and the words for it.
struct Named {
  Fault fault;
  std::string field, text;
};
inline const std::vector<Named>& faults() {
  static const std::vector<Named> all = {
      {Fault::ValidDropped, "protocol", "response: valid dropped before ready"},
      {Fault::MessageChanges, "protocol", "response: the message changed before ready"},
      {Fault::ValidInReset, "protocol", "response: valid is high in reset"},
      {Fault::NeverReady, "protocol", "request: not ready within 16 cycles after reset"},
      {Fault::UnknownId, "id", "response: field id"},
      {Fault::AnswersTwice, "id", "response: field id"}};
  return all;
}
inline bool named(const Named& fault, const std::vector<valu::Request>& program) {
  const auto [field, text] = seen(fault.fault, program);
  return field == fault.field && text.find(fault.text) != std::string::npos;
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
inline std::unique_ptr<ip::ValuSampled> sampled_around(std::unique_ptr<ip::PinDevice> device,
                                                       uint32_t share) {
  ip::LockstepOptions options;
  options.share = share;
  return std::make_unique<ip::ValuSampled>(
      std::make_unique<ip::ValuLockstep>(std::move(device), valu::Config{}, options));
}

/// Shows it a program, four requests for an instruction, until `stop` says so.
inline void show(valu::Witness& witness, const std::vector<valu::Request>& program,
                 const std::function<bool()>& stop = {}) {
  for (size_t n = 0; n + 4 <= program.size(); n += 4) {
    if (stop && stop()) return;
    if (!witness.wants(4)) continue;
    for (size_t k = 0; k < 4; ++k) witness.see(program[n + k], k == 3, n);
  }
}

/// Responses that a lockstep with share 4 compares.
inline uint64_t sampled_of(const std::vector<valu::Request>& program) {
  const auto block = sampled_around(ip::make_valu_fast(), 4);
  show(*block, program);
  return block->lockstep().kit().items()["valu responses"];
}

}  // namespace cuvette::valu_pin_faults
