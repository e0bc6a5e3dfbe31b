// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/core_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/simd/simd_lockstep.h"
#include "simd/simd_model.h"
#include "simd_program.h"

// Faulty devices for testing the checker of the simd itself.
namespace cuvette::simd_faults {

using simd::Retire;

/// Another device with what it gives changed.
class ChangedPins final : public ip::PinDevice {
 public:
  explicit ChangedPins(std::unique_ptr<ip::PinDevice> device) : device_(std::move(device)) {}

  /// Fate of a beat that would move in this cycle.
  enum class Move { Once, Twice, Lost, Later };
  std::function<Move(Retire&)> retire;
  std::function<void(simd::RowData&, vrf::RowAddress asked)> row;
  std::function<void(simd::Fill&)> fill;
  std::function<bool(bool is)> retire_valid;

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    if (beat != nullptr && channel == ip::SimdPin::kRead) {
      simd::ReadRow asked;
      contract::unpack(beat, asked);
      asked_ = asked.row;
    }
    contract::Pins<simd::Fill> pins;
    if (beat != nullptr && channel == ip::SimdPin::kFill && fill) {
      simd::Fill message;
      contract::unpack(beat, message);
      fill(message);
      pins = contract::pack(message, contract::beat_of<simd::Fill>(beat));
      beat = reinterpret_cast<const uint8_t*>(pins.data());
    }
    device_->drive(channel, beat);
  }
  void accept(unsigned channel, bool ready) override {
    if (channel == ip::SimdPin::kRetire) ready_ = ready;
    device_->accept(channel, ready);
  }
  bool ready(unsigned channel) override { return device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    bool valid = device_->sample(channel, beat);
    if (channel == ip::SimdPin::kRowData && valid && row) {
      simd::RowData message;
      contract::unpack(beat, message);
      row(message, asked_);
      contract::pack(message, contract::beat_of<simd::RowData>(beat), beat);
    }
    if (channel != ip::SimdPin::kRetire) return valid;
    if (retire_valid) valid = retire_valid(valid);
    if (!valid || !ready_ || !retire) return valid;
    Retire message;
    contract::unpack(beat, message);
    const Move move = retire(message);
    contract::pack(message, 0, beat);
    if (move == Move::Twice || move == Move::Later) device_->accept(channel, false);
    return move == Move::Once || move == Move::Twice;
  }
  void clock() override { device_->clock(); }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<ip::PinDevice> device_;
  vrf::RowAddress asked_;
  bool ready_ = false;
};

struct Fault {
  std::string name;
  std::string field;  ///< field that the lockstep must report
  std::function<bool(const Retire&)> applies;
  std::function<void(Retire&)> change;
  ChangedPins::Move move = ChangedPins::Move::Once;
};

inline const std::vector<Fault>& faults() {
  using R = Retire;
  using Move = ChangedPins::Move;
  const auto any = [](const R&) { return true; };
  const auto writes = [](const R& r) { return r.write == 0xffff && r.dwords == 1; };
  const auto last_row = [](const R& r) { return r.write == 0xffff && r.beat == 3; };
  const auto masked = [](const R& r) { return r.has_mask; };
  const auto scalar = [](const R& r) { return r.has_scalar; };
  const auto not_last = [](const R& r) { return !r.last; };
  const auto wide = [](const R& r) { return r.dwords == 2 && (r.write >> 7 & 1) != 0; };
  const auto nothing = [](R&) {};
  static const std::vector<Fault> list = {
      {"id", "order", any, [](R& r) { r.id ^= 0x40000000; }},
      {"beat", "beat", not_last, [](R& r) { r.beat ^= 1; }},
      {"last invented", "last", not_last, [](R& r) { r.last = true; }},
      {"last missing", "last", [](const R& r) { return r.last; }, [](R& r) { r.last = false; }},
      {"dwords", "dwords", writes, [](R& r) { r.dwords = 2; }},
      {"too many dwords", "dwords", writes, [](R& r) { r.dwords = 5; }},
      {"write", "write", writes, [](R& r) { r.write = 0xfffe; }},
      {"row", "row", writes, [](R& r) { r.row.row ^= 1; }},
      {"file", "acc", writes, [](R& r) { r.row.acc = !r.row.acc; }},
      {"has_mask", "has_mask", masked, [](R& r) { r.has_mask = false; }},
      {"mask", "mask", masked, [](R& r) { r.mask ^= 0x8000; }},
      {"has_scalar", "has_scalar", scalar, [](R& r) { r.has_scalar = false; }},
      {"scalar", "scalar", scalar, [](R& r) { r.scalar ^= 0x80000000; }},
      {"data of lane 0", "data", writes, [](R& r) { r.data[0][0] ^= 1; }},
      {"data of lane 63", "data", last_row, [](R& r) { r.data[0][15] ^= 0x80000000; }},
      {"data of the second dword", "data", wide, [](R& r) { r.data[1][7] ^= 4; }},
      {"flags", "flags", any, [](R& r) { r.flags ^= 0x40; }},
      {"lost", "beat", not_last, nothing, Move::Lost},
      {"given twice", "beat", not_last, nothing, Move::Twice},
      {"late", "time", any, nothing, Move::Later},
  };
  return list;
}

