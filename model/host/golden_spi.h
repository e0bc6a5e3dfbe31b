// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/machine.h"
#include "host/golden_view.h"
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

  /// Page tables of VMIDs, and the doorbells that waves can ring; without, there are none.
  /// `contexts` outlives it.
  void see_by(const gpu::VmContexts& contexts);
  /// Doorbells that waves have rung since the last call.
  std::vector<command_processor::Doorbell> take_rung();

  std::vector<std::string> take_errors() { return std::exchange(errors_, {}); }

 private:
  spi::DispatchDone run(const spi::Dispatch& dispatch);
  base::Result<hsa::KernelInfo> kernel_at(const hsa::DeviceMemory& memory, uint64_t address) const;

  hsa::DeviceMemory& memory_;
  hsa::TargetId target_;
  std::unique_ptr<GoldenView> view_;
  golden::Machine machine_;
  unsigned units_, engines_;
  ComputeUnitPort none_;
  std::vector<std::string> errors_;
};

}  // namespace cuvette::host
