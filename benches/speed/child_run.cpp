// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/child_run.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/dispatch_file.h"
#include "run/engine.h"
#include "run/session.h"
#include "run/statistics.h"
#include "speed/benchmark.h"

namespace cuvette::bench {
namespace {

/// `iterations` times four dependent v_fma per work-item, then one store.
std::string dispatch_text(unsigned work_items, unsigned iterations) {
  return fmt::format(R"(code:
  hsail: |
    module &bench_module:1:0:$full:$large:$default;
    prog kernel &bench(kernarg_u64 %out, kernarg_u32 %n)
    {{
      workitemabsid_u32 $s0, 0;
      ld_kernarg_u64 $d0, [%out];
      ld_kernarg_u32 $s1, [%n];
      cvt_f32_u32 $s2, $s0;
      mov_b32 $s3, 0f3f800000;
    @again:
      fma_f32 $s3, $s3, $s2, $s3;
      fma_f32 $s2, $s2, $s3, $s2;
      fma_f32 $s3, $s3, $s2, $s3;
      fma_f32 $s2, $s2, $s3, $s2;
      sub_u32 $s1, $s1, 1;
      cmp_ne_b1_u32 $c0, $s1, 0;
      cbr_b1 $c0, @again;
      cvt_u64_u32 $d1, $s0;
      mad_u64 $d0, $d1, 4, $d0;
      st_global_f32 $s2, [$d0];
      ret;
    }};
grid: [{0}]
workgroup: [256]
args:
  - buffer: {{name: out, type: f32, count: {0}}}
  - u32: {1}
)",
                     work_items, iterations);
}

ChildSample run_here(const ChildEngine& what, const std::string& dispatch) {
  ChildSample sample;
  const auto start = std::chrono::steady_clock::now();
  run::EngineOptions options;
  options.engine = what.engine;
  options.config = what.config;
  options.threads = what.threads;
  options.lockstep = what.lockstep;
  options.lockstep_instances = what.lockstep_instances;
  options.trace.path = what.trace;
  options.stats_every = what.stats_every;
  options.block_intervals = what.stats_every != 0;
  if (what.stats_every != 0) options.counters = {"all"};
  auto file = run::parse_dispatch_file(dispatch, "bench.yaml");
  std::optional<run::NotBuilt> missing;
  auto engine = make_engine(options, missing);
  if (!file || !engine || missing) return sample;
  auto result = run_session(*file, **engine);
  if (!result || !result->passed()) return sample;
  if (what.stats_every != 0) {
    const run::RunIdentity identity{"bench", what.engine, what.config, "bench.yaml", {}};
    if (statistics_text(identity, *result).empty() || counters_text(identity, *result).empty()) {
      return sample;
    }
  }
  sample.seconds = cpu_seconds();
  sample.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sample.instructions = result->report.instructions;
  sample.cycles = result->report.cycles;
  sample.trace_events = result->report.trace_events;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  sample.peak_bytes = uint64_t{1024} * static_cast<uint64_t>(usage.ru_maxrss);
  return sample;
}

/// Reads the output that `body` writes in a child process.
template <class Body>
bool read_from_child(const Body& body, void* out, size_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    _exit(body(ends[1]) ? 0 : 1);
  }
  close(ends[1]);
  const bool whole = child > 0 && read(ends[0], out, bytes) == static_cast<ssize_t>(bytes);
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  return whole;
}

}  // namespace

base::Result<ChildSample> run_in_child(const ChildEngine& what, unsigned work_items,
                                       unsigned iterations) {
  return run_in_child(what, dispatch_text(work_items, iterations));
}

base::Result<ChildSample> run_in_child(const ChildEngine& what, const std::string& dispatch) {
  ChildSample sample;
  const auto body = [&](int end) {
    const ChildSample found = run_here(what, dispatch);
    return write(end, &found, sizeof found) == sizeof found;
  };
  if (!read_from_child(body, &sample, sizeof sample) || sample.instructions == 0) {
    return base::Error("the benchmark kernel did not run on " + what.engine);
  }
  return sample;
}

base::Result<std::vector<double>> values_in_child(
    const std::function<bool(std::vector<double>&)>& measure) {
  struct Values {
    size_t count;
    std::array<double, 64> value;
  } values{};
  const auto body = [&](int end) {
    std::vector<double> found;
    if (!measure(found) || found.size() > values.value.size()) return false;
    values.count = found.size();
    std::copy(found.begin(), found.end(), values.value.begin());
    return write(end, &values, sizeof values) == sizeof values;
  };
  if (!read_from_child(body, &values, sizeof values)) {
    return base::Error("the benchmark's machine did not do what it should");
  }
  return std::vector<double>(values.value.begin(),
                             values.value.begin() + static_cast<ptrdiff_t>(values.count));
}

}  // namespace cuvette::bench
