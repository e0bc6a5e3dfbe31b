// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "speed/golden_rows.h"
#include "speed/native.h"
#include "speed/saxpy_kernel.h"
#include "wave/lane_rows.h"

namespace cuvette::bench {
#ifdef CUVETTE_WITH_FINALIZER
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
  std::vector<double> wall, cpu;
};

/// Speed that the host can give: fused multiply-adds on registers in memory, which share nothing,
/// by one thread or by several of them.
constexpr unsigned kNativeRounds = 1u << 16;
void measure_native(unsigned threads, Times& times) {
  static constexpr NativeFma kOperations[] = {{0, 1, 2, 0}, {3, 1, 2, 3}, {4, 1, 2, 4}};
  const auto work = [threads] {
    std::vector<wave::LaneRow, wave::LineAllocator<wave::LaneRow>> rows(5);
    native_fma(rows.data(), kOperations, kNativeRounds / threads);
  };
  const double wall = wall_seconds(), cpu = cpu_seconds();
  std::vector<std::thread> others;
  for (unsigned n = 1; n < threads; ++n) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  times.wall.push_back(wall_seconds() - wall);
  times.cpu.push_back(cpu_seconds() - cpu);
}

base::Status measure(Saxpy& saxpy, unsigned calls, Times& times) {
  const double wall = wall_seconds(), cpu = cpu_seconds();
  for (unsigned i = 0; i < calls; ++i) {
    run::EngineReport report;
    if (auto status = saxpy.engine->run(saxpy.launch, report); !status.ok()) return status;
    if (!report.failures.empty()) return base::Error(report.failures[0]);
    if (!report.restarts.empty()) return base::Error("the dispatch was done over by one thread");
  }
  times.wall.push_back((wall_seconds() - wall) / calls);
  times.cpu.push_back((cpu_seconds() - cpu) / calls);
  return {};
}

}  // namespace
#endif

base::Result<BenchResult> golden_threads() {
  BenchResult result;
#ifndef CUVETTE_WITH_FINALIZER
  result.skipped = "HSAIL needs the finalizer (LLVM), which is not in this build";
  return result;
#else
  struct Variant {
    const char *code, *name;
    unsigned count, calls;
    double goal;
  };
  const Variant variants[] = {
      {kSaxpyDeep, "800 v_fma_f32 per element, 64 Ki elements", 1u << 16, 10, 1.7},
      {kSaxpy, "saxpy, 1 Mi elements", 1u << 20, 10, 0},
  };
  for (const Variant& variant : variants) {
    auto one = prepare_saxpy(variant.code, variant.count, variant.count, 1);
    auto two = prepare_saxpy(variant.code, variant.count, variant.count, 2);
    if (!one) return one.error();
    if (!two) return two.error();
    Times of_one, of_two, native_one, native_two;
    for (unsigned r = 0; r < kBenchRepetitions; ++r) {
      if (auto s = measure(*one, variant.calls, of_one); !s.ok()) return s.error();
      if (auto s = measure(*two, variant.calls, of_two); !s.ok()) return s.error();
      if (variant.goal == 0) continue;
      measure_native(1, native_one);
      measure_native(2, native_two);
    }
    const auto count = static_cast<double>(variant.count);
    result.lines.push_back({variant.name, 1e9 * median(of_one.wall) / count, "ns/element"});
    result.lines.push_back({"  two host threads", 1e9 * median(of_two.wall) / count, "ns/element"});
    result.lines.push_back({"  two / one host thread, elapsed time",
                            median(of_one.wall) / median(of_two.wall), "ratio", variant.goal});
    if (variant.goal != 0) {
      result.lines.push_back({"  the same of native code that shares nothing",
                              median(native_one.wall) / median(native_two.wall), "ratio"});
    }
    result.lines.push_back(
        {"  CPU time of one / of both of two", median(of_one.cpu) / median(of_two.cpu), "ratio"});
  }
  return result;
#endif
}

}  // namespace cuvette::bench
