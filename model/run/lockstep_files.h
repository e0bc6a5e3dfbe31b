// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "machine/core.h"

namespace cuvette::run {

/// Files that a run with blocks in lockstep writes (docs/reference/lockstep.md).
struct LockstepFiles {
  std::string wave;    ///< waveforms (FST); empty: none
  std::string record;  ///< recording (JSON lines); empty: none
  /// Window in cycles of the block's clock: waveforms show it, the recording ends with it.
  machine::Cycle first = 0, last = machine::kNever;

  bool any() const { return !wave.empty() || !record.empty(); }
  bool has_window() const { return first != 0 || last != machine::kNever; }
};

/// "FIRST:LAST" into `files`. Errors: another form, a last cycle before the first.
base::Status parse_window(const std::string& text, LockstepFiles& files);

}  // namespace cuvette::run