inline simd::Config config() {
  simd::Config config;
  config.valu.compute_unit = 3;
  config.valu.simd = 2;
  return config;
}
inline ip::LockstepOptions times(machine::TimingRule::Kind kind, uint32_t share = 1) {
  ip::LockstepOptions options;
  options.timing.kind = kind;
  options.share = share;
  return options;
}
inline ip::LockstepOptions untimed() {
  return times(machine::TimingRule::Kind::Ignore);
}

/// The first difference the lockstep finds in a device with `fault` in the first beat it applies to
/// from the twentieth on.
inline ip::BlockMismatch mismatch_of(const Fault& fault, const std::vector<simd::Issue>& all) {
  const std::vector<simd::Issue> program(all.begin(), all.begin() + 600);
  auto device = std::make_unique<ChangedPins>(ip::make_simd_fast());
  unsigned count = 0;
  bool done = false;
  device->retire = [&](Retire& r) {
    if (++count < 20 || done || !fault.applies(r)) return ChangedPins::Move::Once;
    fault.change(r);
    done = true;
    return fault.move;
  };
  // A beat that is not there is late at once where times are exact.
  const bool timed = fault.move == ChangedPins::Move::Later;
  ip::SimdLockstep lockstep(std::move(device), config(),
                            timed ? times(machine::TimingRule::Kind::Exact) : untimed());
  simd_program::fill_rows(lockstep, 8);
  simd_program::run(
      lockstep, program, 8, 8, 1, [&] { return lockstep.mismatch().has_value(); }, false);
  return lockstep.mismatch().value_or(ip::BlockMismatch());
}
inline std::string reported(const Fault& fault, const std::vector<simd::Issue>& program) {
  return mismatch_of(fault, program).field;
}

/// The model as a device: sooner or later than the RTL.
inline std::unique_ptr<ip::PinDevice> device_of(std::function<std::unique_ptr<simd::Simd>()> make) {
  using Device = ip::CoreDevice<simd::Simd>;
  const auto pins = ip::pin_channels(simd::kChannels);
  auto device = std::make_unique<Device>(
      std::move(make), [](simd::Simd& core, Device& d) { simd::visit_channels(core, d); }, pins);
  ip::reset(*device, pins);
  return device;
}
inline std::unique_ptr<simd::Simd> model() {
  simd::Registry registry;
  simd::register_tlm(registry);
  return registry.make("tlm", simd::Config());
}

/// A device that gives the beats of two instructions of two slots mixed: the first `lead` beats of
/// the younger one, those of the older one, the rest of the younger one.
class MixingSimd final : public simd::Simd {
 public:
  explicit MixingSimd(size_t lead) : model_(model()), lead_(lead) {}
  void tick(machine::Cycle now) override {
    std::swap(issue, model_->issue);
    std::swap(fill, model_->fill);
    model_->tick(now);
    std::swap(issue, model_->issue);
    std::swap(fill, model_->fill);
    while (model_->retire.front(now) != nullptr) {
      const Retire r = model_->retire.pop(now);
      if (older_.empty() && younger_.empty()) first_ = r.id;
      (r.id == first_ ? older_ : younger_).push_back(r);
    }
    if (older_.empty() || !older_.back().last || younger_.empty() || !younger_.back().last) return;
    younger_.insert(younger_.begin() + static_cast<std::ptrdiff_t>(lead_), older_.begin(),
                    older_.end());
    for (const Retire& beat : younger_) retire.push(beat, now + 1);
    older_.clear();
    younger_.clear();
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }
  unsigned issue_cycles(const isa::Instruction& i) const override {
    return model_->issue_cycles(i);
  }
  vrf::Vrf& registers() override { return model_->registers(); }
  Counters counters() const override { return model_->counters(); }

