// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ip/common/device_run.h"
#include "ip/valu/valu_lockstep.h"

namespace cuvette::ip {

/// Sampled lockstep of the valu block: a witness of the simd. One of every N instructions that the
/// device implements goes to it, beat by beat, in lockstep and on a clock of its own. The machine
/// has the results and times of a simd without a valu; instructions outside of the sample cost next
/// to nothing.
class ValuSampled final : public valu::Valu, public valu::Witness {
 public:
  explicit ValuSampled(std::unique_ptr<ValuLockstep> lockstep);

  valu::Witness* witness() override { return this; }
  bool wants(unsigned requests) override;
  void see(const valu::Request& asked, bool last, machine::Cycle now) override;

  void tick(machine::Cycle) override {}
  machine::Cycle next_event() const override { return machine::kNever; }
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return lockstep_->implements(row, encoding, modifiers);
  }

  ValuLockstep& lockstep() { return *lockstep_; }

 private:
  std::unique_ptr<ValuLockstep> lockstep_;
  uint32_t share_;  ///< 1/N of the instructions go to the device
  DeviceRun<ValuLockstep> run_;
  uint64_t instructions_ = 0;
};

}  // namespace cuvette::ip
