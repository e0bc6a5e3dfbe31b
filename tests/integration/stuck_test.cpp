// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Reports of runs that do not end, and of waves with forbidden actions, on each engine: the
// wave, its pc, its instruction and the condition it waits for. One process per test.
#include <cstring>
#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "ca_testing.h"
#include "run/engine_lt.h"

namespace cuvette {
namespace {

using namespace testing_support;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

run::DispatchFile kernel(const std::string& body, unsigned items) {
  auto f = run::parse_dispatch_file(
      "code:\n  hsail: |\n"
      "    module &m:1:0:$full:$large:$default;\n"
      "    prog kernel &k(kernarg_u64 %p)\n    {\n"
      "      ld_kernarg_u64 $d0, [%p];\n      workitemid_u32 $s0, 0;\n" +
          body +
          "      ret;\n    };\n"
          "kernel: \"&k\"\ngrid: [" +
          std::to_string(items) + "]\nworkgroup: [" + std::to_string(items) +
          "]\nargs:\n  - buffer: {name: b, type: u32, count: 64}\n",
      "stuck.yaml");
  EXPECT_TRUE(f.ok()) << f.error().str();
  return *f;
}

/// A target that never answers.
class Silent final : public sc_core::sc_module {
 public:
  explicit Silent(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Silent::b_transport);
  }
  tlm_utils::simple_target_socket<Silent, 64> socket;

 private:
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) { sc_core::wait(never_); }
  sc_core::sc_event never_;
};

run::SessionResult result_of(const std::string& engine_name, const run::DispatchFile& file,
                             uint64_t watchdog, const run::AttachMemory& attach = {}) {
  run::EngineOptions options;
  options.watchdog = watchdog;
  const auto d = description("small");
  const auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto engine = engine_name == "golden"
                    ? run::make_golden_engine(options, d)
                    : run::make_timed_engine(options, d, [&](hsa::DeviceMemory& m) {
                        return engine_name == "ca"
                                   ? run::make_ca_gpu("gpu", d, registries, m, {}, attach)
                                   : run::make_lt_gpu("gpu", d, registries, m, {}, attach);
                      });
  EXPECT_TRUE(engine.ok());
  auto result = run::run_session(file, **engine);
  EXPECT_TRUE(result.ok()) << result.error().str();
  return *result;
}

/// Failures of a run, one string.
std::string failures_of(const std::string& engine_name, const run::DispatchFile& file,
                        uint64_t watchdog, const run::AttachMemory& attach = {}) {
  std::string all;
  for (const auto& f : result_of(engine_name, file, watchdog, attach).report.failures) {
    all += f + "\n";
  }
  return all;
}

class Stuck : public testing::TestWithParam<const char*> {
 protected:
  std::string failures(const run::DispatchFile& file, const run::AttachMemory& attach = {}) {
    return failures_of(GetParam(), file, 60000, attach);
  }
};

TEST_P(Stuck, AWaveThatSpinsOnMemoryMeetsTheWatchdog) {
  const auto text =
      failures(kernel("    @again:\n"
                      "      ld_global_u32 $s1, [$d0];\n"
                      "      cmp_ne_b1_u32 $c1, $s1, 1;\n"
                      "      cbr_b1 $c1, @again;\n",
                      64));
  EXPECT_THAT(text, HasSubstr("watchdog: "));
  EXPECT_THAT(text, ContainsRegex("wave 0?x?[0-9a-f]+ pc 0x[0-9a-f]+:? [a-z_0-9]+.*: waits for "));
}

TEST_P(Stuck, AWaveAtABarrierAndTheOneItWaitsForAreBothNamed) {
  const auto text =
      failures(kernel("      cmp_lt_b1_u32 $c0, $s0, 64;\n"
                      "      cbr_b1 $c0, @meet;\n"
                      "    @again:\n"
                      "      ld_global_u32 $s1, [$d0];\n"
                      "      cmp_ne_b1_u32 $c1, $s1, 1;\n"
                      "      cbr_b1 $c1, @again;\n"
                      "    @meet:\n"
                      "      barrier;\n"
                      "      st_global_u32 $s0, [$d0];\n",
                      128));
  EXPECT_THAT(text, HasSubstr("watchdog: "));
  const auto lines = [&] {
    std::vector<std::string> out;
    size_t from = 0;
    for (size_t to = text.find('\n'); to != std::string::npos; to = text.find('\n', from)) {
      const std::string line = text.substr(from, to - from);
      if (line.find("waits for") != std::string::npos) out.push_back(line);
      from = to + 1;
    }
    return out;
  }();
  ASSERT_EQ(lines.size(), 2u) << text;
  EXPECT_THAT(lines[0], AllOf(ContainsRegex("pc 0x[0-9a-f]+"), HasSubstr("at the barrier")));
  EXPECT_THAT(lines[1],
              AllOf(ContainsRegex("pc 0x[0-9a-f]+:? [a-z]"), testing::Not(HasSubstr("barrier"))));
}

TEST_P(Stuck, AWildStoreNamesWavePcInstructionAndAddress) {
  const auto text = failures(kernel("      st_global_u32 7, [$d0+4096];\n", 64));
  EXPECT_THAT(text, ContainsRegex("wave 0?x?[0-9a-f]+ pc 0x[0-9a-f]+: global_store_dword .*"
                                  "unmapped address 0x[0-9a-f]+"));
}