 private:
  std::unique_ptr<simd::Simd> model_;
  size_t lead_;
  uint32_t first_ = 0;
  std::vector<Retire> older_, younger_;
};

/// Error reported when the younger of two instructions gives `lead` of its four beats before the
/// older one gives any. `one_slot`: they are of the same one.
inline std::string reported_of_mixing(size_t lead, const std::vector<simd::Issue>& all,
                                      bool one_slot = false) {
  ip::SimdLockstep lockstep(device_of([lead] { return std::make_unique<MixingSimd>(lead); }),
                            simd::Config(), untimed());
  std::vector<simd::Issue> pair;
  for (const simd::Issue& issue : all) {
    if (issue.instruction.semantic() != isa::SemanticId::v_xor_b32) continue;
    if (pair.empty() || pair.front().slot != issue.slot) pair.push_back(issue);
    if (one_slot) {
      pair.push_back(issue);
      ++pair.back().id;
    }
    if (pair.size() == 2) break;
  }
  size_t next = 0;
  for (machine::Cycle now = 1; now < 80 && !lockstep.mismatch(); ++now) {
    if (next < pair.size() && lockstep.issue.can_push(now)) lockstep.issue.push(pair[next++], now);
    lockstep.tick(now);
    while (lockstep.retire.front(now) != nullptr) lockstep.retire.drop(now);
  }
  if (lockstep.mismatch()) return lockstep.mismatch()->field;
  const auto items = lockstep.kit().items();
  const auto complete = items.find("simd instructions");
  return complete != items.end() && complete->second == 2 ? "" : "not complete";
}

/// Error that the audit reports for a device whose rows are right but for lane `lane` of row 17;
/// 64: none.
inline std::string reported_of_register(unsigned lane, std::unique_ptr<ip::PinDevice> device) {
  auto changed = std::make_unique<ChangedPins>(std::move(device));
  changed->row = [lane](simd::RowData& row, vrf::RowAddress asked) {
    if (asked.row == 17 && lane < wave::kLanes) row.data[lane] ^= 1;
  };
  ip::SimdLockstep lockstep(std::move(changed), simd::Config(), untimed());
  simd_program::fill_rows(lockstep, 8);
  // As a machine does: no tick more than the device wants. The rows go in.
  constexpr machine::Cycle kLongest = 10'000;
  for (machine::Cycle now = 1; lockstep.next_event() <= now && now < kLongest; ++now) {
    lockstep.tick(now);
  }
  lockstep.audit();
  return lockstep.mismatch().value_or(ip::BlockMismatch()).field;
}

/// Error reported for a device that loses a lane of a row that goes in, when the row is read.
inline std::string reported_of_fill() {
  auto changed = std::make_unique<ChangedPins>(ip::make_simd_fast());
  changed->fill = [](simd::Fill& row) { row.lanes &= ~uint64_t{2}; };
  ip::SimdLockstep lockstep(std::move(changed), simd::Config(), untimed());
  wave::LaneRow data;
  data.fill(7);
  for (machine::Cycle now = 1; now < 64; ++now) {
    if (now == 1 || now == 20) {
      lockstep.fill.push({vrf::WritePort::MemoryReturn, {false, 3}, ~uint64_t{0}, data}, now);
      data.fill(8);
    }
    if (now == 40) lockstep.read.push({7, vrf::ReadPort::MemoryData, {false, 3}}, now);
    lockstep.tick(now);
  }
  return lockstep.mismatch().value_or(ip::BlockMismatch()).field;
}

}  // namespace cuvette::simd_faults
