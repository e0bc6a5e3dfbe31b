// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/state.h"

namespace cuvette::wave {

/// STATUS as S_GETREG gives it: ScalarState keeps what is no copy of other state, the rest is put
/// together here.
uint32_t status_register(const ScalarState& s);

}  // namespace cuvette::wave
