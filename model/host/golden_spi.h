// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "golden/machine.h"
#include "hsa/target.h"
#include "spi/spi.h"

namespace cuvette::host {

/// Where the command processor expects the spi: runs every dispatch as a whole on the golden
/// machine, in the cycle in which it arrives. Kernels that wait for one another therefore end by
/// the watchdog.
class GoldenSpi final : public spi::Spi {
 public:
  /// `memory` outlives it. Compute units and shader engines are there to be masked only.
  GoldenSpi(hsa::DeviceMemory& memory, const hsa::TargetId& target, const golden::Config& config,
            unsigned compute_units = 1, unsigned shader_engines = 1);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override {
    return std::min(dispatch.next_event(), cancel.next_event());
  }
  unsigned compute_units() const override { return 0; }  // with waves of their own
  ComputeUnitPort& compute_unit(unsigned) override { return none_; }

  /// VMIDs whose page tables the golden machine does not see.
  void refuse_when(std::function<bool(uint8_t vmid)> paged) { paged_ = std::move(paged); }

  std::vector<std::string> take_errors() { return std::exchange(errors_, {}); }

 private:
  spi::DispatchDone run(const spi::Dispatch& dispatch);
  base::Result<hsa::KernelInfo> kernel_at(uint64_t address, uint8_t vmid) const;

  hsa::DeviceMemory& memory_;
  hsa::TargetId target_;
  golden::Machine machine_;
  unsigned units_, engines_;
  std::function<bool(uint8_t)> paged_;
  ComputeUnitPort none_;
  std::vector<std::string> errors_;
};

}  // namespace cuvette::host
