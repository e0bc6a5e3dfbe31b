// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "machine/core.h"

namespace cuvette::gpu {

/// When a cycle begins, at most the end of time: limits may be any number.
inline sc_core::sc_time time_of(const sc_core::sc_time& period, machine::Cycle cycle) {
  const sc_core::sc_time end = sc_core::sc_max_time();
  return cycle > end.value() / period.value()
             ? end
             : sc_core::sc_time::from_value(period.value() * cycle);
}

}  // namespace cuvette::gpu
