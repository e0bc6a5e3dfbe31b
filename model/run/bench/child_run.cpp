// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/bench/child_run.h"

#include <ctime>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/dispatch_file.h"
#include "run/engine.h"
#include "run/session.h"

namespace cuvette::run::bench {
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

ChildSample run_here(const ChildEngine& what, unsigned work_items, unsigned iterations) {
  ChildSample sample;
  EngineOptions options;
  options.engine = what.engine;
  options.config = what.config;
  options.threads = what.threads;
  auto file = parse_dispatch_file(dispatch_text(work_items, iterations), "bench.yaml");
  std::optional<NotBuilt> missing;
  auto engine = make_engine(options, missing);
  if (!file || !engine || missing) return sample;
  auto result = run_session(*file, **engine);
  if (!result || !result->passed()) return sample;
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  sample.seconds = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  sample.instructions = result->report.instructions;
  sample.cycles = result->report.cycles;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  sample.peak_bytes = uint64_t{1024} * static_cast<uint64_t>(usage.ru_maxrss);
  return sample;
}

}  // namespace

base::Result<ChildSample> run_in_child(const ChildEngine& what, unsigned work_items,
                                       unsigned iterations) {
  int ends[2];
  if (pipe(ends) != 0) return base::Error("no pipe");
  const pid_t child = fork();
  if (child < 0) return base::Error("no child process");
  if (child == 0) {
    const ChildSample sample = run_here(what, work_items, iterations);
    const bool written = write(ends[1], &sample, sizeof sample) == sizeof sample;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  ChildSample sample;
  const bool read_all = read(ends[0], &sample, sizeof sample) == sizeof sample;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!read_all || sample.instructions == 0)
    return base::Error("the benchmark kernel did not run on " + what.engine);
  return sample;
}

}  // namespace cuvette::run::bench
