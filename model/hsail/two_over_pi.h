// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::hsail {

/// Binary digits of 2 / pi, of which there are 1201 behind the point and zeros from there on:
/// `count` (up to 64) behind the first `skipped`.
uint64_t two_over_pi_bits(unsigned skipped, unsigned count);

}  // namespace cuvette::hsail
