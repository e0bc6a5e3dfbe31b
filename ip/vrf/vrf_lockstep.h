// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/lockstep/lockstep.h"
#include "ip/vrf/vrf_access.h"
#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// Register file whose rows a device on pins holds, shadowed by one of its own: every lane that was
/// ever written is compared when it is read (docs/reference/lockstep.md).
class VrfLockstep final : public vrf::Vrf {
 public:
  using Kit = Lockstep<vrf::VrfPorts>;

  VrfLockstep(std::unique_ptr<PinDevice> device, const vrf::Config& config,
              const LockstepOptions& options = {}, Kit::OnMismatch on_mismatch = {});

  void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
            wave::LaneRow& out) override;
  void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override;
  /// Rows are no host memory.
  wave::VectorFile view(uint16_t, uint16_t, uint16_t, uint16_t) override { return {}; }

  Kit& kit() { return kit_; }
  const Kit& kit() const { return kit_; }
  const std::optional<BlockMismatch>& mismatch() const { return kit_.mismatch(); }

 private:
  void tell_unfinished();

  vrf::VrfPorts ports_;
  Kit kit_;
  VrfAccess access_;
};

}  // namespace cuvette::ip
