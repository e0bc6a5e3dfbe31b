// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/bench/block_rows.h"
#include "run/dispatch_file.h"
#include "run/engine.h"
#include "run/session.h"

namespace cuvette::run::bench {
namespace {

/// What one run in a child process cost and did. SystemC elaborates once per process.
struct Sample {
  double seconds = 0;  // CPU time of the child
  uint64_t instructions = 0, cycles = 0;
};

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

Sample run_here(const std::string& engine_name, const std::string& config, unsigned work_items,
                unsigned iterations) {
  Sample sample;
  EngineOptions options;
  options.engine = engine_name;
  options.config = config;
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
  return sample;
}

base::Result<Sample> run_in_child(const std::string& engine, const std::string& config,
                                  unsigned work_items, unsigned iterations) {
  int ends[2];
  if (pipe(ends) != 0) return base::Error("no pipe");
  const pid_t child = fork();
  if (child < 0) return base::Error("no child process");
  if (child == 0) {
    const Sample sample = run_here(engine, config, work_items, iterations);
    const bool written = write(ends[1], &sample, sizeof sample) == sizeof sample;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Sample sample;
  const bool read_all = read(ends[0], &sample, sizeof sample) == sizeof sample;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!read_all || sample.cycles == 0)
    return base::Error("the benchmark kernel did not run on " + engine);
  return sample;
}

/// Speeds without start-up: the difference between a long and a short run, median of several pairs.
[[maybe_unused]] base::Result<Sample> rate(const std::string& engine, const std::string& config,
                                           unsigned work_items, unsigned iterations) {
  std::vector<Sample> differences;
  for (unsigned i = 0; i < kBenchRepetitions; ++i) {
    auto brief = run_in_child(engine, config, work_items, 1);
    if (!brief) return brief.error();
    auto full = run_in_child(engine, config, work_items, iterations);
    if (!full) return full.error();
    differences.push_back({full->seconds - brief->seconds, full->instructions - brief->instructions,
                           full->cycles - brief->cycles});
  }
  std::sort(differences.begin(), differences.end(),
            [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
  return differences[differences.size() / 2];
}

#ifdef CUVETTE_WITH_FINALIZER
struct Machine {
  const char* config;
  const char* units;
  unsigned work_items, iterations;
};
constexpr Machine kMachines[] = {{"small", "1 compute unit", 2560, 2000},
                                 {"mi100", "120 compute units", 120 * 2560, 40}};

double millions_per_second(const Sample& sample) {
  return static_cast<double>(sample.instructions) / sample.seconds * 1e-6;
}
#endif

}  // namespace

base::Result<BenchResult> ca_speed() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  for (const Machine& m : kMachines) {
    auto sample = rate("ca", m.config, m.work_items, m.iterations);
    if (!sample) return sample.error();
    out.lines.push_back({fmt::format("ca, {}, wave instructions", m.units),
                         millions_per_second(*sample), "M/s", 0});
    out.lines.push_back({fmt::format("ca, {}, chip cycles", m.units),
                         static_cast<double>(sample->cycles) / sample->seconds * 1e-3, "k/s", 0});
  }
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

base::Result<BenchResult> lt_speed() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  for (const Machine& m : kMachines) {
    auto lt = rate("lt", m.config, m.work_items, m.iterations);
    if (!lt) return lt.error();
    auto ca = rate("ca", m.config, m.work_items, m.iterations);
    if (!ca) return ca.error();
    out.lines.push_back(
        {fmt::format("lt, {}, wave instructions", m.units), millions_per_second(*lt), "M/s", 0});
    out.lines.push_back({fmt::format("lt / ca, {}", m.units),
                         millions_per_second(*lt) / millions_per_second(*ca), "", 0});
  }
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

}  // namespace cuvette::run::bench
