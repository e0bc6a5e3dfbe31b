// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "ip/dut_library.h"
#include "ip/valu/valu_device.h"

namespace cuvette::ip {

/// A module for block valu. Errors: those of DutLibrary::load().
base::Result<std::shared_ptr<const DutLibrary>> load_valu_dut(const std::string& path);

/// A fresh instance of a module's device. Null when the module refuses to make one.
std::unique_ptr<ValuDevice> make_valu_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed);

}  // namespace cuvette::ip
