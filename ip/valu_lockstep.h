// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ip/valu_device.h"
#include "valu/lane_beat.h"

namespace cuvette::ip {

/// Compared items by class (docs/valu.md). Lanes outside the write set are not items.
struct ValuCounts {
  uint64_t responses = 0;
  uint64_t lanes = 0;  ///< destination lanes
  uint64_t masks = 0, write_sets = 0, flags = 0;
};

/// The first difference between the device and the reference.
struct ValuMismatch {
  std::string field;  ///< "order", "id", "beat", "write", "has_mask", "mask", "flags", "dst",
                      ///< "assertion"
  machine::Cycle time = 0;
  uint32_t id = 0;
  std::string instruction;
  int lane = -1;  ///< for "dst": lane of the beat
  uint64_t expected = 0, actual = 0;
  std::string report;  ///< all of it with the operands, then the last transactions; many lines
};

/// Lockstep for the valu block: the device under test answers, with its own results and times; the
/// lane semantics shadow it and every field of every response is compared. The channels of this
/// object are handed to the device for each tick, so that nothing is delayed or reordered.
///
/// At most 96 requests may be unanswered; a device that lets more pile up fails in "order".
/// After the first difference comparing stops and mismatch() stays set; whether the run stops is
/// the owner's decision, who can be told through on_mismatch.
class ValuLockstep final : public valu::Valu {
 public:
  using Observer = std::function<void(const ValuMismatch&)>;
  using Failed = std::function<bool()>;

  /// `device_failed`, when given, is asked after every tick; yes is a difference in "assertion".
  ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config,
               Observer on_mismatch = {}, Failed device_failed = {});

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// What the device implements and the reference knows.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;

  const ValuCounts& counts() const { return counts_; }
  const std::optional<ValuMismatch>& mismatch() const { return mismatch_; }

  /// Feeds the last transactions, the failing one included, to `device` alone and writes its
  /// waveforms. `device` is a fresh one of a build that traces. Errors: no mismatch yet; `path`
  /// cannot be written; the device has no waveforms.
  base::Status rerun_with_waves(ValuDevice& device, const std::string& path) const;

 private:
  static constexpr uint64_t kHistory = 32;  ///< finished transactions kept
  static constexpr uint64_t kRing = 128;

  valu::Request& at(uint64_t number) { return ring_[number % kRing]; }
  const valu::Request& at(uint64_t number) const { return ring_[number % kRing]; }
  void remember_requests();
  void check(const valu::Response& actual);
  void fail(const char* field, const valu::Request& asked, const valu::Response& actual,
            const valu::Response& expected, int lane, uint64_t want, uint64_t have);
  std::string transactions() const;

  std::unique_ptr<valu::Valu> device_;
  valu::LaneBeat reference_;
  Observer on_mismatch_;
  Failed device_failed_;
  /// Requests by number: [0, seen_) were offered, [0, answered_) have their response.
  std::array<valu::Request, kRing> ring_;
  uint64_t seen_ = 0, answered_ = 0;
  uint64_t taken_ = 0;  ///< requests the device has taken from the channel
  machine::Cycle now_ = 0;
  ValuCounts counts_;
  std::optional<ValuMismatch> mismatch_;
};

}  // namespace cuvette::ip
