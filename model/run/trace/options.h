// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/core.h"

namespace cuvette::run {

/// Options of `--trace` and its companions (docs/reference/traces.md).
struct TraceOptions {
  std::string path;                                  ///< empty: no trace
  std::vector<std::string> filters;                  ///< "cu=0,1", "kernel=NAME", "wave=N"
  uint64_t limit = 0;                                ///< events that are kept; 0: all
  machine::Cycle first = 0, last = machine::kNever;  ///< cycles that are shown, both included

  bool on() const { return !path.empty(); }
};

/// Errors: an ending of the path that no format has, a filter of another form. `option`: where the
/// path was given.
base::Status check_trace(const TraceOptions& options, const char* option = "--trace");

}  // namespace cuvette::run
