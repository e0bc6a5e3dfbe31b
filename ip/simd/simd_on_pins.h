// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ip/lockstep/pin_adapter.h"
#include "simd/lane_file.h"
#include "vrf/vrf_model.h"

namespace cuvette::ip {

/// Channels of the contract, each with one port on pins.
struct SimdPin {
  enum : unsigned { kIssue, kRetire, kFill, kRead, kRowData };
};

/// SIMD whose instructions a device on pins executes. The clock of the device stands still while
/// nothing is under way.
///
/// registers() is a mirror of the device's register file, written from what crosses the pins. A row
/// that is written there goes to the device as a message of `fill`, behind the rows that are on
/// `fill` already and before later ones. No instruction and no read is offered while a row goes in,
/// and no row while an instruction or a read waits or rows are being read, so that each sees all
/// rows that came before it.
class SimdOnPins : public simd::Simd {
 public:
  explicit SimdOnPins(const simd::Config& config);

  /// The vector instructions of gfx908 that compute in lanes, and the moves of lanes, as far as the
  /// device has a circuit for them.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const final;
  unsigned issue_cycles(const isa::Instruction& instruction) const final {
    return simd::issue_cycles(config_, instruction);
  }
  vrf::Vrf& registers() final { return mirror_; }
  Counters counters() const final { return counters_; }

 protected:
  virtual PinEnd& end(unsigned pin) = 0;
  virtual const PinDevice& pin_device() const = 0;
  /// Sends a row to the device past `fill`.
  virtual void send(const simd::Fill& row) = 0;
  /// A row was written past the channels.
  virtual void on_write() {}

  /// Called by the constructors of subclasses, when the ends are there. `link`: the Lockstep or
  /// PinLink.
  template <class Link>
  void bind(Link& link) {
    link.on_cycle([this](machine::Cycle now) { begin_cycle(now); },
                  [this](machine::Cycle now) { end_cycle(now); });
    bind_order();
  }
  virtual void begin_cycle(machine::Cycle now);
  /// Rows have been asked for and not given.
  bool reading() const { return reads_ != 0; }
  const simd::Config& config() const { return config_; }

 private:
  /// The register file as host memory.
  class Mirror final : public vrf::Vrf {
   public:
    explicit Mirror(SimdOnPins& owner) : rows(owner.config_.registers), owner_(owner) {}
    void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
              wave::LaneRow& out) override {
      owner_.mirror_fills(now);
      rows.read(port, now, address, out);
    }
    void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
               const wave::LaneRow& data) override;
    wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                          uint16_t acc_count) override {
      owner_.mirror_fills(0);
      return rows.view(base, count, acc_base, acc_count);
    }

    vrf::VrfModel rows;

   private:
    SimdOnPins& owner_;
  };

  bool waits(unsigned pin) { return end(pin).at_pins() && !end(pin).moves(); }
  void bind_order();
  void end_cycle(machine::Cycle now);
  void choose_row(machine::Cycle now);
  void mirror_fills(machine::Cycle now);
  void mirror_result(const simd::Retire& beat, machine::Cycle now);
  void row_taken();

  simd::Config config_;
  Mirror mirror_;
  std::vector<bool> known_;  ///< by row of the instruction table
  /// Rows sent past `fill` and not taken: how many rows of `fill` go in before.
  std::deque<uint64_t> turns_;
  uint64_t fills_taken_ = 0;  ///< rows of `fill`
  size_t mirrored_ = 0;       ///< rows on `fill` the mirror has
  unsigned reads_ = 0;
  NextMessage next_row_ = NextMessage::None, row_at_pins_ = NextMessage::None;
  bool row_first_ = false;  ///< a row goes in: nothing else is offered
  size_t retired_ = 0;      ///< beats on `retire` before the cycle
  int lanes_ = 0;           ///< of EXEC of the instruction that is visible
  Counters counters_;
};

}  // namespace cuvette::ip
