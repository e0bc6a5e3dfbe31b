// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "ip/valu/valu_device.h"
#include "ip/valu/valu_ops.h"

// The RTL of the vector ALU of every target.
namespace cuvette {

/// The target whose RTL is judged in full by an operation: gfx908 where it has it.
inline isa::Target home_of(const ip::ValuOp& op) {
  if (op.on(isa::Target::Gfx908)) return isa::Target::Gfx908;
  for (const isa::Target target : isa::kAllTargets) {
    if (op.on(target)) return target;
  }
  return isa::Target::Gfx908;
}

/// The builds for speed, each made when it is first asked for.
class ValuDevices {
 public:
  ip::ValuDevice& of(isa::Target target) {
    auto& device = devices_[isa::index_of(target)];
    if (device == nullptr) device = ip::make_valu_fast(target);
    return *device;
  }
  ip::ValuDevice& of(const ip::ValuOp& op) { return of(home_of(op)); }

 private:
  std::array<std::unique_ptr<ip::ValuDevice>, isa::kTargets> devices_;
};

}  // namespace cuvette
