// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/simd/simd_device.h"
#include "ip/simd/simd_lockstep.h"
#include "simd/simd.h"
#include "vrf/vrf_tlm.h"

namespace cuvette::ip {

/// The contract of simd answered by RTL: moves messages between the channels and the pins, one
/// clock cycle per tick. While nothing is under way the clock stands still.
///
/// registers() is a mirror, written from what crosses the pins; what is written there goes to the
/// device in messages of the fill channel, behind the rows that are on `fill` already and before
/// anything later. While a row goes in no instruction and no read is offered, so that each sees all
/// rows that came before it; a row waits for what was offered before it.
class SimdRtl final : public simd::Simd {
 public:
  SimdRtl(std::unique_ptr<SimdDevice> device, const simd::Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// The vector instructions of gfx908 that compute in lanes, and the moves of lanes.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;
  unsigned issue_cycles(const isa::Instruction& instruction) const override;
  vrf::Vrf& registers() override { return mirror_; }
  Counters counters() const override { return counters_; }

  /// Nothing under way, nothing offered that waits.
  bool idle() const;
  /// What a row holds in the device, asked for through its pins in clock cycles that the model does
  /// not see, while idle(). None: the device gives no answer.
  std::optional<wave::LaneRow> read_back(vrf::RowAddress address);

  /// What the device has found wrong, beats of a row that do not belong together, or beats of
  /// `retire` that are none of anything under way or too wide; those are not handed on.
  std::optional<DeviceFailure> failure() const;

 private:
  /// The rows as host memory; writes are remembered for the device.
  class Mirror final : public vrf::Vrf {
   public:
    Mirror(SimdRtl& owner, const vrf::Config& config) : rows(config), owner_(owner) {}
    void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
              wave::LaneRow& out) override {
      rows.read(port, now, address, out);
    }
    void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
               const wave::LaneRow& data) override;
    wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                          uint16_t acc_count) override {
      return rows.view(base, count, acc_base, acc_count);
    }

    struct Unsent {
      simd::Fill row;
      uint64_t turn = 0;  ///< fills_taken_ when all rows sent before it are in
    };
    vrf::VrfTlm rows;
    std::deque<Unsent> unsent;

   private:
    SimdRtl& owner_;
  };

  const simd::Fill* filling(machine::Cycle now);
  void fill_taken(machine::Cycle now);
  void mirror_fills(machine::Cycle now);
  void take_retire(const SimdRetireMessage& message, machine::Cycle now);
  bool possible(const simd::Retire& beat);
  void take_row(const SimdRowDataMessage& message, machine::Cycle now);
  bool gather(const SimdRowDataMessage& message);

  std::unique_ptr<SimdDevice> device_;
  simd::Config config_;
  Mirror mirror_;
  std::vector<bool> known_;  ///< by row of the instruction table
  unsigned fill_beat_ = 0;
  uint64_t fills_taken_ = 0;                       ///< rows of `fill`
  size_t mirrored_ = 0;                            ///< rows on `fill` the mirror has
  bool fill_is_unsent_ = false;                    ///< the row under way is one of mirror_.unsent
  bool fill_waits_ = false;                        ///< offered and not taken
  bool issue_waits_ = false, read_waits_ = false;  ///< alike
  std::vector<uint32_t> in_flight_;                ///< ids of instructions
  unsigned reads_ = 0;                             ///< rows asked for and not answered
  simd::RowData row_;
  unsigned row_beat_ = 0;
  machine::Cycle last_ = 0;
  std::optional<DeviceFailure> broken_;
  Counters counters_;
};

/// What lockstep asks of an adapter that lives as long as it does.
SimdLockstep::Device probe_of(SimdRtl& adapter);

}  // namespace cuvette::ip
