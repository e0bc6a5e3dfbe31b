// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/core_device.h"
#include "ip/valu/valu_lockstep.h"
#include "valu/valu_model.h"
#include "valu_program.h"

// Faulty devices for testing the checker itself: the model with one field of one response changed.
namespace cuvette::valu_faults {

struct Fault {
  std::string name;
  std::string field;  ///< field that the lockstep must report
  std::function<bool(const valu::Response&)> applies;
  std::function<void(valu::Response&)> change;
};

inline bool any(const valu::Response& r) {
  return r.write == 0xffff;
}
inline bool masked(const valu::Response& r) {
  return r.has_mask && r.write == 0xffff;
}

/// Every field of the contract in both directions.
inline const std::vector<Fault>& faults() {
  using R = valu::Response;
  static const std::vector<Fault> list = {
      {"id", "id", any, [](R& r) { r.id ^= 1; }},
      {"beat", "beat", any, [](R& r) { r.beat ^= 1; }},
      {"pass", "pass", any, [](R& r) { r.pass ^= 1; }},
      {"lane not written", "write", any, [](R& r) { r.write = 0x7fff; }},
      {"lane written", "write", [](const R& r) { return r.write == 0; }, [](R& r) { r.write = 1; }},
      {"mask missing", "has_mask", masked, [](R& r) { r.has_mask = false; }},
      {"mask invented", "has_mask", [](const R& r) { return !r.has_mask; },
       [](R& r) { r.has_mask = true; }},
      {"mask bit 0", "mask", masked, [](R& r) { r.mask ^= 1; }},
      {"mask bit 15", "mask", masked, [](R& r) { r.mask ^= 0x8000; }},
      {"lane 0", "dst", any, [](R& r) { r.dst[0] ^= 1; }},
      {"lane 15", "dst", any, [](R& r) { r.dst[15] ^= 0x80000000; }},
      {"upper half", "dst", any, [](R& r) { r.dst[7] ^= uint64_t{1} << 63; }},
      {"flag missing", "flags", [](const R& r) { return (r.flags & 32) != 0; },
       [](R& r) { r.flags &= 0x5f; }},
      {"flag invented", "flags", [](const R& r) { return (r.flags & 1) == 0; },
       [](R& r) { r.flags |= 1; }},
  };
  return list;
}

/// The model with `fault` in the first response it applies to, from the tenth on.
class FaultyValu final : public valu::Valu {
 public:
  FaultyValu(const valu::Config& config, const Fault& fault) : model_(config), fault_(fault) {}

  void tick(machine::Cycle now) override {
    std::swap(request, model_.request);
    model_.tick(now);
    std::swap(request, model_.request);
    while (!model_.response.empty()) {
      const machine::Cycle time = model_.response.next_event();
      valu::Response r = model_.response.pop(time);
      if (++count_ >= 10 && !done_ && fault_.applies(r)) {
        fault_.change(r);
        done_ = true;
      }
      response.push(r, time);
    }
  }
  machine::Cycle next_event() const override {
    return std::min(model_.next_event(), request.next_event());
  }
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return model_.implements(row, encoding, modifiers);
  }

 private:
  valu::ValuModel model_;
  const Fault& fault_;
  unsigned count_ = 0;
  bool done_ = false;
};

/// A model behind pins.
using Make = std::function<std::unique_ptr<valu::Valu>()>;
inline std::unique_ptr<ip::PinDevice> behind_pins(Make make) {
  using Device = ip::CoreDevice<valu::Valu>;
  const auto pins = ip::pin_channels(valu::kChannels);
  auto device = std::make_unique<Device>(
      std::move(make), [](valu::Valu& core, Device& d) { visit_channels(core, d); }, pins);
  ip::reset(*device, pins);
  return device;
}
inline std::unique_ptr<ip::PinDevice> behind_pins(const Fault& fault) {
  return behind_pins([&fault] { return std::make_unique<FaultyValu>(valu::Config(), fault); });
}

/// The field the lockstep reports for a device with `fault`; empty when it reports nothing.
inline std::string reported(const Fault& fault, const std::vector<valu::Request>& program) {
  ip::ValuLockstep lockstep(behind_pins(fault), valu::Config());
  valu_program::run(lockstep, program, 8, 8, 1);
  return lockstep.mismatch() ? lockstep.mismatch()->field : std::string();
}

}  // namespace cuvette::valu_faults
