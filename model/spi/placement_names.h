// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cuvette::spi {

/// Names of the placements of machine descriptions, in an order that stays: a placement is known by
/// its place in recordings and to rtl/spi (spi_unit_pkg::placement_e).
std::vector<std::string> placement_names();

}  // namespace cuvette::spi
