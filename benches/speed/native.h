// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "wave/state.h"

// Native references of benchmarks: straight loops for wave::lanes::host_level().
namespace cuvette::bench {

/// v[d] = v[a] * v[b] + v[c] for all lanes, rounded once.
struct NativeFma {
  uint8_t d, a, b, c;  ///< numbers of rows
};
/// All operations, `rounds` times. Registers stay in memory: their numbers are only known at run
/// time. Hosts without a vector FMA take std::fma.
void native_fma(wave::LaneRow* rows, std::span<const NativeFma> operations, unsigned rounds);

/// Fused multiply-adds that stay in host registers, as fast as they go: native_peak_fmas of them.
void native_peak(unsigned rounds);
double native_peak_fmas(unsigned rounds);

/// y = alpha * x + y over `count` (a multiple of 16) elements.
void native_saxpy(float alpha, const float* x, float* y, unsigned count);

}  // namespace cuvette::bench
