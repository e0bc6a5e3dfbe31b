// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ip/lockstep/pin_device.h"
#include "isa/instruction.h"
#include "isa/target.h"

namespace cuvette::ip {

/// The Verilated builds of rtl/valu with the operations of a target (parameter Arch). For speed;
/// for checking, with assertions and waveforms, registers starting at values drawn from `seed`.
std::unique_ptr<PinDevice> make_valu_fast(isa::Target target = isa::Target::Gfx908);
std::unique_ptr<PinDevice> make_valu_check(uint64_t seed, isa::Target target = isa::Target::Gfx908);

/// True if a device has a circuit for an instruction: an operation of rtl/valu/valu_ops.csv on the
/// target that the device does not leave out, with these modifiers.
bool has_valu_circuit(const PinDevice& device, isa::Target target, const isa::Row& row,
                      isa::Encoding encoding, const isa::Modifiers& modifiers);

}  // namespace cuvette::ip
