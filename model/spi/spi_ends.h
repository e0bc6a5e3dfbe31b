// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spi/spi.h"

namespace cuvette::spi {

/// Channel ends of an spi, for a command processor that stands alone: the owner reads and fills
/// them. It has no compute units and does nothing by itself.
class SpiEnds final : public Spi {
 public:
  void tick(machine::Cycle) override {}
  machine::Cycle next_event() const override { return machine::kNever; }
  unsigned compute_units() const override { return 0; }
  ComputeUnitPort& compute_unit(unsigned) override { return none_; }

 private:
  ComputeUnitPort none_;
};

}  // namespace cuvette::spi
