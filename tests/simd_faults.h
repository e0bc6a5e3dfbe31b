// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ip/simd/simd_lockstep.h"
#include "simd/simd_tlm.h"
#include "simd_program.h"
#include "simd_rows.h"

// Faulty devices for testing the checker of the simd itself: the model with one field of one
// beat, or one time, changed.
namespace cuvette::simd_faults {

using simd::Retire;

struct Fault {
  std::string name;
  std::string field;  ///< what the lockstep must report
  std::function<bool(const Retire&)> applies;
  std::function<void(Retire&)> change;
  int copies = 1;     ///< of the beat: 0 is lost, 2 is given twice
  unsigned late = 0;  ///< cycles
};

inline const std::vector<Fault>& faults() {
  using R = Retire;
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
      {"write", "write", writes, [](R& r) { r.write = 0xfffe; }},
      {"row", "row", writes, [](R& r) { r.row.row ^= 1; }},
      {"file", "row", writes, [](R& r) { r.row.acc = !r.row.acc; }},
      {"has_mask", "has_mask", masked, [](R& r) { r.has_mask = false; }},
      {"mask", "mask", masked, [](R& r) { r.mask ^= 0x8000; }},
      {"has_scalar", "has_scalar", scalar, [](R& r) { r.has_scalar = false; }},
      {"scalar", "scalar", scalar, [](R& r) { r.scalar ^= 0x80000000; }},
      {"data of lane 0", "data", writes, [](R& r) { r.data[0][0] ^= 1; }},
      {"data of lane 63", "data", last_row, [](R& r) { r.data[0][15] ^= 0x80000000; }},
      {"data of the second dword", "data", wide, [](R& r) { r.data[1][7] ^= 4; }},
      {"flags", "flags", any, [](R& r) { r.flags ^= 0x40; }},
      {"lost", "beat", not_last, nothing, 0},
      {"given twice", "beat", not_last, nothing, 2},
      {"late", "timing", any, nothing, 1, 1},
  };
  return list;
}

/// A device that does what the model does, but for its ticks.
class DeviceOfModel : public simd::Simd {
 public:
  explicit DeviceOfModel(const simd::Config& config) {
    simd::Registry registry;
    simd::register_tlm(registry);
    model_ = registry.make("tlm", config);
  }
  machine::Cycle next_event() const override { return model_->next_event(); }
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return model_->implements(row, encoding, modifiers);
  }
  unsigned issue_cycles(const isa::Instruction& i) const override {
    return model_->issue_cycles(i);
  }
  vrf::Vrf& registers() override { return model_->registers(); }
  Counters counters() const override { return model_->counters(); }

 protected:
  std::unique_ptr<simd::Simd> model_;
};

/// The model with the times of the ports, and `fault` in the first beat it applies to from the
/// twentieth on.
class FaultySimd final : public DeviceOfModel {
 public:
  FaultySimd(const Fault& fault, const simd::Config& config)
      : DeviceOfModel(config), fault_(fault) {}
  void tick(machine::Cycle now) override {
    std::swap(issue, model_->issue);
    std::swap(fill, model_->fill);
    std::swap(read, model_->read);
    std::swap(row_data, model_->row_data);
    model_->tick(now);
    std::swap(issue, model_->issue);
    std::swap(fill, model_->fill);
    std::swap(read, model_->read);
    std::swap(row_data, model_->row_data);
    while (!model_->retire.empty() && model_->retire.next_event() + delay_ <= now + 1) {
      Retire r = model_->retire.pop(model_->retire.next_event());
      int copies = 1;
      if (++count_ >= 20 && !done_ && fault_.applies(r)) {
        if (fault_.late != 0 && delay_ == 0) {
          delay_ = fault_.late;
          held_ = r;
          holding_ = true;
          done_ = true;
          continue;
        }
        fault_.change(r);
        copies = fault_.copies;
        done_ = true;
      }
      if (holding_) {
        retire.push(held_, now + 1);
        holding_ = false;
      }
      for (int n = 0; n < copies; ++n) retire.push(r, now + 1);
    }
  }

 private:
  const Fault& fault_;
  unsigned count_ = 0, delay_ = 0;
  bool done_ = false, holding_ = false;
  Retire held_;
};

