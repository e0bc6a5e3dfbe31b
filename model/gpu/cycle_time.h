// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "machine/core.h"

namespace cuvette::gpu {

/// Time of one cycle.
inline sc_core::sc_time period_of(double clock_mhz) {
  return sc_core::sc_time(1e6 / clock_mhz, sc_core::SC_PS);
}

/// Time at which a cycle begins, at most sc_max_time(): limits may be any number.
inline sc_core::sc_time time_of(const sc_core::sc_time& period, machine::Cycle cycle) {
  const sc_core::sc_time end = sc_core::sc_max_time();
  return cycle > end.value() / period.value()
             ? end
             : sc_core::sc_time::from_value(period.value() * cycle);
}

}  // namespace cuvette::gpu
