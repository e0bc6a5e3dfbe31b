// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ip/common/device_run.h"
#include "ip/valu/valu_lockstep.h"

namespace cuvette::ip {

/// Sampled lockstep of the valu block: a witness of the simd. Of every N instructions that the
/// device implements one goes to it, beat by beat, in lockstep and on a clock of its own. The
/// machine has the results and times of a simd without a valu, so that what is not in the sample
/// costs next to nothing.
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
  DeviceRun<ValuLockstep> run_;
  uint64_t instructions_ = 0;
};

}  // namespace cuvette::ip