/// The first difference the lockstep finds in a device with `fault`; none: an empty field.
inline ip::SimdMismatch mismatch_of(const Fault& fault, const std::vector<simd::Issue>& all) {
  const std::vector<simd::Issue> program(all.begin(), all.begin() + 600);
  simd::Config config;
  config.timing = simd::Timing::Ports;
  config.valu.compute_unit = 3;
  config.valu.simd = 2;
  ip::SimdLockstep::Options options;
  // A beat that is not there is late at once where times are exact.
  options.timing.kind =
      fault.late != 0 ? machine::TimingRule::Kind::Exact : machine::TimingRule::Kind::Ignore;
  ip::SimdLockstep lockstep(std::make_unique<FaultySimd>(fault, config), config, {}, {}, options);
  simd_program::fill_rows(lockstep, 8);
  simd_program::run(
      lockstep, program, 8, 8, 1, [&] { return lockstep.mismatch().has_value(); }, false);
  return lockstep.mismatch().value_or(ip::SimdMismatch());
}
inline std::string reported(const Fault& fault, const std::vector<simd::Issue>& program) {
  return mismatch_of(fault, program).field;
}
inline std::string report(const Fault& fault, const std::vector<simd::Issue>& program) {
  return mismatch_of(fault, program).report;
}

/// What is found in a device that does not see which rows are still on their way when one is
/// written past the channels, so that these always come first.
inline std::string reported_of_order() {
  simd::Config config;
  config.timing = simd::Timing::Ports;
  static const Fault none{"none", "", [](const Retire&) { return false; }, [](Retire&) {}};
  ip::SimdLockstep lockstep(std::make_unique<FaultySimd>(none, config), config, {}, {}, {});
  const vrf::RowAddress row{false, 3};
  lockstep.fill.push({vrf::WritePort::MemoryReturn, row, ~uint64_t{0}, simd_rows::row_of(1)}, 2);
  lockstep.registers().write(vrf::WritePort::LaunchInit, 1, row, ~uint64_t{0},
                             simd_rows::row_of(2));
  for (machine::Cycle now = 1; now < 64; ++now) {
    if (now == 32) lockstep.read.push({7, vrf::ReadPort::MemoryData, row}, now);
    lockstep.tick(now);
  }
  return lockstep.mismatch().value_or(ip::SimdMismatch()).field;
}

/// A device that gives the beats of two instructions of two slots mixed: the first `lead` beats of
/// the younger one, those of the older one, the rest of the younger one.
class MixingSimd final : public DeviceOfModel {
 public:
  MixingSimd(const simd::Config& config, size_t lead) : DeviceOfModel(config), lead_(lead) {}
  void tick(machine::Cycle now) override {
    std::swap(issue, model_->issue);
    model_->tick(now);
    std::swap(issue, model_->issue);
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

 private:
  size_t lead_;
  uint32_t first_ = 0;
  std::vector<Retire> older_, younger_;
};

/// What is found when the younger of two instructions of two slots gives `lead` of its four beats
/// before the older one gives any.
inline std::string reported_of_mixing(size_t lead, const std::vector<simd::Issue>& all) {
  simd::Config config;
  ip::SimdLockstep lockstep(std::make_unique<MixingSimd>(config, lead), config, {}, {}, {});
  simd_program::fill_rows(lockstep, 8);
  std::vector<simd::Issue> pair;
  for (const simd::Issue& issue : all) {
    const isa::Instruction& i = issue.instruction;
    const bool plain = i.semantic() == isa::SemanticId::v_xor_b32;
    if (plain && (pair.empty() || pair.front().slot != issue.slot)) pair.push_back(issue);
    if (pair.size() == 2) break;
  }
  size_t next = 0;
  for (machine::Cycle now = 1; now < 64 && !lockstep.mismatch(); ++now) {
    if (next < pair.size() && lockstep.issue.can_push(now)) lockstep.issue.push(pair[next++], now);
    lockstep.tick(now);
    while (lockstep.retire.front(now) != nullptr) lockstep.retire.drop(now);
  }
  if (!lockstep.mismatch() && lockstep.counts().instructions != 2) return "not complete";
  return lockstep.mismatch().value_or(ip::SimdMismatch()).field;
}

/// What the audit says of a device whose rows are right but for lane `lane` of row 17; 64: none.
inline std::string reported_of_register(unsigned lane, simd::Timing timing = simd::Timing::Ports) {
  simd::Registry registry;
  simd::register_tlm(registry);
  simd::Config config;
  config.timing = timing;
  auto model = registry.make("tlm", config);
  vrf::Vrf& rows = model->registers();
  ip::SimdLockstep::Device probe;
  probe.idle = [] { return true; };
  probe.read_back = [&rows, lane](vrf::RowAddress address) {
    wave::LaneRow held{};
    rows.read(vrf::ReadPort::Backdoor, 0, address, held);
    if (address.row == 17 && lane < wave::kLanes) held[lane] ^= 1;
    return std::optional<wave::LaneRow>(held);
  };
  ip::SimdLockstep lockstep(std::move(model), config, {}, probe, {});
  simd_program::fill_rows(lockstep, 8);
  // As a machine does: no tick more than the device wants. The rows go in.
  for (machine::Cycle now = 1; lockstep.next_event() <= now; ++now) lockstep.tick(now);
  lockstep.audit();
  return lockstep.mismatch().value_or(ip::SimdMismatch()).field;
}

}  // namespace cuvette::simd_faults
