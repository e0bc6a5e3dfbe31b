// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/common/device_failure.h"
#include "ip/simd/simd_report.h"
#include "machine/description.h"
#include "simd/schedule.h"
#include "vrf/vrf_tlm.h"

namespace cuvette::ip {

/// Compared items by class (docs/simd.md).
struct SimdCounts {
  uint64_t instructions = 0;  ///< complete
  uint64_t sampled = 0;       ///< of those, compared; what follows is of these alone
  uint64_t beats = 0;
  uint64_t lanes = 0;  ///< of registers written
  uint64_t masks = 0, scalars = 0, flags = 0;
  uint64_t rows = 0;       ///< answers of row_data
  uint64_t registers = 0;  ///< rows read back
  uint64_t times = 0;      ///< cycles in which something was under way
};

/// Lockstep for the simd block: the device under test answers, with its own results and times; the
/// whole-wave execution of the model on a register file of its own shadows it, and every field of
/// every beat is compared. The channels of this object are handed to the device for each tick, so
/// that nothing is delayed or reordered; `fill` also for each row written past them, so that the
/// device can tell which rows were sent before it. The reference has a row from `fill` when the
/// device took it, but for lanes that were written past the channels after it was sent.
///
/// Sampled lockstep (share N): one instruction of N, chosen by a fixed hash of its number, is
/// executed and compared; of the others the reference takes what the device retired, so that the
/// next one compared starts from the device's own registers. One whose wavefront has such an
/// instruction under way is left out. Order, rows read and times are compared always.
///
/// Registers: what the retire port says is not what the registers hold. Every row written is read
/// back from the device and compared: while nothing is under way, when so many instructions came
/// since the last time (not when sampled), and whenever the owner asks.
///
/// The schedule of our RTL (docs/simd.md) is asked with exact times alone: other devices are busy
/// for longer or shorter.
///
/// At most 64 instructions may be unanswered; a device that lets more pile up fails in "order".
/// After the first difference comparing stops and mismatch() stays set; whether the run stops is
/// the owner's decision, who can be told through on_mismatch.
class SimdLockstep final : public simd::Simd {
 public:
  using Observer = std::function<void(const SimdMismatch&)>;
  /// What is asked of the device beside its channels; without the last two nothing is read back.
  struct Device {
    std::function<std::optional<DeviceFailure>()> failure;
    std::function<bool()> idle;  ///< nothing under way, nothing offered that waits
    /// A row as it holds it, none when it gives no answer; called while it is idle.
    std::function<std::optional<wave::LaneRow>(vrf::RowAddress)> read_back;
  };
  struct Options {
    uint32_t share = 1;          ///< one instruction of so many is compared
    machine::TimingRule timing;  ///< exact (docs/simd.md, Timing of the RTL) or ignore
  };

  /// `probe.failure` is asked after every tick and audit; what it tells is a difference.
  SimdLockstep(std::unique_ptr<simd::Simd> device, const simd::Config& config, Observer on_mismatch,
               Device probe, const Options& options);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return device_->implements(row, encoding, modifiers);
  }
  unsigned issue_cycles(const isa::Instruction& instruction) const override {
    return device_->issue_cycles(instruction);
  }
  vrf::Vrf& registers() override { return registers_; }
  Counters counters() const override { return device_->counters(); }

  /// Reads back every row that was written since it was read back last and compares it. Nothing
  /// while something is under way, after a difference, or without `read_back`; what was put off so
  /// is read back the next time. What the device does wrong meanwhile is a difference too.
  void audit();
  /// Instructions wrote registers and none was ever read back, although there is a
  /// `read_back`: whenever that was asked for, something was under way.
  bool read_nothing_back() const;

  const simd::Config& config() const { return config_; }
  const Options& options() const { return options_; }
  const SimdCounts& counts() const { return counts_; }
  const std::optional<SimdMismatch>& mismatch() const { return mismatch_; }
  /// The last instructions, in the order in which the device took them.
  std::vector<SimdTransaction> recent() const;

 private:
  /// What the owner reads and writes past the channels: of the device, known to the reference.
  class Registers final : public vrf::Vrf {
   public:
    explicit Registers(SimdLockstep& owner) : owner_(owner) {}
    void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
              wave::LaneRow& out) override {
      owner_.device_->registers().read(port, now, address, out);
    }
    void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
               const wave::LaneRow& data) override;
    wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                          uint16_t acc_count) override {
      return owner_.device_->registers().view(base, count, acc_base, acc_count);
    }

   private:
    SimdLockstep& owner_;
  };

  static constexpr size_t kHistory = 32;  ///< instructions kept for the report
  static constexpr size_t kMostUnanswered = 64;
  static constexpr unsigned kAuditAfter = 256;  ///< instructions

  bool exact() const { return options_.timing.kind == machine::TimingRule::Kind::Exact; }
  void hand_over(machine::Cycle now);
  void ask_device();
  void replaced(vrf::RowAddress address, uint64_t lanes);
  void note_fills();
  void take_issue(const simd::Issue& issue);
  void remember_rows(SimdTransaction& t);
  void take_over(const simd::Retire& actual);
  void check(const simd::Retire& actual);
  void check_beat(SimdTransaction& t, const simd::Retire& want, const simd::Retire& got);
  void check_row(const simd::RowData& actual);
  void written(vrf::RowAddress row, uint64_t lanes);
  void read_back(vrf::RowAddress address, uint64_t lanes);
  void finish(size_t transaction);
  void fail(SimdMismatch mismatch, const SimdTransaction* t = nullptr,
            const simd::Retire* expected = nullptr, const simd::Retire* actual = nullptr);
  void fail(const char* field, const std::string& what, const SimdTransaction* t = nullptr);

  simd::Config config_;
  Options options_;
  std::unique_ptr<simd::Simd> device_;
  vrf::VrfTlm reference_;
  simd::Schedule schedule_;
  Registers registers_;
  Observer on_mismatch_;
  Device probe_;

  std::deque<SimdTransaction> under_way_;  ///< as taken
  std::deque<SimdTransaction> done_;
  std::deque<simd::RowData> rows_;   ///< answers that are due
  std::deque<uint64_t> fill_lanes_;  ///< of the rows on `fill`, those nothing sent later replaced
  /// By number, VGPRs and AccVGPRs: lanes that were ever written, and whether since the last audit.
  struct Row {
    uint64_t lanes = 0;
    bool unread = false;
  };
  std::array<std::vector<Row>, 2> written_;
  bool wrote_ = false;        ///< instructions did
  unsigned since_audit_ = 0;  ///< instructions
  uint64_t taken_ = 0;        ///< instructions
  machine::Cycle now_ = 0;
  SimdCounts counts_;
  std::optional<SimdMismatch> mismatch_;
};

}  // namespace cuvette::ip
