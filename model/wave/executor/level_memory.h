// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/level.h"
#include "wave/lanes/level_table.h"

// Vector loads, stores and atomics of all spaces and widths on one host level.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

void put_memory(LevelTable& table);
/// level_atomic.cpp.
void put_atomics(LevelTable& table);

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
