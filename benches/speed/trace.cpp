// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cost of traces and of statistics on engine ca: a tiled matrix product on 120 compute units, one
// run of each, as a run takes the better part of a minute.
#include <filesystem>

#include "base/temporary_directory.h"
#include "speed/block_rows.h"
#include "speed/child_run.h"
#include "speed/hsail_rows.h"

namespace cuvette::bench {

base::Result<BenchResult> trace_cost() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  constexpr unsigned kSize = 560;
  constexpr uint64_t kInterval = 10'000;
  const base::TemporaryDirectory scratch("cuvette_bench");
  if (!scratch.ok()) return base::Error("no room for temporary files");
  const std::string dispatch = tiled_product(kSize);
  ChildEngine plain{"ca", "mi100"}, traced = plain, counted = plain;
  traced.trace = scratch.file("run.pftrace");
  counted.stats_every = kInterval;
  const auto alone = run_in_child(plain, dispatch);
  if (!alone) return alone.error();
  const auto with_trace = run_in_child(traced, dispatch);
  if (!with_trace) return with_trace.error();
  const auto with_counters = run_in_child(counted, dispatch);
  if (!with_counters) return with_counters.error();
  std::error_code failed;
  const auto bytes = static_cast<double>(std::filesystem::file_size(traced.trace, failed));
  if (failed) return base::Error("the trace is not there");
  const auto instructions = static_cast<double>(with_trace->instructions);
  const auto events = static_cast<double>(with_trace->trace_events);
  out.lines.push_back({"instructions", instructions * 1e-6, "M", 0});
  out.lines.push_back({"events of the trace for each instruction", events / instructions, "", 0});
  out.lines.push_back({"bytes of the trace for each event", bytes / events, "bytes", 0});
  out.lines.push_back({"  20 bytes / bytes for each event", 20 * events / bytes, "ratio", 1});
  out.lines.push_back({"speed with the trace / alone, CPU time",
                       alone->seconds / with_trace->seconds, "ratio", 0.5});
  out.lines.push_back(
      {"the same, elapsed time", alone->elapsed / with_trace->elapsed, "ratio", 0.5});
  out.lines.push_back({"speed with statistics and all counters / alone",
                       alone->seconds / with_counters->seconds, "ratio", 0.97});
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

}  // namespace cuvette::bench
