// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/lockstep/lockstep.h"
#include "ip/valu/valu_device.h"
#include "valu/lane_beat.h"

namespace cuvette::ip {

/// Vector ALU whose work a device on pins does, compared with the lane semantics of layer wave
/// (docs/reference/lockstep.md).
class ValuLockstep final : public valu::Valu {
 public:
  using Kit = Lockstep<valu::Valu>;

  ValuLockstep(std::unique_ptr<PinDevice> device, const valu::Config& config,
               const LockstepOptions& options = {}, Kit::OnMismatch on_mismatch = {});

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override { return kit_.next_event(); }
  /// True if the device implements the instruction and the reference knows it.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;

  Kit& kit() { return kit_; }
  const Kit& kit() const { return kit_; }
  /// Every request has its response.
  bool idle() const { return kit_.idle(); }
  const std::optional<BlockMismatch>& mismatch() const { return kit_.mismatch(); }

 private:
  /// The request of a response; null: there is none.
  const valu::Request* asked(const valu::Response& answer) const;
  std::string explain(const valu::Response& want, const valu::Response& got) const;
  /// Error in a recorded request; empty: none.
  std::string admit(const valu::Request& request) const;

  valu::Config config_;
  mutable Kit kit_;
};

}  // namespace cuvette::ip
