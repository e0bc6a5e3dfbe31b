// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "gds/gds.h"
#include "gds/share_data.h"
#include "gds/sync_unit.h"
#include "ip/lockstep/lockstep.h"

namespace cuvette::ip {

/// Reference of a global data share: what requests do, without time, in the order in which the
/// device says `taken`, because the order between compute units is the device's. Records without an
/// answer have their turn behind the requests that the device said `taken` to in their cycle or
/// before: begin and end of waves, then withdrawals, each behind the earlier requests of its
/// compute unit.
class GdsReference final : public gds::Gds {
 public:
  explicit GdsReference(const gds::Config& config);

  /// The device has taken the data of the oldest request of a compute unit that was not followed.
  void follow(unsigned unit);
  /// Gives a turn to what the device has taken and does not answer. At the end of each cycle.
  void note();

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned compute_units() const override { return static_cast<unsigned>(ports_.size()); }
  gds::Port& compute_unit(unsigned index) override { return *ports_[index]; }
  uint32_t size() const override { return data_.size(); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override {
    data_.peek(address, bytes, count);
  }
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override {
    data_.poke(address, bytes, count);
  }
  Counters counters() const override;

 private:
  /// Requests of a compute unit that have not acted.
  struct Arrived {
    std::deque<gds::Request> requests;
    size_t with_turn = 0;  ///< of them, in turns_
    size_t untold = 0;     ///< that acted before the device said `taken`
  };
  /// The oldest request of a compute unit, or a message of `waves`.
  struct Pending {
    unsigned unit = 0;
    std::optional<spi::WaveOrder> wave;
  };
  void note(unsigned unit);
  bool feed(machine::Cycle now);
  bool feed_from(unsigned unit, machine::Cycle now);
  void act(unsigned unit, const gds::Request& request, machine::Cycle now);
  void answer(const gds::Answer& answer, machine::Cycle now);
  void end_walk(machine::Cycle now);
  bool waits() const;

  gds::ShareData data_;
  gds::SyncUnit sync_;
  Counters counters_;
  std::vector<std::unique_ptr<gds::Port>> ports_;
  std::vector<Arrived> arrived_;
  std::deque<Pending> turns_;
  machine::Cycle now_ = 0;
  machine::Cycle since_ = 0;  ///< the device has let requests wait
};

/// Global data share whose work a device on pins does, with our model beside it
/// (docs/reference/gds.md).
class GdsSeat final : public gds::Gds {
 public:
  using Kit = Lockstep<gds::Gds>;

  GdsSeat(std::unique_ptr<PinDevice> device, const gds::Config& config,
          const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override { return kit_.next_event(); }
  unsigned compute_units() const override { return static_cast<unsigned>(ports_.size()); }
  gds::Port& compute_unit(unsigned index) override { return *ports_[index]; }
  uint32_t size() const override { return kit_.reference().size(); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override {
    kit_.reference().peek(address, bytes, count);
  }
  /// As stores of the first compute unit, before its later requests.
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override;
  Counters counters() const override { return kit_.reference().counters(); }

  Kit& kit() { return kit_; }

 private:
  std::vector<std::unique_ptr<gds::Port>> ports_;
  mutable Kit kit_;
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, gds::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("compute_units", config.compute_units);
  visit("latency_cycles", config.latency_cycles);
  visit("bytes_per_cycle", config.bytes_per_cycle);
}

}  // namespace cuvette::ip::recording
