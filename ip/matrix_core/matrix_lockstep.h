// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/lockstep/lockstep.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/matrix_core/matrix_reference.h"

namespace cuvette::ip {

/// Matrix core whose work a device on pins does, compared with the arithmetic of layer wave
/// (docs/reference/lockstep.md). Results may come before the last operands of their instruction are
/// taken; their lanes are compared as soon as those are, all other fields at once.
class MatrixLockstep final : public matrix_core::MatrixCore {
 public:
  using Kit = Lockstep<matrix_core::MatrixCore>;

  MatrixLockstep(std::unique_ptr<PinDevice> device, const matrix_core::Config& config,
                 const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override { kit_.tick(now); }
  machine::Cycle next_event() const override { return kit_.next_event(); }
  /// The device and the reference have the instruction.
  bool implements(const isa::Row& row) const override;
  unsigned occupancy_cycles(const isa::Row& row) const override;
  unsigned latency_cycles(const isa::Row& row) const override;

  Kit& kit() { return kit_; }
  const Kit& kit() const { return kit_; }
  /// Every instruction has all its results.
  bool idle() const { return kit_.idle() && !reference().under_way(); }
  const std::optional<BlockMismatch>& mismatch() const { return kit_.mismatch(); }

 private:
  MatrixReference& reference() const;
  std::string explain(const matrix_core::Result& want, const matrix_core::Result& got) const;
  /// The next pass of a recorded instruction; otherwise what is wrong with it.
  std::string admit(const matrix_core::Operands& pass);
  void cover_instruction() const;

  matrix_core::Config config_;
  mutable Kit kit_;
  // Last pass of a rerun.
  struct {
    uint32_t id = 0;
    uint16_t row = 0;
  } last_;
  unsigned next_pass_ = 0;
};

}  // namespace cuvette::ip
