// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ip/lockstep/pin_device.h"
#include "isa/row.h"
#include "isa/target.h"

namespace cuvette::ip {

/// True if the RTL of this project has a unit for the matrix instructions of a target: parameter
/// Arch of rtl/matrix_core/matrix_core.sv.
constexpr bool has_matrix_rtl(isa::Target target) {
  return target == isa::Target::Gfx908 || target == isa::Target::Gfx90a ||
         target == isa::Target::Gfx942;
}
/// V_MFMA and V_SMFMAC of such a target.
inline bool has_matrix_circuit(const isa::Row& row, isa::Target target) {
  return has_matrix_rtl(target) && row.on(target) &&
         (row.semantic == isa::SemanticId::v_mfma || row.semantic == isa::SemanticId::v_smfmac);
}

/// The Verilated builds of rtl/matrix_core for a target, for one without a unit that of gfx908. For
/// speed; for checking, every bit starting at values drawn from `seed`.
std::unique_ptr<PinDevice> make_matrix_fast(isa::Target target = isa::Target::Gfx908);
std::unique_ptr<PinDevice> make_matrix_check(uint64_t seed,
                                             isa::Target target = isa::Target::Gfx908);

}  // namespace cuvette::ip
