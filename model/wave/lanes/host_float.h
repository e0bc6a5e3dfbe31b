// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/lane_op.h"

// The quick way for common F32 and F64 rows: the host's vector unit, with MXCSR set as MODE says.
// Where host and model could differ (NaN, infinite results, invalid operations, modifiers on the
// result) the call answers false and has written nothing: the caller then takes the general way on
// bit patterns. MXCSR is left as it was found. Hosts without AVX2 and FMA always answer false.
namespace cuvette::wave::lanes {

enum class HostOp : uint8_t { Add, Sub, Subrev, Mul, Mad, Fma, Min, Max };

/// Which orderings of two numbers make a comparison true.
struct HostTest {
  bool less, equal, greater;
};

/// D = op(S0, S1, S2) for all enabled lanes. Mad rounds twice and flushes whatever MODE says.
template <HostOp Op>
bool host_row(const LaneOp& op, LaneResult& result);
/// The destination is the third operand: Mad, Fma.
template <HostOp Op>
bool host_accumulate(const LaneOp& op, LaneResult& result);

/// The same for F64: Add, Mul, Fma.
template <HostOp Op>
bool host_row64(const LaneOp& op, LaneResult& result);
/// D = S0 * S1 + D in F64, fused.
bool host_fmac64(const LaneOp& op, LaneResult& result);

/// result.mask of a comparison of F32 numbers.
bool host_compare(const LaneOp& op, LaneResult& result, HostTest test);

/// What of the host's vector unit is used. Results do not depend on it.
enum class HostLevel : uint8_t {
  None,      ///< nothing: bit patterns
  Baseline,  ///< what every x86-64 has (16 bytes); integer rows and memory on any host
  Avx2,      ///< x86-64-v3: AVX2, FMA, F16C
  Avx512,    ///< x86-64-v4
};
/// The best that the host has and limit_host_level() allows.
HostLevel host_level();
/// Tests compare levels. Not for use while waves run or with programs decoded before.
void limit_host_level(HostLevel most);
/// Whether the host is slow with subnormal numbers in F32 arithmetic, so that the short way keeps
/// them from it where it has met some (plain_careful.h): Intel's processors. Results do not depend
/// on it.
bool subnormals_are_slow();
/// Tests and bench: whatever the host is.
void set_subnormals_slow(bool slow);
/// No level, or any.
void set_host_float(bool on);

}  // namespace cuvette::wave::lanes
