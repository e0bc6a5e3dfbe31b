// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include <fmt/format.h>

#include "base/result.h"
#include "machine/core.h"

namespace cuvette::gpu {

/// Time of one cycle.
inline sc_core::sc_time period_of(double clock_mhz) {
  return sc_core::sc_time(1e6 / clock_mhz, sc_core::SC_PS);
}

/// Error: the time resolution of the simulation is above one cycle.
inline base::Status check_resolution(double clock_mhz) {
  constexpr double kRounding = 1e-9;  // of the division
  if (1e-6 / clock_mhz >= sc_core::sc_get_time_resolution().to_seconds() * (1 - kRounding))
    return {};
  return base::Error(
      fmt::format("the time resolution of the simulation, {}, is above one period of {} MHz",
                  sc_core::sc_get_time_resolution().to_string(), clock_mhz));
}

/// Time at which a cycle begins, at most sc_max_time(): limits may be any number.
inline sc_core::sc_time time_of(const sc_core::sc_time& period, machine::Cycle cycle) {
  const sc_core::sc_time end = sc_core::sc_max_time();
  return cycle > end.value() / period.value()
             ? end
             : sc_core::sc_time::from_value(period.value() * cycle);
}

}  // namespace cuvette::gpu
