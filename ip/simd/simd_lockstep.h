// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/lockstep/lockstep.h"
#include "ip/simd/simd_device.h"
#include "ip/simd/simd_on_pins.h"
#include "ip/simd/simd_reference.h"
#include "ip/simd/simd_report.h"
#include "ip/simd/simd_timing.h"

namespace cuvette::ip {

/// SIMD whose work a device on pins does, compared with whole-wave execution
/// (docs/reference/lockstep.md): every field of every beat, rows read, order, times.
///
/// Registers may hold something else than the retire port has said. Every row written is read back
/// from the device and compared, in clock cycles that the machine does not see: while nothing is
/// under way, when so many instructions came since the last time, and at the end of a run.
class SimdLockstep final : public SimdOnPins {
 public:
  using Kit = Lockstep<simd::Simd>;

  /// Times are exact (docs/reference/simd.md, Timing of the RTL) or ignored.
  SimdLockstep(std::unique_ptr<PinDevice> device, const simd::Config& config,
               const LockstepOptions& options = {}, Kit::OnMismatch on_mismatch = {});

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override { return kit_.next_event(); }

  /// Reads back every row that was written since it was read back last. Nothing while something is
  /// under way or after a difference; what was put off so is read back the next time.
  void audit();

  Kit& kit() { return kit_; }
  const Kit& kit() const { return kit_; }
  const std::optional<BlockMismatch>& mismatch() const { return kit_.mismatch(); }

 private:
  static constexpr unsigned kAuditAfter = 256;  ///< instructions

  /// State of a row of the register file: lanes that were ever written, and whether any was since
  /// it was read back.
  struct Written {
    uint64_t lanes = 0;
    bool unread = false;
  };

  PinEnd& end(unsigned pin) override { return kit_.end(pin); }
  const PinDevice& pin_device() const override { return kit_.device(); }
  void send(const simd::Fill& row) override { kit_.inject(SimdPin::kFill, row); }
  void on_write() override;
  void begin_cycle(machine::Cycle now) override;

  bool exact() const { return timing_ != nullptr; }
  SimdReference& reference() { return static_cast<SimdReference&>(kit_.reference()); }
  void bind_timing();
  void take(const simd::Issue& message, machine::Cycle now);
  void check_order(const simd::Retire& beat);
  void complete(const simd::Retire& beat);
  void written(vrf::RowAddress row, uint64_t lanes);
  void compare_row(vrf::RowAddress row, uint64_t lanes);
  std::optional<wave::LaneRow> read_back(vrf::RowAddress row);
  SimdTransaction* find(uint32_t id);
  std::string explain(const simd::Retire& want, const simd::Retire& got);
  std::string admit(simd::Issue& message) const;
  void conclude();

  Kit kit_;
  SimdTiming* timing_ = nullptr;                 ///< null: times are ignored
  std::deque<SimdTransaction> under_way_;        ///< as taken
  std::array<std::vector<Written>, 2> written_;  ///< by row, VGPRs and AccVGPRs
  bool wrote_ = false;                           ///< instructions did
  unsigned since_audit_ = 0;                     ///< instructions
  uint64_t read_back_ = 0;                       ///< rows
};

}  // namespace cuvette::ip
