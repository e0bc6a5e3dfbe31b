// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Meaningful data of answers, for their comparison (docs/reference/gds.md).
namespace cuvette::gds {

struct Request;

/// Lanes of Response::data in the answer to `request`: those that take part in a load or an atomic
/// with return, lane 0 of an ordered count.
uint64_t answered_lanes(const Request& request);

}  // namespace cuvette::gds