TEST_P(Stuck, AWildAccessNamesTheBufferAndHowFarBeyond) {
  // 64 dwords: the address is 12 bytes behind the last one.
  const auto store = failures(kernel("      st_global_u32 7, [$d0+268];\n", 1));
  EXPECT_THAT(store, ContainsRegex("store of 4 bytes, 12 bytes beyond the end of buffer b "
                                   "\\(0x[0-9a-f]+, 256 bytes\\)"));
}

TEST_P(Stuck, AWildLoadOfEightBytesNamesTheBuffer) {
  const auto load = failures(
      kernel("      ld_global_u64 $d1, [$d0+1280];\n      st_global_u64 $d1, [$d0];\n", 1));
  EXPECT_THAT(load, ContainsRegex("load of 8 bytes, 1024 bytes beyond the end of buffer b "
                                  "\\(0x[0-9a-f]+, 256 bytes\\)"));
}

TEST_P(Stuck, AWildLoadNamesWavePcInstructionAndAddress) {
  const auto text = failures(
      kernel("      ld_global_u32 $s1, [$d0+1048576];\n      st_global_u32 $s1, [$d0];\n", 64));
  EXPECT_THAT(text, ContainsRegex("wave 0?x?[0-9a-f]+ pc 0x[0-9a-f]+: global_load_dword .*"
                                  "unmapped address 0x[0-9a-f]+"));
}

// Completed stores are in the buffers whatever the end (program order: a wave ends, and goes on
// behind a fence, when its stores have completed); the L2 of ca has it, not memory.

uint32_t word(const run::SessionResult& result, unsigned index) {
  uint32_t value = 0;
  std::memcpy(&value, result.buffers.at("b").data() + 4 * index, 4);
  return value;
}

TEST_P(Stuck, BuffersHaveWhatWasStoredBeforeAFault) {
  const auto result = result_of(GetParam(),
                                kernel("      st_global_u32 77, [$d0+20];\n"
                                       "      atomicnoret_add_global_rlx_agent_u32 [$d0+24], 1;\n"
                                       "      st_global_u32 7, [$d0+4096];\n",
                                       64),
                                60000);
  EXPECT_FALSE(result.report.failures.empty());
  EXPECT_EQ(word(result, 5), 77u);
  EXPECT_EQ(word(result, 6), 64u);
  EXPECT_THAT(result.report.in_flight, testing::IsEmpty());
}

TEST_P(Stuck, BuffersHaveWhatWasStoredBeforeTheWatchdog) {
  const auto result = result_of(GetParam(),
                                kernel("      st_global_u32 77, [$d0+20];\n"
                                       "      memfence_scar_agent;\n"
                                       "    @again:\n"
                                       "      atomic_ld_global_rlx_agent_b32 $s1, [$d0];\n"
                                       "      cmp_ne_b1_u32 $c1, $s1, 1;\n"
                                       "      cbr_b1 $c1, @again;\n",
                                       64),
                                60000);
  EXPECT_FALSE(result.report.failures.empty());
  EXPECT_EQ(word(result, 5), 77u);
  EXPECT_THAT(result.report.in_flight, testing::IsEmpty());
}

/// Stores without an end: some are always on their way.
TEST_P(Stuck, StoresUnderWayAreNamed) {
  const auto result = result_of(GetParam(),
                                kernel("    @again:\n"
                                       "      atomicnoret_st_global_rlx_agent_b32 [$d0+20], 77;\n"
                                       "      br @again;\n",
                                       64),
                                60000);
  EXPECT_FALSE(result.report.failures.empty());
  EXPECT_EQ(word(result, 5), 77u);
  if (std::string(GetParam()) != "ca") return;  // elsewhere a store is done when it is issued
  EXPECT_THAT(
      result.report.in_flight,
      testing::Contains(ContainsRegex("wave 0?x?[0-9a-f]+ pc 0x[0-9a-f]+: "
                                      "global_store_dword .*: [1-4] of 4 requests not answered")));
}

INSTANTIATE_TEST_SUITE_P(Engines, Stuck, testing::Values("golden", "lt", "ca"),
                         [](const auto& c) { return std::string(c.param); });

class LargeWatchdog : public testing::TestWithParam<std::tuple<const char*, uint64_t>> {};

TEST_P(LargeWatchdog, IsNoShortOne) {
  auto file = kernel("      st_global_u32 7, [$d0];\n", 64);
  file.dispatches.push_back(file.dispatches[0]);
  EXPECT_EQ(failures_of(std::get<0>(GetParam()), file, std::get<1>(GetParam())), "");
}

/// Limits that no sum and no time of the simulation can hold: 2^63 times an even number of
/// picoseconds is nothing modulo 2^64, the larger ones are passed by what a first dispatch took.
INSTANTIATE_TEST_SUITE_P(Engines, LargeWatchdog,
                         testing::Combine(testing::Values("golden", "lt", "ca"),
                                          testing::Values(uint64_t{1} << 63, ~uint64_t{0} - 1,
                                                          ~uint64_t{0})),
                         [](const auto& c) {
                           const uint64_t below = ~std::get<1>(c.param);
                           return std::get<0>(c.param) + std::to_string(below > 1 ? 63 : below);
                         });

/// Waves never wait for each other without an end, so a real deadlock comes from outside.
class Deadlock : public Stuck {};

TEST_P(Deadlock, MemoryThatNeverAnswersIsOne) {
  Silent silent("silent");
  const auto text =
      failures(kernel("", 64), [&](gpu::MemorySocket& socket) { socket.bind(silent.socket); });
  EXPECT_THAT(text, HasSubstr("deadlock: nothing can happen any more"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Deadlock, testing::Values("lt", "ca"),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
}  // namespace cuvette
