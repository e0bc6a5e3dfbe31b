// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/common/answer_watch.h"
#include "ip/valu/valu_compare.h"
#include "ip/valu/valu_device.h"
#include "ip/valu/valu_report.h"
#include "ip/valu/valu_timing.h"
#include "machine/description.h"
#include "valu/lane_beat.h"

namespace cuvette::ip {

/// Lockstep for the valu block: the device under test answers, with its own results and times; the
/// lane semantics shadow it and every field of every response is compared. The channels of this
/// object are handed to the device for each tick, so that nothing is delayed or reordered.
///
/// At most 96 requests may be unanswered, and none for longer than answer_watch.h says; a device
/// that lets more pile up, or stops, fails in "order".
/// After the first difference comparing stops and mismatch() stays set; whether the run stops is
/// the owner's decision, who can be told through on_mismatch. Responses of the cycle in which it
/// was found, and later ones, are not handed on: nobody has checked them.
class ValuLockstep final : public valu::Valu {
 public:
  using Observer = std::function<void(const ValuMismatch&)>;
  using Failed = std::function<std::optional<DeviceFailure>()>;
  struct Options {
    uint32_t share = 1;  ///< for whoever samples (ip/valu/valu_sampled.h)
    machine::TimingRule timing;
  };

  /// `device_failed`, when given, is asked after every tick; what it tells is a difference.
  ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config,
               Observer on_mismatch = {}, Failed device_failed = {});
  ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config, Observer on_mismatch,
               Failed device_failed, const Options& options);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// What the device implements and the reference knows.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;

  const valu::Config& config() const { return config_; }
  const Options& options() const { return options_; }
  ValuCounts counts() const;
  /// Whether every request has its response.
  bool idle() const { return answered_ == seen_ && request.empty(); }
  /// Responses that are not in the sample; for the counts.
  void pass_by(unsigned responses) { counts_.responses += responses; }
  const std::optional<ValuMismatch>& mismatch() const { return mismatch_; }
  /// The last transactions, oldest first: finished ones, then those under way.
  std::vector<ValuTransaction> recent() const;

 private:
  static constexpr uint64_t kHistory = 32;  ///< finished transactions kept
  static constexpr uint64_t kRing = 128;

  ValuTransaction& at(uint64_t number) { return ring_[number % kRing]; }
  const ValuTransaction& at(uint64_t number) const { return ring_[number % kRing]; }
  uint64_t first_kept() const { return answered_ > kHistory ? answered_ - kHistory : 0; }
  /// One tick of the device and what it did; a difference is in mismatch().
  void compare_cycle(machine::Cycle now);
  void remember_requests();
  void check(const valu::Response& actual);
  void fail(const ValuDifference& difference, const std::string& what, uint64_t number,
            const valu::Response* expected, const valu::Response* actual);
  void fail(const char* field, const std::string& what, uint64_t number);

  valu::Config config_;
  Options options_;
  std::unique_ptr<valu::Valu> device_;
  valu::LaneBeat reference_;
  ValuTiming timing_;
  AnswerWatch watch_;
  Observer on_mismatch_;
  Failed device_failed_;
  /// Requests by number: [0, seen_) were sent, [0, fronted_) have been at the pins, [0, taken_) the
  /// device has taken, [0, answered_) have their response.
  std::array<ValuTransaction, kRing> ring_;
  uint64_t seen_ = 0, fronted_ = 0, taken_ = 0, answered_ = 0;
  machine::Cycle now_ = 0;
  ValuCounts counts_;
  std::optional<ValuMismatch> mismatch_;
};

}  // namespace cuvette::ip
