// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cycle counts and buffers depend on nothing that engines.md says they must not depend on:
// lookahead, order of activation, skipping of idle cycles, another GPU, the run.
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "ca_testing.h"

namespace cuvette {
namespace {

using namespace testing_support;

void expect_same(const run::SessionResult& a, const run::SessionResult& b,
                 const std::string& what) {
  EXPECT_EQ(a.report.cycles, b.report.cycles) << what;
  EXPECT_EQ(a.report.instructions, b.report.instructions) << what;
  EXPECT_EQ(a.buffers, b.buffers) << what;
}

class CaDeterminism : public testing::TestWithParam<const char*> {};

TEST_P(CaDeterminism, LookaheadAndOrderDoNotMatter) {
  const auto file = dispatch_file(GetParam());
  const auto d = uneven();
  gpu::Chip::Options reference;
  reference.lookahead = 1;
  reference.never_skip = true;
  const auto expected = on_plain(file, d, reference);
  EXPECT_EQ(expected.buffers, on_golden(file).buffers);
  for (uint32_t lookahead = 1; lookahead <= d.links.smallest(); ++lookahead) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      gpu::Chip::Options o;
      o.lookahead = lookahead;
      o.order_seed = seed;
      expect_same(on_plain(file, d, o), expected,
                  "lookahead " + std::to_string(lookahead) + " seed " + std::to_string(seed));
    }
  }
}

TEST_P(CaDeterminism, SystemCGivesTheTimesOfAPlainLoop) {
  const auto file = dispatch_file(GetParam());
  const auto d = uneven();
  const auto expected = on_plain(file, d, {});
  gpu::Gpu::Options o;
  o.order_seed = 9;
  o.lookahead = 3;
  expect_same(on_systemc(file, d, o), expected, "SystemC");
}

