// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cuvette::golden {

struct ReplayReport {
  std::string difference;  ///< the first one, in words; empty when the log agrees with golden
  uint64_t records = 0;    ///< retirements compared; a log with none says nothing
  uint64_t waves = 0, dispatches = 0;
  uint64_t lanes = 0, accesses = 0;  ///< compared
  uint64_t loads = 0;                ///< accesses whose value came from the log
  uint64_t machine_values = 0;       ///< clock and placement values taken from the log
  uint64_t unfinished_waves = 0;     ///< that had not ended where their dispatch ends
  uint64_t unstarted_waves = 0;      ///< of the grids, without a record
};

/// Executes a retirement log again on golden: initial registers are computed from the logged
/// dispatch, instructions fetched from the logged code object, loads and what atomics return come
/// from the log; everything else is compared. Stops executing at the first difference, but reads
/// the log to its end: what is damaged is no difference. Errors: the log is not one, is damaged or
/// truncated, or names what cannot be (a target, a kernel that is not in the code).
base::Result<ReplayReport> replay_log(const std::string& path);

}  // namespace cuvette::golden
