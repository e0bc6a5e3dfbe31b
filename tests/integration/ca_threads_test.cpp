// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Engine ca on several host threads: nothing that anybody can see depends on their number. Without
// SystemC, whose coroutines a thread sanitizer does not follow: the preset `tsan` runs this file.
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ca_testing.h"
#include "run/statistics.h"

namespace cuvette {
namespace {

using namespace testing_support;

constexpr unsigned kMostThreads = 4;

/// Everything a run shows, observers included, in the order in which it is told.
struct Seen {
  run::SessionResult result;
  std::vector<std::string> statistics, retired, activity, accesses;
};

template <class Counters>
void note(std::vector<std::string>& out, const std::string& block, const Counters& counters) {
  for (const auto& [name, value] : run::counters_of(block, 0, counters).values) {
    out.push_back(fmt::format("{} {} {}", block, name, value));
  }
}

std::vector<std::string> statistics_of(gpu::Chip& m) {
  std::vector<std::string> out;
  for (unsigned i = 0; i < m.compute_units(); ++i) {
    for (const auto& [name, value] : run::counters_of(i, m.compute_unit(i).counters()).values) {
      out.push_back(fmt::format("compute_unit {} {} {}", i, name, value));
    }
    note(out, fmt::format("l1 {}", i), m.vector_l1(i).counters());
  }
  for (unsigned i = 0; i < m.scalar_caches(); ++i) {
    note(out, fmt::format("scalar {}", i), m.scalar_cache(i).counters());
  }
  for (unsigned i = 0; i < m.instruction_caches(); ++i) {
    note(out, fmt::format("instruction {}", i), m.instruction_cache(i).counters());
  }
  for (unsigned i = 0; i < m.l2_slices(); ++i) {
    note(out, fmt::format("l2 {}", i), m.l2(i).counters());
  }
  return out;
}

Seen run_with(const run::DispatchFile& file, const machine::GpuConfig& d, unsigned threads,
              bool observed) {
  Seen seen;
  gpu::Chip::Options options;
  options.threads = threads;
  PlainGpu* gpu = nullptr;
  const auto caller = std::this_thread::get_id();
  auto engine = run::make_timed_engine(
      {}, d, [&](hsa::DeviceMemory& m) -> base::Result<std::unique_ptr<run::TimedGpu>> {
        auto made = PlainGpu::make(d, m, options);
        if (!made) return made;
        gpu = static_cast<PlainGpu*>(made->get());
        if (!observed) return made;
        gpu::Chip& machine = gpu->chip();
        machine.observe([&](const wave::RetireRecord& r) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          uint64_t hash = r.exec;
          for (const auto& w : r.vector_writes) {
            for (const uint32_t lane : w.data) hash = hash * 31 + lane;
          }
          for (const auto& a : r.accesses) hash = hash * 31 + a.address + a.serial;
          seen.retired.push_back(fmt::format("{} {} {:x} {:x}", r.wave, r.order, r.pc, hash));
        });
        EXPECT_TRUE(machine.watch([&](unsigned unit, const compute_unit::Activity& a) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          seen.activity.push_back(
              fmt::format("{} {} {} {} {:x} {}", unit, static_cast<int>(a.kind), a.time, a.wave,
                          a.pc, a.instruction != nullptr ? a.instruction->row->mnemonic : ""));
        }));
        EXPECT_TRUE(machine.watch_first_level(
            [&](cache::Role role, unsigned index, const cache::Cache::Event& event) {
              EXPECT_EQ(std::this_thread::get_id(), caller);
              seen.accesses.push_back(fmt::format("{} {} {} {} {:x}", cache::name_of(role), index,
                                                  static_cast<int>(event.kind), event.time,
                                                  event.address));
            }));
        return made;
      });
  EXPECT_TRUE(engine.ok());
  if (!engine.ok()) return seen;
  seen.result = session(file, **engine);
  seen.statistics = statistics_of(gpu->chip());
  return seen;
}

