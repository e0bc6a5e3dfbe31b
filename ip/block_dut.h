// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "ip/dut_library.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/simd/simd_device.h"
#include "ip/vrf/vrf_device.h"
#include "isa/target.h"

// Users' devices for the blocks whose messages are packed structs; block valu has ip/valu_dut.h.
namespace cuvette::ip {

/// A module for a block. Errors: those of DutLibrary::load().
base::Result<std::shared_ptr<const DutLibrary>> load_matrix_dut(const std::string& path);
base::Result<std::shared_ptr<const DutLibrary>> load_simd_dut(const std::string& path);
base::Result<std::shared_ptr<const DutLibrary>> load_vrf_dut(const std::string& path);

/// A fresh instance of a module's device, out of reset. Null when the module refuses to make one.
std::unique_ptr<MatrixDevice> make_matrix_dut(std::shared_ptr<const DutLibrary> library,
                                              isa::Target target, uint64_t seed);
std::unique_ptr<SimdDevice> make_simd_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed);
std::unique_ptr<VrfDevice> make_vrf_dut(std::shared_ptr<const DutLibrary> library,
                                        isa::Target target, uint64_t seed);

}  // namespace cuvette::ip