TEST_P(CaDeterminism, NoCoreActsBeforeItsNextEvent) {
  const auto file = dispatch_file(GetParam());
  const auto d = uneven();
  gpu::Chip::Options o;
  o.check_next_event = true;
  PlainGpu* gpu = nullptr;
  auto engine = run::make_timed_engine(
      {}, d, [&](hsa::DeviceMemory& m) -> base::Result<std::unique_ptr<run::TimedGpu>> {
        auto made = PlainGpu::make(d, m, o);
        gpu = static_cast<PlainGpu*>(made->get());
        return made;
      });
  ASSERT_TRUE(engine.ok());
  expect_same(session(file, **engine), on_plain(file, d, {}), "every core in every cycle");
  EXPECT_THAT(gpu->chip().early_ticks(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Kernels, CaDeterminism,
                         testing::Values("histogram", "reduce", "transpose"),
                         [](const auto& c) { return std::string(c.param); });

TEST(CaDeterminism, LongerLinksAllowALongerLookahead) {
  const auto file = dispatch_file("reduce");
  auto d = uneven();
  d.links = {30, 20, 25};
  gpu::Chip::Options one;
  one.lookahead = 1;
  const auto expected = on_plain(file, d, one);
  for (const uint32_t lookahead : {2u, 7u, 25u}) {
    gpu::Chip::Options o;
    o.lookahead = lookahead;
    o.order_seed = lookahead;
    expect_same(on_plain(file, d, o), expected, "lookahead " + std::to_string(lookahead));
  }
  gpu::Chip::Options beyond;
  beyond.lookahead = 26;
  hsa::DeviceMemory memory;
  EXPECT_FALSE(PlainGpu::make(d, memory, beyond).ok());
}

/// Small caches with a replacement.
machine::GpuConfig with_policies(const std::string& issue_order, const std::string& replacement) {
  auto d = uneven();
  d.compute_unit.issue_order = issue_order;
  d.vector_l1.bytes = d.scalar_cache.bytes = 512;
  d.instruction_cache.bytes = 1024;
  d.l2.slice.bytes = 2048;
  for (auto* cache : {&d.vector_l1, &d.scalar_cache, &d.instruction_cache, &d.l2.slice}) {
    cache->ways = 8;
    cache->line_bytes = 64;
    cache->replacement = replacement;
  }
  return d;
}

TEST(CaDeterminism, PoliciesAreNoReasonForOtherTimes) {
  const auto file = dispatch_file("sgemm");
  const auto buffers = on_golden(file).buffers;
  std::set<uint64_t> cycles;
  const std::pair<const char*, const char*> choices[] = {{"oldest_first", "lru"},
                                                         {"round_robin", "lru"},
                                                         {"greedy_then_oldest", "lru"},
                                                         {"oldest_first", "tree_plru"},
                                                         {"oldest_first", "random"}};
  for (const auto& [order, replacement] : choices) {
    const auto d = with_policies(order, replacement);
    gpu::Chip::Options reference;
    reference.lookahead = 1;
    reference.never_skip = true;
    const auto expected = on_plain(file, d, reference);
    EXPECT_EQ(expected.buffers, buffers) << order << replacement;
    cycles.insert(expected.report.cycles);
    gpu::Chip::Options o;
    o.order_seed = 1;
    expect_same(on_plain(file, d, o), expected, std::string(order) + " " + replacement);
  }
  EXPECT_EQ(cycles.size(), std::size(choices)) << "each has times of its own";
}

TEST(CaDeterminism, UnknownPoliciesAreRefused) {
  const auto error_of = [](const std::string& order, const std::string& replacement) {
    hsa::DeviceMemory memory;
    const auto made = PlainGpu::make(with_policies(order, replacement), memory, {});
    return made.ok() ? std::string("accepted") : made.error().what;
  };
  EXPECT_EQ(error_of("oldest_first", "lru"), "accepted");
  EXPECT_EQ(error_of("youngest", "lru"),
            "unknown issue_order 'youngest', expected oldest_first, round_robin or "
            "greedy_then_oldest");
  EXPECT_EQ(error_of("oldest_first", "mru"),
            "unknown replacement 'mru', expected lru, tree_plru or random");
}

/// A GPU that, before it runs, lets `other` start a second one in the same simulation.
class Paired final : public run::TimedGpu {
 public:
  Paired(std::unique_ptr<run::TimedGpu> gpu, std::function<void()> other)
      : gpu_(std::move(gpu)), other_(std::move(other)) {}
  void on_interrupt(OnInterrupt h) override { gpu_->on_interrupt(std::move(h)); }
  uint32_t bind(const command_processor::QueueBinding& q) override { return gpu_->bind(q); }
  void unbind(uint32_t q) override { gpu_->unbind(q); }
  base::Status ring(uint32_t d, uint64_t v) override { return gpu_->ring(d, v); }
  void simulate(machine::Cycle cycles) override {
    other_();
    gpu_->simulate(cycles);
  }
  void pause() override { gpu_->pause(); }
  machine::Cycle cycle() const override { return gpu_->cycle(); }
  bool starved() const override { return gpu_->starved(); }
  std::vector<std::string> wave_report() const override { return gpu_->wave_report(); }
  std::vector<std::string> take_errors() override { return gpu_->take_errors(); }
  Counts counts() const override { return gpu_->counts(); }
  void describe(run::EngineReport& report) const override { gpu_->describe(report); }

 private:
  std::unique_ptr<run::TimedGpu> gpu_;
  std::function<void()> other_;
};

TEST(CaDeterminism, TwoGpusInOneSimulationAreEachLikeOneAlone) {
  const auto first_file = dispatch_file("reduce");
  const auto second_file = dispatch_file("histogram");
  const auto d = uneven();
  const auto small = description("small");
  const auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto second = run::make_timed_engine({}, small, [&](hsa::DeviceMemory& m) {
    return run::make_ca_gpu("second", small, registries, m, {});
  });
  ASSERT_TRUE(second.ok());
  run::SessionResult second_result;
  unsigned nested = 0;
  auto first = run::make_timed_engine(
      {}, d, [&](hsa::DeviceMemory& m) -> base::Result<std::unique_ptr<run::TimedGpu>> {
        auto gpu = run::make_ca_gpu("first", d, registries, m, {});
        if (!gpu) return gpu.error();
        return std::unique_ptr<run::TimedGpu>(std::make_unique<Paired>(std::move(*gpu), [&] {
          if (nested++ == 0) second_result = session(second_file, **second);
        }));
      });
  ASSERT_TRUE(first.ok());
  const auto first_result = session(first_file, **first);
  EXPECT_EQ(nested, 1u);
  expect_same(first_result, on_plain(first_file, d, {}), "first");
  expect_same(second_result, on_plain(second_file, small, {}), "second");
}

}  // namespace
}  // namespace cuvette