void expect_same(const Seen& a, const Seen& b, const std::string& what) {
  EXPECT_EQ(a.result.report.cycles, b.result.report.cycles) << what;
  EXPECT_EQ(a.result.report.instructions, b.result.report.instructions) << what;
  EXPECT_EQ(a.result.buffers, b.result.buffers) << what;
  EXPECT_EQ(a.statistics, b.statistics) << what;
  // Too long for a report of every difference.
  EXPECT_TRUE(a.retired == b.retired) << what;
  EXPECT_TRUE(a.activity == b.activity) << what;
  EXPECT_TRUE(a.accesses == b.accesses) << what;
}

/// Sixteen compute units in eight clusters, of which every thread has several.
machine::GpuConfig wide() {
  auto d = uneven();
  d.compute_units = 16;
  d.scalar_cache.shared_by = 2;
  d.instruction_cache.shared_by = 1;
  return d;
}

class CaThreads : public testing::TestWithParam<const char*> {};

TEST_P(CaThreads, AnyNumberShowsWhatOneShows) {
  const auto file = dispatch_file(GetParam());
  const auto d = wide();
  const Seen one = run_with(file, d, 1, false);
  const Seen observed = run_with(file, d, 1, true);
  EXPECT_EQ(one.statistics, observed.statistics);
  EXPECT_FALSE(observed.retired.empty());
  for (unsigned threads = 2; threads <= kMostThreads; ++threads) {
    const std::string what = fmt::format("{} threads", threads);
    expect_same(run_with(file, d, threads, false), one, what);
    expect_same(run_with(file, d, threads, true), observed, what + ", observed");
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CaThreads,
                         testing::Values("histogram", "mfma_gemm", "mixed", "reduce", "saxpy",
                                         "sgemm", "stencil", "transpose", "vector_add"),
                         [](const auto& c) { return std::string(c.param); });

TEST(CaThreads, LookaheadAndOrderDoNotMatterEither) {
  const auto file = dispatch_file("reduce");
  const auto d = wide();
  const auto expected = on_plain(file, d, {});
  for (const uint32_t lookahead : {1u, 3u, 7u}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      gpu::Chip::Options o;
      o.lookahead = lookahead;
      o.order_seed = seed;
      o.threads = 3;
      const auto got = on_plain(file, d, o);
      EXPECT_EQ(got.report.cycles, expected.report.cycles) << lookahead << ' ' << seed;
      EXPECT_EQ(got.buffers, expected.buffers) << lookahead << ' ' << seed;
    }
  }
}

TEST(ThreadPool, CallsEveryTaskOnceAndThoseOfTheCallerThere) {
  constexpr unsigned kTasks = 50;
  for (unsigned threads = 1; threads <= kMostThreads; ++threads) {
    base::ThreadPool pool(threads, kTasks);
    std::vector<std::atomic<unsigned>> calls(kTasks);
    std::vector<unsigned> anywhere;
    for (unsigned d = 0; d < kTasks; ++d) {
      if (d != 0 && d != 7) anywhere.push_back(d);
    }
    const auto caller = std::this_thread::get_id();
    constexpr unsigned kRounds = 200;
    for (unsigned round = 0; round < kRounds; ++round) {
      pool.run({7, 0}, anywhere, [&](unsigned d) {
        if (d == 0 || d == 7) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
        }
        calls[d].fetch_add(1, std::memory_order_relaxed);
      });
      for (unsigned d = 0; d < kTasks; ++d) ASSERT_EQ(calls[d].load(), round + 1) << d;
    }
  }
}

TEST(ThreadPool, WhatIsThrownFirstByNumberIsThrownAgain) {
  base::ThreadPool pool(3, 20);
  std::vector<unsigned> all;
  for (unsigned d = 0; d < 20; ++d) all.push_back(d);
  for (unsigned round = 0; round < 20; ++round) {
    std::string what;
    try {
      pool.run({}, all, [](unsigned d) {
        if (d >= 5) throw std::runtime_error(std::to_string(d));
      });
    } catch (const std::runtime_error& e) {
      what = e.what();
    }
    EXPECT_EQ(what, "5");
  }
  unsigned calls = 0;
  pool.run({3}, {}, [&](unsigned) { ++calls; });
  EXPECT_EQ(calls, 1u);
}

}  // namespace
}  // namespace cuvette
