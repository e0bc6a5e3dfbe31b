// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>

#include "speed/block_rows.h"
#include "speed/golden_rows.h"
#include "speed/hsail_rows.h"

namespace cuvette::bench {
namespace {

constexpr Benchmark kBenchmarks[] = {
    {"golden-fma", "golden: a loop of 32 v_fma_f32 against native code with registers in memory",
     golden_fma},
    {"golden-matrix", "golden: matrix instructions of every format and arithmetic", golden_matrix},
    {"golden-mfma",
     "golden: F32 and F16 matrix instructions against the host's fused multiply-adds", golden_mfma},
    {"golden-mixed", "golden: a loop of twelve kinds of VALU and SALU, EXEC full and partial",
     golden_mixed},
    {"golden-saxpy", "golden: saxpy from HSAIL, dispatch included, against a native loop",
     golden_saxpy},
    {"golden-threads", "golden: two host threads against one, elapsed time", golden_threads},
    {"hsail-text", "HSAIL text and BRIG read and validated", hsail_text},
    {"hsail-finalize", "one tiled matrix product finalized", hsail_finalize},
    {"hsail-interpret", "engine hsail: a tiled matrix product", hsail_interpret},
    {"ca", "engine ca: a loop of v_fma_f32 on every compute unit", ca_speed},
    {"ca-threads", "engine ca: two host threads against one on 120 compute units, elapsed time",
     ca_threads},
    {"lt", "engine lt: the same loop, and how much faster than ca", lt_speed},
    {"ca-lockstep", "engine ca with one response of the valu in 10,000 compared, against ca alone",
     ca_lockstep},
    {"ca-rtl", "engine ca: the same loop where every block with RTL is RTL in lockstep", ca_rtl},
    {"front-packets", "engine lt: packets of an empty kernel", front_packets},
    {"front-stages", "engine ca: cycles of a packet by stage, waves launched per cycle",
     front_stages},
    {"memory", "peak memory of a process with a dispatch of 4096 work-groups on 120 compute units",
     peak_memory},
    {"trace",
     "engine ca: size and time of a trace, and time of statistics, of 10 million instructions",
     trace_cost},
    {"cache-rtl", "RTL of the cache in each role: bare, in lockstep", cache_rtl},
    {"matrix-rtl", "RTL of the matrix core: bare, behind its contract, in lockstep", matrix_rtl},
    {"valu-rtl", "RTL of the vector ALU: bare, behind its contract, in lockstep", valu_rtl},
};

double seconds_of(const std::function<void()>& candidate, unsigned calls) {
  const double start = cpu_seconds();
  for (unsigned i = 0; i < calls; ++i) candidate();
  return cpu_seconds() - start;
}

/// Number of calls that last long enough for the clock.
unsigned calibrate(const std::function<void()>& candidate) {
  constexpr double kEnough = 0.02;
  constexpr unsigned kMost = 1u << 24;
  unsigned calls = 1;
  while (calls < kMost && seconds_of(candidate, calls) < kEnough) calls *= 2;
  return calls;
}

}  // namespace

std::span<const Benchmark> benchmarks() {
  return kBenchmarks;
}

const Benchmark* find_benchmark(const std::string& name) {
  for (const Benchmark& b : kBenchmarks) {
    if (name == b.name) return &b;
  }
  return nullptr;
}

const char* host_vector_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
  return "baseline";
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<double> median_seconds(const std::vector<std::function<void()>>& candidates) {
  std::vector<unsigned> calls;
  calls.reserve(candidates.size());
  for (const auto& c : candidates) calls.push_back(calibrate(c));
  std::vector<std::vector<double>> times(candidates.size());
  for (unsigned r = 0; r < kBenchRepetitions; ++r) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      times[i].push_back(seconds_of(candidates[i], calls[i]) / calls[i]);
    }
  }
  std::vector<double> medians;
  for (const auto& t : times) medians.push_back(median(t));
  return medians;
}

}  // namespace cuvette::bench
